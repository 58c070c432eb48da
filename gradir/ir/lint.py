"""Warnings about a program that has been built."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradir.autodiff.warnings import DeadBranch
from gradir.autodiff.warnings import dead_branches as find_dead_branches
from gradir.text.diagnostics import Diagnostic, Note

if TYPE_CHECKING:
    from gradir.ir.build import Build
    from gradir.ir.pure import PureBuilder


def unused(build: Build) -> Iterator[Diagnostic]:
    """W502: macros and functions of the main file that nothing uses."""
    for name, span in build.defined.items():
        plain = name.removeprefix("@")
        if plain == name or plain in build.used or span.source is not build.source:
            continue
        help = "a macro's body is checked only where it is used" if plain in build.macros else None
        yield Diagnostic("W502", f"{name} is never used", span, help=help, severity="warning")


def dead_branches(builder: PureBuilder) -> Iterator[Diagnostic]:
    """W501: gradients that may be NaN in a branch that `where` does not choose (GRAD-18).

    Those of one table: a program's, or that of a function's body.
    """
    table = builder.table
    warned: set[DeadBranch] = set()
    for walk in builder.walks.values():
        for found in find_dead_branches(table, walk.users, walk.shares):
            if found in warned:
                continue
            warned.add(found)
            steep = table[found.steep].op.name
            yield Diagnostic(
                "W501",
                f"the gradient is NaN where `where` does not choose {steep} "
                "and its slope is infinite",
                table.span(found.where),
                [Note(f"the {steep} is here", table.span(found.steep))],
                f"choose its operand too: `{steep} (where %c %x 1.0)`",
                "warning",
            )
