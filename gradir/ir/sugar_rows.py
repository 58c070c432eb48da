"""What a row of builder sugar is, and how one is applied (spec/sugar.md, SUGAR-1 to SUGAR-10).

An expansion is a function on `Expr`, so that it reads like the nodes it builds; it builds core
operations only. What it refuses about the user's own operands it raises as `Misuse`. A refusal
of an operation inside the expansion names the sugar and no operand, because the operand that it
speaks of is not one that the user wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradir.ir.expr import Expr
from gradir.ir.ops import Attr
from gradir.ir.pure import Operand, PureBuilder
from gradir.ir.types import U32, Extent, Shape, TensorType, tensor_type
from gradir.ir.verify import Refusal, canonical_axis, check_type, plain_attrs


class Misuse(Refusal):
    """A refusal that speaks of the sugar's own operands and attributes."""

    wants_float = False


@dataclass(frozen=True, eq=False, slots=True)
class Sugar:
    """A row: operand classes and attributes as in the op table, and the expansion."""

    name: str
    operands: tuple[str, ...]
    attrs: tuple[Attr, ...]
    expand: Callable[..., Expr]

    def apply(
        self, builder: PureBuilder, operands: Sequence[Operand], attrs: Mapping[str, Any]
    ) -> int:
        """Type the literals, check the attributes, build; the id of the result."""
        classes = list(self.operands)
        if classes and classes[-1].endswith("*"):
            kind = classes.pop()[:-1]
            classes += [kind] * max(1, len(operands) - len(classes))
        if len(operands) != len(classes):
            count = f"{len(classes)} operand{'s' * (len(classes) != 1)}"
            if self.operands[-1].endswith("*"):
                count = "one operand or more"
            raise Refusal("T307", f"{self.name} takes {count}, not {len(operands)}")
        plain = plain_attrs(self.name, self.attrs, attrs)
        ids = builder.literals(operands, classes)
        try:
            return self.expand(*(Expr(builder, id) for id in ids), **plain).id
        except Refusal as refusal:
            raise self._explained(builder, operands, refusal) from None

    def _explained(
        self, builder: PureBuilder, operands: Sequence[Operand], refusal: Refusal
    ) -> Refusal:
        """The refusal as the user should read it: T305, as it is, or with the sugar's name."""
        floats = any(isinstance(o, int) and builder.type(o).dtype.is_float for o in operands)
        if isinstance(refusal, Misuse):
            floats = refusal.wants_float
        for at, operand in enumerate(operands):
            if refusal.code not in ("T301", "T302") or not floats or isinstance(operand, int):
                continue
            if operand.kind == "int" and operand.dtype is None:
                message = f"the integer {operand.text} where a float is needed"
                return Refusal("T305", message, operand=at, help=f"write `{operand.text}.0`")
        if isinstance(refusal, Misuse):
            return refusal
        inner = Refusal(refusal.code, refusal.message, help=refusal.help, nodes=refusal.nodes)
        inner.notes.append(f"in the expansion of {self.name}")
        return inner


SUGAR: dict[str, Sugar] = {}


def sugar(operands: str, *attrs: Attr) -> Callable[[Callable[..., Expr]], Callable[..., Expr]]:
    """Register a function as the expansion of the sugar of its name (a final `_` dropped)."""

    def register(expand: Callable[..., Expr]) -> Callable[..., Expr]:
        name = expand.__name__.rstrip("_")
        SUGAR[name] = Sugar(name, tuple(operands.split()), attrs, expand)
        return expand

    return register


# --- what several expansions check ---------------------------------------------------------


def need_kind(name: str, x: Expr, allowed: tuple[str, ...], operand: int = 0) -> None:
    """Refuse an element type; `allowed` holds kinds and names of types."""
    if x.dtype.kind not in allowed and x.dtype.name not in allowed:
        listed = {"float": "f32, f64", "int": "i32, i64, u32"}
        misuse = Misuse(
            "T302",
            f"{name} is not defined on {x.dtype}",
            operand=operand,
            help="it takes " + ", ".join(listed.get(kind, kind) for kind in allowed),
        )
        misuse.wants_float = set(allowed) == {"float"}
        raise misuse


def axis_of(x: Expr, axis: int, attr: str = "axis") -> int:
    """The axis counted from the front; a scalar has none."""
    try:
        return canonical_axis(axis, x.type.rank, attr)
    except Refusal as refusal:
        raise Misuse(refusal.code, refusal.message, attr=refusal.attr, help=refusal.help) from None


def whole_size(name: str, size: Extent, operand: int = 0) -> int:
    """The size of an axis that must be known while the program is built."""
    if isinstance(size, int):
        return size
    raise Misuse(
        "T315",
        f"{name} along an axis of the symbolic size {size}",
        operand=operand,
        help="its result would have a size that is no product; the axis needs an integer size",
    )


def shape_of(
    builder: PureBuilder, name: str, shape: list[Extent] | None, like: TensorType | None
) -> Shape:
    """The shape that exactly one of `shape=` and `like=` gives, within the language's limits."""
    if (shape is None) == (like is None):
        raise Misuse("T309", f"{name} needs one of shape= and like=, not both")
    found = like.shape if like is not None else tuple(shape or ())
    try:
        check_type(tensor_type(U32, found), builder.table.dims)
    except Refusal as refusal:
        which = "shape" if like is None else "like"
        raise Misuse(refusal.code, refusal.message, attr=which, help=refusal.help) from None
    return found


def replaced(shape: Sequence[Extent], axis: int, *sizes: Extent) -> list[Extent]:
    """The shape with the axis replaced by the sizes: none, one or several."""
    return [*shape[:axis], *sizes, *shape[axis + 1 :]]
