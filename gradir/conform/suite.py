"""Conformance files: their directives, and the runner that compares (spec/conformance.md).

A file that is malformed fails; it is never passed over. Values are compared by bits and shape,
unless the line itself states a tolerance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from gradir.conform.executor import Answer, Executor
from gradir.ir.binding import BindingConflict, bind_shapes
from gradir.ir.build import build
from gradir.ir.table import Table
from gradir.ir.types import TensorType, evaluate_extent
from gradir.runtime.exchange import (
    ExchangeError,
    bits_of,
    element_texts,
    from_json,
    json_object,
    nest,
    numbers_of,
    read_array,
)
from gradir.text.diagnostics import GirError, error
from gradir.text.reading import MAX_BYTES, read_source

_WORDS = [
    *("spec", "name", "set", "dim", "slot", "steps", "case"),
    *("expect", "error", "run-error", "warning", "nodes"),
]
_DIRECTIVE = re.compile(rf"#[ \t]*({'|'.join(_WORDS)}):(?:[ \t]+(.*))?")
_MISTAKE = re.compile(r'([A-Z][0-9]{3})(?:\s+line\s+([0-9]+))?(?:\s+"(.*)")?')
_BINDING = re.compile(r"([^=]*[^=\s])\s*=\s*(.*)", re.DOTALL)
_TOLERANCE = re.compile(r"(.*?)\s+(ulp|rel)=(\S+)", re.DOTALL)


class BadFile(Exception):
    """A conformance file whose directives cannot be followed."""


@dataclass(frozen=True)
class Mistake:
    """An expected diagnostic: its code, its line in the file, and words it contains."""

    code: str
    line: int | None
    words: str | None

    def __str__(self) -> str:
        place = "" if self.line is None else f" line {self.line}"
        return f"{self.code}{place}" + ("" if self.words is None else f' "{self.words}"')


@dataclass(frozen=True)
class Expectation:
    """`expect: NAME = VALUE` or `expect: slot NAME = VALUE`."""

    name: str
    slot: bool
    value: str
    ulp: float | None = None
    rel: float | None = None

    @property
    def shown(self) -> str:
        return f"slot {self.name}" if self.slot else self.name


@dataclass(frozen=True)
class Case:
    """One run of the file's program."""

    name: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    dims: dict[str, int] = field(default_factory=dict)
    slots: dict[str, str] = field(default_factory=dict)
    steps: int = 1
    expects: tuple[Expectation, ...] = ()
    run_errors: tuple[Mistake, ...] = ()


@dataclass
class File:
    """A conformance file, read but not run."""

    path: Path
    text: str
    name: str
    spec: list[str] = field(default_factory=list)
    errors: list[Mistake] = field(default_factory=list)
    warnings: list[Mistake] = field(default_factory=list)
    nodes: int | None = None
    cases: list[Case] = field(default_factory=list)

    @property
    def group(self) -> str:
        return self.path.parent.name


@dataclass(frozen=True)
class Result:
    """What became of a file: "passed", "failed" or "skipped", with the reasons."""

    file: str
    status: str
    problems: tuple[str, ...] = ()


# --- reading ------------------------------------------------------------------------------


def suite() -> Path:
    """The folder of the suite: in the installed package, or in the source tree."""
    package = Path(str(resources.files("gradir")))
    for folder in (package / "spec" / "conformance", package.parent / "spec" / "conformance"):
        if folder.is_dir():
            return folder
    raise error("U701", "the conformance suite is not installed", help="name a folder of files")


def files_below(paths: Sequence[Path]) -> list[Path]:
    """The .gir files named, and those in the folders named, sorted within each."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(p for p in path.rglob("*.gir") if p.is_file())
        elif path.is_file():
            found.append(path)
        else:
            raise error("U701", f"there is no file or folder {path}")
    return found


def read_file(path: Path) -> File:
    """A file's directives. Raises BadFile; bytes that are not UTF-8 are left to the program."""
    if path.stat().st_size > MAX_BYTES:
        raise BadFile("the file is too large")
    text = path.read_bytes().decode("utf-8-sig", "replace")
    return parse_file(path, text)


