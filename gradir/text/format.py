"""`gradir fmt`: one spacing for every program, with comments and line breaks kept.

Works on the tokens, line by line, and never joins or splits a line. The syntax tree before and
after is the same, which is asserted. A text with errors is refused: its diagnostics are raised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gradir.text import lexer
from gradir.text.diagnostics import GirError
from gradir.text.grammar import parse
from gradir.text.source import Source, Span
from gradir.text.tree import Program

INDENT = "  "


@dataclass
class _Line:
    """The tokens of one line as (kind, text), and its comment; neither: an empty line."""

    words: list[tuple[int, str]] = field(default_factory=list)
    comment: str | None = None


def format_source(source: Source) -> str:
    """The text in canonical form. Raises GirError with the diagnostics of a text that has any."""
    before, diagnostics = parse(source)
    if diagnostics:
        raise GirError(*diagnostics)
    text = "".join(line + "\n" for line in _Layout().lines(source.text))
    after, diagnostics = parse(Source(source.name, text, source.path))
    if diagnostics or not same_tree(before, after):
        raise AssertionError(f"formatting would change the meaning of {source.name}")
    return text


def same_tree(a: Program, b: Program) -> bool:
    """Whether two trees are equal but for their spans."""
    pairs: list[tuple[Any, Any]] = [(a, b)]
    while pairs:
        x, y = pairs.pop()
        if type(x) is not type(y):
            return False
        if isinstance(x, Span):
            continue
        if isinstance(x, tuple):
            if len(x) != len(y):
                return False
            pairs.extend(zip(x, y, strict=True))
        elif x != y:
            return False
    return True


def _lines(text: str) -> Iterator[_Line]:
    line = _Line()
    for match in lexer.MASTER.finditer(text, 1 if text.startswith("\ufeff") else 0):
        kind = match.lastindex or 0
        word = match[kind]
        if kind == lexer.END:
            break
        if kind == lexer.COMMENT:
            line.comment = word.rstrip()
        elif kind == lexer.LINE_END:  # with the empty and comment lines behind it
            yield line
            for between in word.split("\n")[1:-1]:
                yield _Line(comment=between.strip() or None)
            line = _Line()
        else:
            line.words.append((kind, word))
    yield line


class _Layout:
    """Where brackets and statements stand decides about indentation and space."""

    def __init__(self) -> None:
        self.braces = 0
        self.brackets: list[str] = []  # "(", "[", or "f32[" for a type's sizes
        self.start: list[tuple[int, str]] = []  # the statement's tokens so far, a few
        self.equals = 0  # how many `=` outside brackets the statement has had

    def lines(self, text: str) -> Iterator[str]:
        blank = True  # none at the beginning, nor behind `{`
        waiting = False
        for line in _lines(text):
            if not line.words and line.comment is None:
                waiting = not blank
                continue
            if waiting and not (line.words and line.words[0][1] == "}"):
                yield ""
            waiting = False
            indent = self._indent(line)
            shown = self._line(line)
            blank = shown.endswith("{")
            if line.comment is not None:
                shown += ("  " if shown else "") + line.comment
            yield indent + shown

    def _indent(self, line: _Line) -> str:
        depth = self.braces + len(self.brackets)
        for kind, word in line.words:
            if kind != lexer.CLOSING and word != "}":
                break
            depth -= 1
        return INDENT * depth

    def _line(self, line: _Line) -> str:
        parts: list[str] = []
        if not self.brackets:
            self._new_statement()
        last: tuple[int, str] | None = None
        for token in line.words:
            if last and self._spaced(last, token):
                parts.append(" ")
            parts.append(token[1])
            self._take(token)
            last = token
        return "".join(parts)

    def _new_statement(self) -> None:
        self.start = []
        self.equals = 0

    def _take(self, token: tuple[int, str]) -> None:
        kind, word = token
        if len(self.start) < 3:
            self.start.append(token)
        if word[-1] in "([" and kind in (lexer.OPENING, lexer.NAME):
            self.brackets.append(word)
        elif kind == lexer.CLOSING:
            self.brackets.pop()
        elif kind == lexer.BRACE:
            self.braces += 1 if word == "{" else -1
            self._new_statement()
        elif word == "=" and not self.brackets:
            self.equals += 1

    def _spaced(self, left: tuple[int, str], right: tuple[int, str]) -> bool:
        """Whether a space stands between two tokens of a line; `right` is not yet taken."""
        before, after = left[1], right[1]
        if left[0] == lexer.BRACE or right[0] == lexer.BRACE:
            return before + after != "{}"
        if before[-1] in "([" and left[0] in (lexer.OPENING, lexer.NAME):
            return False
        if right[0] == lexer.CLOSING or after in (",", ":", "..", "*"):
            return False
        if before in ("..", "*", "$"):
            return False
        if before == ",":
            return len(self.brackets[-1]) == 1
        if before == ":":
            return self._is_annotation()
        if before == "=" or after == "=":
            return self._is_binding(after == "=")
        if after == "(" and self.start[0][1] == "func":
            return len(self.start) != 2
        return True

    def _is_annotation(self) -> bool:
        """The last `:` stands before a type, not before a literal's suffix."""
        if self.start[0][1] == "func":
            return self.brackets == ["("]
        return self.start[0][0] == lexer.VALUE and not (self.equals or self.brackets)

    def _is_binding(self, coming: bool) -> bool:
        """The `=` that comes, or has just been taken, binds a value or a dimension."""
        if self.brackets or self.equals != (0 if coming else 1):
            return False
        kind, word = self.start[0]
        return kind == lexer.VALUE or word == "dim"
