"""Runs LALR tables over tokens: an explicit stack, and recovery a statement at a time.

A statement with an error is dropped and reported once; parsing goes on with the next line of
the same block. It never recurses, and never raises on bad text. Of the language it knows what
recovery and the wording of messages need: line ends, braces, brackets, reserved words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from gradir.text.diagnostics import MAX_DIAGNOSTICS, Diagnostic, Note
from gradir.text.lexer import RESERVED, RESERVED_LITERALS, TERMINALS, Lexer, Token, clip
from gradir.text.source import Source, Span
from gradir.text.tree import Assign, At, Value

Action = Callable[[list[Any]], Any]


@dataclass(frozen=True)
class Tables:
    """LALR tables: an action > 0 shifts to that state, < 0 reduces by a production, 0 accepts.

    A production is (length, left side, action); an action of None passes its one value on.
    """

    action: list[dict[str, int]]
    default: list[int]  # a state's reduction where it can do nothing else, or 0
    goto: list[dict[str, int]]
    productions: list[tuple[int, str, Action | None]]
    entered_by: list[str]  # the symbol on which a state is entered


class Parser:
    """One run over one source: `run` returns the start symbol's value."""

    def __init__(self, tables: Tables, source: Source) -> None:
        self.tables = tables
        self.source = source
        self.lexer = Lexer(source)
        self.diagnostics: list[Diagnostic] = []
        self.states = [0]
        self.values: list[Any] = [None]  # of the symbol that entered each state

    def run(self) -> Any:
        action, default = self.tables.action, self.tables.default
        goto, productions = self.tables.goto, self.tables.productions
        states, values = self.states, self.values
        tokens = self.lexer.tokens()
        while True:
            state = states[-1]
            for token in tokens:
                terminal, value = token
                while True:
                    act = default[state] or action[state].get(terminal)
                    if act is None or act >= 0:
                        break
                    length, lhs, function = productions[-act]
                    if function is None:
                        state = states[-1] = goto[states[-2]][lhs]
                        continue
                    result = function(values)
                    if length:
                        del states[-length:]
                        del values[-length:]
                    state = goto[states[-1]][lhs]
                    states.append(state)
                    values.append(result)
                if not act:
                    break
                state = act
                states.append(state)
                values.append(value)
            if act == 0:
                return values[-1]
            tokens = self._recover(token, tokens)

    # Recovery

    def _recover(self, token: Token, tokens: Iterator[Token]) -> Iterator[Token]:
        """Report `token` and drop its statement; the tokens to go on with."""
        self.diagnostics.append(replace(self._diagnose(token), binds=self._target()))
        if len(self.diagnostics) < MAX_DIAGNOSTICS and token[0] != "$end":
            token = self._skip(token, tokens)
            self._unwind()
            return chain([token], tokens)
        while self._innermost("LBRACE") is not None:  # the end: open blocks are dropped
            while self.tables.entered_by[self.states[-1]] != "LBRACE":
                self._pop()
            self._pop()
        self._unwind()
        return iter([("$end", len(self.source.text))])

    def _skip(self, token: Token, tokens: Iterator[Token]) -> Token:
        """Skip the rest of a statement, its block included; the first token behind it."""
        self.lexer.recovering = True
        in_block = self._innermost("LBRACE") is not None
        depth = 0
        ended = False
        while token[0] != "$end":
            terminal = token[0]
            if terminal == "LBRACE":
                depth += 1
                ended = False
            elif terminal == "RBRACE" and depth:
                depth -= 1
            elif depth == 0 and (ended or (terminal == "RBRACE" and in_block)):
                break
            elif depth == 0 and terminal == "NEWLINE":
                ended = True
            token = next(tokens)
        self.lexer.recovering = False
        return token

    def _target(self) -> str | None:
        """What the statement on the stack would bind: a value's name, or `@name`."""
        values: list[Any] = []
        for state, value in zip(reversed(self.states), reversed(self.values), strict=True):
            if self._starts_line(state):
                break
            values.append(value)
        first = values.pop() if values else None
        if isinstance(first, Assign):
            first = first.target
        if isinstance(first, Value):
            return first.name
        named = values.pop() if values else None  # behind `macro` or `func`
        return f"@{named.name}" if isinstance(first, Span) and isinstance(named, At) else None

    def _starts_line(self, state: int) -> bool:
        """Whether an empty line is fine here and no statement stands before it."""
        if self.tables.action[state].get("NEWLINE", 0) <= 0:
            return False
        return self.tables.entered_by[state] not in ("statement", "operand")

    def _unwind(self) -> None:
        """Pop to the start of a line."""
        while not self._starts_line(self.states[-1]):
            self._pop()

    def _pop(self) -> None:
        self.states.pop()
        self.values.pop()

    def _innermost(self, *symbols: str) -> Span | None:
        """The place of the innermost of these brackets that is open on the stack."""
        closed = 0
        for state, value in zip(reversed(self.states), reversed(self.values), strict=True):
            symbol = self.tables.entered_by[state]
            if symbol in symbols and not closed:
                return value if isinstance(value, Span) else value.span
            closed += (symbol in _CLOSING) - (symbol in _OPENING)
        return None

    # Messages

    def _diagnose(self, token: Token) -> Diagnostic:
        terminal, value = token
        if terminal == "ERROR":
            return value
        span = self._span(token)
        block = self._innermost("LBRACE")
        if terminal == "$end":
            advice = "add `}` on a line of its own"
            return Diagnostic("P110", "this block is never closed", block, help=advice)
        bracket = self._innermost("LPAREN", "LBRACKET", "OPEN")
        if (terminal in ("RPAREN", "RBRACKET") and not bracket) or (
            terminal == "RBRACE" and not block
        ):
            return Diagnostic("P111", f"`{span.text}` closes nothing", span)
        expected = self._expected()
        if terminal == "RETURN" and not block and "DIM" in expected:
            return Diagnostic(
                "P112", "`return` outside a block", span, help="use `output` to show a value"
            )
        reserved = self._reserved(token, expected)
        if reserved:
            return reserved
        found = {"NEWLINE": "the end of the line"}.get(terminal, f"`{clip(span.text)}`")
        words = _in_words(expected)
        message = f"expected {words}, found {found}" if words else f"unexpected {found}"
        notes = []
        if bracket and terminal in (*_CLOSING, "LBRACE"):
            notes.append(Note(f"this `{bracket.text[-1]}` is open here", bracket))
        help = None
        if self.tables.entered_by[self.states[-1]] == "LPAREN" and "NAME" in expected:
            help = "parentheses hold an operation; a value or a literal stands alone"
        return Diagnostic("P102", message, span, notes, help)

    def _span(self, token: Token) -> Span:
        terminal, value = token
        if isinstance(value, int):
            length = len(_SHOWN.get(terminal, ""))
            return Span(self.source, value, value + length)
        return value if isinstance(value, Span) else value.span

    def _reserved(self, token: Token, expected: set[str]) -> Diagnostic | None:
        """P109, where a reserved word stands for an operation or an attribute's name."""
        terminal, value = token
        span = self._span(token)
        if terminal == "EQUALS":  # `true=1`: the word was taken for an operand
            word = re.search(r"(\w+)[ \t]*\Z", self.source.text[max(0, value - 40) : value])
            if word is None or word[1] not in RESERVED_LITERALS:
                return None
            end = value - len(word[0]) + len(word[1])
            span = Span(self.source, end - len(word[1]), end)
        elif span.text not in RESERVED or "NAME" not in expected:
            return None
        return Diagnostic(
            "P109",
            f"`{span.text}` is a reserved word and cannot be the name of anything",
            span,
            help="reserved are " + " ".join(RESERVED),
        )

    def _expected(self) -> set[str]:
        """The terminals that could stand here: those that the stack would really shift."""
        return {t for t in self.tables.action[self.states[-1]] if self._shifts(t)}

    def _shifts(self, terminal: str) -> bool:
        tables, states = self.tables, list(self.states[-64:])
        base = len(self.states) - len(states)
        while True:
            act = tables.default[states[-1]] or tables.action[states[-1]].get(terminal)
            if act is None:
                return False
            if act >= 0:
                return True
            length, lhs, _ = tables.productions[-act]
            if length >= len(states):
                states = self.states[:base] + states
                base = 0
            del states[len(states) - length :]
            states.append(tables.goto[states[-1]][lhs])


