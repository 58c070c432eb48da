# expect: sin on the left
"""Sorting by number: right only when the numbers happen to be in post-order."""


def post_order(operands, y):
    seen, stack = {y}, [y]
    while stack:
        for operand in operands[stack.pop()]:
            if operand not in seen:
                seen.add(operand)
                stack.append(operand)
    return sorted(seen)
