"""A node with operators: what gradient rules and sugar are written in.

`a * b` is `mul a b`, `2.0 * a` is `mul 2.0 a`; a Python scalar is a literal, typed where it
stands (spec/literals.md). Python evaluates arguments left to right, innermost first, which is
the order in which the specification numbers nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from gradir.ir.literals import Lit, Scalar, as_literal
from gradir.ir.pure import Operand, PureBuilder
from gradir.ir.types import DType, Extent, Shape, TensorType


class Expr:
    """A value of a builder's table."""

    __slots__ = ("builder", "id")

    def __init__(self, builder: PureBuilder, id: int) -> None:
        self.builder, self.id = builder, id

    @property
    def type(self) -> TensorType:
        return self.builder.type(self.id)

    @property
    def shape(self) -> Shape:
        return self.type.shape

    @property
    def dtype(self) -> DType:
        return self.type.dtype

    def __repr__(self) -> str:
        return f"<%{self.builder.table.label(self.id)}: {self.type}>"

    def __add__(self, other: ExprLike) -> Expr:
        return apply("add", self, other)

    def __radd__(self, other: ExprLike) -> Expr:
        return apply("add", other, self)

    def __mul__(self, other: ExprLike) -> Expr:
        return apply("mul", self, other)

    def __rmul__(self, other: ExprLike) -> Expr:
        return apply("mul", other, self)

    def __truediv__(self, other: ExprLike) -> Expr:
        return apply("div", self, other)

    def __rtruediv__(self, other: ExprLike) -> Expr:
        return apply("div", other, self)

    def __matmul__(self, other: Expr) -> Expr:
        return apply("matmul", self, other)

    def cast(self, dtype: DType) -> Expr:
        return apply("cast", self, dtype=dtype)

    def reduce(self, op: str, axes: Sequence[int] | None = None, **attrs: Any) -> Expr:
        return apply("reduce", self, op=op, axes=axes, **attrs)

    def reshape(self, shape: Sequence[Extent]) -> Expr:
        """Always a node, as when a user writes it."""
        return apply("reshape", self, shape=list(shape))

    def permute(self, axes: Sequence[int]) -> Expr:
        return apply("permute", self, axes=list(axes))

    def reshape_to(self, shape: Shape) -> Expr:
        """A node only where the shape changes."""
        return Expr(self.builder, self.builder.reshape_to(self.id, shape))

    def expand_to(self, shape: Shape) -> Expr:
        """A node only where the shape changes."""
        return Expr(self.builder, self.builder.expand_to(self.id, shape))

    def full_like(self, value: Scalar) -> Expr:
        """A constant of this type, broadcast to this shape."""
        return Expr(self.builder, self.builder.full(as_literal(value), self.type))


ExprLike: TypeAlias = Expr | Lit | int | float


def apply(name: str, /, *operands: ExprLike, **attrs: Any) -> Expr:
    """Apply a core operation to expressions and literals, at least one an expression."""
    builder = next(o.builder for o in operands if isinstance(o, Expr))
    plain: list[Operand] = [o.id if isinstance(o, Expr) else as_literal(o) for o in operands]
    return Expr(builder, builder.apply(name, *plain, **attrs))
