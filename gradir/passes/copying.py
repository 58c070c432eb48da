"""Copies nodes from one table into another, some of them changed on the way.

Memory keeps its order: versions, ranges and regions are carried over with the nodes they belong
to. A copy is as hash-consed as its model; two nodes that a change makes equal become one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gradir.ir.ops import OPS
from gradir.ir.table import Hint, Node, Origin, Table
from gradir.reference.failures import share_note

# What a node becomes: its key, given the new table, the old id and the copied operands.
Change = Callable[["Copier", int, tuple[int, ...]], int]


class Copier:
    """The state of one copy: `ids` leads from the source's nodes to the target's."""

    def __init__(self, source: Table, target: Table, change: Change | None = None) -> None:
        self.source, self.target = source, target
        self.change = change
        self.ids: dict[int, int] = {}

    def copy(self, nodes: Iterable[int]) -> None:
        """Copy nodes, given in rising order; those that are in `ids` already stay."""
        for id in nodes:
            if id not in self.ids:
                operands = tuple(self.ids[o] for o in self.source[id].operands)
                made = self.change(self, id, operands) if self.change else self.same(id, operands)
                self.ids[id] = made

    def same(self, id: int, operands: tuple[int, ...]) -> int:
        """The node as it is, on other operands."""
        return self.add(id, self.source[id]._replace(operands=operands))

    def add(self, id: int, node: Node) -> int:
        """Add a node that stands for the source's node `id`, or for a part of it."""
        first, *more = self.moved_origins(id)
        made = self.target.add(node, first)
        self.target.origins[made].extend(more)
        region = self.source.regions.get(id)
        if region is not None:
            # A range is its own region.
            self.target.regions[made] = made if region == id else self.ids[region]
        return made

    def moved_origins(self, id: int) -> list[Origin]:
        """The places a node comes from, with the forward nodes that their copies are."""
        return [
            origin
            if origin.forward is None
            else origin._replace(forward=self.ids.get(origin.forward))
            for origin in self.source.origins[id]
        ]

    def finish(self) -> None:
        """What a whole table says beside its nodes: names, versions, ranges, hints."""
        source, target, ids = self.source, self.target, self.ids
        for name, id in source.names.items():
            if id in ids:
                target.bind(name, ids[id])
        for buffer, versions in source.versions.items():
            target.versions[ids[buffer]] = [ids[id] for id in versions]
        for range, parent in source.range_parents.items():
            target.range_parents[ids[range]] = None if parent is None else ids[parent]
        for hint in source.hints:
            kept = tuple(ids[id] for id in hint.kept)
            target.hints.append(
                Hint(ids[hint.y], ids[hint.x], kept, len(target) - 1, ids[hint.result])
            )


# Nodes at which a run may fail.
_FALLIBLE = frozenset(
    OPS[name] for name in ("take", "scatter_add", "load", "store", "pad", "shrink")
)


class Leaving(Copier):
    """A copy that may leave nodes out. A node that may fail then says in words which forward
    node it belongs to, so that its error reads the same."""

    def moved_origins(self, id: int) -> list[Origin]:
        source = self.source
        if source[id].op not in _FALLIBLE:
            return super().moved_origins(id)
        return [
            origin
            if origin.forward is None
            else Origin(origin.span, None, (share_note(source, origin.forward), *origin.calls))
            for origin in source.origins[id]
        ]


def closure(table: Table, roots: Sequence[int]) -> list[int]:
    """The roots and all they are computed from, in rising order; memory is not followed."""
    found = set(roots)
    stack = list(found)
    while stack:
        for operand in table[stack.pop()].operands:
            if operand not in found:
                found.add(operand)
                stack.append(operand)
    return sorted(found)
