"""The C text of the numerics: pieces of gradir/numerics/c put together, each once, in order.

A piece is a header file; the line `@needs a b` in its first comment names the pieces it stands
on.  What stands between `@twice` and `@end` is written for a type `real` with integers `whole`
and put into the text two times, for one double and for a vector.  `assemble` returns one text with no `#include` of ours in it, comments kept, so that what is
compiled can be read.  Refuses names that are no piece; reads nothing but the package's own files.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections.abc import Iterable

_NEEDS = re.compile(r"@needs ([a-z0-9_ ]+)")

_TWICE = re.compile(r"/\* @twice \*/\n(.*?)/\* @end \*/\n", re.DOTALL)
_SUFFIX = re.compile(r"\b(gir_\w+)_f64\b(?=\()")


def names() -> list[str]:
    """All pieces, sorted."""
    folder = importlib.resources.files(__package__) / "c"
    return sorted(f.name[:-2] for f in folder.iterdir() if f.name.endswith(".h"))


@functools.cache
def piece(name: str) -> str:
    """The text of one piece, its parts for two types written out."""
    if name not in names():
        raise KeyError(f"no piece of C text named {name!r}; there are {', '.join(names())}")
    text = (importlib.resources.files(__package__) / "c" / f"{name}.h").read_text("utf-8")
    return _TWICE.sub(lambda match: _both_types(match.group(1)), text)


def _both_types(text: str) -> str:
    one = re.sub(r"\breal\b", "double", re.sub(r"\bwhole\b", "int64_t", text))
    many = re.sub(r"\breal\b", "gir_vd", re.sub(r"\bwhole\b", "gir_vl", text))
    return one + "\n" + _SUFFIX.sub(r"\1_f64v", many)


def needs(name: str) -> list[str]:
    """The pieces that a piece names in its `@needs` line."""
    found = _NEEDS.search(piece(name).split("*/", 1)[0])
    return found.group(1).split() if found else []


def ordered(wanted: Iterable[str]) -> list[str]:
    """`wanted` and all they stand on, each behind what it needs."""
    result: list[str] = []
    open_pieces: list[str] = []

    def visit(name: str) -> None:
        if name in result:
            return
        if name in open_pieces:
            raise ValueError(f"pieces of C text need each other: {' '.join(open_pieces)} {name}")
        open_pieces.append(name)
        for other in needs(name):
            visit(other)
        open_pieces.pop()
        result.append(name)

    for name in wanted:
        visit(name)
    return result


def assemble(wanted: Iterable[str]) -> str:
    """One C text that defines everything in the pieces `wanted`."""
    return "\n".join(piece(name) for name in ordered(wanted))
