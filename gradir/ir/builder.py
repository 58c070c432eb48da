"""The builder with memory and control: stages, buffers, loads, stores, ranges, calls, outputs.

Memory is pure too: a buffer has versions, `store`, `range` and `end` make new ones, and a load
names the version it reads (spec/memory.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradir.ir.binding import unify
from gradir.ir.literals import Lit
from gradir.ir.ops import OPS
from gradir.ir.pure import I32_SCALAR, Operand, PureBuilder
from gradir.ir.table import Function, Node, Table
from gradir.ir.types import TensorType, substitute_extent
from gradir.ir.verify import Refusal, broadcast_shapes, check_count, check_index, check_type

__all__ = ["Builder", "Operand"]

MAX_LOOPS = 64
MAX_CALLS = 64


class Builder(PureBuilder):
    """Builds a whole program's table, or (`inside_function`) that of a closed function."""

    def __init__(self, table: Table | None = None, *, inside_function: bool = False) -> None:
        super().__init__(table)
        self.inside_function = inside_function
        self.call_depth = 0  # of the deepest function called so far
        self._range_count = sum(1 for _ in self.table.of_op("range"))
        self._slots = {self.table[b].attr("slot"): n for n, b in self.table.buffers.items()}
        self._lowest_free = 0

    def stage(self, type: TensorType, name: str) -> int:
        self.outside("stage")
        node = Node(OPS["stage"], (), (name,), check_type(type, self.table.dims))
        if self.table.find(node) is None:
            self._free_name(name, "stage")
        return self.table.add(node, self.origin)

    def buffer(self, type: TensorType, name: str, slot: int | None = None, init: Any = None) -> int:
        """A buffer; `init` is None, the bits of a scalar, or a string (spec/running.md)."""
        self.outside("buffer")
        if not type.is_static:
            raise Refusal(
                "M411",
                f"the buffer's type {type} has a symbolic size",
                operand=0,
                help="a buffer keeps its contents from run to run: give it integer sizes",
            )
        used = self._slots
        if slot is None:
            slot = self._lowest_free
            while slot in used:
                slot += 1
            self._lowest_free = slot
        if slot < 0:
            raise Refusal("T310", f"slot={slot} is negative", attr="slot")
        node = Node(OPS["buffer"], (), (name, slot, init), check_type(type, self.table.dims))
        if self.table.find(node) is None:
            if slot in used:
                raise Refusal("M401", f"slot {slot} belongs to buffer {used[slot]}", attr="slot")
            self._free_name(name, "buffer")
        id = self.table.add(node, self.origin)
        used[slot] = name
        self.table.versions.setdefault(id, [id])
        return id

    def _free_name(self, name: str, op: str) -> None:
        """Refuse a second node of a name; stages and buffers share their names."""
        declared = self.table.declared
        for kind in (op,) if op == "output" else ("stage", "buffer"):
            if name in declared[kind]:
                raise Refusal("M402", f"there is another {kind} named {name}", attr="name")

    def outside(self, what: str) -> None:
        """Refuse what may not stand inside a function (M409) or a loop (M408)."""
        if self.inside_function:
            raise Refusal(
                "M409",
                f"{what} inside a function",
                help="a function is closed and pure: it computes from its parameters only",
            )
        if self.open_ranges and what in ("stage", "buffer", "output"):
            raise Refusal("M408", f"{what} inside a loop", help="put it before the `range`")

    # --- memory and control ---------------------------------------------------------------

    def _buffer_versions(self, id: int) -> list[int]:
        versions = self.table.versions.get(id)
        if versions is None:
            raise Refusal(
                "M404",
                f"%{self.table.label(id)} is not a buffer",
                operand=0,
                help="declare one: `%b = buffer f32[5]`",
            )
        return versions

    def _element_type(self, buffer: int, indices: Sequence[int], first: int) -> TensorType:
        type = self.type(buffer)
        if len(indices) > type.rank:
            raise Refusal("T314", f"{len(indices)} indices into a buffer of rank {type.rank}")
        for at, index in enumerate(indices, first):
            check_index(self.type(index), at)
        return type.with_shape(type.shape[len(indices) :])

    def load(self, buffer: int, *indices: Operand) -> int:
        self.outside("load")
        versions = self._buffer_versions(buffer)
        ids = self.literals([buffer, *indices], ["buffer", *["index"] * len(indices)])
        type = self._element_type(buffer, ids[1:], 1)
        id = self.add(OPS["load"], tuple(ids), (len(versions) - 1,), type)
        if self.open_ranges:
            self.table.regions[id] = self.open_ranges[-1]
        return id

    def store(self, buffer: int, value: Operand, *indices: Operand) -> int:
        self.outside("store")
        versions = self._buffer_versions(buffer)
        ids = self.literals(
            [buffer, value, *indices],
            ["buffer", "value", *["index"] * len(indices)],
            stored=self.type(buffer).dtype,
        )
        type = self._element_type(buffer, ids[2:], 2)
        given = self.type(ids[1])
        if given.dtype is not type.dtype:
            raise Refusal(
                "M405",
                f"a value of {given.dtype} into a buffer of {type.dtype}",
                operand=1,
                help=f"`cast %v dtype={type.dtype}`",
            )
        try:
            fits = broadcast_shapes([given.shape, type.shape]) == type.shape
        except Refusal:
            fits = False
        if not fits:
            raise Refusal("M405", f"a value of type {given} where {type} is stored", operand=1)
        ids[1] = self.broadcast(ids[1], type.shape)
        id = self.add(OPS["store"], tuple(ids), (len(versions) - 1,), type)
        versions.append(id)
        if self.open_ranges:
            self.table.regions[id] = self.open_ranges[-1]
        return id

    def range(self, count: Operand) -> int:
        self.outside("range")
        (id,) = self.literals([count], ["count"])
        check_count(self.type(id), 0)
        if len(self.open_ranges) == MAX_LOOPS:
            raise Refusal("P106", f"ranges nested more than {MAX_LOOPS} deep")
        parent = self.open_ranges[-1] if self.open_ranges else None
        result = self.add(OPS["range"], (id,), (self._range_count,), I32_SCALAR)
        self._range_count += 1
        self.table.regions[result] = result
        self.table.range_parents[result] = parent
        self.open_ranges.append(result)
        self._new_versions(result)
        return result

    def end(self, range: int) -> int:
        if not self.open_ranges:
            raise Refusal("M407", "`end` without an open range", operand=0)
        if range != self.open_ranges[-1]:
            raise Refusal(
                "M407",
                f"the innermost open range is %{self.table.label(self.open_ranges[-1])}",
                operand=0,
            )
        id = self.add(OPS["end"], (range,), (), I32_SCALAR)
        self.table.regions[id] = range
        self.open_ranges.pop()
        self._new_versions(id)
        return id

    def _new_versions(self, id: int) -> None:
        for versions in self.table.versions.values():
            versions.append(id)

    def output(self, value: Operand, name: str) -> int:
        self.outside("output")
        (id,) = self.literals([value], ["value"])
        node = Node(OPS["output"], (id,), (name,), self.type(id))
        if self.table.find(node) is None:
            self._free_name(name, "output")
        self._region((id,))
        return self.table.add(node, self.origin)

    def call(self, name: str, operands: Sequence[Operand]) -> int:
        """Call a function; symbols of its parameter types unify with the arguments' sizes."""
        function = self.table.functions[name]
        if len(operands) != len(function.parameters):
            raise Refusal(
                "T307", f"@{name} takes {len(function.parameters)} operands, not {len(operands)}"
            )
        parameters = [function.table.type(id) for _, id in function.parameters]
        ids = []
        for at, operand in enumerate(operands):
            if isinstance(operand, Lit):
                try:
                    operand = self.literal(operand, operand.dtype or parameters[at].dtype)
                except Refusal as refusal:
                    refusal.operand = at
                    raise
            ids.append(operand)
        values = unify(parameters, [self.type(id) for id in ids], self.table.dims)
        result = function.table.type(function.result)
        shape = tuple(substitute_extent(extent, values) for extent in result.shape)
        type = check_type(result.with_shape(shape), self.table.dims)
        self.call_depth = max(self.call_depth, function.depth + 1)
        if self.call_depth > MAX_CALLS:
            raise Refusal("N209", f"functions call each other more than {MAX_CALLS} deep")
        return self.add(OPS["call"], tuple(ids), (name,), type)

    def define(self, function: Function) -> None:
        self.table.functions[function.name] = function
