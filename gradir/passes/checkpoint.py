"""`checkpoint=` hints carried out: forward values between the kept ones are computed again, late.

The table that results has nodes twice, which hash-consing would never give: the copies stand
directly before the backward nodes that need them and are listed in `Table.late`, so that the
schedule leaves them there. A copy computes what its original computes, so no bit changes
(GRAD-15).
"""

from __future__ import annotations

from collections.abc import Iterable

from gradir.autodiff.order import post_order
from gradir.ir.ops import OPS
from gradir.ir.table import Origin, Table
from gradir.passes.copying import Copier, closure

# Ops without operands to compute from: they are read where they are.
_SOURCES = frozenset(
    OPS[name] for name in ("const", "iota", "size", "stage", "buffer", "load", "range")
)


def apply_checkpoints(table: Table) -> Table:
    """The table with what its hints say computed again; itself if it has no hint."""
    if not table.hints:
        return table
    again: dict[int, set[int]] = {}  # by backward node: the forward values it is given anew
    for y in sorted({hint.y for hint in table.hints}):
        hints = [hint for hint in table.hints if hint.y == y]
        kept = {id for hint in hints for id in hint.kept} | {y}
        forward = set(post_order(table, y))
        lost = {
            id for id in forward - kept if table[id].op not in _SOURCES and id not in table.regions
        }
        for id in set(closure(table, [hint.result for hint in hints])) - forward:
            again.setdefault(id, set()).update(lost)
    return _Recomputer(table, again).run()


class _Recomputer:
    def __init__(self, table: Table, again: dict[int, set[int]]) -> None:
        self.source, self.again = table, again
        self.target = Table(dims=dict(table.dims), functions=dict(table.functions))
        self.copier = Copier(table, self.target)
        self.copies: dict[int, int] = {}

    def run(self) -> Table:
        ids = self.copier.ids
        for id, node in enumerate(self.source.nodes):
            lost = self.again.get(id, ())
            operands = tuple(self.copy(o, lost) if o in lost else ids[o] for o in node.operands)
            ids[id] = self.copier.same(id, operands)
        self.copier.finish()
        self.target.hints.clear()  # they have been carried out
        return self.target

    def copy(self, id: int, lost: Iterable[int]) -> int:
        """The forward node computed again, and before it what it needs, each once."""
        lost = set(lost)
        stack = [id]
        while stack:
            at = stack[-1]
            node = self.source[at]
            missing = [o for o in node.operands if o in lost and o not in self.copies]
            if at in self.copies:
                stack.pop()
            elif missing:
                stack.extend(reversed(missing))
            else:
                operands = tuple(
                    self.copies[o] if o in lost else self.copier.ids[o] for o in node.operands
                )
                made = self.target.append(
                    node._replace(operands=operands), Origin(self.source.span(at))
                )
                self.target.late.add(made)
                self.copies[at] = made
                stack.pop()
        return self.copies[id]
