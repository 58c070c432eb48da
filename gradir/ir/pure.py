"""The builder of values: applies operations to nodes of a table, one at a time.

It types literals, makes broadcasting explicit, asks the verifier, and adds the nodes in the
order that spec/table.md fixes: operands, literals left to right, inserted movement operand by
operand, the node. It never simplifies. Bad operations raise `Refusal`; places in a text are the
business of `gradir.ir.build`. Memory and control are in `gradir.ir.builder`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradir.ir.literals import DEFAULT_TYPES, Lit, as_literal, literal_bits
from gradir.ir.ops import EXTRA_ATTRS, OPS, Op
from gradir.ir.table import Node, Origin, Table, constant
from gradir.ir.types import (
    BOOL,
    I32,
    Dim,
    DType,
    Extent,
    Shape,
    TensorType,
    product,
    tensor_type,
)
from gradir.ir.verify import (
    Refusal,
    broadcast_shapes,
    check_kind,
    check_type,
    infer,
    plain_attrs,
)

Operand: TypeAlias = int | Lit

_NO_ORIGIN = Origin(None)
_I32_PLACES = ("index", "count")
_VALUE_PLACES = ("value", "tensor")
I32_SCALAR = tensor_type(I32)


class PureBuilder:
    """Builds values into one table. An operand is a node's id, or a `Lit`."""

    def __init__(self, table: Table | None = None) -> None:
        self.table = Table() if table is None else table
        self.origin = _NO_ORIGIN
        self.open_ranges: list[int] = []
        self.walks: dict[int, Any] = {}  # gradient's state a loss, kept by gradir.autodiff

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
                    help=f"there is no implicit conversion: `cast %x dtype={dtype}`"
                    + (f"; a literal takes a suffix: `2.0:{dtype}`" if dtype.is_float else ""),
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
        return self.add(OPS["size"], (), (symbol,), I32_SCALAR)

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
