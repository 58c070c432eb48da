"""What stands in a text as a type, a size or an attribute, as plain values for the builder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from gradir.ir.literals import Lit, literal_value
from gradir.ir.table import Table
from gradir.ir.types import DTYPES, Dim, DType, Extent, TensorType, product, tensor_type
from gradir.ir.verify import Refusal
from gradir.text import tree
from gradir.text.diagnostics import Diagnostic, GirError, Note, error
from gradir.text.source import Span

if TYPE_CHECKING:
    from gradir.ir.build import Build
    from gradir.ir.scope import Scope

Parameters = Callable[[str, Span, "Scope"], Any]


class Poisoned(Exception):
    """A name that an earlier, reported error left without a meaning."""


class Ref(NamedTuple):
    """A value given as an attribute."""

    id: int


class Word(str):
    """A plain name given as an attribute: an element type, a dimension, a choice."""

    __slots__ = ()


def dtype(name: str, span: Span) -> DType:
    found = DTYPES.get(name)
    if found is None:
        raise error(
            "T318",
            f"{name} is not an element type",
            span,
            help="element types: " + ", ".join(DTYPES),
        )
    return found


def extent(form: tree.Size, scope: Scope, parameter: Parameters) -> Extent:
    """An extent from a product of integers, symbols and macro attributes."""
    factors: list[Extent] = []
    for term in form.terms:
        match term:
            case int():
                factors.append(term)
            case tree.Name():
                factors.append(Dim(1, (term.name,)))
            case tree.Parameter():
                given = plain(parameter(term.name, term.span, scope))
                if isinstance(given, Word):
                    given = Dim(1, (str(given),))
                if isinstance(given, bool) or not isinstance(given, int | Dim):
                    raise error("T310", f"${term.name} is not a size here", term.span)
                factors.append(given)
    return factors[0] if len(factors) == 1 else product(factors)


def tensor_type_of(form: tree.TypeExpr, scope: Scope, parameter: Parameters) -> TensorType:
    element = dtype(form.name, form.span)
    if isinstance(form, tree.Name):
        return tensor_type(element)
    return tensor_type(element, tuple(extent(size, scope, parameter) for size in form.sizes))


def attribute(form: tree.AttrValue, scope: Scope, build: Build) -> Any:
    """An attribute's value; a literal stays one, since only its place decides its type."""
    match form:
        case tree.Literal():
            if form.kind == "param" and form.suffix is None:
                return build.parameter(form.text, form.span, scope)
            given = build.literal(form, scope)
            return Ref(given) if isinstance(given, int) else given
        case tree.String():
            return form.text
        case tree.Name():
            return Word(form.name)
        case tree.Size():
            return extent(form, scope, build.parameter)
        case tree.Value():
            return Ref(build.lookup(form, scope))
        case tree.Shaped():
            return tensor_type_of(form, scope, build.parameter)
        case tree.ListAttr():
            return [attribute(item, scope, build) for item in form.items]
    raise AssertionError(form)


def plain(value: Any) -> Any:
    """Integers and booleans out of their literals, lists item by item; floats stay literals."""
    if isinstance(value, list):
        return [_size_word(plain(item)) for item in value]
    if isinstance(value, Lit) and value.dtype is None:
        if value.kind == "int":
            return literal_value(value)
        if value.kind == "bool":
            return value.text == "true"
    return value


def _size_word(value: Any) -> Any:
    """In a list a plain name is a dimension."""
    return Dim(1, (str(value),)) if isinstance(value, Word) else value


class Places:
    """Gives a `Refusal` its place: the operand or attribute to blame, else the whole."""

    def __init__(
        self,
        table: Table,
        span: Span,
        operands: Sequence[tree.Operand],
        attributes: Sequence[tree.Attribute],
    ) -> None:
        self.table, self.span = table, span
        self.operands, self.attributes = operands, attributes

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        if not isinstance(raised, Refusal):
            return
        span = self.span
        if raised.operand is not None and raised.operand < len(self.operands):
            span = self.operands[raised.operand].span
        for attr in self.attributes:
            if attr.name == raised.attr:
                span = attr.span
        notes = [Note(message, self.table.span(id)) for message, id in raised.nodes]
        notes += [Note(message) for message in raised.notes]
        raise GirError(Diagnostic(raised.code, raised.message, span, notes, raised.help)) from None
