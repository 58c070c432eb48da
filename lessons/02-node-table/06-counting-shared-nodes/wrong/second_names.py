# expect: gives 5 at ['nodes'], expected 4
"""Takes `%second = %first` for a node."""


def sharing(dump):
    number, size, uses, tree = {}, [], [], 0
    for line in dump.splitlines():
        left, equals, right = line.partition(" = ")
        words = right.split() if equals else line.split()
        if not words:
            continue
        operands = [number[word] for word in words if word.startswith("%")]
        for operand in operands:
            uses[operand] += 1
        number[left.split(":")[0].strip()] = len(size)
        size.append(1 + sum(size[operand] for operand in operands))
        uses.append(0)
        if words[0] == "output":
            tree += size[-1]
    return {"nodes": len(size), "shared": sum(count > 1 for count in uses), "tree": tree}
