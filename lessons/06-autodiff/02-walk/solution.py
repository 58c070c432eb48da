"""A graph in post-order, operands from left to right."""


def post_order(operands, y):
    order, seen, stack = [], {y}, [(y, 0)]
    while stack:
        node, done = stack[-1]
        if done < len(operands[node]):
            stack[-1] = (node, done + 1)
            operand = operands[node][done]
            if operand not in seen:
                seen.add(operand)
                stack.append((operand, 0))
        else:
            stack.pop()
            order.append(node)
    return order