def parse_file(path: Path, text: str) -> File:
    file = File(path, text, path.stem)
    common, current, inside = Case(), Case(), False
    for word, rest in directives(text):
        match word:
            case "spec":
                file.spec += [id.strip() for id in rest.split(",") if id.strip()]
            case "name":
                file.name = rest
            case "error":
                file.errors.append(_mistake(rest))
            case "warning":
                file.warnings.append(_mistake(rest))
            case "nodes":
                file.nodes = _count(rest, 0)
            case "case":
                if inside:
                    file.cases.append(current)
                else:
                    common, inside = current, True
                current = replace(
                    common,
                    name=rest,
                    inputs=dict(common.inputs),
                    dims=dict(common.dims),
                    slots=dict(common.slots),
                )
            case _:
                current = _with(current, word, rest)
    file.cases.append(current)
    if not file.spec:
        raise BadFile("there is no `# spec:` line")
    return file


def directives(text: str) -> Iterator[tuple[str, str]]:
    """The directives in order; a value goes on until its brackets are closed (FILE-3)."""
    lines = iter(text.splitlines())
    for line in lines:
        match = _DIRECTIVE.fullmatch(line.rstrip())
        if match is None:
            continue
        word, rest = match[1], (match[2] or "").strip()
        if word in ("set", "slot", "expect"):
            while rest.count("[") > rest.count("]"):
                more = next(lines, "")
                if not more.lstrip().startswith("#"):
                    raise BadFile(f"the value of `# {word}: {rest[:30]}` is not closed")
                rest += " " + more.lstrip()[1:].strip()
        yield word, rest


def _with(case: Case, word: str, rest: str) -> Case:
    match word:
        case "set" | "slot" | "dim":
            name, value = _binding(rest)
            if word == "dim":
                case.dims[name] = _count(value, 0)
            else:
                (case.inputs if word == "set" else case.slots)[name] = value
            return case
        case "steps":
            return replace(case, steps=_count(rest, 1))
        case "expect":
            return replace(case, expects=(*case.expects, _expectation(rest)))
        case "run-error":
            return replace(case, run_errors=(*case.run_errors, _mistake(rest)))
    raise AssertionError(word)


def _binding(rest: str) -> tuple[str, str]:
    match = _BINDING.fullmatch(rest)
    if match is None:
        raise BadFile(f"`{rest[:40]}` is not NAME = VALUE")
    return match[1], match[2]


def _expectation(rest: str) -> Expectation:
    name, value = _binding(rest)
    slot = name.startswith("slot ")
    tolerances: dict[str, float] = {}
    while match := _TOLERANCE.fullmatch(value):
        value = match[1]
        try:
            tolerances[match[2]] = float(match[3])
        except ValueError:
            raise BadFile(f"`{match[2]}={match[3]}` is no number") from None
    return Expectation(name.removeprefix("slot ").strip(), slot, value, **tolerances)


def _mistake(rest: str) -> Mistake:
    match = _MISTAKE.fullmatch(rest)
    if match is None:
        raise BadFile(f'`{rest[:40]}` is not CODE line N "words"')
    return Mistake(match[1], int(match[2]) if match[2] else None, match[3])


def _count(rest: str, least: int) -> int:
    if not re.fullmatch(r"-?[0-9]{1,12}", rest) or int(rest) < least:
        raise BadFile(f"`{rest[:20]}` is no count")
    return int(rest)


# --- running ------------------------------------------------------------------------------


def run_file(path: Path, executor: Executor, shown: str | None = None) -> Result:
    """Read and run one file."""
    name = shown or str(path)
    try:
        file = read_file(path)
        checks = Checks(file, executor)
        checks.run()
    except (BadFile, OSError) as problem:
        return Result(name, "failed", (f"bad file: {problem}",))
    except GirError:
        raise  # the executor cannot be used at all
    except Exception as crash:  # a bug of gradir's own fails its file; the others still run
        return Result(name, "failed", (f"crashed: {type(crash).__name__}: {str(crash)[:200]}",))
    if checks.skipped and not checks.problems:
        return Result(name, "skipped", (checks.skipped,))
    return Result(name, "failed" if checks.problems else "passed", tuple(checks.problems))


