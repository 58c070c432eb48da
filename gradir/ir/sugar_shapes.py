"""Sugar that moves elements: shapes, pieces and joins of tensors, and one-hot labels."""

from __future__ import annotations

from collections.abc import Sequence

from gradir.ir.expr import Expr, apply
from gradir.ir.ops import Attr
from gradir.ir.sugar_rows import Misuse, axis_of, need_kind, replaced, sugar, whole_size
from gradir.ir.types import BOOL, F32, DType, Extent, Shape, TensorType, tensor_type
from gradir.ir.verify import Refusal, canonical_axes


def axes_of(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    try:
        return canonical_axes(axes, rank)
    except Refusal as refusal:
        raise Misuse(refusal.code, refusal.message, attr="axes", help=refusal.help) from None


def window(x: Expr, axis: int, lo: int, size: Extent) -> Expr:
    """A `shrink` of one axis, the others whole."""
    los = [lo if at == axis else 0 for at in range(x.type.rank)]
    return apply("shrink", x, lo=los, shape=replaced(x.shape, axis, size))


@sugar("tensor", Attr("axes", "permutation", None))
def transpose(x: Expr, axes: list[int] | None) -> Expr:
    """The axes in another order; by default reversed."""
    return x.permute(list(range(x.type.rank))[::-1] if axes is None else axes)


@sugar("tensor", Attr("axes", "axes", None))
def squeeze(x: Expr, axes: list[int] | None) -> Expr:
    """Without these axes of size 1; by default without all whose size is the integer 1."""
    if axes is None:
        gone = tuple(at for at, size in enumerate(x.shape) if size == 1)
    else:
        gone = axes_of(axes, x.type.rank)
    for axis in gone:
        if x.shape[axis] != 1:
            raise Misuse(
                "T313",
                f"squeeze of axis {axis}, whose size is {x.shape[axis]}",
                attr="axes",
                help="only an axis of size 1 can be dropped",
            )
    return x.reshape([size for at, size in enumerate(x.shape) if at not in gone])


@sugar("tensor", Attr("axes", "axes"))
def unsqueeze(x: Expr, axes: list[int]) -> Expr:
    """With axes of size 1 put in; they are counted in the result."""
    new = axes_of(axes, x.type.rank + len(axes))
    old = iter(x.shape)
    return x.reshape([1 if at in new else next(old) for at in range(x.type.rank + len(axes))])


@sugar(
    "tensor",
    Attr("axis", "axis", 0),
    Attr("lo", "int", 0),
    Attr("hi", "int", None),
    Attr("step", "int", 1),
)
def slice_(x: Expr, axis: int, lo: int, hi: int | None, step: int) -> Expr:
    """A `shrink`; a step above 1 splits the axis in rows of that length and takes a column."""
    axis = axis_of(x, axis)
    size = whole_size("slice", x.shape[axis])
    if step < 1:
        raise Misuse(
            "T310", f"step={step} is below 1", attr="step", help="`flip` turns an axis round"
        )
    begin = lo + size if lo < 0 else lo
    end = size if hi is None else hi + size if hi < 0 else hi
    if not 0 <= begin <= end <= size:
        raise Misuse(
            "T313",
            f"slice from {begin} to {end} of an axis of size {size}",
            attr="lo" if hi is None or not 0 <= begin <= size else "hi",
            help="0 <= lo <= hi <= size; a negative bound counts from the end",
        )
    part = window(x, axis, begin, end - begin)
    if step == 1:
        return part
    rows = -((begin - end) // step)
    if rows * step != end - begin:
        shape = replaced(part.shape, axis, rows * step)
        part = apply("pad", part, lo=[0] * x.type.rank, shape=shape)
    column = window(part.reshape(replaced(part.shape, axis, rows, step)), axis + 1, 0, 1)
    return column.reshape(replaced(part.shape, axis, rows))


def join(name: str, parts: Sequence[Expr], axis: int) -> Expr:
    """Pads that do not overlap, added up: x + (-0.0) is x for every x."""
    first = parts[0]
    axis = axis_of(first, axis)
    for at, part in enumerate(parts):
        if part.dtype is not first.dtype:
            raise Misuse("T301", f"{name} of {first.dtype} and {part.dtype}", operand=at)
        if part.type.rank != first.type.rank:
            raise Misuse(
                "T314", f"{name} of rank {first.type.rank} and rank {part.type.rank}", operand=at
            )
        for other in range(part.type.rank):
            if other != axis and part.shape[other] != first.shape[other]:
                raise Misuse(
                    "T313",
                    f"{name} along axis {axis}: sizes {first.shape[other]} and "
                    f"{part.shape[other]} on axis {other} differ",
                    operand=at,
                )
    sizes = [whole_size(name, part.shape[axis], at) for at, part in enumerate(parts)]
    value = {"float": -0.0, "int": 0, "bool": False}[first.dtype.kind]
    shape = replaced(first.shape, axis, sum(sizes))
    pads = []
    for at, part in enumerate(parts):
        lo = [sum(sizes[:at]) if other == axis else 0 for other in range(part.type.rank)]
        pads.append(apply("pad", part, lo=lo, shape=shape, value=value))
    joined = pads[0]
    for pad in pads[1:]:
        joined = apply("or" if first.dtype is BOOL else "add", joined, pad)
    return joined


@sugar("tensor*", Attr("axis", "axis", 0))
def concat(*parts: Expr, axis: int) -> Expr:
    for at, part in enumerate(parts):
        if part.type.rank == 0:
            raise Misuse("T314", "concat of a scalar", operand=at, help="`stack` joins scalars")
    return join("concat", parts, axis)


@sugar("tensor*", Attr("axis", "axis", 0))
def stack(*parts: Expr, axis: int) -> Expr:
    """A new axis of size 1 in each, then joined along it."""
    first = parts[0].type
    for at, part in enumerate(parts):
        if part.type is not first:
            code = "T313" if part.dtype is first.dtype else "T301"
            raise Misuse(code, f"stack of {first} and {part.type}", operand=at)
    if not -first.rank - 1 <= axis <= first.rank:
        raise Misuse(
            "T311",
            f"axis {axis} of a tensor of rank {first.rank + 1}",
            attr="axis",
            help="the axis is counted in the result",
        )
    return join("stack", [unsqueeze(part, [axis]) for part in parts], axis)


@sugar("tensor", Attr("sizes", "ints"), Attr("part", "int"), Attr("axis", "axis", 0))
def split(x: Expr, sizes: list[int], part: int, axis: int) -> Expr:
    axis = axis_of(x, axis)
    size = whole_size("split", x.shape[axis])
    if any(s < 0 for s in sizes) or sum(sizes) != size:
        raise Misuse(
            "T313",
            f"sizes={sizes} of an axis of size {size}",
            attr="sizes",
            help="the sizes are at least 0, and their sum is the size of the axis",
        )
    if not 0 <= part < len(sizes):
        raise Misuse("T310", f"part={part} of {len(sizes)} parts", attr="part")
    return window(x, axis, sum(sizes[:part]), sizes[part])


@sugar(
    "tensor",
    Attr("size", "extent", None),
    Attr("like", "like", None),
    Attr("axis", "axis", -1),
    Attr("dtype", "dtype", F32),
)
def one_hot(i: Expr, size: Extent | None, like: TensorType | None, axis: int, dtype: DType) -> Expr:
    """Labels against an iota; taking the label from an iota checks that it is in range."""
    need_kind("one_hot", i, ("i32", "i64"))
    if (size is None) == (like is None):
        raise Misuse("T309", "one_hot needs one of size= and like=, not both")
    rank = i.type.rank + 1
    if not -rank <= axis < rank:
        raise Misuse(
            "T311",
            f"axis {axis} of a tensor of rank {rank}",
            attr="axis",
            help="the axis is counted in the result",
        )
    axis %= rank
    if like is not None:
        size = like.shape[axis] if axis < like.rank else 0
    assert size is not None
    shape: Shape = (*i.shape[:axis], size, *i.shape[axis:])
    if like is not None and like.shape != shape:
        raise Misuse(
            "T313",
            f"one_hot of labels {i.type} along axis {axis} of {like}",
            attr="like",
            help="the labels have the shape of the other tensor without the axis",
        )
    builder = i.builder
    classes = Expr(builder, builder.iota(tensor_type(i.dtype, (size,)), 0))
    checked = apply("take", classes, i, axis=0)
    column = checked.reshape(replaced(shape, axis, 1))
    labels = Expr(builder, builder.iota(tensor_type(i.dtype, shape), axis))
    hot = apply("eq", column, labels)
    return hot if dtype is BOOL else hot.cast(dtype)
