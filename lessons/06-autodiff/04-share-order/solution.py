"""The shares of all nodes, added in the order in which they arrive."""


def post_order(edges, y):
    order, seen, stack = [], {y}, [(y, 0)]
    while stack:
        node, done = stack[-1]
        if done < len(edges[node]):
            stack[-1] = (node, done + 1)
            operand = edges[node][done][0]
            if operand not in seen:
                seen.add(operand)
                stack.append((operand, 0))
        else:
            stack.pop()
            order.append(node)
    return order


def shares(edges, y):
    arrived = {y: 1.0}
    for node in reversed(post_order(edges, y)):
        for operand, slope in edges[node]:
            part = arrived[node] * slope
            arrived[operand] = arrived[operand] + part if operand in arrived else part
    return [arrived.get(node, 0.0) for node in range(len(edges))]
