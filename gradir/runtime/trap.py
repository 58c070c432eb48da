"""Runs that stop at the first NaN, at the node that made it (R612)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradir.ir.table import Table
from gradir.reference.failures import Failures
from gradir.text.printer import operation_text


def trap_nan(table: Table) -> Callable[[int, Any], None]:
    """A trace that raises R612 for the first value with a NaN in it.

    Constants are passed over: a NaN that stands in the program is meant. In values that come
    from outside, stages and loaded buffers, it is an error like any other.
    """
    failures = Failures(table)

    def trace(id: int, value: Any) -> None:
        node = table[id]
        if not node.type.dtype.is_float or node.op.name == "const":
            return
        wrong = np.isnan(value)
        if not wrong.any():
            return
        position = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        at = f" at {[int(p) for p in position]}" if position else ""
        count = int(np.count_nonzero(wrong))
        more = f", the first of {count}" if count > 1 else ""
        statement = f"%{table.label(id)} = {operation_text(table, node)}"
        raise failures.make(id, "R612", f"NaN{at}{more}: {statement[:80]}")

    return trace
