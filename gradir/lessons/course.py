"""The course as data: units, exercises, cases and questions, read from TOML and checked.

A folder that is not as it must be raises `BrokenLesson` with all that is wrong in it; nothing of
a submission is looked at here.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from gradir.lessons.fields import Fields
from gradir.lessons.questions import Question, read_questions
from gradir.text.diagnostics import Diagnostic, GirError, did_you_mean, error

CASE_KINDS = ("run", "gradcheck", "equiv", "error", "structure", "python")
GIR, PYTHON = "gir", "python"
SUFFIX = {GIR: ".gir", PYTHON: ".py"}
COURSE_FILE, UNIT_FILE = "course.toml", "unit.toml"

_CASE_FIELDS = {
    "run": {"set", "dims", "steps", "expect", "slots", "ulp", "rel"},
    "equiv": {"set", "dims", "steps", "seeds", "ulp", "rel"},
    "gradcheck": {"set", "dims", "tolerance"},
    "error": {"set", "dims", "steps", "code", "line"},
    "structure": {"counts", "at_least", "at_most", "nodes", "max_nodes", "kept"},
    "python": {"call", "args", "args_py", "expect", "check", "tolerance"},
}
_COMMON = {"name", "kind", "points", "hidden", "why"}


class BrokenLesson(GirError):
    """A course, unit or lesson that cannot be used, with every reason."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(*(Diagnostic("U701", problem) for problem in problems))
        self.problems = problems


@dataclass(frozen=True)
class Case:
    """One test of an exercise. `data` holds what its kind needs, as tests.toml says it."""

    name: str
    kind: str
    points: float
    hidden: bool
    why: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Constraints:
    """Which operations, as written, a program must or must not use, and how large it may be."""

    require_ops: tuple[str, ...] = ()
    forbid_ops: tuple[str, ...] = ()
    max_nodes: int | None = None


@dataclass(frozen=True)
class Lesson:
    """An exercise. `folder` is where its files lie, `unit` the name of its unit's folder."""

    id: str
    title: str
    kind: str
    folder: Path
    unit: str
    concepts: tuple[str, ...]
    requires: tuple[str, ...]
    minutes: int
    points: float
    hints: tuple[str, ...]
    reveal: str
    time_limit: float
    starter_message: str
    constraints: Constraints
    cases: tuple[Case, ...]
    questions: tuple[Question, ...]

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def suffix(self) -> str:
        return SUFFIX[self.kind]

    @property
    def starter(self) -> Path:
        return self.folder / f"starter{self.suffix}"

    @property
    def solution(self) -> Path:
        return self.folder / f"solution{self.suffix}"

    @property
    def work_file(self) -> str:
        """Where the exercise lies in a student's folder."""
        return f"{self.unit}/{self.name}{self.suffix}"

    @property
    def wrong(self) -> list[Path]:
        return sorted((self.folder / "wrong").glob(f"*{self.suffix}"))

    @cached_property
    def content(self) -> str:
        """A hash of what a student works on: when it changes, what was reached is stale."""
        made = hashlib.sha256()
        for name in ("lesson.toml", "lesson.md", "tests.toml", "questions.toml"):
            file = self.folder / name
            made.update(name.encode() + b"\0" + (file.read_bytes() if file.exists() else b""))
        return made.hexdigest()[:16]

    @property
    def body(self) -> str:
        """The lesson's text without a heading that only repeats the title."""
        text = self.text("lesson.md").lstrip()
        first, _, rest = text.partition("\n")
        return rest.lstrip("\n") if first.startswith("# ") else text

    def text(self, name: str) -> str:
        """One of the lesson's texts; empty where a bundle leaves it out."""
        file = self.folder / name
        return file.read_text(encoding="utf-8") if file.exists() else ""


@dataclass(frozen=True)
class Unit:
    name: str
    title: str
    summary: str
    folder: Path
    lessons: tuple[Lesson, ...]


