# expect: gives 3 at [4], expected 2
"""Operands by their names: what is built on equal nodes stays apart."""

import struct


def build(statements):
    table = {}
    ids = []
    for name, op, *rest in statements:
        if op == "stage":
            key = (op, name, *rest)
        elif op == "const" and rest[0] == "f64":
            key = (op, rest[0], struct.pack("<d", float(rest[1])))
        elif op == "const" and rest[0] == "i64":
            key = (op, rest[0], int(rest[1], 0))
        else:
            key = (op, *rest)
        ids.append(table.setdefault(key, len(table)))
    return ids