_OPENING = ("LPAREN", "LBRACKET", "OPEN", "LBRACE")
_CLOSING = ("RPAREN", "RBRACKET", "RBRACE")
_SHOWN = {name: quoted[1:-1] for quoted, name in TERMINALS.items()}
_LITERALS = {"INT", "FLOAT", "INF", "MINUSINF", "NAN", "TRUE", "FALSE", "DOLLAR"}
_OPERANDS = {*_LITERALS, "VALUE", "AT", "NAME", "OPEN", "LPAREN", "LBRACKET"}
_GROUPS = (
    (_OPERANDS, "an operand"),
    ({*_LITERALS, "STRING", "NAME", "OPEN", "VALUE", "LBRACKET"}, "an attribute's value"),
    ({*_LITERALS, "VALUE", "AT", "NAME"}, "an operation, a value or a literal"),
    (_LITERALS, "a literal"),
    ({"NAME", "OPEN"}, "a type"),
    ({"INT", "NAME", "DOLLAR"}, "a size"),
    ({"AT", "NAME"}, "an operation"),
)
_WORDS = {
    "VALUE": "a `%value`",
    "AT": "an `@name`",
    "NAME": "a name",
    "OPEN": "a type with sizes",
    "INT": "an integer",
    "FLOAT": "a float",
    "STRING": "a string",
    "NEWLINE": "the end of the line",
    "$end": "the end of the text",
}


def _in_words(expected: set[str]) -> str:
    """`an operand, `)` or …`; empty where the list would be too long to help."""
    if "DIM" in expected:
        return "a statement"
    left = set(expected)
    words = []
    for group, word in _GROUPS:
        if group <= left:
            words.append(word)
            left -= group
    words += [_WORDS.get(t) or f"`{_SHOWN[t]}`" for t in sorted(left)]
    if not words or len(words) > 5:
        return ""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
