"""What a chain of operations costs, one by one and compiled."""


def eager(ops, n, width, dispatch, bandwidth):
    # Counts the memory traffic only.
    return ops * 2 * n * width / bandwidth


def compiled(n, width, call, bandwidth):
    return call + 2 * n * width / bandwidth


def break_even(width, dispatch, bandwidth):
    return 0
