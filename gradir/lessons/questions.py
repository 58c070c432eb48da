"""Questions to check oneself: how they are stated, and how an answer is judged."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gradir.lessons.fields import Fields
from gradir.text.diagnostics import error

KINDS = ("single", "multi", "number", "shape", "text")


@dataclass(frozen=True)
class Question:
    """`answer` is a letter, letters, a number, a shape or a text; None where it is left out."""

    id: str
    kind: str
    text: str
    choices: Mapping[str, str]
    answer: Any
    tolerance: float = 0.0
    feedback: Mapping[str, str] = field(default_factory=dict)
    explain: str = ""


@dataclass(frozen=True)
class Verdict:
    right: bool
    text: str


def read_questions(fields: Fields) -> Iterator[Question]:
    seen: set[str] = set()
    for row in fields.tables("question"):
        question = Question(
            id=row.text("id"),
            kind=row.choice("kind", KINDS),
            text=row.text("text"),
            choices=dict(row.table("choices").given),
            answer=row.any("answer"),
            tolerance=row.number("tolerance", 0.0),
            feedback=dict(row.table("feedback").given),
            explain=row.text("explain", ""),
        )
        row.end()
        if question.id in seen:
            row.problem("this id is taken")
        seen.add(question.id)
        if question.answer is not None:
            for problem in _problems(question):
                row.problem(problem)
        yield question


def _problems(question: Question) -> Iterator[str]:
    kind, answer, choices = question.kind, question.answer, question.choices
    if kind in ("single", "multi"):
        right = [answer] if kind == "single" else answer
        if not isinstance(right, list) or not all(a in choices for a in right):
            yield "the answer is not among the choices"
            return
        if len(choices) < 2:
            yield "at least two choices are needed"
        for letter in choices:
            if letter not in right and letter not in question.feedback:
                yield f"the wrong choice {letter} has no feedback"
        for letter in question.feedback:
            if letter not in choices and letter != "default":
                yield f"feedback for {letter}, which is no choice"
    elif choices:
        yield f"a question of kind {kind} has no choices"
    else:
        fits = {
            "number": isinstance(answer, int | float) and not isinstance(answer, bool),
            "shape": isinstance(answer, list) and all(isinstance(n, int | str) for n in answer),
            "text": isinstance(answer, str),
        }
        if not fits.get(kind, True):
            yield f"the answer is no {kind}"
        if "default" not in question.feedback:
            yield "feedback.default is missing"
    if not question.explain:
        yield "explain is missing"


def judge(question: Question, given: str) -> Verdict:
    """Whether a typed answer is right, and what to say to it. GirError U702 if it is none."""
    read = normalise(question, given)
    if question.answer is None:
        return Verdict(False, "noted: your teacher's copy of the course holds the answers")
    right = question.answer
    if question.kind == "number":
        ok = _close(read, float(right), question.tolerance)
    elif question.kind == "shape":
        ok = read == [str(size) for size in right]
    elif question.kind == "text":
        ok = read == _plain(right)
    elif question.kind == "multi":
        ok = sorted(read) == sorted(right)
    else:
        ok = read == right
    if ok:
        return Verdict(True, question.explain)
    return Verdict(False, wrong_feedback(question, read))


def wrong_feedback(question: Question, read: Any) -> str:
    feedback = question.feedback
    if question.kind == "single":
        return feedback.get(read, feedback.get("default", "not that one"))
    if question.kind == "multi":
        right = set(question.answer)
        extra = [letter for letter in read if letter not in right]
        said = [feedback[letter] for letter in extra if letter in feedback]
        if not extra:
            said = [feedback.get("default", "right so far, but not all that is true is chosen")]
        return " ".join(said) or "not quite"
    return feedback.get(str(read), feedback.get("default", "not that"))


def normalise(question: Question, given: str) -> Any:
    """An answer as typed, in the form in which it is compared."""
    text = given.strip()
    kind = question.kind
    if kind == "single":
        if text.lower() not in question.choices:
            raise _bad(question, f"{text} is no choice", ", ".join(question.choices))
        return text.lower()
    if kind == "multi":
        letters = [w for w in re.split(r"[\s,]+", text.lower()) if w]
        if len(letters) == 1 and letters[0] not in question.choices:
            letters = list(letters[0])
        for letter in letters:
            if letter not in question.choices:
                raise _bad(question, f"{letter} is no choice", ", ".join(question.choices))
        return sorted(set(letters))
    if kind == "number":
        try:
            return float.fromhex(text) if "0x" in text.lower() else float(text)
        except (ValueError, OverflowError):
            raise _bad(question, f"{text} is no number", "3.5") from None
    if kind == "shape":
        return [w for w in re.split(r"[\s,]+", text.strip("[]() ")) if w]
    return _plain(text)


def _bad(question: Question, message: str, example: str) -> Exception:
    return error("U702", f"{question.id}: {message}", help=f"for example {example}")


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().strip("`\"'.")


def _close(given: float, right: float, tolerance: float) -> bool:
    if math.isnan(given) or math.isnan(right):
        return math.isnan(given) and math.isnan(right)
    return given == right or abs(given - right) <= tolerance
