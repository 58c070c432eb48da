"""A compiled program: its library, its layout, and calls with NumPy arrays (spec/running.md).

One library serves all sizes within the dimensions' bounds. What a call needs beside it lies in a
`NativeCall`, one for each thread that is inside: nothing that is written is shared. A program that
is found in the cache goes through no passes; they are run when a failure has to be put in words.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from gradir.codegen import driver
from gradir.codegen.driver import address, aligned
from gradir.codegen.identity import own_code, table_hash
from gradir.codegen.layout import from_bytes, make_layout, to_bytes
from gradir.codegen.slots import Arrays, Slots, Trace
from gradir.codegen.toolchain import found_or_made
from gradir.ir.ops import OPS
from gradir.ir.table import Node, Origin, Table
from gradir.ir.types import DTYPES, Shape, evaluate_extent
from gradir.reference.failures import Failures, IndexOutOfRange
from gradir.reference.interpreter import Outcome
from gradir.reference.memory import check_before, memory_limit
from gradir.text.diagnostics import GirError

if TYPE_CHECKING:
    from gradir.codegen.stages import Staged

KEPT_SIZES = 16  # sets of sizes whose memory is kept for the next call
KEPT_CALLS = 4  # of each


class Executable:
    """A library and the layout of its memory, for a table.

    `staged` is the table as it was compiled; it has no calls of functions.
    """

    name = "c"

    def __init__(
        self, table: Table, extra_flags: tuple[str, ...] = (), *, threads: int = 1
    ) -> None:
        self.table, self.threads = table, threads
        key = f"{own_code()} {table_hash(table)}"
        path, self.layout = found_or_made(
            key, extra_flags, self._make, lambda content: from_bytes(content, table)
        )
        self.entry, self.library = driver.open_library(path)
        self.constants: list[tuple[int, np.ndarray]] = []
        for at, content in self.layout.constants:
            bits = aligned((len(content),), "uint8")
            bits[:] = np.frombuffer(content, np.uint8)
            self.constants.append((at, bits))
        self._kept: dict[tuple[int, ...], list[NativeCall]] = {}
        self._lock = Lock()

    @cached_property
    def staged(self) -> Staged:
        from gradir.codegen.stages import stage

        return stage(self.table)

    @property
    def text(self) -> str:
        """The C text of the library, undivided."""
        return "".join(self._texts(1))

    def _texts(self, most: int) -> list[str]:
        from gradir.codegen.units import units

        return units(*self.staged.functions(), driver.driver_text(), most)

    def _make(self) -> tuple[list[str], bytes]:
        from gradir.codegen.units import MOST, processors

        texts = self._texts(min(processors(), MOST))
        can_fail = any("r->error" in text for text in texts)  # how a kernel reports, and only it
        return texts, to_bytes(make_layout(self.staged, can_fail))

    @cached_property
    def failures(self) -> Failures:
        return Failures(self.staged.table)

    def call(self, dims: Mapping[str, int]) -> NativeCall:
        """Memory for sizes, kept from an earlier call where there is any."""
        # a symbol that nothing needs has no value; the C text does not look at it
        sizes = tuple(dims.get(name, 0) for name in self.table.dims)
        with self._lock:
            kept = self._kept.get(sizes)
            if kept:
                return kept.pop()
        if not self.layout.fits(dims, memory_limit()):
            check_before(self.staged.table, self.staged.plan, dims, self.failures.make)
        return NativeCall(self, sizes, dims)

    def give_back(self, sizes: tuple[int, ...], call: NativeCall) -> None:
        with self._lock:
            kept = self._kept.pop(sizes, [])
            if len(kept) < KEPT_CALLS:
                kept.append(call)
            self._kept[sizes] = kept  # the one used last is the last
            if len(self._kept) > KEPT_SIZES:
                del self._kept[next(iter(self._kept))]

    def run(
        self,
        inputs: Mapping[str, np.ndarray],
        dims: Mapping[str, int],
        buffers: Mapping[str, np.ndarray],
    ) -> Outcome:
        """One run on arrays of the declared types; the buffers given are not written."""
        call, slots = self.call(dims), Slots({n: np.array(a) for n, a in buffers.items()})
        call.set_inputs({name: np.ascontiguousarray(array) for name, array in inputs.items()})
        call.set_outputs({})
        outputs = call.outputs
        try:
            call.run(slots, 1)
        finally:
            call.release()
        return Outcome(outputs, slots.now, {})


def concrete(shape: Shape, dims: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(evaluate_extent(extent, dims) for extent in shape)


def with_outputs(table: Table, nodes: Iterable[int]) -> tuple[Table, dict[int, str]]:
    """A copy of a table in which nodes, none of them in a loop, are outputs too; their names.

    Ids stay as they are. What was fused may come apart: the bits do not depend on it.
    """
    from gradir.passes.copying import Copier

    target = Table(dims=dict(table.dims))
    copier = Copier(table, target)
    copier.copy(range(len(table)))
    copier.finish()
    names = {id: f"node.{id}" for id in nodes}
    for id, name in names.items():
        target.add(Node(OPS["output"], (id,), (name,), table.type(id)), Origin(None))
    return target, names


class NativeCall:
    """The words, addresses and arena of calls at one set of sizes; for one thread at a time."""

    def __init__(
        self, executable: Executable, sizes: tuple[int, ...], dims: Mapping[str, int]
    ) -> None:
        self.executable, self.sizes, self.dims_by_name = executable, sizes, dict(dims)
        table, layout = executable.table, executable.layout
        self.memory = np.zeros(layout.words + 1, np.int64)
        offsets, size = layout.place(dims)
        self.arena = aligned((size,), "uint8")
        base = address(self.arena)
        for at, offset in offsets.items():
            self.memory[at] = base + offset
        self.held: list[np.ndarray] = []
        for at, array in executable.constants:
            self.memory[at] = address(array)
        for at, dtype, shape in layout.scratch:
            made = aligned(concrete(shape, dims), DTYPES[dtype].numpy)
            self.held.append(made)
            self.memory[at] = address(made)
        types = {name: table.type(table.outputs[name]) for name, _ in layout.outputs}
        self.shapes = {
            name: (concrete(type.shape, dims), type.dtype.numpy) for name, type in types.items()
        }
        self.inputs: Arrays = {}
        self.outputs: Arrays = {}
        self.sizes_array = np.array([*sizes, 0], np.int64)
        self.rows = self._slot_rows()
        self.job = np.zeros(driver.JOB_WORDS, np.int64)
        self._word("memory", address(self.memory))
        self._word("dims", address(self.sizes_array))
        self._word("slots", address(self.rows))
        self._word("slot_count", len(self.rows))
        self._word("threads", executable.threads)
        self.entry, self.pointer = executable.entry, driver.pointer(address(self.job))
        self.addresses: dict[str, tuple[int, int]] = {}
        self.slots: Slots | None = None
        self.steps = 0

    def _word(self, name: str, value: int) -> None:
        self.job[driver.PLACES[name]] = value

    def _slot_rows(self) -> np.ndarray:
        rows = []
        table = self.executable.table
        for name, now, following, cell in self.executable.layout.slots:
            if following is not None:
                type = table.type(table.buffers[name])
                elements = math.prod(concrete(type.shape, {}))  # a buffer's sizes are known
                rows.append((now, following, elements * type.dtype.itemsize if cell else 0))
        return np.array(rows, np.int64).reshape(len(rows), driver.SLOT_WORDS)

    def set_inputs(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.inputs = dict(arrays)
        for name, at in self.executable.layout.inputs:
            self.memory[at] = address(self.inputs[name])

    def set_outputs(self, given: Mapping[str, np.ndarray]) -> None:
        self.outputs = {}
        for name, at in self.executable.layout.outputs:
            array = given.get(name)
            if array is None:
                array = np.empty(*self.shapes[name])
            self.outputs[name] = array
            self.memory[at] = address(array)

    def run(self, slots: Slots, steps: int, trace: Trace | None = None) -> None:
        self._prepare(slots, steps)
        answer = self.entry(self.pointer)
        while answer == driver.BUSY:
            time.sleep(0)
            answer = self.entry(self.pointer)
        if answer:
            raise self._failure()

    def quick(self, slots: Slots) -> tuple[Callable[[Any], int], Any]:
        self._prepare(slots, 1)
        return self.entry, self.pointer

    def _prepare(self, slots: Slots, steps: int) -> None:
        if self.slots is not slots:  # whoever takes the slots settles the one before
            self._take(slots)
        if steps != self.steps:
            self._word("steps", steps)
            self.steps = steps

    def _take(self, slots: Slots) -> None:
        """Point to the slots' contents; from here on this call knows better than `now`."""
        slots.settle()
        self.addresses.clear()
        for name, now, following, _ in self.executable.layout.slots:
            array = slots.now[name]
            self.memory[now] = address(array)
            if following is not None:
                spare = slots.spare.get(name)
                if spare is None:
                    spare = slots.spare[name] = aligned(array.shape, array.dtype.name)
                self.memory[following] = address(spare)
                self.addresses[name] = (now, address(spare))
        self._word("done", address(slots.done))
        self.slots = slots
        slots.holder = self

    def settle(self, slots: Slots) -> None:
        for name, (now, spare) in self.addresses.items():
            if self.memory[now] == spare:
                slots.exchange(name)
        self.slots = None

    def release(self) -> None:
        """Keep nothing of the caller's alive, and serve another call."""
        if self.slots is not None:
            self.slots.settle()
        self.inputs, self.outputs = {}, {}
        self.executable.give_back(self.sizes, self)

    # --- failures -----------------------------------------------------------------------

    def _failure(self) -> GirError:
        at = driver.PLACES["error"]
        node, axis, index, position, size = map(int, self.job[at : at + 5])
        outside = IndexOutOfRange(index, self._position(node, position), size)
        return self.executable.failures.bad_index(node, axis, outside)

    def _position(self, node: int, flat: int) -> tuple[int, ...]:
        """The position among the indices of a take or scatter_add."""
        table = self.executable.staged.table
        if table[node].op.name in ("load", "store"):
            return ()
        shape = concrete(table.type(table[node].operands[1]).shape, self.dims_by_name)
        return tuple(int(p) for p in np.unravel_index(flat, shape))
