"""The way of a table through the backend, up to the C text: passes, schedule, loops, memory."""

from __future__ import annotations

from typing import NamedTuple

from gradir.codegen.emit_c import program_functions, program_text
from gradir.codegen.loops import Call
from gradir.codegen.lower import lower
from gradir.codegen.memory import MemoryPlan, plan_memory
from gradir.codegen.schedule import Schedule, make_schedule
from gradir.ir.table import Table
from gradir.passes import optimise
from gradir.passes.checkpoint import apply_checkpoints
from gradir.reference.plan import Plan, effects, make_plan
from gradir.text.diagnostics import error

MAX_NODES = 100_000  # more would keep the C compiler busy for minutes


class Staged(NamedTuple):
    """What each stage has made of a table; `table` is the one that is scheduled."""

    table: Table
    plan: Plan
    schedule: Schedule
    calls: list[Call]
    memory: MemoryPlan

    def text(self) -> str:
        """The program's own C functions, without what they stand on."""
        return program_text(self.table, self.calls, self.memory.numbers)

    def functions(self) -> tuple[list[str], str]:
        """Those of the kernels, each a text, and those that call them."""
        return program_functions(self.table, self.calls, self.memory.numbers)


def stage(table: Table) -> Staged:
    """Take a table through the stages. GirError U704 where it is too large to compile."""
    table = apply_checkpoints(optimise(table))
    plan = make_plan(table, effects(table))
    if len(plan.needed) > MAX_NODES:
        count = f"{len(plan.needed):,}"
        message = f"the program needs {count} nodes; up to {MAX_NODES:,} are compiled"
        raise error("U704", message, help="`--backend numpy` runs any number")
    schedule = make_schedule(table, plan)
    calls = lower(schedule)
    return Staged(table, plan, schedule, calls, plan_memory(schedule, calls))
