"""Sessions: a program with its buffers' contents, run step by step.

A session checks what it is given (spec/running.md) and leaves the work to an engine. Several
threads may use one session: steps of a program with buffers come one after another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import nullcontext
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from gradir.codegen.slots import Arrays, Call, Engine, Slots, Trace
from gradir.ir.binding import BindingConflict, bind_shapes, check_bounds
from gradir.ir.table import Table
from gradir.ir.types import Dim
from gradir.reference.initial import initial_value
from gradir.reference.plan import Plan, effects, make_plan
from gradir.runtime.arrays import as_array, check_result_array, concrete_shape, whole_bools
from gradir.text.diagnostics import error

if TYPE_CHECKING:
    from gradir.runtime.program import Program

PROGRESS_SECONDS = 0.1  # between two calls of `progress`, roughly

Progress = Callable[[int, Mapping[str, np.ndarray]], None]


class Session:
    """Runs a program step by step.

    `state` holds the buffers' contents by name, `steps` counts the steps done, `backend` is
    "c" or "numpy", `note` says why it is not the one that was hoped for.
    """

    def __init__(
        self,
        program: Program,
        dims: Mapping[str, int] | None,
        state: Mapping[str, Any] | None,
        engine: Engine,
        note: str | None = None,
    ) -> None:
        self.program = program
        self.table: Table = program.table
        self.engine, self.note = engine, note
        self.stated_dims = dict(dims or {})
        for symbol in self.stated_dims:
            if symbol not in self.table.dims:
                raise error("R604", f"the program has no dimension {symbol}")
        self._check_dims(self.stated_dims)
        self._slots = Slots(self._first_contents(dict(state or {})))
        self._lock = Lock()
        self.plan = make_plan(self.table, effects(self.table))
        self._symbols: tuple[Plan | None, dict[str, int]] = (None, {})

    def _first_contents(self, given: dict[str, Any]) -> Arrays:
        buffers = self.table.buffers
        unknown = [name for name in given if name not in buffers]
        if unknown:
            raise error("R608", f"the program has no buffer {unknown[0]}")
        return {
            name: as_array(given[name], self.table.type(id), f"buffer {name}")
            if name in given
            else np.array(initial_value(self.table, id, self.program.folder), order="C")
            for name, id in buffers.items()
        }

    @property
    def backend(self) -> str:
        return self.engine.name

    @property
    def threads(self) -> int:
        """The threads that a step uses."""
        return self.engine.threads

    @property
    def steps(self) -> int:
        """The steps that ended well."""
        return int(self._slots.done[0])

    @property
    def state(self) -> State:
        """The buffers' contents by name; to be read (a copy each time) and to be set."""
        return State(self)

    @state.setter
    def state(self, contents: Mapping[str, Any]) -> None:
        self.state.update(contents)

    def text(self) -> str:
        """The node table as GIR text."""
        return self.program.text()

    # --- runs ---------------------------------------------------------------------------

    def __call__(
        self,
        inputs: Mapping[str, Any] | None = None,
        /,
        *,
        out: Mapping[str, np.ndarray] | None = None,
        **named: Any,
    ) -> Arrays:
        """One step on inputs by name: the outputs by name.

        A stage named `out` is given in the mapping. Errors and results are those of `run`.
        """
        return self.run({**inputs, **named} if inputs else named, out=out)

    def run(
        self,
        inputs: Mapping[str, Any] | None = None,
        *,
        steps: int = 1,
        out: Mapping[str, np.ndarray] | None = None,
        progress: Progress | None = None,
        trace: Trace | None = None,
    ) -> Arrays:
        """Steps on the same inputs: the last one's outputs by name.

        Inputs are arrays or nested lists by the stages' names; their dtypes must be the stages'
        or plain Python numbers that fit. `out` gives arrays for outputs to be written into,
        which hold nothing of use when a step fails. `progress(done, outputs)` is called about
        ten times a second between steps, and there Ctrl-C is heard: the steps done stay done.
        `trace(id, value)` is told every node's value; only the interpreter can.

        A step that fails (R605) leaves `state` as it was before it. Raises GirError R6xx before
        anything is computed where an input or a dimension does not fit, U702 for `out`.
        """
        if steps < 1:
            raise error("U702", f"{steps} steps: at least 1")
        if trace is not None and self.backend != "numpy":
            raise error("U704", "only the interpreter can trace", help='backend="numpy"')
        arrays = self.arguments(inputs or {})
        dims = self.dimensions(arrays)
        with self._lock if self.table.buffers else nullcontext():
            call = self.engine.call(dims)
            try:
                call.set_inputs(arrays)
                call.set_outputs(self._result_arrays(out, dims, arrays) if out else {})
                if progress is None and steps == 1:
                    call.run(self._slots, 1, trace)
                else:
                    self._many(call, steps, progress, trace)
                return call.outputs
            finally:
                call.release()

    def _many(self, call: Call, steps: int, progress: Progress | None, trace: Trace | None) -> None:
        """All steps in pieces that take about PROGRESS_SECONDS."""
        left, piece = steps, 1
        while left:
            began = time.perf_counter()
            piece = min(piece, left)
            call.run(self._slots, piece, trace)
            left -= piece
            took = time.perf_counter() - began
            if progress is not None:
                progress(steps - left, call.outputs)
            if took < PROGRESS_SECONDS / 2:
                piece *= 2 if took > PROGRESS_SECONDS / 16 else 8
            elif took > PROGRESS_SECONDS:
                piece = max(piece // 2, 1)

    def bind(
        self,
        inputs: Mapping[str, Any] | None = None,
        /,
        *,
        out: Mapping[str, np.ndarray] | None = None,
        **named: Any,
    ) -> Bound:
        """A step prepared for these arrays, to be called again and again (see `Bound`)."""
        return Bound(self, {**inputs, **named} if inputs else named, out or {})

    # --- what is given ------------------------------------------------------------------

    def arguments(self, inputs: Mapping[str, Any]) -> Arrays:
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
            name: as_array(inputs[name], self.table.type(id), f"stage {name}", copy=False)
            for name, id in stages.items()
            if name in inputs
        }

    def dimensions(self, arrays: Mapping[str, np.ndarray]) -> dict[str, int]:
        """Values of all dimension symbols the run needs."""
        if not self.table.dims:
            return {}
        stages = self.table.stages
        pairs = [(self.table.type(stages[name]), array.shape) for name, array in arrays.items()]
        try:
            values = bind_shapes(pairs, self.stated_dims)
        except BindingConflict as conflict:
            raise error("R604", str(conflict)) from None
        self._check_dims(values)
        for symbol, id in self._needed_symbols().items():
            if symbol not in values:
                raise error(
                    "R604",
                    f"dimension {symbol} has no value: no input shows it",
                    self.table.span(id),
                    help=f"state it: `--dim {symbol}=16`",
                )
        return values

    def _needed_symbols(self) -> dict[str, int]:
        """Symbols of needed nodes, each with the first such node."""
        plan, found = self._symbols
        if plan is not self.plan:
            found = needed_symbols(self.table, self.plan.needed)
            self._symbols = (self.plan, found)
        return found

    def _check_dims(self, values: Mapping[str, int]) -> None:
        try:
            check_bounds(values, self.table.dims)
        except BindingConflict as conflict:
            raise error("R604", str(conflict)) from None

    def _result_arrays(
        self, out: Mapping[str, Any], dims: Mapping[str, int], arrays: Arrays
    ) -> Arrays:
        """The arrays for results; none shares memory with an input or with another."""
        found: Arrays = {}
        for name, array in out.items():
            if name not in self.table.outputs:
                known = ", ".join(self.table.outputs) or "none"
                raise error("U702", f"the program has no output {name}", help=f"outputs: {known}")
            type = self.table.type(self.table.outputs[name])
            shape = concrete_shape(type, dims)
            mine = check_result_array(array, type, shape, f"output {name}")
            for other, taken in [*arrays.items(), *found.items()]:
                if np.may_share_memory(taken, mine):
                    raise error("U702", f"output {name} shares memory with {other}")
            found[name] = mine
        return found


