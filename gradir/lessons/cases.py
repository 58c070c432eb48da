"""Cases of GIR exercises: run the submission's program, compare what it gives, say what differs.

What the program refuses, or is refused for, becomes the case's message. Python exercises are in
`gradir.lessons.calls`.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradir.ir.build import build
from gradir.lessons import diagnose
from gradir.lessons.course import Case, Lesson
from gradir.lessons.values import (
    BadValue,
    free_dims,
    given_arrays,
    random_fill,
    read_value,
)
from gradir.lessons.words import words_of
from gradir.runtime.filling import Inputs
from gradir.runtime.gradcheck import check_gradients
from gradir.runtime.program import Program
from gradir.runtime.session import Session
from gradir.text.diagnostics import GirError, render
from gradir.text.reading import read_source

DEFAULT_SEEDS = (1, 2, 3)
GRADIENT_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Found:
    """What a case showed. `message` is one line."""

    passed: bool
    message: str = ""
    detail: tuple[str, ...] = ()


PASSED = Found(True)


@dataclass
class Setting:
    """What all cases of one exercise share: the two programs and the executor."""

    lesson: Lesson
    program: Program
    reference: Program | None  # the solution; None in a bundle for students
    backend: str = "numpy"


def read_program(path: str, name: str) -> Program:
    """The program in a file; in messages the file is called `name`."""
    return Program(build(read_source(path, name)))


def read_solution(lesson: Lesson) -> Program | None:
    """The solution's program; None where there is none, or where it is to be refused itself."""
    if not lesson.solution.is_file():
        return None
    try:
        return read_program(str(lesson.solution), lesson.solution.name)
    except GirError:
        return None


def refused(problem: GirError) -> Found:
    """A refusal as a case's outcome."""
    first, *rest = render(problem.diagnostics).rstrip("\n").split("\n")
    return Found(False, first, tuple(rest))


def refused_case(problem: GirError, case: Case) -> Found:
    """The same for a case that needs a program: they all say why there is none."""
    return refused(problem)


def check_case(setting: Setting, case: Case) -> Found:
    """Run one case."""
    try:
        return _KINDS[case.kind](setting, case)
    except BadValue as problem:
        return Found(False, str(problem))
    except GirError as problem:
        return refused(problem)
    except MemoryError:
        return Found(False, "out of memory: the program asks for more than a case may take")
    except Exception as crash:  # a bug of gradir's own fails its case, and is said to be one
        what = f"bug in gradir: {type(crash).__name__}: {str(crash)[:200]}"
        return Found(False, what, tuple(traceback.format_exc().splitlines()[-4:]))


def constraint_problem(setting: Setting) -> str | None:
    """Which of the exercise's constraints the program breaks."""
    rules = setting.lesson.constraints
    words = words_of(setting.program.source)
    missing = [word for word in rules.require_ops if word not in words]
    if missing:
        return f"this exercise asks for `{missing[0]}`, and your program does not use it"
    unwanted = [word for word in rules.forbid_ops if word in words]
    if unwanted:
        line = words[unwanted[0]]
        return f"this exercise is to be solved without `{unwanted[0]}`: line {line}"
    nodes = len(setting.program.table)
    if rules.max_nodes is not None and nodes > rules.max_nodes:
        return f"your program has {nodes} nodes; at most {rules.max_nodes} are allowed"
    return None


# --- kinds --------------------------------------------------------------------------------


@dataclass
class Ran:
    """A run: its session, behind the last step, and the last step's outputs."""

    session: Session
    inputs: Mapping[str, np.ndarray]
    buffers: Mapping[str, np.ndarray]
    outputs: Mapping[str, np.ndarray]
    seconds: float


def run_program(
    program: Program,
    case: Case,
    backend: str,
    seed: int = 0,
    given: Mapping[str, Any] | None = None,
) -> Ran:
    """Run a program on a case's inputs."""
    values = dict(case.data.get("set", {})) if given is None else dict(given)
    dims = case.data.get("dims", {})
    stages, buffers, stated = given_arrays(program.table, values, dims, seed)
    session = program.session(dims=stated, state=buffers, backend=backend)
    began = time.perf_counter()
    outputs = session.run(stages, steps=case.data.get("steps", 1))
    return Ran(session, stages, buffers, outputs, time.perf_counter() - began)


def _run(setting: Setting, case: Case) -> Found:
    ran = run_program(setting.program, case, setting.backend)
    table = setting.program.table
    wanted: list[Wanted] = []
    for group, declared, found in (
        ("expect", table.outputs, ran.outputs),
        ("slots", table.buffers, ran.session.state),
    ):
        for name, value in case.data.get(group, {}).items():
            if name not in declared:
                return _no_result(setting.program, name, group)
            try:
                expected = read_value(value, table.type(declared[name]))
            except BadValue as problem:
                return Found(False, f"{name}: {problem}")
            wanted.append(Wanted(name, group == "slots", expected, found[name]))
    return _compared(setting, case, wanted, ran, None, 0)


