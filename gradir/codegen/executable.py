"""A compiled program: C text, its library, and calls with NumPy arrays (spec/running.md).

One library serves all sizes within the dimensions' bounds. What a call needs beside it lies in a
`NativeCall`, one for each thread that is inside: nothing that is written is shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Lock

import numpy as np

from gradir.codegen import driver
from gradir.codegen.driver import address, aligned
from gradir.codegen.emit_c import join
from gradir.codegen.memory import node_bytes, place
from gradir.codegen.slots import Arrays, Slots, Trace
from gradir.codegen.stages import stage
from gradir.codegen.toolchain import library
from gradir.ir.ops import OPS
from gradir.ir.table import Node, Origin, Table
from gradir.ir.types import evaluate_extent
from gradir.passes.copying import Copier
from gradir.reference.failures import Failures, IndexOutOfRange
from gradir.reference.interpreter import Outcome
from gradir.reference.memory import check_before
from gradir.text.diagnostics import GirError

KEPT_SIZES = 16  # sets of sizes whose memory is kept for the next call
KEPT_CALLS = 4  # of each


class Executable:
    """A library and the layout of its memory. Its table has no calls of functions."""

    name = "c"

    def __init__(
        self, table: Table, extra_flags: tuple[str, ...] = (), *, threads: int = 1
    ) -> None:
        self.threads = threads
        staged = stage(table)
        self.table, self.plan, self.schedule, _, self.memory = staged
        own = join([staged.text()])
        self.text = own + driver.driver_text()
        self.can_fail = "r->error" in own  # the one way in which a kernel reports
        self.entry, self.library = driver.open_library(library(self.text, extra_flags))
        self.failures = Failures(self.table)
        self._kept: dict[tuple[int, ...], list[NativeCall]] = {}
        self._lock = Lock()
        self._lay_out()

    def _lay_out(self) -> None:
        """Who gives each memory its address: stages, outputs, slots; constants have one."""
        table, numbers = self.table, self.memory.numbers
        self.inputs: list[tuple[str, int]] = []
        self.outputs: list[tuple[str, int, int]] = []  # name, number, node
        self.scratch: list[tuple[int, int]] = []  # stores that another one follows
        self.constants: list[tuple[int, np.ndarray]] = []
        number = len(numbers)
        last = set(self.schedule.stores.values())
        for node, at in numbers.items():
            name = table[node].op.name
            if name == "stage":
                self.inputs.append((table[node].attr("name"), at))
            elif name == "output":
                self.outputs.append((table[node].attr("name"), at, node))
            elif name == "const":
                bits = np.frombuffer(table[node].attrs[0], np.uint8)
                self.constants.append((at, aligned(bits.shape, "uint8")))
                self.constants[-1][1][:] = bits
            elif name == "store" and node not in last:
                self.scratch.append((at, node))
        # name, numbers of the old and the new contents, whether they start from a copy
        self.slots: list[tuple[str, int, int | None, bool]] = []
        for name, node in table.buffers.items():
            store, cell = self.schedule.stores.get(node), node in self.schedule.cells
            if store is None and not cell and node not in numbers:
                continue
            now = numbers.get(node, number)
            number += node not in numbers
            following: int | None = None
            if store is not None:
                following = numbers[store]
            elif cell and self.can_fail:
                following = number
                number += 1
            self.slots.append((name, now, following, cell))
        self.words = number

    def call(self, dims: Mapping[str, int]) -> NativeCall:
        """Memory for sizes, kept from an earlier call where there is any."""
        # a symbol that nothing needs has no value; the C text does not look at it
        sizes = tuple(dims.get(name, 0) for name in self.table.dims)
        with self._lock:
            kept = self._kept.get(sizes)
            if kept:
                return kept.pop()
        check_before(self.table, self.plan, dims, self.failures.make)
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

    def shape(self, node: int, dims: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(evaluate_extent(extent, dims) for extent in self.table.type(node).shape)


def with_outputs(table: Table, nodes: Iterable[int]) -> tuple[Table, dict[int, str]]:
    """A copy of a table in which nodes, none of them in a loop, are outputs too; their names.

    Ids stay as they are. What was fused may come apart: the bits do not depend on it.
    """
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
        table = executable.table
        self.memory = np.zeros(executable.words + 1, np.int64)
        offsets, size = place(table, executable.memory, dims)
        self.arena = aligned((size,), "uint8")
        base = address(self.arena)
        for node, offset in offsets.items():
            self.memory[executable.memory.numbers[node]] = base + offset
        self.held: list[np.ndarray] = []
        for at, array in executable.constants:
            self.memory[at] = address(array)
        for at, node in executable.scratch:
            made = aligned(executable.shape(node, dims), table.type(node).dtype.numpy)
            self.held.append(made)
            self.memory[at] = address(made)
        self.shapes = {
            name: (executable.shape(node, dims), table.type(node).dtype.numpy)
            for name, _, node in executable.outputs
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
        for name, now, following, cell in self.executable.slots:
            if following is not None:
                table = self.executable.table
                size = node_bytes(table, table.buffers[name], {}) if cell else 0
                rows.append((now, following, size))
        return np.array(rows, np.int64).reshape(len(rows), driver.SLOT_WORDS)

    def set_inputs(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.inputs = dict(arrays)
        for name, at in self.executable.inputs:
            self.memory[at] = address(self.inputs[name])

    def set_outputs(self, given: Mapping[str, np.ndarray]) -> None:
        self.outputs = {}
        for name, at, _ in self.executable.outputs:
            array = given.get(name)
            if array is None:
                array = np.empty(*self.shapes[name])
            self.outputs[name] = array
            self.memory[at] = address(array)

    def run(self, slots: Slots, steps: int, trace: Trace | None = None) -> None:
        if self.slots is not slots:  # whoever takes the slots settles the one before
            self._take(slots)
        if steps != self.steps:
            self._word("steps", steps)
            self.steps = steps
        if self.entry(self.pointer):
            raise self._failure()

    def _take(self, slots: Slots) -> None:
        """Point to the slots' contents; from here on this call knows better than `now`."""
        slots.settle()
        self.addresses.clear()
        for name, now, following, _ in self.executable.slots:
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
        table = self.executable.table
        if table[node].op.name in ("load", "store"):
            return ()
        shape = self.executable.shape(table[node].operands[1], self.dims_by_name)
        return tuple(int(p) for p in np.unravel_index(flat, shape))
