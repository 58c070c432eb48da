"""What grading finds: plain data, from one case up to a class. Writers read it; nothing else.

Points count in full or not at all, case by case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class CaseResult:
    """`message` is one line; `detail` the lines below it. Both are empty where a case passed."""

    name: str
    kind: str
    points: float
    hidden: bool
    why: str
    passed: bool
    message: str = ""
    detail: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def score(self) -> float:
        return self.points if self.passed else 0.0


@dataclass(frozen=True)
class LessonResult:
    """One exercise of one submission. `printed` is what the submission wrote, cut."""

    id: str
    title: str
    points: float
    cases: tuple[CaseResult, ...]
    missing: bool = False
    printed: str = ""
    took: float = 0.0  # seconds in all

    @property
    def passed(self) -> bool:
        return bool(self.cases) and all(case.passed for case in self.cases)

    @property
    def score(self) -> float:
        """The lesson's points by the share of its cases' points that were reached."""
        whole = sum(case.points for case in self.cases)
        if not whole:
            return 0.0
        return self.points * sum(case.score for case in self.cases) / whole

    @property
    def seconds(self) -> float:
        """How long the cases themselves took."""
        return sum(case.seconds for case in self.cases)

    def count(self, *, hidden: bool) -> tuple[int, int]:
        """How many of the visible or of the hidden cases passed, and how many there are."""
        these = [case for case in self.cases if case.hidden is hidden]
        return sum(case.passed for case in these), len(these)


@dataclass(frozen=True)
class Submission:
    """All exercises of one student."""

    name: str
    lessons: tuple[LessonResult, ...]

    @property
    def score(self) -> float:
        return sum(lesson.score for lesson in self.lessons)

    @property
    def points(self) -> float:
        return sum(lesson.points for lesson in self.lessons)

    @property
    def finished(self) -> int:
        return sum(lesson.passed for lesson in self.lessons)

    def passed(self, threshold: float) -> bool:
        return self.points > 0 and self.score >= threshold * self.points - 1e-9


@dataclass(frozen=True)
class Report:
    """What a grading run found."""

    course: str
    threshold: float
    submissions: Sequence[Submission] = field(default_factory=tuple)

    @property
    def passed(self) -> bool:
        return all(submission.passed(self.threshold) for submission in self.submissions)


def number_text(value: float) -> str:
    """Points for people: `3`, `2.5`."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
