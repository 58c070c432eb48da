"""A compiled program: C text, its library, and calls with NumPy arrays (spec/running.md)."""

from __future__ import annotations

from collections.abc import Mapping

import cffi
import numpy as np

from gradir.codegen.emit_c import ENTRY, SIGNATURE, emit
from gradir.codegen.lower import lower
from gradir.codegen.memory import place, plan_memory
from gradir.codegen.schedule import make_schedule
from gradir.codegen.toolchain import library
from gradir.ir.table import Table
from gradir.ir.types import evaluate_extent
from gradir.passes.inline import inline_calls
from gradir.reference.failures import Failures, IndexOutOfRange
from gradir.reference.interpreter import Outcome
from gradir.reference.memory import check_before
from gradir.reference.plan import effects, make_plan


class Executable:
    """One library for all sizes within the dimensions' bounds."""

    def __init__(self, table: Table, extra_flags: tuple[str, ...] = ()) -> None:
        self.table = inline_calls(table)
        self.plan = make_plan(self.table, effects(self.table))
        self.schedule = make_schedule(self.table, self.plan)
        self.calls = lower(self.schedule)
        self.memory = plan_memory(self.schedule, self.calls)
        self.text = emit(self.table, self.calls, self.memory.numbers)
        self.ffi = cffi.FFI()
        self.ffi.cdef(f"{SIGNATURE}\nint {ENTRY}(const gir_run *r);")
        self.library = self.ffi.dlopen(str(library(self.text, extra_flags)))
        self.failures = Failures(self.table)

    def run(
        self,
        inputs: Mapping[str, np.ndarray],
        dims: Mapping[str, int],
        buffers: Mapping[str, np.ndarray],
    ) -> Outcome:
        """One run on arrays of the declared types; the buffers given are not written."""
        table, numbers = self.table, self.memory.numbers
        check_before(table, self.plan, dims, self.failures.make)
        arrays: dict[int, np.ndarray] = {}
        outputs: dict[str, np.ndarray] = {}
        after = dict(buffers)
        for node in numbers:
            name = table[node].op.name
            if name == "stage":
                arrays[node] = np.asarray(inputs[table[node].attr("name")], order="C")
            elif name == "const":
                arrays[node] = np.frombuffer(table[node].attrs[0], np.uint8)
            elif name == "buffer":
                label = table[node].attr("name")
                arrays[node] = np.asarray(buffers[label], order="C")
                if node in self.schedule.cells:
                    arrays[node] = after[label] = arrays[node].copy()
            elif name in ("output", "store"):
                made = np.empty(self.shape(node, dims), table.type(node).dtype.numpy)
                arrays[node] = made
                if name == "output":
                    outputs[table[node].attr("name")] = made
                else:
                    after[table[table[node].operands[0]].attr("name")] = made
        offsets, size = place(table, self.memory, dims)
        arena = np.empty(size + 64, np.uint8)
        base = -(-arena.ctypes.data // 64) * 64
        pointers = [
            base + offsets[node] if node in offsets else arrays[node].ctypes.data
            for node in numbers
        ]
        self.call(pointers, dims)
        return Outcome(outputs, after, {})

    def shape(self, node: int, dims: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(evaluate_extent(extent, dims) for extent in self.table.type(node).shape)

    def call(self, pointers: list[int], dims: Mapping[str, int]) -> None:
        ffi = self.ffi
        memory = ffi.new("void *[]", [ffi.cast("void *", pointer) for pointer in pointers])
        # a symbol that nothing needs has no value; the C text does not look at it
        sizes = ffi.new("int64_t[]", [dims.get(name, 0) for name in self.table.dims])
        failed = ffi.new("gir_error *")
        run = ffi.new("gir_run *", {"memory": memory, "dims": sizes, "error": failed})
        if getattr(self.library, ENTRY)(run):
            node, axis = int(failed.node), int(failed.axis)
            position = self.position(node, int(failed.position), dims)
            outside = IndexOutOfRange(int(failed.index), position, int(failed.size))
            raise self.failures.bad_index(node, axis, outside)

    def position(self, node: int, flat: int, dims: Mapping[str, int]) -> tuple[int, ...]:
        """The position among the indices of a take or scatter_add."""
        if self.table[node].op.name in ("load", "store"):
            return ()
        shape = self.shape(self.table[node].operands[1], dims)
        return tuple(int(p) for p in np.unravel_index(flat, shape))
