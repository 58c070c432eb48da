"""The standard library: macros in GIR, in gradir/std/*.gir, used like operations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from gradir.ir import values
from gradir.ir.literals import Lit
from gradir.text import tree
from gradir.text.grammar import parse
from gradir.text.source import Source


@dataclass(frozen=True, eq=False)
class MacroDef:
    """A macro, its attributes' default values, and the user's macros defined before it."""

    tree: tree.Macro
    defaults: dict[str, Any]
    visible: frozenset[str] = frozenset()


class Library:
    """The macros of the standard library by name."""

    def __init__(self, macros: dict[str, MacroDef]) -> None:
        self._macros = macros

    def macro(self, name: str) -> MacroDef | None:
        return self._macros.get(name)

    def names(self) -> Iterable[str]:
        return self._macros


@lru_cache(maxsize=1)
def standard_library() -> Library:
    """Read gradir/std once; a file of it that does not parse is a bug of ours."""
    macros: dict[str, MacroDef] = {}
    folder = resources.files("gradir") / "std"
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        if not file.name.endswith(".gir"):
            continue
        source = Source(f"std/{file.name}", file.read_text(encoding="utf-8"))
        program, problems = parse(source)
        if problems:
            raise AssertionError(f"{source.name}: {problems[0].message}")
        for statement in program.statements:
            if not isinstance(statement, tree.Macro) or statement.name.name in macros:
                raise AssertionError(f"{source.name}: only macros, each defined once")
            defaults = {a.name: _default(a.value) for a in statement.attributes}
            macros[statement.name.name] = MacroDef(statement, defaults)
    return Library(macros)


def _default(form: tree.AttrValue) -> Any:
    """A default in a library macro's head: a literal, a name, or a list of literals."""
    match form:
        case tree.Literal():
            return Lit(form.kind, form.text)
        case tree.Name():
            return values.Word(form.name)
        case tree.ListAttr():
            return [_default(item) for item in form.items]
    raise AssertionError(f"default {form.span.text} in the standard library")
