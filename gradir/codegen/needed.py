"""What a program needs, as the backend sees it: loads are the values that were stored before.

A load of a whole buffer that is written neither by index nor in a loop costs nothing: it is an
alias of the value that the last store put there, or of the buffer's contents before the step.
Buffers of the other kind, cells, keep their contents in memory of their own.
"""

from __future__ import annotations

from collections import defaultdict

from gradir.ir.ops import OPS
from gradir.ir.table import Node, Table
from gradir.reference.plan import Plan


class Needed:
    """The needed nodes in order of their ids, their operands and users, aliases looked through.

    `alias` maps loads to the values they see; `stores` maps other buffers than `cells` to the
    store that makes their last version.
    """

    def __init__(self, table: Table, plan: Plan) -> None:
        self.table = table
        self.ids = sorted(plan.needed)
        self.cells = _cells(table)
        self.alias: dict[int, int] = {}
        self.stores: dict[int, int] = {}
        self.users: dict[int, list[int]] = defaultdict(list)
        for id in self.ids:
            self._resolve(id)
        for id in self.ids:
            for operand in dict.fromkeys(self.operands(id)):  # of a square's two, one is read
                self.users[operand].append(id)

    def _resolve(self, id: int) -> None:
        """A whole load of a buffer that is no cell is the value stored before, or the slot."""
        node = self.table[id]
        if node.op.name == "store" and node.operands[0] not in self.cells:
            self.stores[node.operands[0]] = id
        if node.op.name != "load" or node.operands[0] in self.cells or len(node.operands) > 1:
            return
        self.alias[id] = self.contents(node)

    def contents(self, load: Node) -> int:
        """The node whose value a load of no cell sees: a stored value, or the buffer itself."""
        versions = self.table.versions[load.operands[0]]
        made = next(
            versions[at]
            for at in range(load.attr("version"), -1, -1)
            if self.table[versions[at]].op.name not in ("range", "end")
        )
        node = self.table[made]
        return self.source(node.operands[1]) if node.op.name == "store" else made

    def source(self, id: int) -> int:
        """The node itself, or what it is an alias of."""
        while True:
            node = self.table[id]
            if id in self.alias:
                id = self.alias[id]
            elif node.op.name == "detach":
                id = node.operands[0]
            else:
                return id

    def operands(self, id: int) -> list[int]:
        node = self.table[id]
        if node.op.name == "load" and node.operands[0] not in self.cells:
            source = self.contents(node)
            if id in self.alias:
                return []
            return [source, *map(self.source, node.operands[1:])]
        return [self.source(o) for o in node.operands]


def _cells(table: Table) -> set[int]:
    """Buffers with a store by index or inside a loop."""
    return {
        node.operands[0]
        for id, node in enumerate(table.nodes)
        if node.op is OPS["store"] and (len(node.operands) > 2 or id in table.regions)
    }
