"""Checks of results that are too long to write down."""


def counts_up(value):
    return value == list(range(20001))
