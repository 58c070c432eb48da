"""The specification's grammar notation, read and turned into plain productions.

`{ x }` repeats, `[ x ]` is optional, `( x | y )` groups, `"x"` is written as it stands, `|`
separates alternatives. A production also says what its action receives: one argument an item
of the alternative as written, so that an action never sees the helper symbols made here.

- A separator (`=`, `,`, `:`, `..`, `*`, a line's end) carries no value and is no argument.
- `[x]` gives x's value, or None where it is absent; `{x}` gives a sequence, which may be empty.
- A group of more than one valued item gives a tuple.

The notation is ours; it is not for text from outside, so a mistake in it is an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeAlias

_TOKEN = re.compile(r'\s*("[^"\s]+"|[A-Za-z]+|[][{}()|:])')


class Symbol(NamedTuple):
    """A name, or a quoted text (with its quotes)."""

    text: str


class Choice(NamedTuple):
    """Alternatives inside brackets; `kind` is the opening bracket: `(`, `[` or `{`."""

    kind: str
    alternatives: tuple[tuple[Item, ...], ...]


Item: TypeAlias = Symbol | Choice
Sequence: TypeAlias = tuple[Item, ...]

# What an argument is built from: the position of a symbol, nothing, an empty sequence, a tuple.
Shape: TypeAlias = int | str | tuple["Shape", ...] | None
_EMPTY = "()"


class Production(NamedTuple):
    """`lhs : symbols`; `arguments` is the text of the action's arguments over the stack `v`.

    `action` is an index into the rules given, -1 to begin a list, -2 to append to one.
    """

    lhs: str
    symbols: tuple[str, ...]
    arguments: str
    action: int


def tokens(text: str) -> list[str]:
    """The notation's tokens: what a comparison of two texts of a grammar compares."""
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"not EBNF: {text[at : at + 20]!r}")
        found.append(match[1])
        at = match.end()
    return found


_CLOSING = {"(": ")", "[": "]", "{": "}"}


def _alternatives(words: list[str], at: int, closing: str) -> tuple[tuple[Sequence, ...], int]:
    """The alternatives from `at` up to `closing` ("" is the end of the words)."""
    found: list[Sequence] = []
    items: list[Item] = []
    while True:
        word = words[at] if at < len(words) else ""
        if word in (closing, "|"):
            found.append(tuple(items))
            items = []
            if word == closing:
                return tuple(found), at + 1
            at += 1
        elif word in _CLOSING:
            inner, at = _alternatives(words, at + 1, _CLOSING[word])
            items.append(Choice(word, inner))
        else:
            items.append(Symbol(word))
            at += 1


def rules(text: str) -> Iterator[tuple[str | None, tuple[Sequence, ...]]]:
    """The rules of a text, in order: the name (None: more alternatives of the last) and these."""
    words = tokens(text)
    heads = [k for k in range(len(words) - 1) if words[k + 1] == ":"]
    ends = [*heads, len(words)]
    if words[0] == "|":
        yield None, _alternatives(words[1 : ends[0]], 0, "")[0]
    for head, stop in pairwise(ends):
        yield words[head], _alternatives(words[head + 2 : stop], 0, "")[0]


def _shift(shape: Shape, by: int) -> Shape:
    if isinstance(shape, tuple):
        return tuple(_shift(part, by) for part in shape)
    return shape + by if isinstance(shape, int) else shape


def _render(shape: Shape, count: int) -> str:
    if isinstance(shape, tuple):
        return "(" + "".join(_render(part, count) + "," for part in shape) + ")"
    return f"v[{shape - count}]" if isinstance(shape, int) else str(shape)


@dataclass
class Expander:
    """Turns rules into productions; equal repetitions share one helper symbol."""

    terminals: Mapping[str, str]  # a quoted text -> its terminal's name
    silent: frozenset[str]  # symbols that carry no value
    productions: list[Production] = field(default_factory=list)
    _helpers: dict[Choice, str] = field(default_factory=dict)

    def rule(self, lhs: str, alternatives: tuple[Sequence, ...], action: int) -> None:
        for sequence in alternatives:
            for symbols, shapes in self._sequence(sequence):
                rendered = ", ".join(_render(shape, len(symbols)) for shape in shapes)
                self.productions.append(Production(lhs, symbols, rendered, action))

    def _sequence(self, items: Sequence) -> list[tuple[tuple[str, ...], tuple[Shape, ...]]]:
        found: list[tuple[tuple[str, ...], tuple[Shape, ...]]] = [((), ())]
        for item in items:
            ways = self._item(item)
            found = [
                (before + symbols, shapes + tuple(_shift(s, len(before)) for s in more))
                for before, shapes in found
                for symbols, more in ways
            ]
        return found

    def _item(self, item: Item) -> list[tuple[tuple[str, ...], tuple[Shape, ...]]]:
        if isinstance(item, Symbol):
            name = self.terminals[item.text] if item.text[0] == '"' else item.text
            return [((name,), () if name in self.silent else (0,))]
        if item.kind == "{":
            return [((), (_EMPTY,)), ((self._helper(item),), (0,))]
        ways = self._group(item)
        return [((), (None,)), *ways] if item.kind == "[" else ways

    def _group(self, choice: Choice) -> list[tuple[tuple[str, ...], tuple[Shape, ...]]]:
        return [
            (symbols, shapes if len(shapes) == 1 else (shapes,))
            for sequence in choice.alternatives
            for symbols, shapes in self._sequence(sequence)
        ]

    def _helper(self, choice: Choice) -> str:
        """The symbol of one or more of `choice`: left recursive, so the stack stays flat."""
        if choice not in self._helpers:
            name = self._helpers[choice] = f"list_{len(self._helpers)}"
            for symbols, (shape,) in self._group(choice):
                value = _render(shape, len(symbols))
                self.productions.append(Production(name, symbols, value, -1))
                head = f"v[{-len(symbols) - 1}]"
                self.productions.append(Production(name, (name, *symbols), f"{head}, {value}", -2))
        return self._helpers[choice]
