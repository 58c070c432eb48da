# expect: small arrays
"""Pays the dispatch once for the whole chain."""


def eager(ops, n, width, dispatch, bandwidth):
    return dispatch + ops * 2 * n * width / bandwidth


def compiled(n, width, call, bandwidth):
    return call + 2 * n * width / bandwidth


def break_even(width, dispatch, bandwidth):
    return -(-dispatch * bandwidth // (2 * width))
