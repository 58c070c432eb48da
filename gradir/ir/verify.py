"""The verifier: which operands and attributes an op takes, and the type of its result.

Everything here refuses with a `Refusal`, which says what is wrong with which operand or
attribute; the builder knows the place in the text. Attributes arrive as plain Python values
(integers, extents, strings, lists) and leave in canonical form (spec/table.md, spec/ops).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradir.ir.ops import REQUIRED, Attr, Op
from gradir.ir.types import (
    BOOL,
    DTYPES,
    I32,
    MAX_ELEMENTS,
    MAX_RANK,
    MAX_SIZE,
    Bounds,
    Dim,
    DType,
    Extent,
    Shape,
    TensorType,
    extent_bounds,
    product,
    quotient,
    shape_text,
    tensor_type,
)


class Refusal(Exception):
    """Why an operation is not built. `operand` or `attr` says which part is to blame."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        operand: int | None = None,
        attr: str | None = None,
        help: str | None = None,
        nodes: Sequence[tuple[str, int]] = (),
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.help = code, message, help
        self.nodes = nodes  # what to say of which nodes, shown as notes at their places
        self.notes: list[str] = []  # notes without a place
        self.operand, self.attr = operand, attr


def check_type(type: TensorType, dims: Bounds) -> TensorType:
    """Refuse a type whose rank or sizes are beyond the language's limits (TYPE-…)."""
    if type.rank > MAX_RANK:
        raise Refusal("T314", f"rank {type.rank} is above the limit of {MAX_RANK}")
    check_symbols(type.shape, dims)
    for extent in type.shape:
        lo, hi = extent_bounds(extent, dims)
        if lo < 0:
            raise Refusal("T313", f"size {extent} is negative")
        if hi > MAX_SIZE:
            raise Refusal("T316", f"size {extent} is above the limit of 2^31 - 1")
    elements = type.elements
    if extent_bounds(elements, dims)[0] >= MAX_ELEMENTS:
        raise Refusal("T316", f"{type} has {elements} elements; the limit is 2^40")
    return type


def check_symbols(extents: Sequence[Extent], dims: Bounds, attr: str | None = None) -> None:
    """Refuse a dimension that is not declared."""
    for extent in extents:
        for name in extent.symbols if isinstance(extent, Dim) else ():
            if name not in dims:
                help = f"declare it first: `dim {name} = 1..64`"
                raise Refusal("N206", f"unknown dimension {name}", attr=attr, help=help)


def check_kind(op: Op, type: TensorType, operand: int) -> None:
    """Refuse an element type the op is not defined on."""
    if type.dtype.kind not in op.types:
        allowed = " or ".join(
            {"float": "f32, f64", "int": "i32, i64, u32"}.get(k, k) for k in op.types
        )
        raise Refusal(
            "T302",
            f"{op.name} is not defined on {type.dtype}",
            operand=operand,
            help=f"it takes {allowed}; `cast %x dtype=…` converts",
        )


# --- axes ---------------------------------------------------------------------------------


def canonical_axis(axis: int, rank: int, attr: str) -> int:
    if not -rank <= axis < rank:
        raise Refusal(
            "T311",
            f"axis {axis} of a tensor of rank {rank}",
            attr=attr,
            help=f"axes run from 0 to {rank - 1}, or from -{rank} to -1"
            if rank
            else "a scalar has no axes",
        )
    return axis + rank if axis < 0 else axis


def canonical_axes(axes: Sequence[int], rank: int, attr: str = "axes") -> tuple[int, ...]:
    """Non-negative axes in the order given; a repeated one is refused."""
    found: list[int] = []
    for axis in axes:
        canonical = canonical_axis(axis, rank, attr)
        if canonical in found:
            raise Refusal("T312", f"axis {axis} appears twice", attr=attr)
        found.append(canonical)
    return tuple(found)


# --- broadcasting -------------------------------------------------------------------------


def broadcast_shapes(shapes: Sequence[Shape]) -> Shape:
    """NumPy's rule on extents as written: equal, or one of them 1 (BROADCAST-…)."""
    rank = max(map(len, shapes))
    result: list[Extent] = [1] * rank
    for index, shape in enumerate(shapes):
        for at, extent in enumerate(shape, rank - len(shape)):
            if result[at] == 1:
                result[at] = extent
            elif extent != 1 and extent != result[at]:
                listed = " and ".join(shape_text(s) for s in shapes)
                raise Refusal(
                    "T303",
                    f"shapes {listed} do not broadcast: {result[at]} against {extent}",
                    operand=index,
                    help="sizes must be equal or 1; `reshape` adds the axes that are missing",
                )
    return tuple(result)


