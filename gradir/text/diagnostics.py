"""Diagnostics: what is wrong, where, why, and how to mend it (spec/diagnostics.md)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

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
    """One message: its code, its place, and what helps. `severity` is "error" or "warning".

    `binds` is what a statement that the parser dropped would have bound, a value's name or
    `@name` of a macro or function: its uses need no diagnostics of their own.
    """

    code: str
    message: str
    span: Span | None = None
    notes: Sequence[Note] = ()
    help: str | None = None
    severity: str = "error"
    binds: str | None = None

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


# Showing them

TAB = 4
WIDTH = 100  # of a source line as shown; longer ones are cut around the place
_COLORS = {"error": "1;31", "warning": "1;35", "note": "1;36", "help": "1;32", "place": "1"}


def render(diagnostics: Sequence[Diagnostic], *, color: bool = False) -> str:
    """The text for people: sorted by place, each with its source line, at most 20 and a count."""
    shown = list(dict.fromkeys(map(_Shown, sort_by_place(diagnostics))))
    lines: list[str] = []
    for item in shown[:MAX_DIAGNOSTICS]:
        lines += _lines(item.diagnostic, color)
    if len(shown) > MAX_DIAGNOSTICS:
        lines.append(f"{len(shown) - MAX_DIAGNOSTICS} more")
    return "".join(line + "\n" for line in lines)


class _Shown:
    """A diagnostic, equal to another of the same code, place and message."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        span = diagnostic.span
        place = (id(span.source), span.start, span.end) if span else None
        self._key = (diagnostic.code, diagnostic.message, place)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Shown) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _lines(diagnostic: Diagnostic, color: bool) -> Iterator[str]:
    kind = diagnostic.severity
    yield from _message(
        f"{kind}[{diagnostic.code}]", kind, diagnostic.message, diagnostic.span, color
    )
    for note in diagnostic.notes:
        yield from _message("note", "note", note.message, note.span, color)
    if diagnostic.help is not None:
        yield from _message("help", "help", diagnostic.help, None, color)


def _message(label: str, kind: str, message: str, span: Span | None, color: bool) -> Iterator[str]:
    place = ""
    if span:
        line, column = span.source.position(span.start)
        place = _paint(f"{printable(span.source.name)}:{line}:{column}:", "place", color) + " "
    first, *rest = message.split("\n")
    yield f"{place}{_paint(label + ':', kind, color)} {printable(first)}"
    for more in rest:
        yield "  " + printable(more)
    if span:
        yield from _excerpt(span, kind, color)


def _excerpt(span: Span, kind: str, color: bool) -> Iterator[str]:
    """The source line with its number, and `^~~~` under the span's part of it."""
    text = span.source.text
    number, column = span.source.position(span.start)
    start = span.start - column + 1
    stop = text.find("\n", span.start)
    stop = len(text) if stop < 0 else stop
    # The window: all of a short line, else a part with the place in it.
    low, high = start, stop
    if stop - start > WIDTH:
        low = max(start, min(span.start - WIDTH // 4, stop - WIDTH))
        high = min(stop, low + WIDTH)
    line = text[low:high].rstrip("\r")
    before = text[low : span.start]
    marked = text[span.start : max(span.start, min(span.end, low + len(line)))]
    head = "…" if low > start else ""
    tail = "…" if high < stop else ""
    shown = _expand(line, len(head))
    offset = len(head) + _width(before, len(head))
    length = max(1, _width(marked, offset))
    gutter = len(str(number))
    yield f" {number} | {head}{shown}{tail}".rstrip()
    yield f" {'':{gutter}} | {'':{offset}}" + _paint("^" + "~" * (length - 1), kind, color)


def _paint(text: str, kind: str, color: bool) -> str:
    return f"\x1b[{_COLORS[kind]}m{text}\x1b[0m" if color else text


def printable(text: str) -> str:
    """`text` with what would steer a terminal, or cannot be encoded, replaced by `\ufffd`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == " " else _replaced(c) for c in text)


def _replaced(char: str) -> str:
    # Marks and joiners are harmless; controls, bidirectional overrides and surrogates are not.
    return char if unicodedata.category(char) in ("Zs", "Mn", "Me", "Mc") else "\ufffd"


def _expand(text: str, column: int) -> str:
    """Tabs as spaces up to the next stop, other controls replaced."""
    parts = []
    for char in text:
        if char == "\t":
            part = " " * (TAB - column % TAB)
        else:
            part = printable(char)
        parts.append(part)
        column += _columns(char, column)
    return "".join(parts)


def _width(text: str, column: int) -> int:
    """The columns `text` takes on a terminal when it starts in `column`."""
    start = column
    for char in text:
        column += _columns(char, column)
    return column - start


def _columns(char: str, column: int) -> int:
    if " " <= char <= "~":
        return 1
    if char == "\t":
        return TAB - column % TAB
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


# Likely misspellings

_MAX_CANDIDATES = 200_000


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `name` is most likely a misspelling of, the first of equals.

    The cost is bounded: a cheap lower bound of the distance decides for most candidates.
    """
    limit = (len(name) > 1) + (len(name) > 4) + (len(name) > 8)
    letters, folded = frozenset(name), name.casefold()
    best, best_distance = None, limit + 1
    for candidate in islice(candidates, _MAX_CANDIDATES):
        if candidate == name or abs(len(candidate) - len(name)) >= best_distance:
            continue
        if candidate.casefold() == folded:
            return candidate
        if len(letters ^ frozenset(candidate)) >= 2 * best_distance:
            continue  # an edit changes the set of letters by two at most
        distance = _distance(name, candidate, best_distance)
        if distance < best_distance:
            best, best_distance = candidate, distance
            if distance == 1 and limit == 1:
                break
    return best


def _distance(a: str, b: str, bound: int) -> int:
    """Insertions, deletions, changes and swaps of neighbours from a to b; `bound` if not fewer."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], last[j - 2] + 1)
        if min(row) >= bound:
            return bound
    return min(row[-1], bound)
