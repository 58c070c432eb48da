"""A hash-consing table."""

import struct


def constant(dtype, text):
    """What tells two constants of one type apart: their bits."""
    if dtype == "f64":
        return struct.pack("<d", float(text))
    if dtype == "i64":
        return int(text, 0)
    return text


def build(statements):
    """The node id of each statement, in order."""
    table = {}
    names = {}
    for name, op, *rest in statements:
        if op == "stage":
            key = (op, name, *rest)
        elif op == "const":
            dtype, text = rest
            key = (op, dtype, constant(dtype, text))
        else:
            key = (op, *(names[operand] for operand in rest))
        names[name] = table.setdefault(key, len(table))
    return list(names.values())