# --- attributes ---------------------------------------------------------------------------


def _integers(value: Any, row: Attr) -> list[int]:
    listed = value if isinstance(value, list | tuple) and not isinstance(value, Dim) else [value]
    for item in listed:
        if isinstance(item, bool) or not isinstance(item, int):
            raise Refusal("T310", f"{row.name} takes integers", attr=row.name)
    return list(listed)


def _extents(value: Any, row: Attr) -> list[Extent]:
    listed = value if isinstance(value, list | tuple) and not isinstance(value, Dim) else [value]
    for item in listed:
        if isinstance(item, bool) or not isinstance(item, int | Dim):
            raise Refusal("T310", f"{row.name} takes sizes: integers and dimensions", attr=row.name)
    return list(listed)


def plain_attr(row: Attr, value: Any) -> Any:
    """An attribute's value checked for its kind; what depends on shapes comes later."""
    kind = row.kind
    if kind == "axes" and row.default is None and value == "all":
        return None
    if kind in ("axes", "permutation", "ints"):
        return None if value is None else _integers(value, row)
    if kind == "shape":
        return None if value is None else _extents(value, row)
    if kind == "extent":
        if isinstance(value, str) and type(value) is not str:  # a name, not a string in quotes
            value = Dim(1, (str(value),))
        return _extents([value], row)[0]
    if kind == "like":
        if not isinstance(value, TensorType):
            raise Refusal("T310", f"{row.name} takes a value", attr=row.name)
        return value
    if kind in ("axis", "int"):
        if isinstance(value, bool) or not isinstance(value, int):
            raise Refusal("T310", f"{row.name} takes an integer", attr=row.name)
        if abs(value) > MAX_SIZE:
            raise Refusal("T310", f"{row.name} is beyond 2^31", attr=row.name)
        return value
    if kind == "flag":
        if not isinstance(value, bool):
            raise Refusal("T310", f"{row.name} takes true or false", attr=row.name)
        return value
    if kind == "dtype":
        found = (
            value
            if isinstance(value, DType)
            else DTYPES.get(value if isinstance(value, str) else "")
        )
        if found is None:
            raise Refusal(
                "T318",
                f"{value} is not an element type",
                attr=row.name,
                help="element types: " + ", ".join(DTYPES),
            )
        return found
    if "|" in kind:
        if value not in kind.split("|"):
            raise Refusal("T310", f"{row.name} is one of {kind.replace('|', ', ')}", attr=row.name)
        return value
    if kind == "string":
        if not isinstance(value, str):
            raise Refusal("T310", f"{row.name} takes a name", attr=row.name)
        return value
    return value


def plain_attrs(op_name: str, rows: Sequence[Attr], given: Mapping[str, Any]) -> dict[str, Any]:
    """Every visible attribute of the rows, from what is given or by default."""
    known = {row.name: row for row in rows if not row.hidden}
    for name in given:
        if name not in known:
            listed = ", ".join(f"{n}=" for n in known)
            raise Refusal(
                "T308",
                f"{op_name} has no attribute {name}",
                attr=name,
                help=f"it takes {listed}" if listed else "it takes none",
            )
    result = {}
    for name, row in known.items():
        if name in given:
            result[name] = plain_attr(row, given[name])
        elif row.default is REQUIRED:
            raise Refusal("T309", f"{op_name} needs {name}=")
        else:
            result[name] = row.default
    return result


# --- one rule an op: (attrs, types, dims) -> (canonical attrs, result type) ------------------

Rule = Callable[[dict[str, Any], Sequence[TensorType], Bounds], tuple[tuple[Any, ...], TensorType]]
RULES: dict[str, Rule] = {}


def _rule(name: str) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        RULES[name] = rule
        return rule

    return register


@_rule("cast")
def _cast(attrs, types, dims):  # type: ignore[no-untyped-def]
    return (attrs["dtype"].name,), types[0].with_dtype(attrs["dtype"])


@_rule("bitcast")
def _bitcast(attrs, types, dims):  # type: ignore[no-untyped-def]
    source, target = types[0].dtype, attrs["dtype"]
    if BOOL in (source, target) or source.width != target.width:
        raise Refusal(
            "T302",
            f"bitcast from {source} to {target}",
            attr="dtype",
            help="both types must have the same width, and neither may be bool",
        )
    return (target.name,), types[0].with_dtype(target)


@_rule("detach")
def _detach(attrs, types, dims):  # type: ignore[no-untyped-def]
    return (), types[0]


