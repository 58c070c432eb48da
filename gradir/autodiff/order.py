"""The order in which gradient visits nodes (spec/gradient.md)."""

from __future__ import annotations

from gradir.ir.ops import OPS
from gradir.ir.table import Table

_LEAVES = (OPS["load"], OPS["range"])


def post_order(table: Table, root: int) -> list[int]:
    """Depth first over all operand edges, operands left to right, each node once.

    A load is a leaf: what its version depends on is not part of the graph.
    """
    nodes = table.nodes
    order: list[int] = []
    seen = {root}
    stack = [(root, iter(nodes[root].operands))]
    while stack:
        id, operands = stack[-1]
        for operand in operands:
            if operand not in seen:
                seen.add(operand)
                node = nodes[operand]
                stack.append((operand, iter(() if node.op in _LEAVES else node.operands)))
                break
        else:
            order.append(id)
            stack.pop()
    return order