@dataclass(frozen=True)
class Wanted:
    """A value of the program beside the one it should have."""

    name: str
    slot: bool
    expected: np.ndarray
    found: np.ndarray


def _no_result(program: Program, name: str, group: str) -> Found:
    kind = "buffer" if group == "slots" else "output"
    known = program.table.buffers if group == "slots" else program.table.outputs
    return Found(
        False,
        f"your program has no {kind} named {name} (it has: {', '.join(known) or 'none'})",
    )


def _compared(
    setting: Setting,
    case: Case,
    wanted: Sequence[Wanted],
    ran: Ran,
    given: Mapping[str, Any] | None,
    seed: int,
) -> Found:
    """The first value that differs, with what can be said about it."""
    for item in wanted:
        if agrees(item.expected, item.found, case.data.get("ulp"), case.data.get("rel")):
            continue
        shown = f"{'buffer' if item.slot else 'output'} {item.name}"
        what = diagnose.difference(shown, item.expected, item.found)
        detail = [*what.lines]
        if not case.hidden:
            detail += _deeper(setting, case, item, ran, given, seed)
        if seed:
            detail.append(f"inputs: random, seed {seed}; dimensions {_dims_text(ran)}")
        return Found(False, what.message, tuple(detail))
    return PASSED


def _dims_text(ran: Ran) -> str:
    dims = ran.session.dimensions(ran.inputs)
    return ", ".join(f"{symbol}={size}" for symbol, size in dims.items()) or "all fixed"


def _deeper(
    setting: Setting,
    case: Case,
    item: Wanted,
    ran: Ran,
    given: Mapping[str, Any] | None,
    seed: int,
) -> list[str]:
    """The first node that differs from the solution's, and finite differences of a gradient."""
    values = dict(case.data.get("set", {})) if given is None else dict(given)
    lines: list[str] = []
    if setting.reference is not None:
        try:
            theirs = given_arrays(setting.reference.table, values, case.data.get("dims", {}), seed)
            lines += diagnose.first_node(setting.program, setting.reference, ran, theirs, item)
        except (GirError, BadValue):
            lines = []  # the solution has other inputs: nothing to compare node by node
    if case.data.get("steps", 1) == 1 and not item.slot:
        dims = ran.session.dimensions(ran.inputs)
        inputs = Inputs(dict(ran.inputs), dict(ran.buffers), dims)
        lines += diagnose.differences_beside(setting.program, item.name, inputs)
    return lines


def agrees(expected: np.ndarray, found: np.ndarray, ulp: float | None, rel: float | None) -> bool:
    """Equal in every bit, or as near as the case allows."""
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return False
    if expected.tobytes() == found.tobytes():
        return True
    if (ulp is None and rel is None) or expected.dtype.kind != "f":
        return False
    a, b = expected.astype(np.float64), found.astype(np.float64)
    with np.errstate(all="ignore"):
        allowed = np.zeros_like(a)
        if ulp is not None:
            allowed = np.maximum(allowed, ulp * np.spacing(np.abs(expected)).astype(np.float64))
        if rel is not None:
            allowed = np.maximum(allowed, rel * np.abs(a))
        close = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= allowed)
    return bool(close.all())


def _equiv(setting: Setting, case: Case) -> Found:
    reference = setting.reference
    if reference is None:
        return Found(False, "this case needs the solution, which this copy of the course lacks")
    for seed in case.data.get("seeds", DEFAULT_SEEDS):
        given, sized = equiv_inputs(reference, case, seed)
        theirs = run_program(reference, sized, "numpy", seed, given)
        mine = _only_known(setting.program, given, case)
        ran = run_program(setting.program, sized, setting.backend, seed, mine)
        wanted = []
        for group, expected, found in (
            ("expect", theirs.outputs, ran.outputs),
            ("slots", theirs.session.state, ran.session.state),
        ):
            for name, value in expected.items():
                if name not in found:
                    return _no_result(setting.program, name, group)
                wanted.append(Wanted(name, group == "slots", np.asarray(value), found[name]))
        outcome = _compared(setting, sized, wanted, ran, mine, seed)
        if not outcome.passed:
            return outcome
    return PASSED


def equiv_inputs(reference: Program, case: Case, seed: int) -> tuple[dict[str, Any], Case]:
    """The inputs of one seed, and the case with every dimension stated."""
    given = dict(case.data.get("set", {}))
    given |= random_fill(reference.table, given, seed)
    dims = dict(case.data.get("dims", {}))
    if not any(isinstance(value, list) for value in given.values()):
        dims = free_dims(reference.table, dims, seed)
    data = {**case.data, "dims": dims}
    return given, Case(case.name, case.kind, case.points, case.hidden, case.why, data)


