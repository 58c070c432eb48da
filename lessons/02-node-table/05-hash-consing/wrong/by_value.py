# expect: gives 1 at [2], expected 2
"""Constants by their value: 0.0 and -0.0 become one."""


def build(statements):
    table = {}
    names = {}
    for name, op, *rest in statements:
        if op == "stage":
            key = (op, name, *rest)
        elif op == "const":
            dtype, text = rest
            value = float(text) if dtype == "f64" else text
            if dtype == "i64":
                value = int(text, 0)
            key = (op, dtype, "nan" if value != value else value)
        else:
            key = (op, *(names[operand] for operand in rest))
        names[name] = table.setdefault(key, len(table))
    return list(names.values())