class Bound:
    """A step whose arguments have been checked and whose memory is ready.

    Each call reads the arrays that were given, as they are then, and writes `outputs`: the
    arrays of `out`, or others that stay the same from call to call. An array that compiled code
    cannot read as it lies is copied at each call. One thread at a time runs it.
    """

    def __init__(
        self, session: Session, inputs: Mapping[str, Any], out: Mapping[str, np.ndarray]
    ) -> None:
        self.session = session
        arrays = session.arguments(inputs)
        dims = session.dimensions(arrays)
        self._copied: list[tuple[np.ndarray, np.ndarray]] = []
        for name, array in arrays.items():
            given = inputs[name]
            if isinstance(given, np.ndarray) and array is not given:
                self._copied.append((array, given))
        self._call = session.engine.call(dims)
        self._call.set_inputs(arrays)
        self._shapes = {
            name: (concrete_shape(session.table.type(id), dims), session.table.type(id).dtype)
            for name, id in session.table.outputs.items()
        }
        results = session._result_arrays(out, dims, arrays)
        for name, (shape, dtype) in self._shapes.items():
            results.setdefault(name, np.zeros(shape, dtype.numpy))
        self.outputs: Arrays = {name: results[name] for name in session.table.outputs}
        self._call.set_outputs(self.outputs)
        self._lock = session._lock if session.table.buffers else Lock()
        self._run, self._slots = self._call.run, session._slots
        self._quick: tuple[Callable[[Any], int], Any] | None = None
        self._hasten()

    def _hasten(self) -> None:
        """Where a step is nothing but a call of native code, keep what is called."""
        if not self._copied and not self.session.table.buffers:
            self._quick = self._call.quick(self._slots)

    def __call__(self) -> Arrays:
        """One step: `outputs`, written anew. Raises GirError R605 as `Session.run` does."""
        if self._quick is not None:
            entry, argument = self._quick
            if not entry(argument):
                return self.outputs
        with self._lock:
            if self._copied:
                self._refresh()
            self._run(self._slots, 1)
        return self.outputs

    def run(self, steps: int) -> Arrays:
        """Several steps in one call; Ctrl-C is heard behind the last."""
        if steps < 1:
            raise error("U702", f"{steps} steps: at least 1")
        with self._lock:
            self._refresh()
            try:
                self._run(self._slots, steps)
            finally:
                self._hasten()
        return self.outputs

    def _refresh(self) -> None:
        for mine, given in self._copied:
            if mine.dtype.kind == "b":
                whole_bools(given, mine)
            else:
                np.copyto(mine, given)


