# expect: all activations are live
"""Takes the first use for the last one."""


def peak(nodes, keep):
    count = len(nodes)
    last = list(range(count))
    seen = set()
    for k, (_, operands) in enumerate(nodes):
        for operand in operands:
            if operand not in seen:
                seen.add(operand)
                last[operand] = k
    for node in keep:
        last[node] = count
    ends = [[] for _ in range(count + 1)]
    for node, step in enumerate(last):
        ends[step].append(node)
    live = most = 0
    for k, (size, _) in enumerate(nodes):
        live += size
        most = max(most, live)
        live -= sum(nodes[node][0] for node in ends[k])
    return most
