"""Source texts and the spans that point into them."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple


class Source:
    """One text and the name it is reported under (a path, `<stdin>`, `std/loss.gir`)."""

    def __init__(self, name: str, text: str, path: str | None = None) -> None:
        self.name = name
        self.text = text
        self.path = path  # the file on disk, for `include`; None where there is none

    @cached_property
    def line_starts(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column, both from 1, of a character offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (from 1) without its end."""
        start = self.line_starts[number - 1]
        stop = self.text.find("\n", start)
        return self.text[start : len(self.text) if stop < 0 else stop].rstrip("\r")


class Span(NamedTuple):
    """The characters `start` to `end` (exclusive) of a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of another of the same source."""
        return Span(self.source, self.start, other.end)
