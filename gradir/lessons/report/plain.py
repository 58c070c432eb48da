"""Results as text: what a student reads after a check, and a table of a class."""

from __future__ import annotations

from collections.abc import Iterator

from gradir.lessons.outcome import CaseResult, LessonResult, Report, number_text
from gradir.text.diagnostics import printable

_COLORS = {"good": "32", "bad": "31", "dim": "2", "strong": "1"}
PRINTED_LINES = 12


def paint(text: str, kind: str, color: bool) -> str:
    return f"\x1b[{_COLORS[kind]}m{text}\x1b[0m" if color else text


def lesson_lines(result: LessonResult, color: bool = False) -> Iterator[str]:
    """One exercise: every case, each failure with all that is known of it."""
    for case in result.cases:
        yield from _case_lines(case, color)
    if result.printed.strip():
        yield paint("your program printed:", "dim", color)
        lines = result.printed.rstrip("\n").split("\n")
        yield from (f"  {printable(line[:200])}" for line in lines[:PRINTED_LINES])
        if len(lines) > PRINTED_LINES:
            yield f"  … and {len(lines) - PRINTED_LINES} lines more"
    counts = []
    for hidden, word in ((False, "visible"), (True, "hidden")):
        passed, count = result.count(hidden=hidden)
        if count:
            counts.append(f"{passed} of {count} {word} cases")
    score = f"{number_text(result.score)} of {number_text(result.points)} points"
    mark = paint("passed", "good", color) if result.passed else paint("not yet", "bad", color)
    yield f"{mark}: {', '.join(counts)}, {score}"


def _case_lines(case: CaseResult, color: bool) -> Iterator[str]:
    hidden = " (hidden)" if case.hidden else ""
    if case.passed:
        yield f"{paint('ok  ', 'good', color)} {case.name}{hidden}"
        return
    yield f"{paint('FAIL', 'bad', color)} {case.name}{hidden}: {case.why}"
    if case.hidden:
        return
    yield f"     {printable(case.message)}"
    yield from (f"     {printable(line)}" for line in case.detail)


def write(report: Report) -> str:
    """A single submission at length, a class as a table."""
    if len(report.submissions) == 1:
        return "\n".join(_at_length(report)) + "\n"
    return "\n".join(_table(report)) + "\n"


def _at_length(report: Report) -> Iterator[str]:
    (submission,) = report.submissions
    for lesson in submission.lessons:
        if lesson.missing:
            continue
        yield f"== {lesson.id}: {lesson.title}"
        yield from lesson_lines(lesson)
        yield ""
    missing = [lesson.id for lesson in submission.lessons if lesson.missing]
    if missing:
        yield f"not handed in: {', '.join(missing)}"
    yield (
        f"{submission.name}: {number_text(submission.score)} of "
        f"{number_text(submission.points)} points, {submission.finished} of "
        f"{len(submission.lessons)} exercises passed"
    )


def _table(report: Report) -> Iterator[str]:
    width = max([len("submission"), *(len(s.name) for s in report.submissions)])
    yield f"{'submission':{width}}  {'points':>8}  {'of':>6}  {'passed':>6}  "
    for submission in report.submissions:
        verdict = "" if submission.passed(report.threshold) else "below the threshold"
        yield (
            f"{printable(submission.name):{width}}  {number_text(submission.score):>8}  "
            f"{number_text(submission.points):>6}  {submission.finished:>6}  {verdict}"
        ).rstrip()
