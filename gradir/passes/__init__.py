"""Passes: functions from table to table, each of them exact to the bit."""

from __future__ import annotations

from gradir.collector import collection_paused
from gradir.ir.table import Table


def optimise(table: Table) -> Table:
    """What a compiler runs before scheduling: calls inlined, nodes simplified, dead ones dropped.

    Outputs, stores, run-time errors and their places are those of the table given; so are names
    of values that are still computed, memory's versions, ranges and `checkpoint=` hints.
    """
    from gradir.passes.dead import drop_dead
    from gradir.passes.inline import inline_calls
    from gradir.passes.simplify import lay_out, simplify

    with collection_paused():
        return lay_out(simplify(drop_dead(inline_calls(table))))
