# expect: two operands
"""Pops the last operand first: a topological order, but not the one that is asked for."""


def post_order(operands, y):
    order, seen, stack = [], set(), [(y, False)]
    while stack:
        node, finished = stack.pop()
        if finished:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            for operand in operands[node]:
                stack.append((operand, False))
    return order
