# expect: a long chain
"""Right for small graphs; Python's recursion ends near 1000."""


def post_order(operands, y):
    order, seen = [], set()

    def visit(node):
        if node in seen:
            return
        seen.add(node)
        for operand in operands[node]:
            visit(operand)
        order.append(node)

    visit(y)
    return order
