"""The operations that a program uses as written: core ops, sugar, macros, `gradient`."""

from __future__ import annotations

from typing import Any

from gradir.text.grammar import parse
from gradir.text.source import Source, Span
from gradir.text.tree import Operation


def words_of(source: Source) -> dict[str, int]:
    """Each operation's name with the first line that has it; a user's own with its `@`."""
    program, _ = parse(source)
    found: dict[str, int] = {}
    stack: list[Any] = [program]
    while stack:
        form = stack.pop()
        if isinstance(form, Span) or not isinstance(form, tuple):
            continue
        if isinstance(form, Operation):
            mark = "@" if type(form.callee).__name__ == "At" else ""
            name, line = f"{mark}{form.callee.name}", form.span.line
            found[name] = min(line, found.get(name, line))
        stack.extend(form)
    for statement in program.statements:
        kind = type(statement).__name__.lower()
        if kind in ("dim", "include", "macro", "func"):
            found.setdefault(kind, statement.span.line)
    return found
