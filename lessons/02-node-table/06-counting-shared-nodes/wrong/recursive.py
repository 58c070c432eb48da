# expect: each on top of the other
"""Walks the graph by recursion, with a memory: right, until the graph is deep."""


def sharing(dump):
    operands, alias, outputs, uses = {}, {}, [], {}
    for line in dump.splitlines():
        left, equals, right = line.partition(" = ")
        words = right.split() if equals else line.split()
        if not words:
            continue
        name = left.split(":")[0].strip()
        if words[0].startswith("%"):
            alias[name] = alias[words[0]]
            continue
        alias[name] = name
        operands[name] = [alias[word] for word in words if word.startswith("%")]
        for operand in operands[name]:
            uses[operand] = uses.get(operand, 0) + 1
        if words[0] == "output":
            outputs.append(name)
    seen = {}

    def size(name):
        if name not in seen:
            seen[name] = 1 + sum(size(operand) for operand in operands[name])
        return seen[name]

    tree = sum(size(name) for name in outputs)
    return {
        "nodes": len(operands),
        "shared": sum(count > 1 for count in uses.values()),
        "tree": tree,
    }
