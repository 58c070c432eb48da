# expect: two results
"""Frees the results, too."""


def peak(nodes, keep):
    count = len(nodes)
    last = list(range(count))
    for k, (_, operands) in enumerate(nodes):
        for operand in operands:
            last[operand] = k
    ends = [[] for _ in range(count + 1)]
    for node, step in enumerate(last):
        ends[step].append(node)
    live = most = 0
    for k, (size, _) in enumerate(nodes):
        live += size
        most = max(most, live)
        live -= sum(nodes[node][0] for node in ends[k])
    return most
