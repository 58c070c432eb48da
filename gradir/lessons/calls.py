"""Cases of Python exercises: what is called, and whether the JSON value that came back is right.

Nothing of the submission runs here. Expected values and checkers never leave this process.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradir.lessons.cases import PASSED, Found
from gradir.lessons.course import BrokenLesson, Case, Lesson

SHOWN = 400  # characters of a value in a message
_NAMES = {name: value for name, value in vars(math).items() if not name.startswith("_")}


def arguments(lesson: Lesson, case: Case) -> list[Any]:
    """The arguments of a call: as they stand, or a trusted expression's value."""
    expression = case.data.get("args_py")
    if expression is None:
        args = case.data.get("args", [])
    else:
        where = f"{lesson.unit}/{lesson.name}/tests.toml case {case.name}"
        try:
            args = eval(expression, {"math": math, **_NAMES})
            json.dumps(args)
        except Exception as problem:
            raise BrokenLesson([f"{where}: args_py: {problem}"]) from None
    return list(args)


def judged(lesson: Lesson, case: Case, value: Any) -> Found:
    """Whether the value of a call is right."""
    call = call_text(case, arguments(lesson, case))
    if "check" in case.data:
        return _checked(lesson, case, value, call)
    if "expect" not in case.data:
        raise BrokenLesson([f"{lesson.unit}/{lesson.name}: case {case.name} expects nothing"])
    expected = case.data["expect"]
    place = mismatch(expected, value, float(case.data.get("tolerance", 0.0)))
    if place is None:
        return PASSED
    path, wanted, got = place
    at = f" at {path}" if path else ""
    message = f"{call} gives {_short(got)}{at}, expected {_short(wanted)}"
    if not path:
        return Found(False, message)
    return Found(False, message, (f"expected: {_short(expected)}", f"yours:    {_short(value)}"))


def call_text(case: Case, args: list[Any]) -> str:
    """The call as a student would write it, cut."""
    inner = ", ".join(_short(arg, 60) for arg in args)
    text = f"{case.data['call']}({inner})"
    return text if len(text) <= 160 else f"{case.data['call']}(…)"


def _short(value: Any, most: int = SHOWN) -> str:
    text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"


def mismatch(expected: Any, value: Any, tolerance: float) -> tuple[str, Any, Any] | None:
    """The first place where a value is not what is expected: its path and both values.

    Integers and floats are compared as numbers, floats by their bits; true is not 1.
    """
    stack: list[tuple[str, Any, Any]] = [("", expected, value)]
    while stack:
        path, a, b = stack.pop()
        if isinstance(a, list):
            if not isinstance(b, list) or len(a) != len(b):
                return path, a, b
            pairs = zip(a, b, strict=True)
            stack.extend(reversed([(f"{path}[{k}]", x, y) for k, (x, y) in enumerate(pairs)]))
        elif isinstance(a, dict):
            if not isinstance(b, dict) or set(a) != set(b):
                return path, a, b
            stack.extend(reversed([(f"{path}[{key!r}]", a[key], b[key]) for key in a]))
        elif not _same(a, b, tolerance):
            return path, a, b
    return None


def _same(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, str) and isinstance(b, float):
        number = _number(a)
        if number is None:
            return False
        a = number
    if isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str) or a is None:
        return type(a) is type(b) and a == b
    if not isinstance(a, int | float) or not isinstance(b, int | float):
        return False
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    try:
        x, y = float(a), float(b)
    except OverflowError:
        return a == b
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) and math.isnan(y)
    if tolerance and abs(x - y) <= tolerance * max(1.0, abs(x)):
        return True
    return x == y and (x != 0 or isinstance(a, int) or math.copysign(1, x) == math.copysign(1, y))


def _number(text: str) -> float | None:
    try:
        return float.fromhex(text) if "0x" in text else float(text)
    except (ValueError, OverflowError):
        return None


# --- checkers -----------------------------------------------------------------------------


def _checked(lesson: Lesson, case: Case, value: Any, call: str) -> Found:
    """Ask a checker of the lesson: true, None or an empty text is right, a text is a reason."""
    checker = checker_of(lesson, str(case.data["check"]))
    takes = len(inspect.signature(checker).parameters)
    said = checker(value, arguments(lesson, case)) if takes > 1 else checker(value)
    if said is None or said is True or said == "":
        return PASSED
    reason = said if isinstance(said, str) else "is not right"
    return Found(False, f"{call}: {reason}", (f"yours: {_short(value)}",))


def checker_of(lesson: Lesson, name: str) -> Callable[..., Any]:
    """A function of the lesson's own checks.py, which is trusted."""
    file: Path = lesson.folder / "checks.py"
    where = f"{lesson.unit}/{lesson.name}"
    if not file.is_file():
        raise BrokenLesson([f"{where}: a case needs checks.py"])
    spec = importlib.util.spec_from_file_location(f"checks_{abs(hash(str(file)))}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not callable(found):
        raise BrokenLesson([f"{where}: checks.py has no function {name}"])
    checker: Callable[..., Any] = found
    return checker
