# expect: a chain
"""Frees the operands before the result is written: as if both could share a place always."""


def peak(nodes, keep):
    count = len(nodes)
    last = list(range(count))
    for k, (_, operands) in enumerate(nodes):
        for operand in operands:
            last[operand] = k
    for node in keep:
        last[node] = count
    ends = [[] for _ in range(count + 1)]
    for node, step in enumerate(last):
        ends[step].append(node)
    live = most = 0
    for k, (size, _) in enumerate(nodes):
        live -= sum(nodes[node][0] for node in ends[k] if node != k)
        live += size
        most = max(most, live)
        if k in ends[k]:
            live -= size
    return most
