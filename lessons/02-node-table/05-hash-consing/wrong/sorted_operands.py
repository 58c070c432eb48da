# expect: gives 2 at [3], expected 3
"""Operands sorted: add a b and add b a become one."""

import struct


def build(statements):
    table = {}
    names = {}
    for name, op, *rest in statements:
        if op == "stage":
            key = (op, name, *rest)
        elif op == "const" and rest[0] == "f64":
            key = (op, rest[0], struct.pack("<d", float(rest[1])))
        elif op == "const" and rest[0] == "i64":
            key = (op, rest[0], int(rest[1], 0))
        elif op == "const":
            key = (op, *rest)
        else:
            key = (op, *sorted(names[operand] for operand in rest))
        names[name] = table.setdefault(key, len(table))
    return list(names.values())
