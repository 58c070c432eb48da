"""What runs a program: the interpreter, or the library that the C backend makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gradir.codegen.slots import Arrays, Call, Engine, Slots, Trace
from gradir.ir.table import Table
from gradir.reference.interpreter import evaluate
from gradir.reference.plan import effects, make_plan
from gradir.text.diagnostics import GirError, error

BACKENDS = ("auto", "numpy", "c")


class Chosen(NamedTuple):
    """An engine, and why it is not the one that `auto` would rather have."""

    engine: Engine
    note: str | None = None


def choose_engine(table: Table, backend: str, threads: int = 1) -> Chosen:
    """The engine of a backend; `auto` compiles where it can. GirError U704 or U702."""
    if backend not in BACKENDS:
        raise error(
            "U702", f"there is no backend {backend}", help=f"backends: {', '.join(BACKENDS)}"
        )
    if backend == "numpy":
        return Chosen(Interpreter(table))
    # imported here: the interpreter needs no word of C
    from gradir.codegen.executable import Executable

    try:
        return Chosen(Executable(table, threads=threads))
    except GirError as refused:
        if backend == "c" or any(d.code != "U704" for d in refused.diagnostics):
            raise
        return Chosen(Interpreter(table), f"{refused.diagnostics[0].message}: interpreted")


class Interpreter:
    """The specification itself, executed with NumPy."""

    name = "numpy"
    threads = 1

    def __init__(self, table: Table) -> None:
        self.table = table
        self.plan = make_plan(table, effects(table))

    def call(self, dims: Mapping[str, int]) -> Call:
        return _Interpreted(self, dict(dims))


class _Interpreted:
    """A call of the interpreter; it holds nothing but the arrays it is given."""

    def __init__(self, engine: Interpreter, dims: dict[str, int]) -> None:
        self.engine, self.dims = engine, dims
        self.inputs: Arrays = {}
        self.outputs: Arrays = {}
        self.given: Arrays = {}

    def set_inputs(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.inputs = dict(arrays)

    def set_outputs(self, given: Mapping[str, np.ndarray]) -> None:
        self.given, self.outputs = dict(given), {}

    def run(self, slots: Slots, steps: int, trace: Trace | None = None) -> None:
        slots.settle()
        # a stored input becomes a buffer's contents: it must not be the caller's array
        inputs = {name: np.array(array) for name, array in self.inputs.items()}
        for _ in range(steps):
            outcome = evaluate(
                self.engine.table,
                inputs=inputs,
                dims=self.dims,
                buffers=slots.now,
                trace=trace,
                plan=self.engine.plan,
            )
            slots.now = outcome.buffers
            slots.done += 1
            self.outputs.update(outcome.outputs)
        for name, array in self.given.items():
            array[...] = self.outputs[name]
            self.outputs[name] = array

    def quick(self, slots: Slots) -> None:
        return None

    def release(self) -> None:
        self.inputs, self.outputs, self.given = {}, {}, {}
