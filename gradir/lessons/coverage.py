"""Which operations and gradient rules no exercise of the course meets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gradir.autodiff.rules import RULES
from gradir.ir.ops import OPS
from gradir.ir.table import Table
from gradir.lessons.course import Lesson
from gradir.passes.copying import closure
from gradir.runtime.program import Program
from gradir.text.diagnostics import GirError

_BLOCK = re.compile(r"^```gir\n(.*?)^```", re.MULTILINE | re.DOTALL)


def uncovered(lessons: Iterable[Lesson]) -> Iterator[str]:
    """A line for each operation and each rule that is not met."""
    met, derived = _met(lessons)
    for name in OPS:
        if name not in met:
            yield f"no lesson meets the operation `{name}`"
    if "gradient" not in met:
        yield "no lesson meets `gradient`"
    for name, shares in RULES.items():
        if name not in derived and any(shares):
            yield f"no lesson meets the gradient rule of `{name}`"


def _met(lessons: Iterable[Lesson]) -> tuple[set[str], set[str]]:
    met: set[str] = set()
    derived: set[str] = set()
    for lesson in lessons:
        for program in _programs(lesson):
            table = program.table
            met |= {node.op.name for node in table.nodes}
            for function in table.functions.values():
                met |= {node.op.name for node in function.table.nodes}
            if program.gradients:
                met.add("gradient")
            for gradient in program.gradients:
                derived |= set(on_the_way(table, gradient.y, gradient.x))
    return met, derived


def on_the_way(table: Table, y: int, x: int) -> Iterator[str]:
    """The rules' names of the nodes between x and y."""
    behind = {x}
    for id in sorted(closure(table, [y])):
        node = table[id]
        if id != x and behind.intersection(node.operands) and node.op.name != "detach":
            behind.add(id)
            kind = f" {node.attr('op')}" if node.op.name == "reduce" else ""
            yield node.op.name + kind


def _programs(lesson: Lesson) -> Iterator[Program]:
    for file in sorted(lesson.folder.glob("*.gir")):
        yield from _program(file)
    for text in _BLOCK.findall(lesson.text("lesson.md") + lesson.text("explain.md")):
        try:
            yield Program.parse(text)
        except GirError:
            continue  # a part of a program, as a text may show it


def _program(file: Path) -> Iterator[Program]:
    try:
        yield Program.load(file)
    except GirError:
        return  # an exercise may ask for a program that is refused