class Checks:
    """The checks of one file, and what they found."""

    def __init__(self, file: File, executor: Executor) -> None:
        self.file, self.executor = file, executor
        self.problems: list[str] = []
        self.skipped = ""
        self.requests = 0

    def ask(self, op: str, **more: Any) -> Answer:
        self.requests += 1
        request = {"id": self.requests, "op": op, "program": self.file.text, **more}
        found = self.executor.ask(request, str(self.file.path))
        if found.get("stage") == "unsupported":
            self.skipped = str(found.get("message", "unsupported"))
        elif found.get("stage") == "none":
            self.problems.append(str(found.get("message")))
        return found

    def run(self) -> None:
        file = self.file
        if file.errors:
            answer = self.ask("build")
            if not self.skipped and not self.problems:
                self.compare_errors("build", file.errors, answer)
            return
        try:
            table = build(read_source(str(file.path))).table
        except GirError as refused:
            first = refused.diagnostics[0]
            line = first.span.line if first.span else None
            self.problems.append(f"refused: {first.code} line {line}: {first.message}")
            return
        self.accepted(self.ask("build"))
        for case in file.cases:
            if self.skipped:
                return
            before = len(self.problems)
            self.case(case, table)
            if case.name:
                self.problems[before:] = [f"case {case.name}: {p}" for p in self.problems[before:]]

    def accepted(self, answer: Answer) -> None:
        """The program must be built, with this many nodes and these warnings."""
        if self.skipped or answer.get("stage") == "none":
            return
        if not answer.get("ok"):
            self.problems.append(f"refused: {_first(answer)}")
            return
        nodes = answer.get("nodes")
        if self.file.nodes is not None and nodes not in (None, self.file.nodes):
            self.problems.append(f"{nodes} nodes, not {self.file.nodes}")
        given = answer.get("warnings")
        if given is None:
            return
        for wanted in self.file.warnings:
            if not any(_is(wanted, found, self.executor.foreign) for found in given):
                self.problems.append(f"no warning {wanted}")
        expected = [wanted.line for wanted in self.file.warnings if wanted.code == "W501"]
        for found in given:
            if found.get("code") == "W501" and found.get("line") not in expected:
                self.problems.append(f"unexpected warning {_brief(found)}")

    def case(self, case: Case, table: Table) -> None:
        try:
            stages, buffers = table.stages, table.buffers
            dims = dict(case.dims)
            arrays = {
                name: _read(value, _type(table, stages, name, "stage"), dims)
                for name, value in case.inputs.items()
            }
            slots = {
                name: _read(value, _type(table, buffers, name, "buffer"), dims)
                for name, value in case.slots.items()
            }
        except ExchangeError as problem:
            raise BadFile(str(problem)) from None
        wants = bool(case.expects or case.run_errors)
        if not wants and any(name not in arrays for name in stages):
            return  # only to be accepted: nothing is said of what it would run on
        answer = self.ask(
            "run",
            inputs={name: _object(array) for name, array in arrays.items()},
            dims=case.dims,
            slots={name: _object(array) for name, array in slots.items()},
            steps=case.steps,
        )
        if self.skipped or answer.get("stage") == "none":
            return
        if case.run_errors:
            self.compare_errors("run", case.run_errors, answer)
        elif not answer.get("ok"):
            self.problems.append(f"failed: {_first(answer)}")
            return
        try:
            dims |= bind_shapes([(table.type(stages[n]), a.shape) for n, a in arrays.items()], dims)
        except BindingConflict:
            dims = dict(case.dims)  # a file that shows this very conflict expects no arrays
        for wanted in case.expects:
            self.compare_value(wanted, answer, table, dims)

    def compare_errors(self, stage: str, wanted: Sequence[Mistake], answer: Answer) -> None:
        if answer.get("ok") or answer.get("stage") != stage:
            what = "accepted" if answer.get("ok") else f"refused at {answer.get('stage')}"
            self.problems.append(f"{what} instead of {wanted[0]} at {stage}")
            return
        found = [e for e in answer.get("errors", []) if isinstance(e, dict)]
        count = 1 if self.executor.foreign else len(wanted)
        for at, mistake in enumerate(wanted[:count]):
            if at >= len(found) or not _is(mistake, found[at], self.executor.foreign):
                got = _brief(found[at]) if at < len(found) else "nothing"
                self.problems.append(f"expected {mistake}, got {got}")

    def compare_value(
        self, wanted: Expectation, answer: Answer, table: Table, dims: dict[str, int]
    ) -> None:
        declared = table.buffers if wanted.slot else table.outputs
        given = (answer.get("slots" if wanted.slot else "outputs") or {}).get(wanted.name)
        if wanted.name not in declared:
            raise BadFile(f"the program has no {wanted.shown}")
        if given is None:
            self.problems.append(f"no value for {wanted.shown}")
            return
        try:
            expected = _read(wanted.value, table.type(declared[wanted.name]), dims)
        except ExchangeError as problem:
            raise BadFile(f"{wanted.shown}: {problem}") from None
        try:
            found = from_json(given)
        except ExchangeError as problem:
            self.problems.append(f"{wanted.shown}: {problem}")
            return
        problem_text = difference(expected, found, wanted)
        if problem_text:
            self.problems.append(f"{wanted.shown}: {problem_text}")


