"""One submission as Gradescope's results.json: a test a case, hidden ones seen by teachers only."""

from __future__ import annotations

import json
from typing import Any

from gradir.lessons.outcome import CaseResult, LessonResult, Report, number_text
from gradir.text.diagnostics import error


def write(report: Report) -> str:
    """GirError U702 where there is not exactly one submission: Gradescope grades one at a time."""
    if len(report.submissions) != 1:
        raise error(
            "U702",
            f"Gradescope's form holds one submission, not {len(report.submissions)}",
            help="--format json holds a class",
        )
    (submission,) = report.submissions
    tests = [
        _test(lesson, case, f"{at}.{number}")
        for at, lesson in enumerate(submission.lessons, 1)
        for number, case in enumerate(lesson.cases, 1)
    ]
    data = {
        "score": round(submission.score, 6),
        "max_score": round(submission.points, 6),
        "execution_time": round(sum(lesson.took for lesson in submission.lessons)),
        "output": f"{submission.finished} of {len(submission.lessons)} exercises passed, "
        f"{number_text(submission.score)} of {number_text(submission.points)} points",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    return json.dumps(data, indent=1) + "\n"


def _test(lesson: LessonResult, case: CaseResult, number: str) -> dict[str, Any]:
    whole = sum(c.points for c in lesson.cases)
    most = lesson.points * case.points / whole
    lines = [case.why] if case.passed else [case.why, case.message, *case.detail]
    return {
        "name": f"{lesson.title}: {case.name}",
        "number": number,
        "score": round(most if case.passed else 0.0, 6),
        "max_score": round(most, 6),
        "status": "passed" if case.passed else "failed",
        "output": "\n".join(lines),
        "visibility": "hidden" if case.hidden else "visible",
        "tags": [lesson.id],
    }
