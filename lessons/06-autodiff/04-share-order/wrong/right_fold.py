# expect: grad_accumulation_order
"""Collects the shares and adds them from the last one to the first."""


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
        total = parts[node][-1]
        for part in reversed(parts[node][:-1]):
            total = part + total
        result[node] = total
        for operand, slope in edges[node]:
            parts[operand].append(total * slope)
    return result
