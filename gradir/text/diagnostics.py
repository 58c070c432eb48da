"""Diagnostics: what is wrong, where, why, and how to mend it (spec/diagnostics.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gradir.text.codes import CODES
from gradir.text.source import Span

MAX_DIAGNOSTICS = 20


@dataclass(frozen=True)
class Note:
    """A `note:` line, with a place where there is one to show."""

    message: str
    span: Span | None = None


@dataclass(frozen=True)
class Diagnostic:
    """One message: its code, its place, and what helps. `severity` is "error" or "warning"."""

    code: str
    message: str
    span: Span | None = None
    notes: Sequence[Note] = ()
    help: str | None = None
    severity: str = "error"

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(f"unknown diagnostic code {self.code}")


class GirError(Exception):
    """A program, an input or a use that is refused; carries one diagnostic or more."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(f"{d.code}: {d.message}" for d in diagnostics))
        self.diagnostics = diagnostics


def error(
    code: str,
    message: str,
    span: Span | None = None,
    *,
    notes: Sequence[Note] = (),
    help: str | None = None,
) -> GirError:
    """A `GirError` of one diagnostic, to be raised."""
    return GirError(Diagnostic(code, message, span, notes, help))


@dataclass
class Report:
    """Collects the diagnostics of one run: at most MAX_DIAGNOSTICS, one a statement."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def add(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics.extend(diagnostics)

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.severity == "error"]

    @property
    def full(self) -> bool:
        return len(self.errors) >= MAX_DIAGNOSTICS

    def raise_errors(self) -> None:
        """Raise all errors, sorted by place, if there is any."""
        if self.errors:
            raise GirError(*sort_by_place(self.errors)[:MAX_DIAGNOSTICS])


def sort_by_place(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    return sorted(
        diagnostics,
        key=lambda d: (d.span.source.name, d.span.start) if d.span else ("", -1),
    )
