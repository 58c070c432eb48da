"""Innermost loops with elementary functions, cut so that a function has many arguments at once.

A loop runs in spans; rows of few elements do some at a time. A statement's phase is the first in
which all it uses is known; what a function gives is known one phase later. Values that are used
in a later phase than their own wait in an array of the span. A function reads its arguments where
they lie, and writes where its values are to lie, if that is one run of memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gradir.codegen.loops import For, Index, Let, Put, Set, Statement
from gradir.ir.types import I64, DType

_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_ELEMENT = re.compile(r"\w+\[([\w *+]+)\]")
_MEMORY = re.compile(r"\bm\d+\[[\w *+]+\]")
LONGEST = 2048  # elements of a span
LEAST = 4  # elements for which it pays
MANY = 512  # elements from which on a function may have a form of its own
OF_MANY = frozenset(("log_f32", "log2_f32"))
ENOUGH = 256  # elements; of more at a time a function would not be faster


@dataclass
class Phase:
    """Statements of one loop over a span, the functions that follow it, the values it reads."""

    body: list[Statement] = field(default_factory=list)
    calls: list[Let] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)


@dataclass
class Cut:
    """`homes` says of every value that waits which element it is, `sources` of a function which
    one its argument is, where no loop has to put it there."""

    phases: list[Phase]
    dtypes: dict[str, DType]
    arrays: list[str]  # values that wait in an array of the span
    homes: dict[str, str]
    sources: dict[str, str]

    def idle(self, phase: Phase) -> bool:
        """Whether nothing is left for the phase's loop to do."""
        return all(isinstance(s, Let) and s.name in self.sources for s in phase.body)

    def whole(self, loop: For) -> bool:
        """Whether one span may be as long as the loop: what is read again is still in a cache."""
        short = loop.count.constant() in range(LONGEST + 1)
        return not self.arrays and (short or all(self.idle(phase) for phase in self.phases))

    def form(self, function: str, loop: For) -> str:
        """The function that maps a span: some have another form for many elements."""
        count = loop.count.constant()
        many = self.whole(loop) and (count is None or count >= MANY)
        return f"gir_map_many_{function}" if many and function in OF_MANY else f"gir_map_{function}"


def wanted(loop: For) -> bool:
    """Whether a loop has elementary functions and nothing but simple statements."""
    count = loop.count.constant()
    return (
        (count is None or count >= LEAST)
        and all(isinstance(s, Let | Set | Index | Put) for s in loop.body)
        and any(isinstance(s, Let) and s.function for s in loop.body)
    )


def row_of(rows: For) -> For | None:
    """The loop over a short row in a loop over rows, if the functions of several rows can be
    computed at once: all but that is done again for each phase."""
    *shared, last = rows.body
    if not (rows.apart and isinstance(last, For) and last.apart and wanted(last)):
        return None
    again = all(isinstance(s, Index | Let) and not getattr(s, "function", None) for s in shared)
    return last if again and (last.count.constant() or ENOUGH) <= ENOUGH // 2 else None


def cut(loop: For, rows: For | None = None) -> Cut:
    """The phases of a loop that is `wanted`; with `rows`, of a `row_of` them."""
    row = f"{loop.count} * {rows.name}" if rows else ""

    def run(element: str) -> bool:
        return in_a_run(element, loop.name) and (not rows or _grows(element, row, rows.name))

    body, homes = _settled(loop, run)
    known: dict[str, int] = {}  # from which phase on
    dtypes: dict[str, DType] = {}
    placed: list[int] = []
    for statement in body:
        phase = max((known[n] for n in _used(statement) if n in known), default=0)
        placed.append(phase)
        if isinstance(statement, Let):
            known[statement.name] = phase + bool(statement.function)
            dtypes[statement.name] = statement.dtype
        elif isinstance(statement, Index):
            known[statement.name] = phase
            dtypes[statement.name] = I64
    functions = {s.name for s in body if isinstance(s, Let) and s.function}
    where = _late(body, placed, functions)
    phases = [Phase() for _ in range(1 + max(placed))]
    made = {s.name: where[at] for at, s in enumerate(body) if isinstance(s, Let | Index)}
    waiting = set(functions)
    for at, statement in enumerate(body):
        for phase in sorted(where[at]):
            phases[phase].body.append(statement)
            if isinstance(statement, Let) and statement.function:
                phases[phase].calls.append(statement)
            for name in _used(statement):
                if name in made and (phase not in made[name] or name in functions):
                    waiting.add(name)
                    if name not in phases[phase].uses:
                        phases[phase].uses.append(name)
    arrays = sorted(waiting - set(homes))
    place = f"{loop.count} * l + {loop.name}" if rows else "l"
    homes |= {name: f"{name}_s[{place}]" for name in arrays}
    sources = {}
    for let in (s for s in body if isinstance(s, Let) and s.function):
        if let.expression in homes:
            sources[let.name] = homes[let.expression]
        elif loop.apart and run(let.expression):
            sources[let.name] = let.expression
    return Cut(phases, dtypes, arrays, homes, sources)


def _settled(loop: For, run: Callable[[str], bool]) -> tuple[list[Statement], dict[str, str]]:
    """The statements without those that only write down what a function gives, and the elements
    where it does that itself, if they are a run. A NaN of a function's is canonical."""
    functions = {s.name: s.dtype for s in loop.body if isinstance(s, Let) and s.function}
    body: list[Statement] = []
    homes: dict[str, str] = {}
    for statement in loop.body:
        if isinstance(statement, Put | Set):
            name = statement.expression
            if name.startswith("gir_canonical_"):
                name = name[name.index("(") + 1 : -1]
            target = statement.target if isinstance(statement, Set) else statement.element
            apart = loop.apart or isinstance(statement, Set)
            if name in functions and name not in homes and apart and run(target):
                homes[name] = target
                continue
        body.append(statement)
    return body, homes


def first(element: str, begin: Mapping[str, str]) -> str:
    """The address of a span's first element of what is in a run, or waits in an array; `begin`
    says what the loops' variables are there."""
    if "_s[" in element:
        return element[: element.index("[")]
    return "&" + _NAME.sub(lambda name: begin.get(name[0], name[0]), element)


def in_a_run(element: str, variable: str) -> bool:
    """Whether an expression is an element of an array, and the next iteration's the next one."""
    match = _ELEMENT.fullmatch(element)
    if match is None:
        return False
    terms = match[1].split(" + ")
    return terms.count(variable) == 1 and all(
        term == variable or variable not in _NAME.findall(term) for term in terms
    )


def _grows(element: str, row: str, variable: str) -> bool:
    """Whether an element's place grows with a variable by the term `row`, and not otherwise."""
    terms = element[element.index("[") + 1 : -1].split(" + ")
    return row in terms and _NAME.findall(element).count(variable) == 1


def elements(loop: For) -> list[str]:
    """The elements of memories that a loop reads in a run, each once."""
    texts = (s.expression for s in loop.body if isinstance(s, Let | Index | Put | Set))
    found = dict.fromkeys(match[0] for text in texts for match in _MEMORY.finditer(text))
    return [element for element in found if in_a_run(element, loop.name)]


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
