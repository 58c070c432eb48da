# expect: gives 5 at ['tree'], expected 2
"""Adds up the trees of all nodes that nobody uses, not of the outputs."""


def sharing(dump):
    number, size, uses = {}, [], []
    for line in dump.splitlines():
        left, equals, right = line.partition(" = ")
        words = right.split() if equals else line.split()
        if not words:
            continue
        name = left.split(":")[0].strip()
        if words[0].startswith("%"):
            number[name] = number[words[0]]
            continue
        operands = [number[word] for word in words if word.startswith("%")]
        for operand in operands:
            uses[operand] += 1
        number[name] = len(size)
        size.append(1 + sum(size[operand] for operand in operands))
        uses.append(0)
    tree = sum(s for s, count in zip(size, uses, strict=True) if count == 0)
    return {"nodes": len(size), "shared": sum(count > 1 for count in uses), "tree": tree}
