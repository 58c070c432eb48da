# expect: grad_accumulation_other_order
"""Sums the shares exactly. A better number, but not the one that the language promises."""

from math import fsum


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
    parts = [[] for _ in edges]
    parts[y].append(1.0)
    result = [0.0] * len(edges)
    for node in reversed(post_order(edges, y)):
        result[node] = fsum(parts[node])
        for operand, slope in edges[node]:
            parts[operand].append(result[node] * slope)
    return result