@_rule("reduce")
def _reduce(attrs, types, dims):  # type: ignore[no-untyped-def]
    x = types[0]
    axes = range(x.rank) if attrs["axes"] is None else attrs["axes"]
    axes = tuple(sorted(canonical_axes(list(axes), x.rank)))
    ordered = x.dtype.is_float and attrs["op"] != "max"
    order = attrs["order"]
    if order is not None and not ordered:
        raise Refusal(
            "T310",
            f"order= on a reduce whose order cannot matter ({attrs['op']} of {x.dtype})",
            attr="order",
            help="leave it out: max and integer folds give the same bits in any order",
        )
    shape = tuple(e for at, e in enumerate(x.shape) if at not in axes)
    return (attrs["op"], axes, (order or "lanes") if ordered else None), x.with_shape(shape)


@_rule("matmul")
def _matmul(attrs, types, dims):  # type: ignore[no-untyped-def]
    a, b = types
    if a.shape[-1] != b.shape[-2]:
        raise Refusal(
            "T313",
            f"matmul of {shape_text(a.shape)} and {shape_text(b.shape)}: "
            f"inner sizes {a.shape[-1]} and {b.shape[-2]} differ",
            operand=1,
            help="the last size of the left operand is the second to last of the right one",
        )
    return (), a.with_shape((*a.shape[:-1], b.shape[-1]))


@_rule("reshape")
def _reshape(attrs, types, dims):  # type: ignore[no-untyped-def]
    x, shape = types[0], list(attrs["shape"])
    if shape.count(-1) > 1:
        raise Refusal("T310", "more than one -1 in shape=", attr="shape")
    count = x.elements
    if -1 in shape:
        rest = product(e for e in shape if e != -1)
        missing = None if rest == 0 else quotient(count, rest)
        if missing is None:
            raise Refusal(
                "T313",
                f"-1 in {shape_text(shape)} is not determined by {count} elements",
                attr="shape",
            )
        shape[shape.index(-1)] = missing
    if product(shape) != count:
        raise Refusal(
            "T313",
            f"{shape_text(shape)} has {product(shape)} elements, {x} has {count}",
            attr="shape",
        )
    return (tuple(shape),), x.with_shape(tuple(shape))


@_rule("permute")
def _permute(attrs, types, dims):  # type: ignore[no-untyped-def]
    x = types[0]
    axes = canonical_axes(attrs["axes"], x.rank)
    if len(axes) != x.rank:
        raise Refusal(
            "T314",
            f"permute names {len(axes)} axes of a tensor of rank {x.rank}",
            attr="axes",
            help="name every axis once, in the new order",
        )
    return (axes,), x.with_shape(tuple(x.shape[axis] for axis in axes))


@_rule("expand")
def _expand(attrs, types, dims):  # type: ignore[no-untyped-def]
    x, shape = types[0], tuple(attrs["shape"])
    if len(shape) != x.rank:
        raise Refusal(
            "T314",
            f"expand of rank {x.rank} to {shape_text(shape)}",
            attr="shape",
            help="expand keeps the rank; `reshape` adds axes of size 1 first",
        )
    for old, new in zip(x.shape, shape, strict=True):
        if old != new and old != 1:
            raise Refusal("T313", f"size {old} cannot become {new}; only 1 can", attr="shape")
    return (shape,), x.with_shape(shape)


@_rule("flip")
def _flip(attrs, types, dims):  # type: ignore[no-untyped-def]
    return (tuple(sorted(canonical_axes(attrs["axes"], types[0].rank))),), types[0]


def _window(attrs: dict[str, Any], x: TensorType, grow: bool) -> tuple[tuple[int, ...], Shape]:
    """lo and the result's shape of pad (grow) or shrink, from shape= or hi=."""
    lo = tuple(attrs["lo"])
    given = attrs["shape"] if attrs["shape"] is not None else attrs["hi"]
    which = "shape" if attrs["shape"] is not None else "hi"
    if (attrs["shape"] is None) == (attrs["hi"] is None):
        raise Refusal("T309", "one of shape= and hi= is needed, not both")
    if len(lo) != x.rank or len(given) != x.rank:
        raise Refusal(
            "T314",
            f"{len(lo)} values in lo= and {len(given)} in {which}= for rank {x.rank}",
            attr=which if len(lo) == x.rank else "lo",
        )
    if any(value < 0 for value in lo):
        raise Refusal("T313", "lo= is negative", attr="lo", help="`shrink` cuts, `pad` grows")
    if which == "shape":
        return lo, tuple(given)
    return lo, tuple(_from_hi(l, h, e, grow) for l, h, e in zip(lo, given, x.shape, strict=True))