@dataclass(frozen=True)
class Course:
    """Units in order. `threshold` is the share of all points that passes the course."""

    title: str
    threshold: float
    folder: Path
    units: tuple[Unit, ...]

    @property
    def lessons(self) -> list[Lesson]:
        return [lesson for unit in self.units for lesson in unit.lessons]

    def lesson(self, name: str) -> Lesson:
        """By id, by `unit/exercise`, or by the exercise's folder name where that is unique."""
        wanted = name.strip("/").removesuffix(".gir").removesuffix(".py")
        found = [
            lesson
            for lesson in self.lessons
            if wanted in (lesson.id, lesson.name, f"{lesson.unit}/{lesson.name}")
        ]
        if len(found) == 1:
            return found[0]
        if found:
            help = "say which: " + ", ".join(lesson.id for lesson in found)
            raise error("U702", f"{name} is the name of {len(found)} lessons", help=help)
        hint = did_you_mean(wanted, [lesson.id for lesson in self.lessons])
        help = f"did you mean {hint}?" if hint else "`gradir lessons list` shows them all"
        raise error("U702", f"there is no lesson {name}", help=help)


# --- reading ------------------------------------------------------------------------------


def course_folder(stated: str | None = None) -> Path:
    """The folder of the course: the one stated, the source tree's, or the installed one."""
    if stated is not None:
        if not (Path(stated) / COURSE_FILE).is_file():
            raise error("U701", f"{stated} holds no {COURSE_FILE}")
        return Path(stated)
    package = Path(str(resources.files("gradir")))
    for folder in (package / "course", package.parent / "lessons"):
        if (folder / COURSE_FILE).is_file():
            return folder
    raise error("U701", "the course is not installed", help="name its folder: --course DIR")


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file; BrokenLesson where there is none or it is damaged."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise BrokenLesson([f"cannot read {path}: {problem.strerror or problem}"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise BrokenLesson([f"{path}: {problem}"]) from None


def load_course(folder: Path) -> Course:
    """The whole course. Raises BrokenLesson with every problem of every lesson."""
    fields = Fields(read_toml(folder / COURSE_FILE), str(folder / COURSE_FILE))
    title = fields.text("title")
    threshold = fields.number("pass", 0.7)
    names = fields.texts("units")
    fields.end()
    problems, units = list(fields.problems), []
    for name in names:
        try:
            units.append(load_unit(folder / name))
        except BrokenLesson as broken:
            problems += broken.problems
    course = Course(title, threshold, folder, tuple(units))
    problems += _order_problems(course)
    if problems:
        raise BrokenLesson(problems)
    return course


def load_unit(folder: Path) -> Unit:
    """One unit with its lessons."""
    fields = Fields(read_toml(folder / UNIT_FILE), str(folder / UNIT_FILE))
    title, summary = fields.text("title"), fields.text("summary")
    names = fields.texts("exercises")
    fields.end()
    problems, lessons = list(fields.problems), []
    for name in names:
        try:
            lessons.append(load_lesson(folder / name))
        except BrokenLesson as broken:
            problems += broken.problems
    if problems:
        raise BrokenLesson(problems)
    return Unit(folder.name, title, summary, folder, tuple(lessons))


def load_lesson(folder: Path) -> Lesson:
    """One exercise from its folder."""
    where = f"{folder.parent.name}/{folder.name}"
    fields = Fields(read_toml(folder / "lesson.toml"), f"{where}/lesson.toml")
    kind = fields.choice("kind", tuple(SUFFIX))
    rules = fields.table("constraints")
    constraints = Constraints(
        tuple(rules.texts("require_ops", ())),
        tuple(rules.texts("forbid_ops", ())),
        rules.count("max_nodes", None),
    )
    rules.end()
    cases = Fields(read_toml(folder / "tests.toml"), f"{where}/tests.toml")
    questions = _questions_file(folder, where)
    lesson = Lesson(
        id=fields.text("id"),
        title=fields.text("title"),
        kind=kind,
        folder=folder,
        unit=folder.parent.name,
        concepts=tuple(fields.texts("concepts")),
        requires=tuple(fields.texts("requires", ())),
        minutes=fields.count("minutes", 10) or 10,
        points=fields.number("points"),
        hints=tuple(fields.texts("hints")),
        reveal=fields.text("reveal", "pass"),
        time_limit=fields.number("time_limit", 5.0),
        starter_message=fields.text("starter_message", ""),
        constraints=constraints,
        cases=tuple(_cases(cases, kind)),
        questions=tuple(read_questions(questions)),
    )
    for group in (fields, cases, questions):
        group.end()
    problems = [*fields.problems, *cases.problems, *questions.problems]
    problems += [f"{where}: {problem}" for problem in _lesson_problems(lesson)]
    if problems:
        raise BrokenLesson(problems)
    return lesson


