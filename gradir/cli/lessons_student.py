"""`gradir lessons`: the commands of those who take the course."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from gradir.cli.console import color_of, say
from gradir.lessons.course import BrokenLesson, Course, Lesson, course_folder, load_course
from gradir.lessons.grade import Grader
from gradir.lessons.outcome import LessonResult, number_text
from gradir.lessons.progress import NEW, PASSED, STALE, STARTED, Workspace, create
from gradir.lessons.questions import Question, judge
from gradir.lessons.report.plain import lesson_lines, paint
from gradir.text.diagnostics import error

BAR = 30
POLL_SECONDS = 0.3
_MARKS = {NEW: " ", STARTED: "…", PASSED: "x", STALE: "~"}


def execute(args: argparse.Namespace) -> int:
    workspace = None if args.action == "init" else Workspace.find(args.dir)
    remembered = workspace.course if workspace is not None else None
    try:
        course = load_course(course_folder(args.course or remembered))
    except BrokenLesson as broken:
        for problem in broken.problems:
            say(f"{problem}\n")
        return 2
    if workspace is None:
        return init(args, course)
    if workspace.aside is not None:
        say(f"the progress file was damaged: it is now {workspace.aside}, a new one is begun\n")
    command: Callable[[argparse.Namespace, Course, Workspace], int] = _COMMANDS[args.action]
    return command(args, course, workspace)


def out(text: str = "") -> None:
    sys.stdout.write(text + "\n")


def lesson_of(args: argparse.Namespace, course: Course, workspace: Workspace) -> Lesson:
    """The lesson named, or the next one."""
    if len(args.rest) > 1:
        raise error("U702", f"one lesson at a time, not {len(args.rest)}")
    if args.rest:
        return course.lesson(args.rest[0])
    lesson = workspace.next(course)
    if lesson is None:
        raise error("U702", "every lesson is passed: name one", help="`gradir lessons list`")
    return lesson


# --- where one is -------------------------------------------------------------------------


def init(args: argparse.Namespace, course: Course) -> int:
    if len(args.rest) > 1:
        raise error("U702", "one folder at a time")
    folder = Path(args.rest[0] if args.rest else args.dir or ".")
    workspace, made = create(folder, course, args.course)
    out(f"{made} exercises put into {folder}; what was there already is untouched")
    lesson = workspace.next(course)
    if lesson is not None:
        here = "" if folder.resolve() == Path.cwd() else f"cd {folder}, then "
        out(f"next: {here}gradir lessons show {lesson.id}")
    return 0


def status(args: argparse.Namespace, course: Course, workspace: Workspace) -> int:
    lessons = course.lessons
    done = sum(workspace.status(lesson) in (PASSED, STALE) for lesson in lessons)
    stale = [lesson for lesson in lessons if workspace.status(lesson) == STALE]
    filled = BAR * done // max(len(lessons), 1)
    out(course.title)
    out(f"[{'#' * filled}{'.' * (BAR - filled)}] {done} of {len(lessons)} exercises")
    for unit in course.units:
        passed = sum(workspace.status(lesson) in (PASSED, STALE) for lesson in unit.lessons)
        out(f"  {passed:2} of {len(unit.lessons):2}  {unit.title}")
    if stale:
        out(f"changed since you passed: {', '.join(lesson.id for lesson in stale)}")
    lesson = workspace.next(course)
    if lesson is None:
        out("all passed")
    else:
        out(f"next: {lesson.title}, about {lesson.minutes} minutes")
        out(f"      gradir lessons show {lesson.id}")
        out(f"      edit {workspace.path(lesson)}, then gradir lessons check {lesson.id}")
    return 0


def listing(args: argparse.Namespace, course: Course, workspace: Workspace) -> int:
    width = max((len(lesson.id) for lesson in course.lessons), default=0)
    for unit in course.units:
        out(f"{unit.title}")
        for lesson in unit.lessons:
            state = workspace.status(lesson)
            word = f" ({state})" if state in (STALE, STARTED) else ""
            out(f"  [{_MARKS[state]}] {lesson.id:{width}}  {lesson.title}{word}")
    return 0


def show(args: argparse.Namespace, course: Course, workspace: Workspace) -> int:
    return _show(lesson_of(args, course, workspace), workspace)


def next_lesson(args: argparse.Namespace, course: Course, workspace: Workspace) -> int:
    if args.rest:
        raise error("U702", "next takes no lesson", help="gradir lessons show ID")
    lesson = workspace.next(course)
    if lesson is None:
        out("all passed")
        return 0
    return _show(lesson, workspace)


def _show(lesson: Lesson, workspace: Workspace) -> int:
    for line in lesson_text(lesson, workspace):
        out(line)
    return 0


def lesson_text(lesson: Lesson, workspace: Workspace) -> Iterator[str]:
    color = color_of(sys.stdout)
    yield paint(f"{lesson.title}  ({lesson.id})", "strong", color)
    yield f"{lesson.minutes} minutes, {number_text(lesson.points)} points"
    if lesson.requires:
        yield f"builds on {', '.join(lesson.requires)}"
    yield ""
    yield lesson.body.strip()
    yield ""
    for question in lesson.questions:
        yield from _question_lines(lesson, question, workspace)
    yield f"your file: {workspace.path(lesson)}"
    if workspace.status(lesson) in (PASSED, STALE):
        yield ""
        yield lesson.text("explain.md").strip()


def _question_lines(lesson: Lesson, question: Question, workspace: Workspace) -> Iterator[str]:
    answer = workspace.entry(lesson).answers.get(question.id)
    mark = " " if answer is None else "x" if answer.get("right") else "?"
    yield f"[{mark}] {lesson.id}.{question.id}: {question.text}"
    for letter, text in question.choices.items():
        yield f"      {letter}) {text}"
    yield ""


# --- checking -----------------------------------------------------------------------------


def check(args: argparse.Namespace, course: Course, workspace: Workspace) -> int:
    lesson = lesson_of(args, course, workspace)
    with Grader(0) as grader:
        result = _checked(lesson, workspace, grader)
    return 0 if result.passed else 1


def _checked(lesson: Lesson, workspace: Workspace, grader: Grader) -> LessonResult:
    """Grade one file, say what came of it, and remember it."""
    path = workspace.path(lesson)
    result = grader.grade(lesson, path)
    if result.missing:
        raise error(
            "U701", f"there is no file {path}", help=f"gradir lessons reset {lesson.id} makes it"
        )
    color = color_of(sys.stdout)
    out(paint(f"{lesson.title}  ({path})", "strong", color))
    for line in lesson_lines(result, color):
        out(line)
    before = workspace.status(lesson)
    workspace.record(lesson, result)
    if result.passed and before != PASSED:
        explanation = lesson.text("explain.md").strip()
        if explanation:
            out()
            out(explanation)
    if not result.passed:
        left = len(lesson.hints) - workspace.entry(lesson).hints
        if left > 0:
            out(f"stuck? gradir lessons hint {lesson.id}")
    return result


def watch(args: argparse.Namespace, course: Course, workspace: Workspace) -> int:
    """Check on every save until q, or Ctrl-C. n next, h hint, l list, c check, q quit."""
    from gradir.cli.keys import Keys

    lesson = lesson_of(args, course, workspace)
    passed, seen = False, -1
    with Grader(0) as grader, Keys() as keys:
        say("watching; n next, h hint, l list, c check again, q quit\n")
        while True:
            stamp = _stamp(workspace.path(lesson))
            if stamp != seen:
                seen = stamp
                passed = stamp >= 0 and _checked(lesson, workspace, grader).passed
                sys.stdout.flush()
            key = keys.wait(POLL_SECONDS)
            if key == "q":
                return 0 if passed else 1
            if key == "c":
                seen = -1
            elif key == "l":
                listing(args, course, workspace)
            elif key == "h":
                _hint(lesson, workspace)
            elif key == "n":
                following = workspace.next(course)
                if following is None:
                    out("all passed")
                else:
                    lesson, seen = following, -1
                    _show(lesson, workspace)
            sys.stdout.flush()


def _stamp(path: Path) -> int:
    """When a file was last written; -1 where there is none, as while an editor replaces it."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return -1


