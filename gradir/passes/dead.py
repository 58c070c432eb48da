"""Dead nodes: those that no effect, declared thing or hint reaches are left out."""

from __future__ import annotations

from gradir.ir.ops import OPS
from gradir.ir.table import Table
from gradir.passes.copying import Leaving
from gradir.reference.plan import effects, needed_nodes

# Stages and buffers belong to what a program takes and keeps; ranges and ends order memory.
_KEPT = frozenset(OPS[name] for name in ("stage", "buffer", "range", "end"))


def drop_dead(table: Table) -> Table:
    """The table without dead nodes; itself if it has none."""
    roots = [id for id, node in enumerate(table.nodes) if node.op in _KEPT]
    for hint in table.hints:
        roots += [hint.y, hint.x, hint.result, *hint.kept]
    live = needed_nodes(table, [*effects(table), *roots])
    if len(live) == len(table):
        return table
    copier = Leaving(table, Table(dims=dict(table.dims), functions=dict(table.functions)))
    copier.copy(sorted(live))
    copier.finish()
    return copier.target
