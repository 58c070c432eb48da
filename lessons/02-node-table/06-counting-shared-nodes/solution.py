"""What sharing saves: a dump's nodes, and its tree without sharing."""

import sys


def sharing(dump):
    """The numbers nodes, shared and tree of a dump."""
    number = {}  # the node that a name means
    size = []  # of the tree under a node
    uses = []
    tree = 0
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
        if words[0] == "output":
            tree += size[-1]
    return {"nodes": len(size), "shared": sum(count > 1 for count in uses), "tree": tree}


if __name__ == "__main__":
    print(sharing(sys.stdin.read()))
