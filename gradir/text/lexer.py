"""Tokens of the language: one master pattern, driven by hand, one pass, linear.

A token is a terminal and a value: the tree's own leaf where it has one (`Value`, `Name`,
`Literal`, …), the span of a bracket or a keyword, the offset of a separator. Line ends inside
brackets are dropped here. What is not a token comes out as an ERROR token whose value is the
diagnostic; the lexer itself never stops before the text's end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from sys import intern
from typing import Any, TypeAlias

from gradir.text import tree
from gradir.text.diagnostics import Diagnostic, Note
from gradir.text.source import Source, Span

MAX_NESTING = 200
MAX_NUMBER = 1024

Token: TypeAlias = tuple[str, Any]

# A quoted text of the grammar -> its terminal.
TERMINALS = {
    '"dim"': "DIM",
    '"include"': "INCLUDE",
    '"macro"': "MACRO",
    '"func"': "FUNC",
    '"return"': "RETURN",
    '"inf"': "INF",
    '"-inf"': "MINUSINF",
    '"nan"': "NAN",
    '"true"': "TRUE",
    '"false"': "FALSE",
    '"="': "EQUALS",
    '":"': "COLON",
    '","': "COMMA",
    '".."': "DOTS",
    '"*"': "STAR",
    '"("': "LPAREN",
    '")"': "RPAREN",
    '"["': "LBRACKET",
    '"]"': "RBRACKET",
    '"{"': "LBRACE",
    '"}"': "RBRACE",
    '"$"': "DOLLAR",
}
NAMED = ("VALUE", "AT", "NAME", "OPEN", "INT", "FLOAT", "STRING", "NEWLINE")
SILENT = frozenset({"EQUALS", "COLON", "COMMA", "DOTS", "STAR", "NEWLINE"})

RESERVED_LITERALS = {"inf": "float", "nan": "float", "true": "bool", "false": "bool"}
RESERVED = {
    word: TERMINALS[f'"{word}"']
    for word in ("dim", "include", "macro", "func", "return", *RESERVED_LITERALS)
}
_SPECIAL = frozenset(RESERVED)

# The groups of the pattern.
VALUE, NAME, INT, FLOAT, LINE_END, SEPARATOR, OPENING, CLOSING = range(1, 9)
BRACE, AT, STRING, COMMENT, MINUS_INF, MALFORMED, END, STRAY = range(9, 17)

_NAME = r"\w+(?:\.\w+)*+"
MASTER = re.compile(
    rf"""[ \t]*+(?:
      (%{_NAME})                                                       # 1 value
    | ([A-Za-z_]\w*+(?:\.\w+)*+\[?)                                    # 2 name, reserved, open
    | (-?(?:0[xX][0-9a-fA-F]++|[0-9]++)(?![\w]|\.(?!\.)))              # 3 integer
    | (-?(?:[0-9]++(?:\.[0-9]++(?:[eE][-+]?[0-9]++)?+|[eE][-+]?[0-9]++)
           |0[xX][0-9a-fA-F]++(?:\.[0-9a-fA-F]++)?+[pP][-+]?[0-9]++)(?![\w.]))   # 4 float
    | (\r?\n(?:[ \t]*+(?:\#[^\n]*+)?\r?\n)*+)                          # 5 line end
    | (\.\.|[=:,*$])                                                   # 6 separators
    | ([(\[])                                                          # 7 opening
    | ([)\]])                                                          # 8 closing
    | ([{{}}])                                                         # 9 braces
    | (@{_NAME})                                                       # 10 at
    | ("[^"\n]*+"?)                                                    # 11 string
    | (\#[^\n]*+)                                                      # 12 comment
    | (-inf(?!\w))                                                     # 13 minus inf
    | (-?\.?[0-9](?:\w|(?<=[eEpP])[-+](?=[0-9])|\.(?!\.))*+|-nan(?!\w))   # 14 malformed number
    | (\Z)                                                             # 15 the end
    | ([^-\ \t\r\n%@\w"\#.,=:*$()\[\]{{}}]++|[\s\S])  # 16 stray
    )""",
    re.VERBOSE | re.ASCII,
)
_NEXT_STATEMENT = re.compile(rf"[ \t]*(%{_NAME})[ \t]*([:=])", re.ASCII)
_NEXT_KEYWORD = re.compile(
    r"[ \t]*(?:(?:dim|include|macro|func|return|store|output|end)\b|\})", re.ASCII
)
_BAD_IN_STRING = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_SEPARATORS = {text: TERMINALS[f'"{text}"'] for text in ("..", "=", ":", ",", "*", "$")}
_BRACKETS = {"(": "LPAREN", "[": "LBRACKET", ")": "RPAREN", "]": "RBRACKET"}


class Lexer:
    """The tokens of one source; the parser sets `recovering` while it skips a bad statement."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.recovering = False
        self._open: list[Span] = []  # brackets; braces, and brackets too deep, are only counted
        self._too_deep = 0
        self._braces = 0

    def tokens(self) -> Iterator[Token]:
        source, text = self.source, self.source.text
        new = tuple.__new__  # a NamedTuple's own constructor costs as much as the match
        at_start = True
        in_head = False  # of a func: `%name:` at the start of a line is a parameter there
        start = 1 if text.startswith("\ufeff") else 0
        for match in MASTER.finditer(text, start):
            kind = match.lastindex or 0
            start, end = match.span(kind)
            if kind == VALUE:
                span = new(Span, (source, start, end))
                yield "VALUE", new(tree.Value, (intern(text[start + 1 : end]), span))
            elif kind == NAME:
                word = text[start:end]
                if (word in _SPECIAL and text[start - 1 : start] != "$") or word[-1] == "[":
                    in_head = in_head or (at_start and word == "func")
                    yield from self._special(word, start, end)
                else:
                    yield "NAME", new(tree.Name, (intern(word), new(Span, (source, start, end))))
            elif kind <= FLOAT:
                if end - start > MAX_NUMBER:
                    yield "ERROR", _long_number(Span(source, start, end))
                else:
                    name, word = ("INT", "int") if kind == INT else ("FLOAT", "float")
                    span = new(Span, (source, start, end))
                    yield name, new(tree.Literal, (word, text[start:end], None, span))
            elif kind == LINE_END:
                if self._open:
                    after = _NEXT_STATEMENT.match(text, end)
                    if after and not (in_head and len(self._open) == 1 and after[2] == ":"):
                        yield "ERROR", self._unclosed(Span(source, *after.span(1)))
                    elif not (self.recovering and _NEXT_KEYWORD.match(text, end)):
                        continue
                    self._clear()
                yield "NEWLINE", start
                at_start, in_head = True, False
                continue
            elif kind == SEPARATOR:
                yield _SEPARATORS[text[start:end]], start
            elif kind == OPENING:
                span = Span(source, start, end)
                yield from self._push(span)
                yield _BRACKETS[text[start]], span
            elif kind == CLOSING:
                self._close(text[start])
                yield _BRACKETS[text[start]], Span(source, start, end)
            elif kind == BRACE:
                yield from self._brace(Span(source, start, end))
            elif kind == COMMENT:
                continue
            elif kind == END:
                break
            else:
                yield self._rare(kind, Span(source, start, end))
            at_start = False
        here = len(text)
        if self._open:
            yield "ERROR", self._unclosed(None)
        if not at_start:
            yield "NEWLINE", here
        yield "$end", here

    def _special(self, word: str, start: int, end: int) -> Iterator[Token]:
        """A reserved word, or a name with `[` attached."""
        span = Span(self.source, start, end)
        if word[-1] != "[":
            kind = RESERVED_LITERALS.get(word)
            yield RESERVED[word], tree.Literal(kind, word, None, span) if kind else span
        elif word[:-1] in _SPECIAL:  # `inf[` is two tokens
            yield from self._special(word[:-1], start, end - 1)
            span = Span(self.source, end - 1, end)
            yield from self._push(span)
            yield "LBRACKET", span
        else:
            yield from self._push(span)
            yield "OPEN", tree.Name(intern(word[:-1]), span)

    def _rare(self, kind: int, span: Span) -> Token:
        text = span.text
        if kind == AT:
            return "AT", tree.At(intern(text[1:]), span)
        if kind == MINUS_INF:
            return "MINUSINF", tree.Literal("float", text, None, span)
        if kind == STRING:
            bad = _BAD_IN_STRING.search(text)
            if bad and not text[bad.start() :].strip():  # the \r of a line's end
                text = text[: bad.start()]
            elif bad:
                at = span.start + bad.start()
                return "ERROR", Diagnostic(
                    "P101", "control character in a string", Span(span.source, at, at + 1)
                )
            if len(text) < 2 or text[-1] != '"':
                return "ERROR", Diagnostic(
                    "P103",
                    "the string does not end on this line",
                    Span(span.source, span.start, span.start + len(text)),
                    help='a string ends at the next `"` of its line; there are no escapes',
                )
            return "STRING", tree.String(text[1:-1], span)
        if kind == MALFORMED:
            return "ERROR", _malformed(span)
        return "ERROR", _stray(span)

    def _push(self, bracket: Span) -> Iterator[Token]:
        if len(self._open) + self._braces < MAX_NESTING:
            self._open.append(bracket)
            return
        self._too_deep += 1
        if self._too_deep == 1:
            yield "ERROR", _too_deep(bracket)

    def _close(self, bracket: str) -> None:
        """Close up to the matching bracket; where there is none the parser complains."""
        if self._too_deep:
            self._too_deep -= 1
            return
        opening = "(" if bracket == ")" else "["
        if not self.recovering:
            if self._open and self._open[-1].text[-1] == opening:
                self._open.pop()
        elif any(span.text[-1] == opening for span in self._open):
            while self._open.pop().text[-1] != opening:
                continue

    def _brace(self, span: Span) -> Iterator[Token]:
        self._clear()  # a brace never stands inside brackets: the parser complains
        if span.text == "}":
            self._braces = max(0, self._braces - 1)
            yield "RBRACE", span
            return
        self._braces += 1
        if self._braces == MAX_NESTING + 1:
            yield "ERROR", _too_deep(span)
        yield "LBRACE", span

    def _clear(self) -> None:
        self._open.clear()
        self._too_deep = 0

    def _unclosed(self, following: Span | None) -> Diagnostic:
        bracket = self._open[-1]
        opening = bracket.text[-1]
        return Diagnostic(
            "P105",
            f"this `{opening}` is never closed",
            bracket,
            [Note("the next statement starts here", following)] if following else [],
            help=f"add `{')' if opening == '(' else ']'}` before the end of the statement",
        )


def _too_deep(span: Span) -> Diagnostic:
    return Diagnostic(
        "P106",
        f"brackets are nested more than {MAX_NESTING} levels deep",
        span,
        help="give inner expressions names of their own: `%t = …`",
    )


def _long_number(span: Span) -> Diagnostic:
    return Diagnostic(
        "P104",
        f"a number of {span.end - span.start} characters; at most {MAX_NUMBER} are allowed",
        span,
    )


def _malformed(span: Span) -> Diagnostic:
    if span.end - span.start > MAX_NUMBER:
        return _long_number(span)
    text = span.text
    body = text.lstrip("-")
    sign = text[: len(text) - len(body)]
    help = "a number is `2`, `0x1f`, `2.0`, `1e-3` or `0x1.8p+1`"
    if text == "-nan":
        help = "there is one NaN a type, without a sign: `nan`"
    elif re.fullmatch(r"[0-9]+\.", body):
        help = f"digits stand on both sides of a dot: `{text}0`"
    elif re.fullmatch(r"\.[0-9]+(?:[eE][-+]?[0-9]+)?", body):
        help = f"digits stand on both sides of a dot: `{sign}0{body}`"
    elif re.fullmatch(r"[0-9]+\.[eE][-+]?[0-9]+", body):
        help = f"digits stand on both sides of a dot: `{text.replace('.', '.0')}`"
    elif re.fullmatch(r"[0-9]+(?:\.[0-9]+)?[fF](?:32|64)?", body):
        stem, width = re.split("[fF]", text)
        help = f"a type is a suffix with a colon: `{stem}:f{width or '32'}`"
    elif re.fullmatch(r"[0-9]+(?:_[0-9]+)+", body):
        help = f"digits are not grouped: `{text.replace('_', '')}`"
    elif re.fullmatch(r"0[xX][0-9a-fA-F]+\.[0-9a-fA-F]+", body):
        help = f"a hexadecimal float has an exponent: `{text}p+0`"
    elif re.match(r"[0-9]+[A-Za-z_]", body):
        help = "a name starts with a letter or `_`; " + help
    return Diagnostic("P104", f"malformed number `{clip(text)}`", span, help=help)


_STRAY_HELP = {
    "-": "there is no minus sign for expressions: use `neg` or `sub`",
    "+": "there are no operator signs: use `add`",
    "/": "there are no operator signs: use `div` or `idiv`; a comment starts with `#`",
    "<": "comparisons are operations: `lt`, `le`, `eq`, `ne`, `gt`, `ge`",
    ">": "comparisons are operations: `lt`, `le`, `eq`, `ne`, `gt`, `ge`",
    ";": "one statement a line; a comment starts with `#`",
    "'": 'strings stand in double quotes: `"text"`',
    "%": "a value is `%` and a name with nothing between: `%x`",
    "@": "a function or macro is `@` and a name with nothing between: `@f`",
    ".": "a dot stands between the parts of a name or the digits of a number",
}


def _stray(span: Span) -> Diagnostic:
    text = span.text
    char = text[0]
    if char.isprintable() and not char.isspace():
        shown = f"`{clip(text)}`"
    else:
        name = unicodedata.name(char, "control character")
        shown = f"U+{ord(char):04X} ({name})"
    word = "character" if len(text) == 1 else "characters"
    help = _STRAY_HELP.get(char)
    if char.isalpha():
        help = "names consist of the letters a-z and A-Z, digits, `_`, and `.` between them"
    elif char.isspace() and char not in "\r\n":
        help = "only the space and the tab are space"
    return Diagnostic("P101", f"unexpected {word} {shown}", span, help=help)


def clip(text: str, width: int = 40) -> str:
    """`text`, or its beginning where it is long."""
    return text if len(text) <= width else text[: width - 1] + "…"
