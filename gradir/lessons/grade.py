"""Grading: a submission's file against an exercise, all exercises of a folder, all of a class."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from gradir.lessons import calls
from gradir.lessons.course import GIR, PYTHON, Case, Lesson
from gradir.lessons.isolate import Limits, Pool
from gradir.lessons.outcome import CaseResult, LessonResult

MEMORY = 2 << 30
MOST_BYTES = 1 << 20  # of a submission's file


class Grader:
    """Grades files in processes of their own. Use it as a context: the processes end with it."""

    def __init__(self, processes: int = 1) -> None:
        self.pool = Pool(processes)

    def __enter__(self) -> Grader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, what: BaseException | None, at: TracebackType | None
    ) -> None:
        self.pool.close()

    def grade(
        self, lesson: Lesson, file: Path, *, backend: str = "numpy", trusted: bool = False
    ) -> LessonResult:
        """One exercise. `trusted` is for the course's own programs: the C compiler may run."""
        try:
            data = read_submission(file)
        except FileNotFoundError:
            return missing(lesson)
        except OSError as problem:
            return refused(lesson, problem.strerror or str(problem))
        job = self._job(lesson, file.name, data)
        if lesson.kind == GIR:
            job |= {
                "lesson": str(lesson.folder.resolve()),
                "backend": backend,
                "trusted": trusted,
            }
        began = time.perf_counter()
        answers, printed = self._answers(lesson, job)
        return LessonResult(
            lesson.id,
            lesson.title,
            lesson.points,
            tuple(
                _result(lesson, case, answer)
                for case, answer in zip(lesson.cases, answers, strict=True)
            ),
            printed=printed,
            took=time.perf_counter() - began,
        )

    def grade_text(self, lesson: Lesson, text: str, *, trusted: bool = False) -> LessonResult:
        with tempfile.TemporaryDirectory(prefix="gradir-") as folder:
            file = Path(folder) / f"submission{lesson.suffix}"
            file.write_text(text, encoding="utf-8")
            return self.grade(lesson, file, trusted=trusted)

    def values(self, lesson: Lesson, file: Path) -> list[Mapping[str, Any]]:
        """What the calls of a Python exercise give: {"value"} or {"error"} a case."""
        answers, _ = self._answers(lesson, self._job(lesson, file.name, read_submission(file)))
        return answers

    def _job(self, lesson: Lesson, name: str, data: bytes) -> dict[str, Any]:
        job: dict[str, Any] = {
            "kind": lesson.kind,
            "text": data.decode("utf-8", "surrogateescape"),
            "name": name,
        }
        if lesson.kind == PYTHON:
            job["calls"] = [
                {"call": case.data["call"], "args": calls.arguments(lesson, case)}
                for case in lesson.cases
            ]
        return job

    def _answers(self, lesson: Lesson, job: dict[str, Any]) -> tuple[list[Mapping[str, Any]], str]:
        """An answer a case. A case that ends its process costs that case: the next ones run anew.

        A submission that cannot even be read in time is not tried again.
        """
        count = len(lesson.cases)
        limits = Limits(lesson.time_limit, MEMORY, count)
        answers: dict[int, Mapping[str, Any]] = {}
        printed, first = "", 0
        while first < count:
            done = self.pool.run({**job, "first": first}, limits)
            printed = printed or done.printed
            answers |= done.answers
            at = next((case for case in range(first, count) if case not in answers), count)
            if at == count:
                break
            why = done.failure or "the process ended before it was done"
            answers[at] = {"case": at, "error": why, "detail": []}
            if done.reached < 0:
                for later in range(first, count):
                    answers.setdefault(later, {"case": later, "error": why, "detail": []})
                break
            first = at + 1
        return [answers[at] for at in range(count)], printed


def read_submission(file: Path) -> bytes:
    """A submission's bytes: of a plain file, no link, not large. OSError."""
    fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as opened:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "this is no plain file")
        if status.st_size > MOST_BYTES:
            raise OSError(errno.EFBIG, f"the file is larger than {MOST_BYTES >> 20} MB")
        return opened.read(MOST_BYTES)


def missing(lesson: Lesson) -> LessonResult:
    """The result of an exercise that was not handed in."""
    return replace(refused(lesson, "not handed in"), missing=True)


def refused(lesson: Lesson, why: str) -> LessonResult:
    """The result of a file that cannot be looked at."""
    cases = tuple(
        CaseResult(c.name, c.kind, c.points, c.hidden, c.why, False, why) for c in lesson.cases
    )
    return LessonResult(lesson.id, lesson.title, lesson.points, cases)


def _result(lesson: Lesson, case: Case, answer: Mapping[str, Any]) -> CaseResult:
    if "value" in answer and lesson.kind == PYTHON:
        found = calls.judged(lesson, case, answer["value"])
        passed, message, detail = found.passed, found.message, list(found.detail)
    elif "error" in answer:
        passed, message, detail = False, str(answer["error"]), list(answer.get("detail", []))
    elif lesson.kind == PYTHON:  # a child that claims to have passed
        passed, message, detail = False, "no value came back", []
    else:
        passed, message = bool(answer["passed"]), str(answer.get("message", ""))
        detail = [str(line) for line in answer.get("detail", [])]
    return CaseResult(
        case.name,
        case.kind,
        case.points,
        case.hidden,
        case.why,
        passed,
        message,
        tuple(detail),
        float(answer.get("seconds", 0.0)),
    )