class State(MutableMapping[str, np.ndarray]):
    """The buffers' contents by name. Reading gives a copy; what is set is checked (R608)."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __getitem__(self, name: str) -> np.ndarray:
        session = self._session
        with session._lock:
            session._slots.settle()
            return np.array(session._slots.now[name])

    def __setitem__(self, name: str, value: Any) -> None:
        session = self._session
        buffers = session.table.buffers
        if name not in buffers:
            known = ", ".join(buffers) or "none"
            raise error("R608", f"the program has no buffer {name}", help=f"buffers: {known}")
        array = as_array(value, session.table.type(buffers[name]), f"buffer {name}")
        with session._lock:
            session._slots.settle()
            session._slots.now[name] = array

    def __delitem__(self, name: str) -> None:
        raise TypeError("a program's buffers stay")

    def __iter__(self) -> Iterator[str]:
        return iter(self._session.table.buffers)

    def __len__(self) -> int:
        return len(self._session.table.buffers)

    def __repr__(self) -> str:
        return repr(dict(self))


def needed_symbols(table: Table, needed: set[int]) -> dict[str, int]:
    """Symbols in the types and attributes of needed nodes, each with the first such node."""
    found: dict[str, int] = {}
    for id in sorted(needed):
        node = table[id]
        symbols = {
            s for extent in node.type.shape if isinstance(extent, Dim) for s in extent.symbols
        }
        if node.op.name == "size":
            symbols.add(node.attrs[0])
        for symbol in sorted(symbols):
            found.setdefault(symbol, id)
    return found
