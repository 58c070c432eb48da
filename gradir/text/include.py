"""`include "file.gir"`: which file is read (spec/grammar.md).

Paths are relative to the including file, and stay inside the folder of the main program, symbolic
links resolved. A file is included once; a cycle is refused.
"""

from __future__ import annotations

from pathlib import Path

from gradir.text import tree
from gradir.text.diagnostics import GirError, Note, error
from gradir.text.reading import read_source
from gradir.text.source import Source


def open_include(
    path: tree.String, main: Source, including: list[str], included: list[str]
) -> Source | None:
    """The source an include names, or None if it has been included before.

    `including` are the files whose include statements are being worked through, innermost last;
    `included` all files read so far, which this call extends. Raises GirError N210, N211, N212.
    """
    root = Path(main.path).resolve().parent if main.path else Path.cwd().resolve()
    here = path.span.source
    base = Path(here.path).resolve().parent if here.path else root
    given = Path(path.text)
    if given.is_absolute() or not path.text or "\0" in path.text:
        raise error("N210", "an include path is relative", path.span, help="it starts at this file")
    try:
        target = (base / given).resolve()
    except (OSError, RuntimeError, ValueError) as failed:
        raise error("N212", f"cannot resolve {path.text}: {failed}", path.span) from None
    if not target.is_relative_to(root):
        raise error(
            "N210",
            f"{path.text} lies outside the program's folder",
            path.span,
            help="copy the file beside the program, or move the program up",
        )
    name = str(target)
    if name in including:
        raise error("N211", f"{path.text} includes itself", path.span)
    if name in included:
        return None
    if not target.is_file():
        raise error("N212", f"there is no file {path.text}", path.span)
    try:
        source = read_source(name)
    except GirError as refused:
        problem = refused.diagnostics[0]
        raise error(
            "N212", f"cannot read {path.text}", path.span, notes=[Note(problem.message)]
        ) from None
    included.append(name)
    return source
