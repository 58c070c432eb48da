"""Macros: expanded while building, statement by statement, in a scope of their own (MACRO-…)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradir.ir.literals import Lit
from gradir.ir.pure import Operand
from gradir.ir.scope import Scope
from gradir.ir.stdlib import MacroDef
from gradir.text import tree
from gradir.text.diagnostics import Diagnostic, GirError, Note, error

if TYPE_CHECKING:
    from gradir.ir.build import Build

MAX_EXPANDING = 64
MAX_EXPANDED = 1_000_000


def expand(build: Build, macro: MacroDef, form: tree.Operation, scope: Scope) -> int | None:
    """Expand a macro: its arguments, then its body in a scope of its own."""
    head = macro.tree
    name = head.name.name
    if macro in build.expanding:
        raise error("N207", f"macro @{name} expands itself", form.callee.span)
    if len(build.expanding) == MAX_EXPANDING:
        raise error("N209", f"macros expand more than {MAX_EXPANDING} deep", form.span)
    build.used.add(name)
    operands = [build.operand(operand, scope) for operand in form.operands]
    if len(operands) != len(head.parameters):
        raise error(
            "T307",
            f"{form.callee.name} takes {len(head.parameters)} operands, not {len(operands)}",
            form.span,
        )
    attributes = dict(macro.defaults)
    for attr in form.attributes:
        if attr.name not in attributes:
            listed = ", ".join(f"{n}=" for n in attributes)
            raise error(
                "T308",
                f"{form.callee.name} has no attribute {attr.name}",
                attr.span,
                help=f"it takes {listed}" if listed else "it takes none",
            )
        attributes[attr.name] = build.attribute(attr.value, scope)
    with build.places(form.span, form.operands):
        ids = build.builder.literals(operands, ["value"] * len(operands))
    build.expanded += len(head.body)
    if build.expanded > MAX_EXPANDED:
        raise error("N209", "macros expand to more than a million statements", form.span)
    inner = Scope(attributes=attributes)
    for parameter, id in zip(head.parameters, ids, strict=True):
        inner.values[parameter.name] = id
        inner.bound[parameter.name] = parameter.span
    build.expanding.append(macro)
    outer_ranges, build.outer_ranges = build.outer_ranges, len(build.builder.open_ranges)
    try:
        made = build.body(head.body, inner, head.span)
        if len(build.builder.open_ranges) > build.outer_ranges:
            raise error("M406", "a range is not closed in the macro that opens it", head.span)
        return made
    except GirError as refused:
        if build.library.macro(name) is macro:
            _explain_integer(build, operands, form, refused)
        raise GirError(*(_at_call(d, form, name) for d in refused.diagnostics)) from None
    finally:
        del build.builder.open_ranges[max(build.outer_ranges, 0) :]
        build.outer_ranges = outer_ranges
        build.expanding.pop()


def _explain_integer(
    build: Build, operands: list[Operand], form: tree.Operation, refused: GirError
) -> None:
    """Raise T305 if an integer literal that nothing gave a type met floats in the body.

    For the library only: in a user's macro such a literal may be meant, and the mistake elsewhere.
    """
    first = refused.diagnostics[0]
    if first.code not in ("T301", "T302") or "i32" not in first.message:
        return
    given = [build.builder.type(o).dtype for o in operands if isinstance(o, int)]
    if any(dtype.is_int for dtype in given):
        return
    for operand, place in zip(operands, form.operands, strict=True):
        if isinstance(operand, Lit) and operand.kind == "int" and operand.dtype is None:
            raise error(
                "T305",
                f"the integer {operand.text} where a float is needed",
                place.span,
                help=f"write `{operand.text}.0`",
            )


def _at_call(diagnostic: Diagnostic, form: tree.Operation, name: str) -> Diagnostic:
    """An error inside a macro is shown at its call; the place in the body is a note."""
    inside = Note(f"in the body of {name}", diagnostic.span)
    return Diagnostic(
        diagnostic.code,
        diagnostic.message,
        form.span,
        [inside, *diagnostic.notes],
        diagnostic.help,
        diagnostic.severity,
    )