def _only_known(program: Program, given: Mapping[str, Any], case: Case) -> dict[str, Any]:
    """What the submission takes of the inputs; what the case itself sets it must take.

    A stage that the solution has and the submission lacks is an input it does not use: the
    outputs will show whether that matters.
    """
    table = program.table
    stated = case.data.get("set", {})
    return {
        name: value
        for name, value in given.items()
        if name in stated or name in table.stages or name in table.buffers
    }


def _gradcheck(setting: Setting, case: Case) -> Found:
    program = setting.program
    if not program.gradients:
        return Found(False, "your program has no `gradient`: this case checks the ones it has")
    stages, buffers, dims = given_arrays(
        program.table, case.data.get("set", {}), case.data.get("dims", {}), 0
    )
    tolerance = case.data.get("tolerance", GRADIENT_TOLERANCE)
    for finding in check_gradients(program, Inputs(stages, buffers, dict(dims))):
        if finding.trouble or finding.error > tolerance:
            return _gradient_differs(program, finding.gradient, finding.trouble, finding.error)
    return PASSED


def _gradient_differs(program: Program, gradient: Any, trouble: str, error: float) -> Found:
    table = program.table
    label = f"the gradient of %{table.label(gradient.y)} by %{table.label(gradient.x)}"
    if trouble:
        return Found(False, f"{label} could not be checked: {trouble}")
    return Found(
        False,
        f"{label} differs from finite differences by {error:.1e} (relative)",
        tuple(diagnose.place_lines(program, gradient.result)),
    )


def _error(setting: Setting, case: Case) -> Found:
    """The program was built: the error has to come when it runs, if it is one of running."""
    if code(case).startswith("R"):
        try:
            run_program(setting.program, case, setting.backend)
        except GirError as problem:
            return error_found(problem, case)
    return Found(False, f"your program runs; this exercise asks for one refused with {code(case)}")


def error_found(problem: GirError, case: Case) -> Found:
    """Whether a refusal is the one that a case asks for."""
    wanted, line = code(case), case.data.get("line")
    codes = []
    for diagnostic in problem.diagnostics:
        place = diagnostic.span.line if diagnostic.span else None
        if diagnostic.code == wanted and (line is None or place == line):
            return PASSED
        codes.append(diagnostic.code + ("" if place is None else f" in line {place}"))
    where = "" if line is None else f" in line {line}"
    said = refused(problem)
    return Found(
        False,
        f"refused with {', '.join(codes)}, not with {wanted}{where}",
        (said.message, *said.detail),
    )


def code(case: Case) -> str:
    return str(case.data["code"])


def _structure(setting: Setting, case: Case) -> Found:
    problems = list(_structure_problems(setting.program, case.data))
    return Found(False, problems[0], tuple(problems[1:])) if problems else PASSED


def _structure_problems(program: Program, data: Mapping[str, Any]) -> Iterator[str]:
    table = program.table
    counts: dict[str, int] = {"gradient": len(program.gradients)}
    for node in table.nodes:
        counts[node.op.name] = counts.get(node.op.name, 0) + 1
    for op, wanted in data.get("counts", {}).items():
        if counts.get(op, 0) != wanted:
            yield f"your program has {_nodes(counts.get(op, 0), op)}, not {wanted}"
    for op, wanted in data.get("at_most", {}).items():
        if counts.get(op, 0) > wanted:
            yield f"your program has {_nodes(counts.get(op, 0), op)}, at most {wanted} will do"
    for op, wanted in data.get("at_least", {}).items():
        if counts.get(op, 0) < wanted:
            yield f"your program has {_nodes(counts.get(op, 0), op)}, at least {wanted} are needed"
    if "nodes" in data and len(table) != data["nodes"]:
        yield f"your program has {len(table)} nodes, not {data['nodes']}"
    if "max_nodes" in data and len(table) > data["max_nodes"]:
        yield f"your program has {len(table)} nodes, at most {data['max_nodes']} will do"
    if "kept" in data:  # the names of the values in `checkpoint=`
        kept = sorted({table.label(id) for hint in table.hints for id in hint.kept})
        if kept != sorted(data["kept"]):
            yield f"`checkpoint=` keeps {', '.join(kept) or 'nothing'}, not what is asked for"


def _nodes(count: int, op: str) -> str:
    return f"{count or 'no'} `{op}` node{'' if count == 1 else 's'}"


_KINDS = {
    "run": _run,
    "equiv": _equiv,
    "gradcheck": _gradcheck,
    "error": _error,
    "structure": _structure,
}
