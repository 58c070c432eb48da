"""Programs and sessions: a table, its inputs checked, its buffers kept from step to step.

`Program` is what a text becomes; `Session` runs it (spec/running.md). Nothing here computes:
that is the executor's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from gradir.ir.binding import BindingConflict, bind_shapes, check_bounds
from gradir.ir.build import Built, build
from gradir.ir.builder import Builder
from gradir.ir.scope import Gradient
from gradir.ir.table import Table
from gradir.ir.types import Extent, TensorType, evaluate_extent
from gradir.reference.initial import initial_value
from gradir.reference.interpreter import evaluate
from gradir.reference.plan import effects, make_plan
from gradir.text.diagnostics import Diagnostic, error
from gradir.text.printer import print_table
from gradir.text.reading import read_source
from gradir.text.source import Source

EXAMPLE = "example:"


class Program:
    """A program that has been read and built without an error."""

    def __init__(self, built: Built) -> None:
        self.table: Table = built.table
        self.source: Source = built.source
        self.warnings: list[Diagnostic] = built.warnings
        self.builder: Builder = built.builder
        self.gradients: list[Gradient] = built.gradients

    @classmethod
    def load(cls, path: str | Path) -> Program:
        """Read a .gir file, or `example:NAME`. Raises GirError with every error found."""
        name = str(path)
        if name.startswith(EXAMPLE):
            return cls(build(example_source(name.removeprefix(EXAMPLE))))
        return cls(build(read_source(name)))

    @classmethod
    def parse(cls, text: str, name: str = "<text>") -> Program:
        """Build a program from its text."""
        return cls(build(Source(name, text)))

    @property
    def folder(self) -> Path:
        """Where the program's own files lie."""
        return Path(self.source.path).resolve().parent if self.source.path else Path.cwd()

    def text(self) -> str:
        """The node table as GIR text."""
        return print_table(self.table)

    def session(
        self,
        *,
        dims: Mapping[str, int] | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> Session:
        """A session with fresh buffers; `state` gives some of them contents."""
        return Session(self, dims, state)


def example_names() -> list[str]:
    """The names that `example:NAME` knows, sorted."""
    folder = resources.files("gradir") / "examples"
    return sorted(f.name[:-4] for f in folder.iterdir() if f.name.endswith(".gir"))


def example_source(name: str) -> Source:
    if name not in example_names():
        raise error(
            "U701", f"there is no example {name}", help="`gradir example list` shows them all"
        )
    file = resources.files("gradir") / "examples" / f"{name}.gir"
    return Source(f"example:{name}", file.read_text(encoding="utf-8"), str(file))


class Session:
    """Runs a program step by step; `state` holds the buffers' contents by name."""

    def __init__(
        self, program: Program, dims: Mapping[str, int] | None, state: Mapping[str, Any] | None
    ) -> None:
        self.program = program
        self.table = program.table
        self.stated_dims = dict(dims or {})
        self.steps = 0
        self.plan = make_plan(self.table, effects(self.table))
        for symbol in self.stated_dims:
            if symbol not in self.table.dims:
                raise error("R604", f"the program has no dimension {symbol}")
        self._check_dims(self.stated_dims)
        given = dict(state or {})
        unknown = [name for name in given if name not in self.table.buffers]
        if unknown:
            raise error("R608", f"the program has no buffer {unknown[0]}")
        self.state: dict[str, np.ndarray] = {
            name: as_array(given[name], self.table.type(id), f"buffer {name}")
            if name in given
            else initial_value(self.table, id, program.folder)
            for name, id in self.table.buffers.items()
        }

    def run(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        trace: Callable[[int, Any], None] | None = None,
    ) -> dict[str, np.ndarray]:
        """One step: the outputs by name. A step that fails leaves `state` as it was.

        Inputs are arrays or nested lists by the stages' names; their dtypes must be the stages'
        or plain Python numbers that fit. Raises GirError R6xx before anything is computed.
        """
        arrays = self.arguments(inputs or {})
        dims = self.bind(arrays)
        outcome = evaluate(
            self.table, inputs=arrays, dims=dims, buffers=self.state, trace=trace, plan=self.plan
        )
        self.state = outcome.buffers
        self.steps += 1
        return outcome.outputs

    def arguments(self, inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The inputs as arrays of their stages' types; a needed one that is missing is refused."""
        stages = self.table.stages
        for name in inputs:
            if name not in stages:
                known = ", ".join(stages) or "none"
                raise error("R611", f"the program has no stage {name}", help=f"stages: {known}")
        for name, id in stages.items():
            if name not in inputs and id in self.plan.needed:
                raise error(
                    "R601",
                    f"no value for stage {name}: {self.table.type(id)}",
                    self.table.span(id),
                    help=f"give one with `--set {name}=…`, or by name in Python",
                )
        return {
            name: as_array(inputs[name], self.table.type(id), f"stage {name}")
            for name, id in stages.items()
            if name in inputs
        }

    def bind(self, arrays: Mapping[str, np.ndarray]) -> dict[str, int]:
        """Values of all dimension symbols the run needs."""
        stages = self.table.stages
        pairs = [(self.table.type(stages[name]), array.shape) for name, array in arrays.items()]
        try:
            values = bind_shapes(pairs, self.stated_dims)
        except BindingConflict as conflict:
            raise error("R604", str(conflict)) from None
        self._check_dims(values)
        for id in self.plan.needed:
            for symbol in _symbols(self.table.type(id).shape, self.table[id]):
                if symbol not in values:
                    raise error(
                        "R604",
                        f"dimension {symbol} has no value: no input shows it",
                        self.table.span(id),
                        help=f"state it: `--dim {symbol}=16`",
                    )
        return values

    def _check_dims(self, values: Mapping[str, int]) -> None:
        try:
            check_bounds(values, self.table.dims)
        except BindingConflict as conflict:
            raise error("R604", str(conflict)) from None


def _symbols(shape: tuple[Extent, ...], node: Any) -> set[str]:
    found = {s for extent in shape if not isinstance(extent, int) for s in extent.symbols}
    if node.op.name == "size":
        found.add(node.attrs[0])
    return found


def as_array(value: Any, type: TensorType, what: str) -> np.ndarray:
    """A host value as an array of a type: native byte order, own memory where it must.

    Arrays must have the type's dtype; Python numbers and nested lists of them may be integers
    where floats are wanted. Symbolic sizes take any size. Raises GirError R602 or R603.
    """
    dtype = np.dtype(type.dtype.numpy)
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.newbyteorder("=") != dtype:
            raise error(
                "R602",
                f"{what} is {type.dtype}, the array given is {array.dtype}",
                help=f"convert it first: `.astype(numpy.{type.dtype.numpy})`",
            )
        array = np.array(array, dtype=dtype, order="C")
        if dtype == np.bool_:  # bytes other than 0 and 1 count as true
            array = array.view(np.uint8) != 0
    else:
        array = _from_python(value, type, what)
    fits = array.ndim == type.rank and all(
        isinstance(extent, int) is False or extent == size
        for extent, size in zip(type.shape, array.shape, strict=True)
    )
    if not fits:
        raise error(
            "R603", f"{what} has type {type}, the value given has shape {list(array.shape)}"
        )
    return array


def _from_python(value: Any, type: TensorType, what: str) -> np.ndarray:
    dtype = np.dtype(type.dtype.numpy)
    try:
        found = np.asarray(value)
    except (ValueError, OverflowError) as problem:
        raise error("R603", f"{what}: {problem}") from None
    if found.size == 0:
        return np.zeros(found.shape, dtype)
    kinds = {"float": "fiu", "int": "iu", "bool": "b"}[type.dtype.kind]
    if found.dtype.kind not in kinds:
        shown = {"f": "floats", "b": "booleans", "O": "numbers out of range or objects"}
        given = shown.get(found.dtype.kind, "no numbers")
        raise error("R602", f"{what} is {type.dtype}, the value given is {given}")
    if type.dtype.is_int:
        lo, hi = type.dtype.int_range
        if int(found.min()) < lo or int(found.max()) > hi:
            raise error("R602", f"{what}: a value is out of range for {type.dtype}")
        return found.astype(dtype)
    with np.errstate(all="ignore"):
        return found.astype(dtype)


def concrete_shape(type: TensorType, dims: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of a type when every symbol has a value."""
    return tuple(evaluate_extent(extent, dims) for extent in type.shape)
