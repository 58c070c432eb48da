"""Checks of results that are too long to write down."""


def all_ones(value):
    return value == [1.0] * 20001
