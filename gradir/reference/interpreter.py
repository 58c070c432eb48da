"""Evaluates a table with NumPy, node by node, in the order of spec/running.md.

Buffers are copied before the first indexed store, so a run that fails changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gradir.collector import collection_paused
from gradir.ir.binding import bind_shapes
from gradir.ir.ops import OPS
from gradir.ir.table import PARAMETER, Function, Node, Table
from gradir.ir.types import evaluate_extent
from gradir.numerics import canonical_nan, require_float_mode
from gradir.reference.failures import Failures, IndexOutOfRange
from gradir.reference.memory import check_before
from gradir.reference.plan import Loop, Plan, Step, effects, make_plan
from gradir.reference.semantics import (
    ELEMENTWISE,
    SEMANTICS,
    Array,
    Result,
    check_indices,
)
from gradir.text.diagnostics import Diagnostic, GirError, Note

Trace = Callable[[int, Array], None]


@dataclass
class Outcome:
    """What a run gives: outputs by name, buffers by name, and values of the nodes asked for."""

    outputs: dict[str, np.ndarray]
    buffers: dict[str, np.ndarray]
    values: dict[int, Array]


def evaluate(
    table: Table,
    *,
    inputs: Mapping[str, np.ndarray] | None = None,
    dims: Mapping[str, int] | None = None,
    buffers: Mapping[str, np.ndarray] | None = None,
    roots: Iterable[int] | None = None,
    overrides: Mapping[int, np.ndarray] | None = None,
    trace: Trace | None = None,
    plan: Plan | None = None,
) -> Outcome:
    """Run a table once.

    `inputs` and `buffers` are arrays of the declared types by name; every symbol has a value in
    `dims`. By default all stores and outputs are run; `roots` asks for these nodes' values
    instead. `overrides` gives nodes a value in place of their own. Raises GirError (R605, R606,
    R607) and leaves the arrays it was given as they are.
    """
    require_float_mode()
    run = _Run(table, inputs or {}, dims or {}, buffers or {}, overrides or {}, trace)
    wanted = list(effects(table) if roots is None else roots)
    plan = plan or make_plan(table, wanted)
    check_before(table, plan, run.dims, run.failures.make)
    with np.errstate(all="ignore"), collection_paused():
        for at, step in enumerate(plan.steps):
            run.step(step)
            for dead in plan.dead_after.get(at, ()):
                run.values.pop(dead, None)
    return Outcome(
        run.outputs,
        {table[id].attr("name"): array for id, array in run.buffers.items()},
        {id: run.values[id] for id in wanted if id in run.values},
    )


class _Run:
    """The state of one run."""

    def __init__(
        self,
        table: Table,
        inputs: Mapping[str, np.ndarray],
        dims: Mapping[str, int],
        buffers: Mapping[str, np.ndarray],
        overrides: Mapping[int, np.ndarray],
        trace: Trace | None,
    ) -> None:
        self.table, self.inputs, self.dims = table, inputs, dims
        self.buffers = {id: buffers[name] for name, id in table.buffers.items() if name in buffers}
        self.own: set[int] = set()  # buffers whose array nobody else can see
        self.values: dict[int, Array] = dict(overrides)
        self.overrides = overrides
        self.outputs: dict[str, np.ndarray] = {}
        self.trace = trace
        self.failures = Failures(table)
        self.functions = table.functions
        self.plans: dict[str, Plan] = {}  # of functions called so far

    def step(self, step: Step) -> None:
        if isinstance(step, int):
            self.node(step)
        else:
            self.loop(step)

    def loop(self, loop: Loop) -> None:
        for step in loop.before:
            self.step(step)
        count = int(self.values[self.table[loop.range].operands[0]])
        for i in range(count):
            self.values[loop.range] = np.int32(i)
            for step in loop.body:
                self.step(step)

    def node(self, id: int) -> None:
        """Evaluate one node; its operands have values."""
        if id in self.overrides:
            return
        node = self.table.nodes[id]
        op = node.op
        if op.elementwise:
            values = self.values
            operands = [values[o] for o in node.operands]
            made = ELEMENTWISE[op.name](*operands)
        else:
            made = self.other(id, node)
            if made is None:
                return
        self.values[id] = made
        if self.trace is not None:
            self.trace(id, made)

    def other(self, id: int, node: Node) -> Array | None:
        special = _SPECIAL.get(node.op.name)
        if special is not None:
            return special(self, id, node)
        operands = [self.values[o] for o in node.operands]
        result = Result(node, self.shape(node), np.dtype(node.type.dtype.numpy))
        try:
            return SEMANTICS[node.op.name](result, *operands)
        except IndexOutOfRange as outside:
            raise self.failures.bad_index(id, node.attr("axis"), outside) from None

    def shape(self, node: Node) -> tuple[int, ...]:
        return tuple(evaluate_extent(extent, self.dims) for extent in node.type.shape)

    # --- memory -------------------------------------------------------------------------

    def input(self, id: int, node: Node) -> Array:
        return self.inputs[node.attrs[0]]

    def size(self, id: int, node: Node) -> Array:
        return np.int32(self.dims[node.attrs[0]])

    def index(self, id: int, node: Node, first: int) -> tuple[int, ...]:
        """The leading indices of a load or store, each checked against its axis."""
        found = []
        for axis, operand in enumerate(node.operands[first:]):
            size = self.buffers[node.operands[0]].shape[axis]
            try:
                found.append(int(check_indices(self.values[operand], size)))
            except IndexOutOfRange as outside:
                raise self.failures.bad_index(id, axis, outside) from None
        return tuple(found)

    def load(self, id: int, node: Node) -> Array:
        buffer = node.operands[0]
        if len(node.operands) == 1:
            self.own.discard(buffer)
            return self.buffers[buffer]
        return np.copy(self.buffers[buffer][self.index(id, node, 1)])

    def store(self, id: int, node: Node) -> None:
        buffer, value = node.operands[0], canonical_nan(self.values[node.operands[1]])
        if len(node.operands) == 2:
            self.buffers[buffer] = value
            self.own.discard(buffer)
            return
        at = self.index(id, node, 2)
        if buffer not in self.own:
            self.buffers[buffer] = np.array(self.buffers[buffer])
            self.own.add(buffer)
        self.buffers[buffer][at] = value

    def output(self, id: int, node: Node) -> None:
        self.outputs[node.attrs[0]] = np.array(canonical_nan(self.values[node.operands[0]]))

    def nothing(self, id: int, node: Node) -> None:
        return None

    # --- functions ----------------------------------------------------------------------

    def call(self, id: int, node: Node) -> Array:
        """Run a function's table on the arguments; its symbols take the arguments' sizes."""
        function = self.functions[node.attrs[0]]
        arguments = [self.values[o] for o in node.operands]
        plan = self.plans.get(function.name)
        if plan is None:
            plan = self.plans[function.name] = make_plan(function.table, [function.result])
        inner = _Run(function.table, {}, self._function_dims(function, arguments), {}, {}, None)
        inner.functions, inner.plans = self.functions, self.plans
        for (_, parameter), argument in zip(function.parameters, arguments, strict=True):
            inner.values[parameter] = argument
        try:
            check_before(function.table, plan, inner.dims, inner.failures.make)
            for at, step in enumerate(plan.steps):
                inner.step(step)
                for dead in plan.dead_after.get(at, ()):
                    inner.values.pop(dead, None)
        except GirError as failed:
            called = Note(f"called here, in @{function.name}", self.table.span(id))
            raise GirError(
                *(
                    Diagnostic(d.code, d.message, d.span, [*d.notes, called], d.help)
                    for d in failed.diagnostics
                )
            ) from None
        return inner.values[function.result]

    def _function_dims(self, function: Function, arguments: list[Array]) -> dict[str, int]:
        types = [function.table.type(id) for _, id in function.parameters]
        return bind_shapes(list(zip(types, map(np.shape, arguments), strict=True)), {})


_SPECIAL: dict[str, Callable[[_Run, int, Node], Array | None]] = {
    "stage": _Run.input,
    "size": _Run.size,
    "buffer": _Run.nothing,
    PARAMETER.name: _Run.nothing,
    "load": _Run.load,
    "store": _Run.store,
    "output": _Run.output,
    "call": _Run.call,
}

# Ops of the table that need no row of meaning, each with the reason.
NO_SEMANTICS = {
    "range": "a plan's Loop runs it",
    "end": "a plan's Loop runs it",
    "buffer": "the run's state holds it",
}
assert all(name in OPS for name in NO_SEMANTICS)
