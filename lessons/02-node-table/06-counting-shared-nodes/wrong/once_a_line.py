# expect: gives 0 at ['shared'], expected 1
"""Counts the operands of a line as a set: mul %2 %2 uses %2 once."""


def sharing(dump):
    number, size, uses, tree = {}, [], [], 0
    for line in dump.splitlines():
        left, equals, right = line.partition(" = ")
        words = right.split() if equals else line.split()
        if not words:
            continue
        name = left.split(":")[0].strip()
        if words[0].startswith("%"):
            number[name] = number[words[0]]
            continue
        operands = {number[word] for word in words if word.startswith("%")}
        for operand in operands:
            uses[operand] += 1
        number[name] = len(size)
        size.append(1 + sum(size[operand] for operand in operands))
        uses.append(0)
        if words[0] == "output":
            tree += size[-1]
    return {"nodes": len(size), "shared": sum(count > 1 for count in uses), "tree": tree}
