"""Innermost loops with elementary functions, cut so that a function has many arguments at once.

A loop runs in spans. A statement's phase is the first in which all it uses is known; what a
function gives is known one phase later. Values that are used in a later phase than their own
wait in an array of the span.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gradir.codegen.loops import For, Index, Let, Put, Set, Statement
from gradir.ir.types import I64, DType

_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
LEAST = 4  # elements for which it pays


@dataclass
class Phase:
    """Statements of one loop over a span, the functions that follow it, the arrays it reads."""

    body: list[Statement] = field(default_factory=list)
    calls: list[Let] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)


@dataclass
class Cut:
    phases: list[Phase]
    arrays: dict[str, DType]


def wanted(loop: For) -> bool:
    """Whether a loop has elementary functions and nothing but simple statements."""
    count = loop.count.constant()
    return (
        (count is None or count >= LEAST)
        and all(isinstance(s, Let | Set | Index | Put) for s in loop.body)
        and any(isinstance(s, Let) and s.function for s in loop.body)
    )


def cut(loop: For) -> Cut:
    """The phases of a loop that is `wanted`."""
    known: dict[str, int] = {}  # from which phase on
    dtypes: dict[str, DType] = {}
    placed: list[int] = []
    for statement in loop.body:
        phase = max((known[n] for n in _used(statement) if n in known), default=0)
        placed.append(phase)
        if isinstance(statement, Let):
            known[statement.name] = phase + bool(statement.function)
            dtypes[statement.name] = statement.dtype
        elif isinstance(statement, Index):
            known[statement.name] = phase
            dtypes[statement.name] = I64
    functions = {s.name for s in loop.body if isinstance(s, Let) and s.function}
    where = _late(loop.body, placed, functions)
    phases = [Phase() for _ in range(1 + max(placed))]
    made = {s.name: where[at] for at, s in enumerate(loop.body) if isinstance(s, Let | Index)}
    arrays: dict[str, DType] = {name: dtypes[name] for name in sorted(functions)}
    for at, statement in enumerate(loop.body):
        for phase in sorted(where[at]):
            phases[phase].body.append(statement)
            if isinstance(statement, Let) and statement.function:
                phases[phase].calls.append(statement)
            for name in _used(statement):
                if name in made and (phase not in made[name] or name in functions):
                    arrays[name] = dtypes[name]
                    if name not in phases[phase].uses:
                        phases[phase].uses.append(name)
    return Cut(phases, arrays)


def _late(body: list[Statement], placed: list[int], functions: set[str]) -> list[set[int]]:
    """The phases in which each statement is done: the first in which its value is asked for, if
    nothing must wait in an array for that. What needs no other value is done wherever it is used.
    """
    at = {s.name: n for n, s in enumerate(body) if isinstance(s, Let | Index)}
    needs = [[at[n] for n in _used(s) if n in at and n not in functions] for s in body]
    leaf = [not any(n in at for n in _used(s)) for s in body]
    users: list[list[int]] = [[] for _ in body]
    for number, statement in enumerate(body):
        for name in _used(statement):
            if name in at:
                users[at[name]].append(number)
    where = [{phase} for phase in placed]

    def movable(number: int, phase: int, mover: int) -> bool:
        """Whether a statement can be done in a later phase, for one that would be done there."""
        others = (min(where[user]) >= phase for user in users[number] if user != mover)
        return leaf[number] or (
            isinstance(body[number], Let | Index)
            and all(others)
            and all(movable(need, phase, number) for need in needs[number])
        )

    for number in range(len(body) - 1, -1, -1):
        statement = body[number]
        if not users[number] or not isinstance(statement, Let | Index):
            continue
        if isinstance(statement, Let) and statement.function:
            continue
        asked = set().union(*(where[user] for user in users[number]))
        if leaf[number]:
            where[number] = asked
        elif movable(number, min(asked), -1):
            where[number] = {min(asked)}
    return where


def _used(statement: Statement) -> list[str]:
    """The names in a statement's expressions, each once, in order."""
    match statement:
        case Put(_, offset, expression):
            text = f"{offset} {expression}"
        case Set(target, expression):
            text = f"{target} {expression}"
        case Let() | Index():
            text = statement.expression
        case _:
            raise AssertionError(statement)
    return list(dict.fromkeys(_NAME.findall(text)))