def _from_hi(lo: int, hi: int, extent: Extent, grow: bool) -> Extent:
    if hi < 0:
        raise Refusal("T313", "hi= is negative", attr="hi")
    if not grow:
        if hi < lo:
            raise Refusal("T313", f"hi={hi} lies before lo={lo}", attr="hi")
        return hi - lo
    if isinstance(extent, Dim):
        if lo or hi:
            raise Refusal(
                "T315",
                f"padding {extent} would give a sum of sizes",
                attr="hi",
                help="give the result's size with shape=, as a dimension of its own",
            )
        return extent
    return lo + extent + hi


def _fits(lo: int, inner: Extent, outer: Extent, dims: Bounds, what: str) -> None:
    """Refuse a window that lies outside its axis for every value of the symbols."""
    if extent_bounds(inner, dims)[0] + lo > extent_bounds(outer, dims)[1]:
        raise Refusal(
            "T313",
            f"{what}: {lo} + {inner} is more than {outer}",
            attr="shape" if what == "pad" else "lo",
        )


@_rule("pad")
def _pad(attrs, types, dims):  # type: ignore[no-untyped-def]
    x = types[0]
    lo, shape = _window(attrs, x, grow=True)
    for start, inner, outer in zip(lo, x.shape, shape, strict=True):
        _fits(start, inner, outer, dims, "pad")
    return (lo, shape, attrs["value"]), x.with_shape(shape)


@_rule("shrink")
def _shrink(attrs, types, dims):  # type: ignore[no-untyped-def]
    x = types[0]
    lo, shape = _window(attrs, x, grow=False)
    for start, inner, outer in zip(lo, shape, x.shape, strict=True):
        _fits(start, inner, outer, dims, "shrink")
    return (lo, shape), x.with_shape(shape)


def _indices(x: TensorType, index: TensorType, axis: int) -> tuple[int, Shape]:
    if index.dtype.name not in ("i32", "i64"):
        raise Refusal("T302", f"indices of type {index.dtype}; i32 or i64 is needed", operand=1)
    if x.rank == 0:
        raise Refusal("T314", "indexing needs a tensor of rank 1 or more", operand=0)
    axis = canonical_axis(axis, x.rank, "axis")
    return axis, (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])


@_rule("take")
def _take(attrs, types, dims):  # type: ignore[no-untyped-def]
    axis, shape = _indices(types[0], types[1], attrs["axis"])
    return (axis,), types[0].with_shape(shape)


@_rule("scatter_add")
def _scatter_add(attrs, types, dims):  # type: ignore[no-untyped-def]
    x, index, value = types
    axis, shape = _indices(x, index, attrs["axis"])
    if value.dtype is not x.dtype:
        raise Refusal("T301", f"scatter_add of {value.dtype} into {x.dtype}", operand=2)
    if value.shape != shape:
        raise Refusal(
            "T313",
            f"scatter_add: values of shape {shape_text(value.shape)}, not {shape_text(shape)}",
            operand=2,
            help="the shape of `take` with the same indices",
        )
    return (axis,), x


@_rule("iota")
def _iota(attrs, types, dims):  # type: ignore[no-untyped-def]
    type = types[0]
    if not type.shape:
        raise Refusal("T314", "iota needs rank 1 or more", operand=0, help=f"`{type.dtype}[1]`")
    return (canonical_axis(attrs["axis"], type.rank, "axis"),), type


def infer(
    op: Op, attrs: dict[str, Any], types: Sequence[TensorType], dims: Bounds
) -> tuple[tuple[Any, ...], TensorType]:
    """Canonical attributes and result type of an op that has a rule of its own."""
    for operand, (kind, type) in enumerate(zip(op.operands, types, strict=False)):
        if kind in ("tensor", "type"):
            check_kind(op, type, operand)
    check_symbols(attrs.get("shape") or (), dims, "shape")
    canonical, result = RULES[op.name](attrs, types, dims)
    return canonical, check_type(result, dims)


def check_index(type: TensorType, operand: int) -> None:
    """Refuse what is not an integer scalar that may index a leading axis of a buffer."""
    if type.shape or type.dtype.name not in ("i32", "i64"):
        raise Refusal("T319", f"an i32 or i64 scalar is needed, not {type}", operand=operand)


def check_count(type: TensorType, operand: int) -> None:
    """Refuse what is not an i32 scalar: the count of a range."""
    if type is not tensor_type(I32):
        raise Refusal("T319", f"the count of a range is an i32 scalar, not {type}", operand=operand)
