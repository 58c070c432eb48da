"""Checks of results that are too long to write down."""


def long_tape(value):
    """The entries alternate between v and 1/v, with v doubled ten times; all are powers of two."""
    if not isinstance(value, list) or len(value) != 20001:
        return "one number for each entry is needed"
    values = [2.0]
    for k in range(20000):
        values.append(values[k] * 2.0 if k % 2000 == 0 else 1.0 / values[k])
    share = 1.0
    for k in range(20000, -1, -1):
        if value[k] != share:
            return f"the derivative by entry {k} is {value[k]!r}, expected {share!r}"
        if k:
            share *= 2.0 if (k - 1) % 2000 == 0 else -values[k] * values[k]
    return ""
