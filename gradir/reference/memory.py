"""What is checked before anything is computed: memory (R606) and windows (R607)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from gradir.ir.ops import OPS
from gradir.ir.table import Table
from gradir.ir.types import evaluate_extent
from gradir.reference.plan import Plan, inner_nodes
from gradir.text.diagnostics import GirError

Failure = Callable[[int, str, str, str | None], GirError]

_FALLBACK = 8 << 30


def memory_limit() -> int:
    """Bytes a run may hold: GRADIR_MEMORY if set, else four fifths of what is available."""
    stated = os.environ.get("GRADIR_MEMORY", "")
    if stated.isdigit():
        return int(stated)
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024 * 4 // 5
    return _FALLBACK


# Results that are views of their operands, or hold no more than one axis.
VIEWS = frozenset(OPS[n] for n in ("expand", "iota", "permute", "flip", "detach", "shrink", "load"))
WINDOWS = frozenset((OPS["pad"], OPS["shrink"]))


def check_before(table: Table, plan: Plan, dims: Mapping[str, int], failure: Failure) -> None:
    """Raise `failure(...)` for the first needed node that the run has no memory for (R606), else
    for the first window that lies outside its axis (R607)."""
    limit = memory_limit()
    live = 0
    for at, step in enumerate(plan.steps):
        for id in inner_nodes(step):
            live += _bytes(table, id, dims)
            if live > limit:
                raise failure(
                    id,
                    "R606",
                    f"%{table.label(id)}: {table.type(id)} makes {live:,} bytes, "
                    f"{limit:,} are allowed",
                    "GRADIR_MEMORY=BYTES sets the limit",
                )
        for id in plan.dead_after.get(at, ()):
            live -= _bytes(table, id, dims)
    for id in sorted(plan.needed):
        if table[id].op in WINDOWS:
            _check_window(table, id, dims, failure)


def _bytes(table: Table, id: int, dims: Mapping[str, int]) -> int:
    """What a node's array takes; scalars, views and constants count as nothing."""
    node = table.nodes[id]
    if not node.type.shape or node.op in VIEWS:
        return 0
    size = node.type.dtype.itemsize
    for extent in node.type.shape:
        size *= evaluate_extent(extent, dims)
    return size


def _check_window(table: Table, id: int, dims: Mapping[str, int], failure: Failure) -> None:
    node = table[id]
    operand = table.type(node.operands[0]).shape
    inner, outer = (
        (operand, node.type.shape) if node.op is OPS["pad"] else (node.type.shape, operand)
    )
    for axis, (lo, small, large) in enumerate(zip(node.attrs[0], inner, outer, strict=True)):
        size, whole = evaluate_extent(small, dims), evaluate_extent(large, dims)
        if lo + size > whole:
            message = f"{node.op.name}: {lo} + {size} is more than {whole} on axis {axis}"
            raise failure(id, "R607", message, None)
