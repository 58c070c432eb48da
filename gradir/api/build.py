"""What expressions become: types where they are written, and the table when they are compiled.

Both are the work of `gradir.ir.build`, as for a text: for a type the operation is built alone, on
stand-ins of its operands; for a program all operations that are reached, in the order in which
they were written. Nothing here recurses, so chains of any length are fine.
"""

from __future__ import annotations

import itertools
import linecache
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from gradir.api import forms as api_forms
from gradir.api.forms import is_expr
from gradir.api.types import Bounds, Size, Type, merged
from gradir.ir import lint
from gradir.ir.build import Build, Built
from gradir.ir.stdlib import standard_library
from gradir.ir.table import PARAMETER, Node, Origin
from gradir.ir.types import TensorType
from gradir.runtime.program import Program
from gradir.text import tree
from gradir.text.diagnostics import Report, error
from gradir.text.source import Source, Span

if TYPE_CHECKING:
    from gradir.api import Effect, Expr

order = itertools.count()
_types: dict[Any, TensorType] = {}  # inferred before, by what they depend on
_MOST_TYPES = 4096

Given: TypeAlias = Sequence[Any]


def infer(op: str, operands: Given, attrs: Mapping[str, Any], span: Span) -> TensorType:
    """The type of an operation. Raises GirError where the language refuses it."""
    listed = [*operands, *flat(attrs.values())]
    bounds = merged(*map(bounds_of, listed))
    key = api_forms.key(op, operands, attrs, bounds)
    found = _types.get(key) if key is not None else None
    if found is None:
        build = _alone(listed, bounds)
        found = build.builder.type(_built(build, op, operands, attrs, span, str(next(order))))
        if key is not None and len(_types) < _MOST_TYPES:
            _types[key] = found
    return found


def check_effect(op: str, operands: Given, attrs: Mapping[str, Any], span: Span) -> None:
    """Raise GirError where the language refuses a statement that gives no value."""
    listed = [*operands, *flat(attrs.values())]
    build = _alone(listed, merged(*map(bounds_of, listed)))
    build.operation(api_forms.operation_form(op, operands, attrs, span), build.scope)


def _alone(listed: Given, bounds: Bounds) -> Build:
    """A build in which every operand has a stand-in of its type: a buffer, or a parameter."""
    build = _new_build(bounds)
    builder, values = build.builder, build.scope.values
    for item in listed:
        label = str(item.number) if is_expr(item) else ""
        if not label or label in values:
            continue
        builder.origin = Origin(item.span)
        if item.op == "buffer":
            values[label] = builder.buffer(item.plain, f"b{label}")
        else:
            values[label] = builder.table.add(
                Node(PARAMETER, (), (label,), item.plain), builder.origin
            )
    return build


def bounds_of(item: Any) -> Bounds:
    """The bounds of the dimensions that something speaks of."""
    return item.bounds if is_expr(item) or isinstance(item, Type | Size) else {}


def flat(items: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for item in items:
        found += flat(item) if isinstance(item, list | tuple) else [item]
    return found


@cache
def buffer_parameters(op: str) -> frozenset[int]:
    """Which operands of a macro of the library must be buffers: those it loads or stores."""
    macro = standard_library().macro(op)
    if macro is None:
        return frozenset()
    places = {parameter.name: at for at, parameter in enumerate(macro.tree.parameters)}
    found: set[int] = set()
    stack: list[Any] = list(macro.tree.body)
    while stack:
        item = stack.pop()
        if isinstance(item, tree.Assign | tree.Return):
            stack.append(item.value)
        elif isinstance(item, tree.Effect):
            stack.append(item.operation)
        elif isinstance(item, tree.Operation):
            stack.extend(item.operands)
            first = item.operands[0]
            if item.callee.name in ("load", "store") and isinstance(first, tree.Value):
                found |= {places[first.name]} if first.name in places else set()
    return frozenset(found)


@cache
def gives_no_value(op: str) -> bool:
    """Whether it is a macro of the library that only stores."""
    macro = standard_library().macro(op)
    return macro is not None and not isinstance(macro.tree.body[-1], tree.Return)


# --- programs -----------------------------------------------------------------------------


def build_program(
    outputs: Mapping[str, Any], stores: Mapping[Any, Any], effects: Sequence[Effect], span: Span
) -> Program:
    """The program of these outputs, then stores, then effects."""
    roots = [*outputs.values(), *stores, *stores.values()]
    roots += [item for effect in effects for item in effect.inner()]
    reached = _reached(roots)
    build = _new_build(merged(*map(bounds_of, reached)))
    for expr in reached:
        _add(build, expr)
    for name, value in outputs.items():
        _effect(build, "output", [value], {"name": name}, span)
    for slot, value in stores.items():
        _effect(build, "store", [slot, value], {}, span)
    for effect in effects:
        _effect(build, effect.op, effect.operands, effect.attrs, effect.span)
    build.report.add(*lint.dead_branches(build.builder))
    return Program(
        Built(
            build.builder.table,
            build.source,
            build.report.diagnostics,
            build.builder,
            build.gradients,
        )
    )


def _reached(roots: Given) -> list[Expr]:
    """All expressions that the roots are made of, in the order they were written."""
    found: dict[int, Expr] = {}
    stack = [root for root in roots if is_expr(root)]
    while stack:
        expr = stack.pop()
        if expr.number not in found:
            found[expr.number] = expr
            stack.extend(item for item in expr.inner() if is_expr(item))
    return [found[number] for number in sorted(found)]


def _new_build(bounds: Bounds) -> Build:
    build = Build(Source("<python>", ""), Report())
    build.builder.table.dims = dict(bounds)
    return build


def _add(build: Build, expr: Expr) -> None:
    builder, label = build.builder, str(expr.number)
    if expr.op == "const":
        array = expr.operands[0]
        builder.origin = Origin(expr.span)
        little = array.astype(array.dtype.newbyteorder("<"))
        id = builder.const(expr.plain.dtype, array.shape, little.tobytes())
    else:
        id = _built(build, expr.op, expr.operands, expr.attrs, expr.span, label)
    build.scope.values[label] = id
    if expr.name is not None:
        builder.table.bind(expr.name, id)


def _effect(build: Build, op: str, operands: Given, attrs: Mapping[str, Any], span: Span) -> None:
    build.operation(api_forms.operation_form(op, operands, attrs, span), build.scope)


def _built(
    build: Build, op: str, operands: Given, attrs: Mapping[str, Any], span: Span, target: str
) -> int:
    """Build one operation; the id of its value."""
    form = api_forms.operation_form(op, operands, attrs, span)
    made = build.operation(form, build.scope, target)
    if made is None:
        raise error("M412", f"{op} gives no value", span)
    return made


# --- places -------------------------------------------------------------------------------

_sources: dict[str, Source] = {}


def here() -> Span:
    """The line of Python outside this package that is being run."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    name, line = frame.f_code.co_filename, frame.f_lineno
    source = _sources.get(name)
    if source is None:
        source = _sources[name] = Source(name, "".join(linecache.getlines(name)))
    starts = source.line_starts
    if line > len(starts) or not source.text:  # typed at a prompt: there is no file to show
        return Span(Source(name, ""), 0, 0)
    text = source.line(line)
    start = starts[line - 1] + len(text) - len(text.lstrip())
    return Span(source, start, starts[line - 1] + len(text))


def _ours(module: str) -> bool:
    return module == "gradir" or module.startswith("gradir.") or module == "functools"
