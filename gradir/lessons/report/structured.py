"""A report as JSON: everything the model holds, with the sums beside it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from gradir.lessons.outcome import Report, Submission


def write(report: Report) -> str:
    data = {
        "course": report.course,
        "threshold": report.threshold,
        "passed": report.passed,
        "submissions": [_submission(submission, report) for submission in report.submissions],
    }
    return json.dumps(data, indent=1) + "\n"


def _submission(submission: Submission, report: Report) -> dict[str, Any]:
    lessons = []
    for lesson in submission.lessons:
        row = asdict(lesson)
        row["score"], row["passed"] = lesson.score, lesson.passed
        for case, made in zip(lesson.cases, row["cases"], strict=True):
            made["score"] = case.score
        lessons.append(row)
    return {
        "name": submission.name,
        "score": submission.score,
        "points": submission.points,
        "finished": submission.finished,
        "passed": submission.passed(report.threshold),
        "lessons": lessons,
    }
