"""A report as TAP 14: a line a case, failures with a YAML block."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gradir.lessons.outcome import CaseResult, LessonResult, Report


def write(report: Report) -> str:
    rows = [
        (submission.name, lesson, case)
        for submission in report.submissions
        for lesson in submission.lessons
        for case in lesson.cases
    ]
    lines = ["TAP version 14", f"1..{len(rows)}"]
    for number, (name, lesson, case) in enumerate(rows, 1):
        lines += _lines(number, name, lesson, case)
    return "\n".join(lines) + "\n"


def _lines(number: int, name: str, lesson: LessonResult, case: CaseResult) -> Iterator[str]:
    mark = "ok" if case.passed else "not ok"
    title = _escaped(f"{name}: {lesson.id}: {case.name}")
    skip = " # SKIP not handed in" if lesson.missing else ""
    yield f"{mark} {number} - {title}{skip}"
    if case.passed or lesson.missing:
        return
    yield "  ---"
    # JSON's strings are YAML's too, whatever they hold
    yield f"  message: {json.dumps(case.message)}"
    yield f"  why: {json.dumps(case.why)}"
    yield f"  detail: {json.dumps(list(case.detail))}"
    yield "  ..."


def _escaped(text: str) -> str:
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat.replace("\\", "\\\\").replace("#", "\\#")
