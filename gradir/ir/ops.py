"""The op table: one declarative row an operation (spec/ops).

A row names the operands by class, the attributes by kind, and the element types. The shape and
type rules are in `gradir.ir.verify`, the meaning in `gradir.reference`, the derivative in
`gradir.autodiff.rules`; a test holds the four tables against each other.

Operand classes: `value` broadcasts with the other values; `cond` is a bool that broadcasts;
`tensor` is taken as it is; `index` is an i32 or i64; `count` an i32 scalar; `type`, `array`,
`dim`, `buffer`, `range` and `function` are what they say. A `*` allows any number.

Attribute kinds: `axes` (a set of axes), `axis`, `permutation`, `shape` (extents), `ints`,
`int`, `dtype`, `scalar` (a literal of the first operand's type), `string`, `init`, `flag`, and
`a|b|c` for a choice. Sugar also has `extent` (one size) and `like` (a value's type).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

REQUIRED: Any = object()


@dataclass(frozen=True, eq=False, slots=True)
class Attr:
    """An attribute's row. `hidden` ones are part of the key but follow from the text's order."""

    name: str
    kind: str
    default: Any = REQUIRED
    hidden: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Op:
    """An operation's row; equal only to itself, so that a node's key compares by identity."""

    name: str
    family: str
    operands: tuple[str, ...]
    types: tuple[str, ...]  # the kinds ("float", "int", "bool") that `value` operands may have
    attrs: tuple[Attr, ...] = ()
    result: str = "same"  # elementwise: "same" as the values, or "bool"

    @property
    def spec(self) -> str:
        """The section of the specification, which is also the stem of its sentences' ids."""
        return self.name.upper().replace("_", "-")

    @property
    def elementwise(self) -> bool:
        return self.family == "elementwise"

    @property
    def has_effect(self) -> bool:
        return self.name in ("store", "output", "range", "end")

    def attr(self, attrs: tuple[Any, ...], name: str) -> Any:
        """The value of a named attribute in a node's attribute tuple."""
        for row, value in zip(self.attrs, attrs, strict=True):
            if row.name == name:
                return value
        raise KeyError(name)

    def __repr__(self) -> str:
        return f"<op {self.name}>"


FLOAT, NUMBER, INTEGER = ("float",), ("float", "int"), ("int",)
INTEGER_BOOL, ANY = ("int", "bool"), ("float", "int", "bool")


def _elementwise(
    names: str, arity: int, types: tuple[str, ...], result: str = "same"
) -> Iterable[Op]:
    for name in names.split():
        yield Op(name, "elementwise", ("value",) * arity, types, result=result)


_ROWS: list[Op] = [
    *_elementwise("add mul max", 2, NUMBER),
    *_elementwise("div", 2, FLOAT),
    *_elementwise("recip sqrt exp2 log2 sin cos exp log tanh erf", 1, FLOAT),
    *_elementwise("fma", 3, FLOAT),
    *_elementwise("lt le", 2, NUMBER, "bool"),
    *_elementwise("eq ne", 2, ANY, "bool"),
    *_elementwise("and or xor", 2, INTEGER_BOOL),
    *_elementwise("shl shr idiv mod", 2, INTEGER),
    Op("where", "elementwise", ("cond", "value", "value"), ANY),
    Op("cast", "convert", ("tensor",), ANY, (Attr("dtype", "dtype"),)),
    Op("bitcast", "convert", ("tensor",), NUMBER, (Attr("dtype", "dtype"),)),
    Op("detach", "convert", ("tensor",), ANY),
    Op(
        "reduce",
        "reduce",
        ("tensor",),
        NUMBER,
        (Attr("op", "add|mul|max"), Attr("axes", "axes", None), Attr("order", "lanes|left", None)),
    ),
    Op("matmul", "matmul", ("tensor", "tensor"), NUMBER),
    Op("reshape", "movement", ("tensor",), ANY, (Attr("shape", "shape"),)),
    Op("permute", "movement", ("tensor",), ANY, (Attr("axes", "permutation"),)),
    Op("expand", "movement", ("tensor",), ANY, (Attr("shape", "shape"),)),
    Op("flip", "movement", ("tensor",), ANY, (Attr("axes", "axes"),)),
    Op(
        "pad",
        "movement",
        ("tensor",),
        ANY,
        (Attr("lo", "ints"), Attr("shape", "shape", None), Attr("value", "scalar", None)),
    ),
    Op(
        "shrink",
        "movement",
        ("tensor",),
        ANY,
        (Attr("lo", "ints"), Attr("shape", "shape", None)),
    ),
    Op("take", "indexing", ("tensor", "index"), ANY, (Attr("axis", "axis", 0),)),
    Op(
        "scatter_add",
        "indexing",
        ("tensor", "index", "tensor"),
        NUMBER,
        (Attr("axis", "axis", 0),),
    ),
    Op("const", "source", ("type", "array"), ANY, (Attr("bits", "bits", hidden=True),)),
    Op("iota", "source", ("type",), INTEGER, (Attr("axis", "axis", 0),)),
    Op("size", "source", ("dim",), INTEGER, (Attr("dim", "string", hidden=True),)),
    Op("stage", "source", ("type",), ANY, (Attr("name", "string", None),)),
    Op(
        "buffer",
        "source",
        ("type",),
        ANY,
        (Attr("name", "string", None), Attr("slot", "int", None), Attr("init", "init", None)),
    ),
    Op("load", "memory", ("buffer", "index*"), ANY, (Attr("version", "int", hidden=True),)),
    Op(
        "store",
        "memory",
        ("buffer", "value", "index*"),
        ANY,
        (Attr("version", "int", hidden=True),),
    ),
    Op("range", "control", ("count",), INTEGER, (Attr("ordinal", "int", hidden=True),)),
    Op("end", "control", ("range",), ANY),
    Op("call", "control", ("function", "tensor*"), ANY, (Attr("function", "string", hidden=True),)),
    Op("output", "control", ("tensor",), ANY, (Attr("name", "string", None),)),
]

OPS: dict[str, Op] = {row.name: row for row in _ROWS}

# What the reader accepts beyond a node's own attributes, and turns into them.
EXTRA_ATTRS: dict[str, tuple[Attr, ...]] = {
    "reduce": (Attr("keep", "flag", False),),
    "pad": (Attr("hi", "ints", None),),
    "shrink": (Attr("hi", "ints", None),),
}

# Nodes whose operand list opens with a declared thing instead of a computed value.
ADDRESSED = ("load", "store")
