"""The syntax tree: what a `.gir` text says, before anything is known about its meaning.

Every form keeps the span of text it came from. Names are stored without their `%`, `@` or `$`.
The tree is plain data; `gradir.text.grammar` makes it and `gradir.ir.build` reads it.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from gradir.text.source import Span


class Value(NamedTuple):
    """`%name`."""

    name: str
    span: Span


class Name(NamedTuple):
    """A plain name: an element type, a dimension, an operation or a keyword value."""

    name: str
    span: Span


class At(NamedTuple):
    """`@name`: a function or a user's macro."""

    name: str
    span: Span


class Parameter(NamedTuple):
    """`$name`: inside a macro, the text of an attribute."""

    name: str
    span: Span


class Literal(NamedTuple):
    """`2.0`, `-3`, `true`, `inf`, `0x1.8p+1`, each with an optional `:f64` or `:%value` suffix.

    `kind` is "int", "float", "bool" or "param" (then `text` is the attribute's name).
    """

    kind: str
    text: str
    suffix: Name | Value | None
    span: Span


class String(NamedTuple):
    """`"text"`; there are no escapes."""

    text: str
    span: Span


class Size(NamedTuple):
    """A product of integers, dimension symbols and macro parameters: `B`, `3`, `B*2`."""

    terms: tuple[int | Name | Parameter, ...]
    span: Span


class Shaped(NamedTuple):
    """`f32[B,3]`: a name with a bracket directly attached. `f32[]` has no sizes."""

    name: str
    sizes: tuple[Size, ...]
    span: Span


class Array(NamedTuple):
    """`[[1.0, 2.0], [3.0, 4.0]]` as an operand."""

    items: tuple[Array | Literal, ...]
    span: Span


class ListAttr(NamedTuple):
    """`[0, 1]` or `[%a, %b]` as an attribute."""

    items: tuple[AttrValue, ...]
    span: Span


class Attribute(NamedTuple):
    """`name=value` behind the operands; `span` covers both."""

    name: str
    value: AttrValue
    span: Span


class Operation(NamedTuple):
    """`name operands... attributes...`; `callee` is a plain name or `@name`."""

    callee: Name | At
    operands: tuple[Operand, ...]
    attributes: tuple[Attribute, ...]
    span: Span


Operand: TypeAlias = Value | Literal | Shaped | Array | Operation | Name | At
AttrValue: TypeAlias = Literal | String | Name | Shaped | Size | Value | ListAttr
TypeExpr: TypeAlias = Name | Shaped


class Assign(NamedTuple):
    """`%target [: type] = operation | %value | literal`."""

    target: Value
    type: TypeExpr | None
    value: Operation | Value | Literal
    span: Span


class Effect(NamedTuple):
    """An operation that stands alone: `store`, `output`, `end`, macros with effects."""

    operation: Operation
    span: Span


class Dim(NamedTuple):
    """`dim B = 1..64`; the bounds are inclusive."""

    name: Name
    lo: int
    hi: int
    span: Span


class Include(NamedTuple):
    """`include "file.gir"`."""

    path: String
    span: Span


class Return(NamedTuple):
    """`return operand` in a block."""

    value: Operand
    span: Span


class Macro(NamedTuple):
    """`macro @name %a %b key=default { ... }`."""

    name: At
    parameters: tuple[Value, ...]
    attributes: tuple[Attribute, ...]
    body: tuple[Statement, ...]
    span: Span


class Func(NamedTuple):
    """`func @name(%a: type, ...) { ... }`."""

    name: At
    parameters: tuple[tuple[Value, TypeExpr], ...]
    body: tuple[Statement, ...]
    span: Span


Statement: TypeAlias = Assign | Effect | Dim | Include | Macro | Func | Return


class Program(NamedTuple):
    """The statements of one file, in order."""

    statements: tuple[Statement, ...]
