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
LEAST = 8  # elements for which it pays


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
    placed: list[tuple[int, Statement]] = []
    for statement in loop.body:
        phase = max((known[n] for n in _used(statement) if n in known), default=0)
        placed.append((phase, statement))
        if isinstance(statement, Let):
            known[statement.name] = phase + bool(statement.function)
            dtypes[statement.name] = statement.dtype
        elif isinstance(statement, Index):
            known[statement.name] = phase
            dtypes[statement.name] = I64
    phases = [Phase() for _ in range(1 + max(phase for phase, _ in placed))]
    made = {s.name: phase for phase, s in placed if isinstance(s, Let | Index)}
    functions = {s.name for _, s in placed if isinstance(s, Let) and s.function}
    arrays: dict[str, DType] = {name: dtypes[name] for name in sorted(functions)}
    for phase, statement in placed:
        phases[phase].body.append(statement)
        if isinstance(statement, Let) and statement.function:
            phases[phase].calls.append(statement)
        for name in _used(statement):
            if name in made and (made[name] != phase or name in functions):
                arrays[name] = dtypes[name]
                if name not in phases[phase].uses:
                    phases[phase].uses.append(name)
    return Cut(phases, arrays)


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