# --- help ---------------------------------------------------------------------------------


def hint(args: argparse.Namespace, course: Course, workspace: Workspace) -> int:
    return _hint(lesson_of(args, course, workspace), workspace)


def _hint(lesson: Lesson, workspace: Workspace) -> int:
    entry = workspace.entry(lesson)
    entry.hints = min(entry.hints + 1, len(lesson.hints))
    workspace.save()
    for number, text in enumerate(lesson.hints[: entry.hints], 1):
        out(f"hint {number} of {len(lesson.hints)}: {text}")
    return 0


def answer(args: argparse.Namespace, course: Course, workspace: Workspace) -> int:
    if len(args.rest) < 2:
        raise error("U702", "which answer?", help="gradir lessons answer ID.q1 b")
    name, _, number = args.rest[0].rpartition(".")
    lesson = course.lesson(name) if name else lesson_of(args, course, workspace)
    question = next((q for q in lesson.questions if q.id == number), None)
    if question is None:
        known = ", ".join(q.id for q in lesson.questions) or "none"
        raise error("U702", f"{lesson.id} has no question {number}", help=f"questions: {known}")
    given = " ".join(args.rest[1:])
    verdict = judge(question, given)
    workspace.entry(lesson).answers[question.id] = {"given": given, "right": verdict.right}
    workspace.save()
    if question.answer is None:
        out(verdict.text)
        return 0
    out(f"{'right' if verdict.right else 'no'}: {verdict.text}")
    return 0 if verdict.right else 1


def reset(args: argparse.Namespace, course: Course, workspace: Workspace) -> int:
    if not args.rest:
        raise error("U702", "which lesson?", help="gradir lessons reset ID")
    lesson = lesson_of(args, course, workspace)
    try:
        backup = workspace.reset(lesson)
    except OSError as problem:
        raise error("U703", f"cannot reset {lesson.id}: {problem.strerror or problem}") from None
    out(f"{workspace.path(lesson)} is the starter again")
    if backup is not None:
        out(f"what was there is now {backup}")
    return 0


def solution(args: argparse.Namespace, course: Course, workspace: Workspace) -> int:
    lesson = lesson_of(args, course, workspace)
    withheld = workspace.may_see_solution(lesson)
    if withheld is not None:
        say(f"the solution of {lesson.id} is not shown yet: {withheld}\n")
        return 1
    if not lesson.solution.is_file():
        say("this copy of the course holds no solutions\n")
        return 1
    workspace.entry(lesson).solution_seen = True
    workspace.save()
    sys.stdout.write(lesson.text(lesson.solution.name))
    explanation = lesson.text("explain.md").strip()
    if explanation:
        out()
        out(explanation)
    return 0


_COMMANDS = {
    "status": status,
    "list": listing,
    "show": show,
    "next": next_lesson,
    "check": check,
    "watch": watch,
    "hint": hint,
    "answer": answer,
    "reset": reset,
    "solution": solution,
}
