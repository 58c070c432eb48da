"""Operations written in Python as forms of the syntax tree, for `gradir.ir.build` to build.

An expression stands as `%NUMBER`; numbers, names, types and sizes stand as a text would have
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradir.api.types import ElementType, Size, Type
from gradir.ir.literals import as_literal
from gradir.ir.ops import EXTRA_ATTRS, OPS
from gradir.ir.sugar import SUGAR
from gradir.ir.types import Dim, Extent
from gradir.text import tree
from gradir.text.diagnostics import error
from gradir.text.source import Span

_VALUES = ("value", "tensor", "value*", "tensor*")


def operation_form(
    op: str, operands: Sequence[Any], attrs: Mapping[str, Any], span: Span
) -> tree.Operation:
    """The operation on these operands, with the attributes that are not None."""
    classes = _classes(op, len(operands))
    floats = _first_float(operands)
    listed = [
        _operand(given, floats if kind in _VALUES else None, span)
        for given, kind in zip(operands, classes, strict=True)
    ]
    strings = _strings(op)
    attributes = tuple(
        tree.Attribute(name, _attribute(given, name in strings, span), span)
        for name, given in attrs.items()
        if given is not None
    )
    return tree.Operation(tree.Name(op, span), tuple(listed), attributes, span)


def _row(op: str) -> Any:
    return OPS.get(op) or SUGAR.get(op)


def _classes(op: str, count: int) -> list[str]:
    """What each operand is; of macros, which have no row, they are values."""
    row = _row(op)
    listed = list(row.operands) if row is not None else []
    if listed and listed[-1].endswith("*"):
        listed += listed[-1:] * count
    return (listed + ["value"] * count)[:count]


def _strings(op: str) -> set[str]:
    """Attributes that take a text of their own, not a word of the language."""
    row = _row(op)
    rows = [*(row.attrs if row is not None else ()), *EXTRA_ATTRS.get(op, ())]
    return {attr.name for attr in rows if attr.kind in ("string", "init")}


def _first_float(operands: Sequence[Any]) -> str | None:
    """The number of the first operand of floats: integers beside it become floats."""
    for given in operands:
        if is_expr(given) and given.plain.dtype.is_float:
            return str(given.number)
    return None


def is_expr(given: Any) -> bool:
    """Whether it is an expression, or stands for one."""
    return hasattr(given, "plain") and hasattr(given, "number")


def _operand(given: Any, floats: str | None, span: Span) -> tree.Operand:
    if is_expr(given):
        return tree.Value(str(given.number), span)
    if isinstance(given, Type):
        return _type(given, span)
    if isinstance(given, ElementType):
        return tree.Name(given.plain.name, span)
    if isinstance(given, Size):
        coefficient, symbols = given.extent
        if coefficient == 1 and len(symbols) == 1:
            return tree.Name(symbols[0], span)
    if isinstance(given, bool | int | float):
        kind, text, _, _ = as_literal(given)
        suffix = tree.Value(floats, span) if kind == "int" and floats is not None else None
        return tree.Literal(kind, text, suffix, span)
    raise error("T319", f"{given!r} is not a value", span)


def _attribute(given: Any, is_string: bool, span: Span) -> tree.AttrValue:
    if is_expr(given):
        return tree.Value(str(given.number), span)
    if isinstance(given, str):
        return tree.String(given, span) if is_string else tree.Name(given, span)
    if isinstance(given, list | tuple):
        return tree.ListAttr(tuple(_attribute(item, is_string, span) for item in given), span)
    if isinstance(given, Type):
        return _type(given, span)
    if isinstance(given, ElementType):
        return tree.Name(given.plain.name, span)
    if isinstance(given, Size):
        return _size(given.extent, span)
    if isinstance(given, bool | int | float):
        kind, text, _, _ = as_literal(given)
        return tree.Literal(kind, text, None, span)
    raise error("T310", f"{given!r} is not an attribute's value", span)


def _type(given: Type, span: Span) -> tree.Name | tree.Shaped:
    name, shape = given.plain.dtype.name, given.plain.shape
    if not shape:
        return tree.Name(name, span)
    return tree.Shaped(name, tuple(_size(extent, span) for extent in shape), span)


def _size(extent: Extent, span: Span) -> tree.Size:
    if not isinstance(extent, Dim):
        return tree.Size((extent,), span)
    coefficient, symbols = extent
    factors: list[int | tree.Name | tree.Parameter] = [tree.Name(s, span) for s in symbols]
    return tree.Size(tuple([coefficient, *factors] if coefficient != 1 else factors), span)


def key(
    op: str, operands: Sequence[Any], attrs: Mapping[str, Any], bounds: Mapping[str, Any]
) -> Any:
    """What the type of an operation depends on; None where that is not worth knowing."""
    parts: list[Any] = [op]
    for given in operands:
        parts.append(_part(given))
    for name, given in attrs.items():
        parts += [name, _part(given)]
    if any(part is None for part in parts):
        return None
    return (*parts, tuple(sorted(bounds.items())))


def _part(given: Any) -> Any:
    if is_expr(given):
        return None if given.op == "buffer" else given.plain
    if isinstance(given, list | tuple):
        inner = tuple(_part(item) for item in given)
        return None if None in inner else inner
    if isinstance(given, bool | int | float | str):
        return (type(given), repr(given))
    if isinstance(given, Type | Size):
        return repr(given)
    return given.plain if isinstance(given, ElementType) else None
