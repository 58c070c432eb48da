"""Sugar that needs shape, type or arity: builder functions, one a row (spec/sugar.md).

What a macro can say stands in gradir/std/*.gir instead. A function is written with `Expr`, so
that it reads like the expansion it builds; nothing it builds is more than core operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradir.ir.builder import Builder, Operand
from gradir.ir.expr import Expr
from gradir.ir.ops import Attr
from gradir.ir.verify import Refusal, plain_attrs


@dataclass(frozen=True, eq=False, slots=True)
class Sugar:
    """A row: operand classes and attributes as in the op table, and the expansion."""

    name: str
    operands: tuple[str, ...]
    attrs: tuple[Attr, ...]
    expand: Callable[..., Expr]

    def apply(self, builder: Builder, operands: Sequence[Operand], attrs: Mapping[str, Any]) -> int:
        """Type the literals, check the attributes, build; the id of the result."""
        classes = list(self.operands)
        if classes and classes[-1].endswith("*"):
            kind = classes.pop()[:-1]
            classes += [kind] * max(1, len(operands) - len(classes))
        if len(operands) != len(classes):
            raise Refusal("T307", f"{self.name} takes {len(classes)} operands, not {len(operands)}")
        ids = builder.literals(operands, classes)
        plain = plain_attrs(self.name, self.attrs, attrs)
        return self.expand(*(Expr(builder, id) for id in ids), **plain).id


SUGAR: dict[str, Sugar] = {}


def sugar(
    operands: str, *attrs: Attr
) -> Callable[[Callable[..., Expr]], Callable[..., Expr]]:
    """Register a function as the expansion of the sugar of its name (a final `_` dropped)."""

    def register(expand: Callable[..., Expr]) -> Callable[..., Expr]:
        name = expand.__name__.rstrip("_")
        SUGAR[name] = Sugar(name, tuple(operands.split()), attrs, expand)
        return expand

    return register


@sugar("tensor", Attr("axes", "permutation", None))
def transpose(x: Expr, axes: list[int] | None) -> Expr:
    """The axes in another order; by default reversed."""
    return x.permute(list(range(x.type.rank))[::-1] if axes is None else axes)
