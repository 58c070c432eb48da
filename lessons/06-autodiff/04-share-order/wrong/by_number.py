# expect: other numbers
"""Adds up, but visits by number instead of reverse post-order."""


def shares(edges, y):
    arrived = {y: 1.0}
    for node in range(y, -1, -1):
        if node in arrived:
            for operand, slope in edges[node]:
                part = arrived[node] * slope
                arrived[operand] = arrived[operand] + part if operand in arrived else part
    return [arrived.get(node, 0.0) for node in range(len(edges))]
