"""Programs with inputs, and what the interpreter makes of them: what the matrix compares with.

From the conformance suite (every run a file asks for), the examples with made-up inputs, and
generated programs. A run that is refused before anything is computed (a missing input, a size out
of bounds) is left out: no executor has a part in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from generate import generate
from generate_hard import generate_hard

from gradir.conform.executor import Answer
from gradir.conform.suite import files_below, run_file, suite
from gradir.ir.build import build
from gradir.ir.table import Table
from gradir.ir.types import evaluate_extent
from gradir.reference.interpreter import evaluate
from gradir.runtime.exchange import ExchangeError, from_json
from gradir.runtime.program import Program, example_names
from gradir.text.diagnostics import GirError
from gradir.text.reading import read_source
from gradir.text.source import Source

MAX_STEPS = 3
MAX_COST = 1 << 22  # elements of all nodes together; larger programs are left to their own tests
MAX_NODES = 5_000  # of a program, for the C compilers' sake

Arrays = dict[str, np.ndarray]
Wanted = tuple[Arrays, Arrays] | str  # outputs and buffers, or what the run fails with


@dataclass
class Case:
    """A program, its inputs, and for each step the buffers before it and what it must give."""

    name: str
    table: Table
    inputs: Arrays
    dims: dict[str, int]
    steps: list[tuple[Arrays, Wanted]]


def failure_text(failed: GirError) -> str:
    """All of a run-time error that a user sees, places included."""
    return "; ".join(
        f"{d.code} {d.message} at {d.span.line if d.span else None} ({d.help}) "
        f"{[(n.message, n.span.line if n.span else None) for n in d.notes]}"
        for d in failed.diagnostics
    )


def case(
    name: str,
    program: Program,
    inputs: Mapping[str, Any],
    dims: Mapping[str, int],
    state: Mapping[str, Any] | None = None,
    steps: int = 1,
) -> Case | None:
    """Run the interpreter; None where the run is refused before it computes."""
    try:
        session = program.session(dims=dims, state=state)
        arrays = session.arguments(inputs)
        bound = session.dimensions(arrays)
    except GirError:
        return None
    made = Case(name, program.table, arrays, bound, [])
    buffers = _contiguous(session.state)
    for _ in range(min(steps, MAX_STEPS)):
        try:
            outcome = evaluate(program.table, inputs=arrays, dims=bound, buffers=buffers)
        except GirError as failed:
            made.steps.append((buffers, failure_text(failed)))
            break
        made.steps.append((buffers, (outcome.outputs, outcome.buffers)))
        buffers = _contiguous(outcome.buffers)
    return made


def _contiguous(buffers: Mapping[str, np.ndarray]) -> Arrays:
    """Arrays that C can read: the interpreter keeps a stored scalar as a view with strides of 0."""
    return {name: np.array(array, order="C") for name, array in buffers.items()}


def cost(table: Table, dims: Mapping[str, int]) -> int:
    """The elements of all nodes."""
    if len(table) > MAX_NODES:
        return MAX_COST + 1
    total = 0
    for node in table.nodes:
        size = 1
        for extent in node.type.shape:
            size *= evaluate_extent(extent, {name: dims.get(name, 1) for name in table.dims})
        total += size
    return total


# --- where programs come from -------------------------------------------------------------


class _Collector:
    """An executor that keeps the runs it is asked for; its answers are empty, nobody reads them."""

    foreign = False

    def __init__(self) -> None:
        self.cases: list[Case] = []

    def ask(self, request: Mapping[str, Any], path: str | None) -> Answer:
        if request.get("op") == "run":
            self.keep(request, path)
        return {"id": request["id"], "ok": True, "outputs": {}, "slots": {}}

    def keep(self, request: Mapping[str, Any], path: str | None) -> None:
        source = read_source(path) if path else Source("<program>", request["program"])
        name = f"{'/'.join(str(path).split('/')[-2:])}#{request['id']}"
        try:
            program = Program(build(source))
            inputs = {n: from_json(v) for n, v in request["inputs"].items()}
            slots = {n: from_json(v) for n, v in request["slots"].items()}
        except (GirError, ExchangeError):
            return  # the suite's own test judges it
        dims = request["dims"]
        if cost(program.table, dims) <= MAX_COST and (
            made := case(name, program, inputs, dims, slots, request["steps"])
        ):
            self.cases.append(made)

    def close(self) -> None:
        return None


def conformance_cases() -> Iterator[Case]:
    """Every run that the suite's files ask for."""
    for path in files_below([suite()]):
        collector = _Collector()
        run_file(path, collector)
        yield from collector.cases


def example_cases() -> Iterator[Case]:
    """The examples with made-up inputs and float buffers, a few steps each."""
    for name in example_names():
        program = Program.load(f"example:{name}")
        if len(program.table) > MAX_NODES:
            continue
        rng = np.random.default_rng(7)
        dims = {symbol: min(hi, max(lo, 5)) for symbol, (lo, hi) in program.table.dims.items()}
        inputs = {
            stage: _made_up(rng, program.table, id, dims)
            for stage, id in program.table.stages.items()
        }
        fresh = program.session(dims=dims).state
        state = {
            buffer: _made_up(rng, program.table, program.table.buffers[buffer], dims)
            for buffer, array in fresh.items()
            if array.dtype.kind == "f" and not array.any()
        }
        if made := case(f"example:{name}", program, inputs, dims, state, MAX_STEPS):
            yield made


def _made_up(
    rng: np.random.Generator, table: Table, id: int, dims: Mapping[str, int]
) -> np.ndarray:
    type = table.type(id)
    shape = tuple(evaluate_extent(extent, dims) for extent in type.shape)
    if type.dtype.is_float:
        return (0.3 * rng.standard_normal(shape)).astype(type.dtype.numpy)
    return rng.integers(0, 2, shape).astype(type.dtype.numpy)


def generated_cases(first: int, count: int, hard: bool = True) -> Iterator[Case]:
    """Programs of the seeds from `first` on; of every second one, those of the hard generator."""
    for seed in range(first, first + count):
        maker = generate_hard if hard and seed % 2 else generate
        made = maker(seed)
        program = Program.parse(made.text)
        found = case(f"{maker.__name__}:{seed}", program, made.inputs, made.dims, steps=2)
        if found:
            yield found
