# expect: small arrays
"""Counts what is read, and forgets what is written."""


def eager(ops, n, width, dispatch, bandwidth):
    return ops * (dispatch + n * width / bandwidth)


def compiled(n, width, call, bandwidth):
    return call + n * width / bandwidth


def break_even(width, dispatch, bandwidth):
    return -(-dispatch * bandwidth // width)
