# expect: gives 1 at [1], expected 0
"""Constants by their text: 0.5 and 5e-1 become two."""


def build(statements):
    table = {}
    names = {}
    for name, op, *rest in statements:
        if op == "stage":
            key = (op, name, *rest)
        elif op == "const":
            key = (op, *rest)
        else:
            key = (op, *(names[operand] for operand in rest))
        names[name] = table.setdefault(key, len(table))
    return list(names.values())
