"""The builder: applies operations to nodes of a table, one operation at a time.

It types literals, makes broadcasting explicit, asks the verifier, and adds the nodes in the
order that spec/table.md fixes: operands, literals left to right, inserted movement operand by
operand, the node. It never simplifies. Bad operations raise `Refusal`; places in a text are the
business of `gradir.ir.build`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradir.ir.literals import (
    DEFAULT_TYPES,
    Lit,
    as_literal,
    literal_bits,
)
from gradir.ir.ops import EXTRA_ATTRS, OPS, Op
from gradir.ir.table import Function, Node, Origin, Table, constant
from gradir.ir.types import (
    BOOL,
    I32,
    MAX_SIZE,
    Dim,
    DType,
    Extent,
    Shape,
    TensorType,
    extent_bounds,
    product,
    quotient,
    substitute_extent,
    tensor_type,
)
from gradir.ir.verify import (
    Refusal,
    broadcast_shapes,
    check_count,
    check_index,
    check_kind,
    check_type,
    infer,
    plain_attrs,
)

Operand: TypeAlias = int | Lit

MAX_LOOPS = 64
MAX_CALLS = 64

_NO_ORIGIN = Origin(None)
_I32_PLACES = ("index", "count")
_VALUE_PLACES = ("value", "tensor")
_I32_SCALAR = tensor_type(I32)


class Builder:
    """Builds into one table. An operand is a node's id, or a `Lit`."""

    def __init__(self, table: Table | None = None, *, inside_function: bool = False) -> None:
        self.table = Table() if table is None else table
        self.origin = _NO_ORIGIN
        self.inside_function = inside_function
        self.open_ranges: list[int] = []
        self.call_depth = 0  # of the deepest function called so far
        self.walks: dict[int, Any] = {}  # gradient's state a loss, kept by gradir.autodiff
        self._range_count = sum(1 for _ in self.table.of_op("range"))
        self._slots = {self.table[b].attr("slot"): n for n, b in self.table.buffers.items()}
        self._lowest_free = 0

    # --- adding -------------------------------------------------------------------------

    def type(self, id: int) -> TensorType:
        return self.table.nodes[id].type

    def add(
        self, op: Op, operands: tuple[int, ...], attrs: tuple[Any, ...], type: TensorType
    ) -> int:
        """Add a node whose key is complete, and note the open range it depends on."""
        regions = self.table.regions
        region = None
        if regions:
            region = self._region(operands)
        id = self.table.add(Node(op, operands, attrs, type), self.origin)
        if region is not None:
            regions[id] = region
        return id

    def _region(self, operands: tuple[int, ...]) -> int | None:
        """The innermost open range among the operands'; refuses values of a closed one."""
        regions, innermost = self.table.regions, None
        for operand in operands:
            region = regions.get(operand)
            if region is None:
                continue
            if region not in self.open_ranges:
                raise Refusal(
                    "N208",
                    f"%{self.table.label(operand)} ended with its range",
                    operand=operands.index(operand),
                    help="store it in a buffer inside the loop and load it behind the `end`",
                )
            if innermost is None or region > innermost:
                innermost = region
        return innermost

    def literal(self, lit: Lit, dtype: DType | None = None) -> int:
        """The constant of a literal, in the given type, its suffix's, or its kind's default."""
        dtype = dtype or lit.dtype or DEFAULT_TYPES[lit.kind]
        return self.table.add(constant(dtype, literal_bits(lit, dtype)), self.origin)

    def literals(
        self, operands: Sequence[Operand], classes: Sequence[str], stored: DType | None = None
    ) -> list[int]:
        """Turn the literal operands into constants, typed by the others (spec/literals.md).

        A literal takes its suffix's type, else the type its place demands, else that of the
        first operand of its kind that is a value, else its kind's default.
        """
        result: list[int] = []
        kinds: dict[str, DType] | None = None
        for at, (operand, place) in enumerate(zip(operands, classes, strict=True)):
            if isinstance(operand, int):
                result.append(operand)
                continue
            dtype = operand.dtype
            if dtype is None and place in _I32_PLACES:
                dtype = I32
            elif dtype is None and stored is not None:
                dtype = stored
            elif dtype is None:
                if kinds is None:
                    kinds = self._kinds(operands, classes)
                dtype = kinds.get(operand.kind)
            try:
                result.append(self.literal(operand, dtype))
            except Refusal as refusal:
                refusal.operand = at
                raise
        return result

    def _kinds(self, operands: Sequence[Operand], classes: Sequence[str]) -> dict[str, DType]:
        """For each kind of element type the first among the operands that are values."""
        kinds: dict[str, DType] = {}
        for operand, place in zip(operands, classes, strict=True):
            if isinstance(operand, int) and place in _VALUE_PLACES:
                dtype = self.type(operand).dtype
                kinds.setdefault(dtype.kind, dtype)
        return kinds

    # --- operations ---------------------------------------------------------------------

    def apply(self, name: str, /, *operands: Operand, **attrs: Any) -> int:
        """Apply a core operation that computes a value; the general case."""
        op = OPS[name]
        if len(operands) != len(op.operands):
            raise Refusal(
                "T307",
                f"{name} takes {len(op.operands)} operand{'s' * (len(op.operands) != 1)}, "
                f"not {len(operands)}",
            )
        ids = self.literals(operands, op.operands)
        if op.elementwise:
            plain_attrs(name, (), attrs)
            try:
                return self._elementwise(op, ids)
            except Refusal as refusal:
                raise self._explain_integer(refusal, op, operands) from None
        return self._general(op, ids, attrs)

    def _elementwise(self, op: Op, ids: list[int]) -> int:
        nodes = self.table.nodes
        types = [nodes[id].type for id in ids]
        first = 0
        if op.operands[0] == "cond":
            first = 1
            if types[0].dtype is not BOOL:
                raise Refusal(
                    "T301",
                    f"the condition of {op.name} is {types[0].dtype}, not bool",
                    operand=0,
                    help="compare first: `where (ne %c 0.0) …`",
                )
        dtype = types[first].dtype
        for at in range(first, len(types)):
            if types[at].dtype is not dtype:
                raise Refusal(
                    "T301",
                    f"{op.name} of {dtype} and {types[at].dtype}",
                    operand=at,
                    help=f"there is no implicit conversion: `cast %x dtype={dtype}`",
                )
        check_kind(op, types[first], first)
        shape = types[first].shape
        if any(type.shape != shape for type in types):
            shape = broadcast_shapes([type.shape for type in types])
            ids = [self.broadcast(id, shape) for id in ids]
        result = tensor_type(BOOL if op.result == "bool" else dtype, shape)
        if shape is not types[first].shape:
            check_type(result, self.table.dims)
        return self.add(op, tuple(ids), (), result)

    def _explain_integer(self, refusal: Refusal, op: Op, operands: Sequence[Operand]) -> Refusal:
        """A type error that an integer literal caused is reported as that (T305)."""
        floats = op.types == ("float",) or any(
            isinstance(o, int) and self.type(o).dtype.is_float for o in operands
        )
        for at, operand in enumerate(operands):
            if refusal.code not in ("T301", "T302") or not floats or isinstance(operand, int):
                continue
            if operand.kind == "int" and operand.dtype is None:
                message = f"the integer {operand.text} where a float is needed"
                help = f"write `{operand.text}.0`"
                return Refusal("T305", message, operand=at, help=help)
        return refusal

    def _general(self, op: Op, ids: list[int], given: Mapping[str, Any]) -> int:
        attrs = plain_attrs(op.name, (*op.attrs, *EXTRA_ATTRS.get(op.name, ())), given)
        if op.name == "matmul":
            return self._matmul(ids)
        if op.name == "pad":
            lit = as_literal(0 if attrs["value"] is None else attrs["value"])
            if attrs["value"] is None:  # the default is a zero of any type
                dtype = self.type(ids[0]).dtype
                lit = Lit("bool", "false") if dtype is BOOL else Lit("int", "0", None, True)
            attrs["value"] = self._attr_bits(lit, self.type(ids[0]).dtype)
        types = [self.type(id) for id in ids]
        canonical, result = infer(op, attrs, types, self.table.dims)
        id = self.add(op, tuple(ids), canonical, result)
        if op.name == "reduce" and attrs["keep"]:
            axes = canonical[1]
            kept = tuple(1 if at in axes else e for at, e in enumerate(types[0].shape))
            id = self.reshape_to(id, kept)
        return id

    def _attr_bits(self, lit: Lit, dtype: DType) -> bytes:
        if lit.dtype is not None and lit.dtype is not dtype:
            raise Refusal("T301", f"value= is {lit.dtype}, the operand {dtype}", attr="value")
        try:
            return literal_bits(lit, dtype)
        except Refusal as refusal:
            refusal.attr = "value"
            raise

    def _matmul(self, ids: list[int]) -> int:
        """One rank-2 matmul where b has rank 2, else equal batch axes (MATMUL-…)."""
        op, (a, b) = OPS["matmul"], ids
        for at, id in enumerate(ids):
            check_kind(op, self.type(id), at)
            if self.type(id).rank < 2:
                raise Refusal(
                    "T314",
                    f"matmul of a tensor of rank {self.type(id).rank}",
                    operand=at,
                    help="`reshape %v shape=[1,-1]` makes a row, `dot %a %b` multiplies vectors",
                )
        if self.type(a).dtype is not self.type(b).dtype:
            raise Refusal(
                "T301", f"matmul of {self.type(a).dtype} and {self.type(b).dtype}", operand=1
            )
        lead = self.type(a).shape[:-1]
        infer(op, {}, [self.type(a), self.type(b)], self.table.dims)  # inner sizes, before movement
        merged = self.type(b).rank == 2 and len(lead) > 1
        if merged:
            a = self.apply("reshape", a, shape=[product(lead), self.type(a).shape[-1]])
        elif self.type(a).rank != 2 or self.type(b).rank != 2:
            batch = broadcast_shapes([self.type(a).shape[:-2], self.type(b).shape[:-2]])
            a = self.broadcast(a, (*batch, *self.type(a).shape[-2:]))
            b = self.broadcast(b, (*batch, *self.type(b).shape[-2:]))
        attrs, result = infer(op, {}, [self.type(a), self.type(b)], self.table.dims)
        id = self.add(op, (a, b), attrs, result)
        if merged:
            id = self.apply("reshape", id, shape=[*lead, self.type(b).shape[-1]])
        return id

    # --- movement that is inserted, and left out where it would change nothing -------------

    def reshape_to(self, id: int, shape: Shape) -> int:
        type = self.type(id)
        if type.shape == shape:
            return id
        return self.add(OPS["reshape"], (id,), (shape,), type.with_shape(shape))

    def expand_to(self, id: int, shape: Shape) -> int:
        type = self.type(id)
        if type.shape == shape:
            return id
        return self.add(OPS["expand"], (id,), (shape,), type.with_shape(shape))

    def broadcast(self, id: int, shape: Shape) -> int:
        """Prepend axes of size 1, then expand; neither where nothing changes."""
        type = self.type(id)
        if type.shape == shape:
            return id
        return self.expand_to(
            self.reshape_to(id, (1,) * (len(shape) - type.rank) + type.shape), shape
        )

    def full(self, lit: Lit, type: TensorType) -> int:
        """A constant broadcast to a type's shape."""
        return self.broadcast(self.literal(lit, type.dtype), type.shape)

    # --- sources ------------------------------------------------------------------------

    def const(self, dtype: DType, shape: Shape, bits: bytes) -> int:
        """A constant from its bits; a NaN takes the one pattern its type has."""
        type = check_type(tensor_type(dtype, shape), self.table.dims)
        if dtype.is_float:
            array = np.frombuffer(bits, dtype.numpy)
            if np.isnan(array).any():
                bits = np.where(np.isnan(array), np.asarray(np.nan, dtype.numpy), array).tobytes()
        return self.add(OPS["const"], (), (bits,), type)

    def iota(self, type: TensorType, axis: int = 0) -> int:
        attrs = plain_attrs("iota", OPS["iota"].attrs, {"axis": axis})
        canonical, result = infer(OPS["iota"], attrs, [type], self.table.dims)
        return self.add(OPS["iota"], (), canonical, result)

    def size(self, symbol: str) -> int:
        check_type(tensor_type(I32, (Dim(1, (symbol,)),)), self.table.dims)
        return self.add(OPS["size"], (), (symbol,), _I32_SCALAR)

    def size_of(self, extents: Sequence[Extent]) -> int:
        """The product of extents as an i32: the integer factor, then each symbol (SIZE-…)."""
        whole = product(extents)
        coefficient, symbols = (
            (whole.coefficient, whole.symbols) if isinstance(whole, Dim) else (whole, ())
        )
        wrapped = (coefficient + 2**31) % 2**32 - 2**31
        factors = [self.literal(Lit("int", str(wrapped)))] if wrapped != 1 or not symbols else []
        result = None
        for factor in [*factors, *(self.size(s) for s in symbols)]:
            result = factor if result is None else self.apply("mul", result, factor)
        assert result is not None
        return result

    def stage(self, type: TensorType, name: str) -> int:
        self._outside("stage")
        node = Node(OPS["stage"], (), (name,), check_type(type, self.table.dims))
        if self.table.find(node) is None:
            self._free_name(name, "stage")
        return self.table.add(node, self.origin)

    def buffer(self, type: TensorType, name: str, slot: int | None = None, init: Any = None) -> int:
        """A buffer; `init` is None, the bits of a scalar, or a string (spec/running.md)."""
        self._outside("buffer")
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

    def _outside(self, what: str) -> None:
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
        self._outside("load")
        versions = self._buffer_versions(buffer)
        ids = self.literals([buffer, *indices], ["buffer", *["index"] * len(indices)])
        type = self._element_type(buffer, ids[1:], 1)
        id = self.add(OPS["load"], tuple(ids), (len(versions) - 1,), type)
        if self.open_ranges:
            self.table.regions[id] = self.open_ranges[-1]
        return id

    def store(self, buffer: int, value: Operand, *indices: Operand) -> int:
        self._outside("store")
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
        self._outside("range")
        (id,) = self.literals([count], ["count"])
        check_count(self.type(id), 0)
        if len(self.open_ranges) == MAX_LOOPS:
            raise Refusal("P106", f"ranges nested more than {MAX_LOOPS} deep")
        parent = self.open_ranges[-1] if self.open_ranges else None
        result = self.add(OPS["range"], (id,), (self._range_count,), _I32_SCALAR)
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
        id = self.add(OPS["end"], (range,), (), _I32_SCALAR)
        self.table.regions[id] = range
        self.open_ranges.pop()
        self._new_versions(id)
        return id

    def _new_versions(self, id: int) -> None:
        for versions in self.table.versions.values():
            versions.append(id)

    def output(self, value: Operand, name: str) -> int:
        self._outside("output")
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