def _questions_file(folder: Path, where: str) -> Fields:
    file = folder / "questions.toml"
    return Fields(read_toml(file) if file.exists() else {}, f"{where}/questions.toml")


def _cases(fields: Fields, lesson_kind: str) -> Iterator[Case]:
    for row in fields.tables("case"):
        kind = row.choice("kind", CASE_KINDS)
        if (kind == "python") != (lesson_kind == PYTHON) and kind in CASE_KINDS:
            row.problem(f'kind = "{kind}" in an exercise of kind "{lesson_kind}"')
        known = _CASE_FIELDS.get(kind, set())
        data = {key: value for key, value in row.given.items() if key in known}
        row.unknown(known | _COMMON)
        case = Case(
            name=row.text("name"),
            kind=kind,
            points=row.number("points", 1.0),
            hidden=row.flag("hidden", False),
            why=row.text("why"),
            data=data,
        )
        for problem in _case_problems(case):
            row.problem(problem)
        yield case


def _case_problems(case: Case) -> Iterator[str]:
    data = case.data
    if case.points <= 0:
        yield "points must be positive"
    if case.kind == "error" and not isinstance(data.get("code"), str):
        yield 'an error case states its code, as `code = "G107"`'
    if case.kind == "structure" and not data:
        yield "a structure case states what it counts"
    if case.kind == "python" and not isinstance(data.get("call"), str):
        yield "a python case states which function it calls"
    for key in ("set", "dims", "slots", "counts", "at_least", "at_most"):
        if key in data and not isinstance(data[key], dict):
            yield f"{key} is a table"
    if case.kind == "run" and not isinstance(data.get("expect", {}), dict):
        yield "expect is a table"
    steps = data.get("steps", 1)
    if not isinstance(steps, int) or isinstance(steps, bool) or steps < 1:
        yield "steps is a positive integer"
    for symbol, size in data.get("dims", {}).items() if isinstance(data.get("dims"), dict) else ():
        if not isinstance(size, int):
            yield f"dimension {symbol} is an integer"


def _lesson_problems(lesson: Lesson) -> Iterator[str]:
    if not lesson.cases:
        yield "tests.toml has no [[case]]"
    names = [case.name for case in lesson.cases]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"two cases are named {name}"
    if len(lesson.hints) != 3:
        yield f"{len(lesson.hints)} hints, three are needed"
    reveal = lesson.reveal
    if reveal != "pass" and not (reveal.startswith("after:") and reveal[6:].isdigit()):
        yield f'reveal is "pass" or "after:3", not "{reveal}"'
    if not 0 < lesson.time_limit <= 60:
        yield "time_limit lies between 0 and 60 seconds"


def _order_problems(course: Course) -> Iterator[str]:
    """Ids are unique, and what a lesson requires stands before it (so there is no cycle)."""
    seen: set[str] = set()
    everything = {lesson.id for lesson in course.lessons}
    for lesson in course.lessons:
        where = f"{lesson.unit}/{lesson.name}"
        if lesson.id in seen:
            yield f"{where}: the id {lesson.id} is taken"
        for needed in lesson.requires:
            if needed not in everything:
                yield f"{where}: requires {needed}, which is no lesson"
            elif needed not in seen:
                yield f"{where}: requires {needed}, which does not come before it"
        seen.add(lesson.id)
