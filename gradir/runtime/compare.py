"""The interpreter and the compiled program side by side, down to the first node that differs.

The bits must be the same: a difference is a bug of gradir. Nodes inside loops are not looked at
one by one; their first user outside is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradir.codegen.executable import Executable, with_outputs
from gradir.codegen.slots import Arrays
from gradir.ir.table import Table
from gradir.numerics import canonical_nan
from gradir.passes.inline import inline_calls
from gradir.reference.interpreter import evaluate
from gradir.reference.plan import effects, make_plan
from gradir.runtime.program import Program
from gradir.runtime.session import Progress, Session
from gradir.text.diagnostics import GirError
from gradir.text.printer import operation_text

GROUP = 200  # nodes looked at in one library
_WITHOUT_VALUE = ("output", "store", "end", "range", "buffer", "const", "size", "stage")


class Difference(NamedTuple):
    """What differs first: an output or buffer of a step, and the node behind it, if it shows."""

    step: int
    what: str
    bits: str  # the first element that differs
    node: int | None = None
    table: Table | None = None

    def lines(self) -> list[str]:
        """The difference in words."""
        said = [f"step {self.step}, {self.what} {self.bits}"]
        if self.node is None or self.table is None:
            return [*said, "no node outside loops differs when its value is written out"]
        label, type = self.table.label(self.node), self.table.type(self.node)
        statement = operation_text(self.table, self.table[self.node])
        said.append(f"the first node that differs is %{label}: {type} = {statement[:80]}")
        span = self.table.span(self.node)
        if span is not None:
            said.append(f"at {span.source.name}:{span.line}")
        return said


class Both:
    """Two sessions of one program, stepped together."""

    def __init__(self, program: Program, dims: Mapping[str, int], state: Mapping[str, Any]) -> None:
        self.program = program
        self.reference = program.session(dims=dims, state=state, backend="numpy")
        self.compiled = program.session(dims=dims, state=state, backend="c")

    def run(
        self, inputs: Mapping[str, Any], steps: int, progress: Progress | None = None
    ) -> tuple[Arrays, Difference | None]:
        """Steps until the first difference; the interpreter's outputs.

        What both refuse in the same words is raised, as by one of them.
        """
        outputs: Arrays = {}
        for step in range(1, steps + 1):
            before = dict(self.reference.state)
            expected, refused = _attempt(self.reference, inputs)
            found, failed = _attempt(self.compiled, inputs)
            if refused is not None or failed is not None:
                if refused is not None and failed is not None and str(refused) == str(failed):
                    raise refused
                said = f"interpreted: {refused or 'runs'}; compiled: {failed or 'runs'}"
                return outputs, Difference(step, "one fails otherwise than the other", said)
            outputs = expected
            place = _first(_named(outputs, self.reference), _named(found, self.compiled))
            if place is not None:
                return outputs, self._explained(Difference(step, *place), inputs, before)
            if progress is not None:
                progress(step, outputs)
        return outputs, None

    def _explained(
        self, difference: Difference, inputs: Mapping[str, Any], before: Arrays
    ) -> Difference:
        """The difference with the first node that shows one in the same step."""
        table = inline_calls(self.program.table)
        arrays = self.reference.arguments(inputs)
        dims = self.reference.dimensions(arrays)
        for group in _groups(table):
            widened, names = with_outputs(table, group)
            found = Executable(widened).run(arrays, dims, before).outputs
            expected = evaluate(table, inputs=arrays, dims=dims, buffers=before, roots=group).values
            for id in group:
                value = canonical_nan(np.asarray(expected[id]))
                bits = first_difference(value, found[names[id]])
                if bits is not None:
                    return difference._replace(bits=bits, node=id, table=table)
        return difference


def _attempt(session: Session, inputs: Mapping[str, Any]) -> tuple[Arrays, GirError | None]:
    try:
        return session.run(inputs), None
    except GirError as refused:
        return {}, refused


def _named(outputs: Arrays, session: Session) -> Arrays:
    slots = {f"buffer {name}": array for name, array in session.state.items()}
    return {**{f"output {name}": array for name, array in outputs.items()}, **slots}


def _first(expected: Arrays, found: Arrays) -> tuple[str, str] | None:
    for name, array in expected.items():
        bits = first_difference(array, found[name])
        if bits is not None:
            return name, bits
    return None


def first_difference(expected: np.ndarray, found: np.ndarray) -> str | None:
    """The first element whose bits differ, as `[i,j]: 0x… interpreted, 0x… compiled`."""
    word = f"u{expected.dtype.itemsize}"
    a, b = (np.ascontiguousarray(x).reshape(-1).view(word) for x in (expected, found))
    at = np.flatnonzero(a != b)
    if not at.size:
        return None
    position = np.unravel_index(int(at[0]), expected.shape)
    index = ",".join(str(int(p)) for p in position)
    digits = expected.dtype.itemsize * 2
    left, right = (f"0x{int(x[at[0]]):0{digits}x}" for x in (a, b))
    return f"[{index}]: {left} interpreted, {right} compiled"


def _groups(table: Table) -> Iterator[Sequence[int]]:
    """Needed nodes with values that a run can give, in order."""
    needed = make_plan(table, effects(table)).needed
    ids = [
        id
        for id in sorted(needed)
        if table[id].op.name not in _WITHOUT_VALUE and id not in table.regions
    ]
    for at in range(0, len(ids), GROUP):
        yield ids[at : at + GROUP]