def unify(
    parameters: Sequence[TensorType],
    arguments: Sequence[TensorType],
    dims: Mapping[str, tuple[int, int]],
) -> dict[str, Extent]:
    """The extents that the parameters' symbols stand for, given the arguments (CALL-…)."""
    values: dict[str, Extent] = {}
    open_pairs: list[tuple[int, Dim, Extent]] = []
    for at, (wanted, given) in enumerate(zip(parameters, arguments, strict=True)):
        if wanted.dtype is not given.dtype or wanted.rank != given.rank:
            raise Refusal("T321", f"the parameter is {wanted}, the argument {given}", operand=at)
        for want, have in zip(wanted.shape, given.shape, strict=True):
            if isinstance(want, Dim):
                open_pairs.append((at, want, have))
            elif want != have:
                raise Refusal(
                    "T321", f"the parameter is {wanted}, the argument {given}", operand=at
                )
    progress = True
    while progress:
        progress = False
        for _, want, have in open_pairs:
            unknown = {s for s in want.symbols if s not in values}
            if len(unknown) == 1 and want.symbols.count(symbol := unknown.pop()) == 1:
                known = product(
                    [want.coefficient, *(values[s] for s in want.symbols if s != symbol)]
                )
                solved = quotient(have, known)
                if solved is not None:
                    values[symbol] = solved
                    progress = True
    for at, want, have in open_pairs:
        if substitute_extent(want, values) != have or any(s not in values for s in want.symbols):
            raise Refusal("T321", f"size {have} does not fit the parameter's {want}", operand=at)
    for symbol, extent in values.items():
        lo, hi = extent_bounds(extent, dims)
        if lo < dims[symbol][0] or hi > min(dims[symbol][1], MAX_SIZE):
            raise Refusal(
                "T321",
                f"{symbol} = {extent} is outside its bounds {dims[symbol][0]}..{dims[symbol][1]}",
            )
    return values