def _type(table: Table, declared: dict[str, int], name: str, what: str) -> TensorType:
    if name not in declared:
        raise BadFile(f"the program has no {what} {name}")
    return table.type(declared[name])


def _read(text: str, type: TensorType, dims: dict[str, int]) -> np.ndarray:
    if not text.startswith("splat "):
        return read_array(text, type, lenient=False)
    try:
        shape = tuple(evaluate_extent(extent, dims) for extent in type.shape)
    except KeyError as unbound:
        raise ExchangeError("R604", f"splat needs a `# dim: {unbound.args[0]} = …`") from None
    return np.broadcast_to(numbers_of([text[6:].strip()], type.dtype, lenient=False), shape).copy()


def _object(array: np.ndarray) -> Any:
    return json.loads(json_object(array, values=False))


def _is(wanted: Mistake, found: Answer, foreign: bool) -> bool:
    return (
        found.get("code") == wanted.code
        and (wanted.line is None or found.get("line") == wanted.line)
        and (foreign or wanted.words is None or wanted.words in str(found.get("message")))
    )


def _brief(found: Answer) -> str:
    return f"{found.get('code')} line {found.get('line')}: {found.get('message')}"


def _first(answer: Answer) -> str:
    errors = answer.get("errors") or [{}]
    return _brief(errors[0]) if isinstance(errors[0], dict) else "no reason given"


def difference(expected: np.ndarray, found: np.ndarray, wanted: Expectation) -> str:
    """What differs, in words; empty where nothing does."""
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return (
            f"expected {expected.dtype} of shape {list(expected.shape)}, "
            f"got {found.dtype} of shape {list(found.shape)}"
        )
    if expected.tobytes() == found.tobytes():
        return ""
    if wanted.ulp is not None or wanted.rel is not None:
        if _close(expected, found, wanted):
            return ""
    elif expected.size > 64:
        at = next(
            k
            for k, (a, b) in enumerate(zip(bits_of(expected), bits_of(found), strict=True))
            if a != b
        )
        a, b = (element_texts(array.reshape(-1)[at : at + 1])[0] for array in (expected, found))
        return f"element {at} is {b}, expected {a}"
    shown = [nest(element_texts(array), array.shape)[:400] for array in (found, expected)]
    text = f"got {shown[0]}, expected {shown[1]}"
    if shown[0] == shown[1]:
        text += f" (bits {bits_of(found)} and {bits_of(expected)})"
    return text


def _close(expected: np.ndarray, found: np.ndarray, wanted: Expectation) -> bool:
    a, b = expected.astype(np.float64), found.astype(np.float64)
    with np.errstate(all="ignore"):
        allowed = np.zeros_like(a)
        if wanted.ulp is not None:
            allowed = np.maximum(allowed, wanted.ulp * np.spacing(np.abs(expected)))
        if wanted.rel is not None:
            allowed = np.maximum(allowed, wanted.rel * np.abs(a))
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= allowed)
    return bool(same.all())
