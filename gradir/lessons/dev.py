"""`dev check`: whether a course is whole and each of its exercises does what it promises.

Solutions score in full on both executors, starters and emptied starters fail, every wrong answer
fails with its message, programs are formatted, questions have feedback, no file is astray.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gradir.lessons.course import (
    COURSE_FILE,
    UNIT_FILE,
    BrokenLesson,
    Lesson,
    load_course,
    load_lesson,
    load_unit,
)
from gradir.lessons.grade import Grader
from gradir.lessons.outcome import CaseResult, LessonResult
from gradir.text.diagnostics import GirError, error
from gradir.text.format import format_source
from gradir.text.grammar import parse
from gradir.text.reading import read_source
from gradir.text.source import Source

_FILES = {"lesson.toml", "lesson.md", "tests.toml", "questions.toml", "explain.md", "checks.py"}
_FIGURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SLOW_SECONDS = 3.0


@dataclass
class Checked:
    """What was found of one exercise. `seconds` is how long its own check takes."""

    name: str
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0


def lessons_of(path: Path) -> list[Lesson]:
    """The exercises of a course's, a unit's or an exercise's folder."""
    if (path / COURSE_FILE).is_file():
        return load_course(path).lessons
    if (path / UNIT_FILE).is_file():
        return list(load_unit(path).lessons)
    if (path / "lesson.toml").is_file():
        return [load_lesson(path)]
    raise error(
        "U701",
        f"{path} is no course, unit or exercise",
        help=f"it holds {COURSE_FILE}, {UNIT_FILE} or lesson.toml",
    )


def check_lesson(lesson: Lesson, grader: Grader, backends: Iterable[str]) -> Checked:
    """Everything that must hold of one exercise."""
    checked = Checked(f"{lesson.unit}/{lesson.name}")
    problems = checked.problems
    problems += _file_problems(lesson)
    problems += _text_problems(lesson)
    problems += _format_problems(lesson)
    if not lesson.solution.is_file() or not lesson.starter.is_file():
        return checked
    try:
        for backend in backends if lesson.kind == "gir" else ("numpy",):
            result = grader.grade(lesson, lesson.solution, backend=backend, trusted=True)
            if backend == "numpy":
                checked.seconds = result.seconds
            for case in failed(result):
                problems.append(f"solution, {backend}: case {case.name}: {said(case)}")
        if checked.seconds > SLOW_SECONDS:
            problems.append(f"its check takes {checked.seconds:.1f} s, {SLOW_SECONDS:.0f} at most")
        problems += _starter_problems(lesson, grader)
        problems += _wrong_problems(lesson, grader)
    except BrokenLesson as broken:
        problems += broken.problems
    return checked


def failed(result: LessonResult) -> list[CaseResult]:
    return [case for case in result.cases if not case.passed]


def said(case: CaseResult) -> str:
    return "; ".join([case.message, *case.detail])[:600]


def visible_text(result: LessonResult) -> str:
    """All that a student sees of the cases that failed, in one line of text."""
    parts: list[str] = []
    for case in failed(result):
        parts += [case.name, case.why]
        if not case.hidden:
            parts += [case.message, *case.detail]
    return " ".join(" ".join(parts).split())


# --- files and texts ----------------------------------------------------------------------


def _file_problems(lesson: Lesson) -> Iterator[str]:
    known = {*_FILES, lesson.starter.name, lesson.solution.name}
    figures = {match[2] for match in _FIGURE.finditer(lesson.text("lesson.md"))}
    known |= {str(Path(figure).with_suffix(".gir")) for figure in figures}
    for name in sorted(known - {"checks.py"}):
        if not (lesson.folder / name).is_file():
            yield f"{name} is missing"
    for file in sorted(lesson.folder.iterdir()):
        if file.name in known or file.name in ("wrong", "__pycache__"):
            continue
        yield f"{file.name} belongs to nothing"
    for file in sorted((lesson.folder / "wrong").glob("*")):
        if file.suffix != lesson.suffix:
            yield f"wrong/{file.name} is no {lesson.suffix} file"
    if len(lesson.wrong) < 2:
        yield f"{len(lesson.wrong)} wrong answers, at least two are needed"
    if not any(case.hidden for case in lesson.cases):
        yield "no case is hidden"
    if all(case.hidden for case in lesson.cases):
        yield "no case is visible"
    if not lesson.questions:
        yield "questions.toml has no [[question]]"


def _text_problems(lesson: Lesson) -> Iterator[str]:
    text = lesson.text("lesson.md")
    if not re.search(r"^## Your task\b", text, re.MULTILINE):
        yield "lesson.md has no `## Your task`"
    if not lesson.text("explain.md").strip():
        yield "explain.md is empty"
    for at, (info, body) in enumerate(_BLOCK.findall(text), 1):
        if info.strip() != "gir":
            continue
        _, diagnostics = parse(Source(f"block {at}", body))
        for diagnostic in diagnostics[:1]:
            yield f"lesson.md, block {at}: {diagnostic.code}: {diagnostic.message}"


def _format_problems(lesson: Lesson) -> Iterator[str]:
    if lesson.kind != "gir":
        return
    for file in [*sorted(lesson.folder.glob("*.gir")), *lesson.wrong]:
        try:
            source = read_source(str(file))
            if format_source(source) != source.text:
                yield f"{file.relative_to(lesson.folder)} is not formatted: `gradir fmt`"
        except GirError as problem:
            if file.parent.name != "wrong":
                yield f"{file.name}: {problem}"


# --- answers that must fail ---------------------------------------------------------------


def _starter_problems(lesson: Lesson, grader: Grader) -> Iterator[str]:
    result = grader.grade(lesson, lesson.starter, trusted=True)
    if result.passed:
        yield "the starter passes: it is to fail"
    wanted = " ".join(lesson.starter_message.split())
    if not wanted:
        yield "lesson.toml has no starter_message"
    elif wanted not in visible_text(result):
        yield f'the starter\'s failure does not say "{wanted}": {visible_text(result)[:300]}'
    empty = grader.grade_text(lesson, "", trusted=True)
    if empty.passed:
        yield "an empty file passes"


def _wrong_problems(lesson: Lesson, grader: Grader) -> Iterator[str]:
    for file in lesson.wrong:
        name = f"wrong/{file.name}"
        head = file.read_text(encoding="utf-8").partition("\n")[0]
        if not head.startswith("# expect:"):
            yield f"{name}: the first line is to be `# expect: …`"
            continue
        wanted = " ".join(head.removeprefix("# expect:").split())
        result = grader.grade(lesson, file, trusted=True)
        if result.passed:
            yield f"{name} passes"
        elif wanted not in visible_text(result):
            yield f'{name} does not get "{wanted}" but: {visible_text(result)[:400]}'
