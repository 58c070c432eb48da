"""What runs in a child process: one submission's cases, each result told as soon as it is there.

`gir` jobs build and run a program and judge it on the spot: a program is data, it cannot look
about. `python` jobs import a student's module: they know which calls to make, and nothing of what
is expected.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gradir.lessons import cases
from gradir.lessons.cases import Found, Setting
from gradir.lessons.course import Lesson, load_lesson
from gradir.runtime.program import Program
from gradir.text.diagnostics import GirError

Tell = Callable[[Mapping[str, Any]], None]

MOST_JSON = 4 << 20  # characters of a value that is told


def run_job(job: Mapping[str, Any], tell: Tell) -> None:
    """Run a job's cases from `first` on. `tell` gets {"case", "passed"|"value"|"error", …}."""
    (gir_job if job["kind"] == "gir" else python_job)(job, tell)


# --- programs -----------------------------------------------------------------------------


class Prepared(NamedTuple):
    """A lesson and its solution, as they were when their files had these times."""

    times: tuple[int, ...]
    lesson: Lesson
    solution: Program | None


_prepared: dict[str, Prepared] = {}


def prepare(job: Mapping[str, Any]) -> Prepared | None:
    """Read a program's lesson before the fork, so that the next child finds it read."""
    if job["kind"] != "gir":
        return None
    folder = Path(job["lesson"])
    files = (folder / "lesson.toml", folder / "tests.toml", folder / "solution.gir")
    times = tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)
    found = _prepared.get(str(folder))
    if found is None or found.times != times:
        lesson = load_lesson(folder)
        found = _prepared[str(folder)] = Prepared(times, lesson, cases.read_solution(lesson))
    return found


def gir_job(job: Mapping[str, Any], tell: Tell) -> None:
    prepared = prepare(job)
    assert prepared is not None
    lesson, first = prepared.lesson, int(job["first"])
    setting: Setting | None = None
    problem: GirError | None = None
    broken: str | None = None
    try:
        program = cases.read_program(job["file"], job["name"])
        setting = Setting(lesson, program, prepared.solution, job["backend"])
        broken = cases.constraint_problem(setting)
    except GirError as refusal:
        problem = refusal
    for at, case in enumerate(lesson.cases[first:], first):
        tell({"case": at, "start": True})
        if problem is not None:
            judge = cases.error_found if case.kind == "error" else cases.refused_case
            found = judge(problem, case)
        else:
            assert setting is not None
            found = cases.check_case(setting, case)
            if broken is not None:
                beside = () if found.passed else (found.message, *found.detail)
                found = Found(False, broken, beside)
        tell(
            {
                "case": at,
                "passed": found.passed,
                "message": found.message,
                "detail": list(found.detail),
            }
        )


# --- Python -------------------------------------------------------------------------------


def python_job(job: Mapping[str, Any], tell: Tell) -> None:
    first = job["first"]
    try:
        module = _module(job["file"])
    except BaseException as failure:
        said = _failure(failure, job["file"], job["name"])
        for at in range(first, len(job["calls"])):
            tell({"case": at, "error": said[0], "detail": said[1]})
        return
    for at, call in enumerate(job["calls"][first:], first):
        tell({"case": at, "start": True})
        tell({"case": at, **_called(module, call, job)})


def _module(file: str) -> Any:
    spec = importlib.util.spec_from_file_location("submission", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["submission"] = module
    spec.loader.exec_module(module)
    return module


def _called(module: Any, call: Mapping[str, Any], job: Mapping[str, Any]) -> dict[str, Any]:
    function = getattr(module, call["call"], None)
    if not callable(function):
        return {"error": f"your file has no function {call['call']}", "detail": []}
    try:
        value = _plain(function(*call["args"]))
        text = json.dumps(value)
    except BaseException as failure:
        message, detail = _failure(failure, job["file"], job["name"])
        return {"error": message, "detail": detail}
    if len(text) > MOST_JSON:
        return {"error": f"the value is too large to be looked at ({len(text)} characters)"}
    return {"value": value}


def _plain(value: Any, depth: int = 0) -> Any:
    """A value as JSON has it: tuples and arrays are lists, NumPy's numbers plain ones."""
    if depth > 100:
        raise ValueError("the value is nested more than 100 deep")
    if hasattr(value, "tolist") and type(value).__module__.startswith("numpy"):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_dict_key(key): _plain(item, depth + 1) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a value of type {type(value).__name__} cannot be looked at")


def _dict_key(key: Any) -> str:
    return key if isinstance(key, str) else str(_plain(key))


def _failure(failure: BaseException, file: str, name: str) -> tuple[str, list[str]]:
    """An exception in a line, and where in the student's file it was raised."""
    if isinstance(failure, SystemExit):
        return "the program ended itself (sys.exit)", []
    kind = type(failure).__name__
    if isinstance(failure, SyntaxError) and failure.filename == file:
        where = f"{name}:{failure.lineno}: " if failure.lineno else ""
        text = [f"    {failure.text.strip()}"] if failure.text else []
        return f"{where}{kind}: {failure.msg}", text
    try:
        message = str(failure)[:300]
    except BaseException:
        message = ""
    frames = [f for f in traceback.extract_tb(failure.__traceback__) if f.filename == file]
    detail: list[str] = []
    for frame in frames[-3:]:
        detail.append(f"{name}:{frame.lineno}, in {frame.name}")
        if frame.line:
            detail.append(f"    {frame.line}")
    place = f"{name}:{frames[-1].lineno}: " if frames else ""
    return f"{place}{kind}: {message}" if message else f"{place}{kind}", detail
