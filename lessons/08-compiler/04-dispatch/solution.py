"""What a chain of operations costs, one by one and compiled."""


def eager(ops, n, width, dispatch, bandwidth):
    return ops * (dispatch + 2 * n * width / bandwidth)


def compiled(n, width, call, bandwidth):
    return call + 2 * n * width / bandwidth


def break_even(width, dispatch, bandwidth):
    return -(-dispatch * bandwidth // (2 * width))
