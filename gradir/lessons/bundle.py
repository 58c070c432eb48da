"""Bundles: a course for students without what they are to find, and an autograder's archive.

The students' copy holds no hidden case, no solution, no answer and no wrong answer. Its `equiv`
cases, which compare with the solution, become `run` cases with the solution's bits. The same
course gives the same bytes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gradir.lessons.cases import equiv_inputs, read_solution, run_program
from gradir.lessons.course import (
    COURSE_FILE,
    UNIT_FILE,
    BrokenLesson,
    Case,
    Lesson,
    load_course,
    read_toml,
)
from gradir.lessons.record import tests_text, toml_text
from gradir.lessons.values import toml_value
from gradir.runtime.files import write_atomically
from gradir.text.diagnostics import error

_WITHHELD = ("answer", "tolerance", "feedback", "explain")
_EXECUTABLE = 0o755

_SETUP = """\
#!/usr/bin/env bash
# Installs gradir from the wheels beside this file; needs no network.
set -euo pipefail
root=${AUTOGRADER:-/autograder}
python3 -m pip install --no-index --find-links "$root/source/wheels" --target "$root/gradir" gradir
"""

_RUN = """\
#!/usr/bin/env bash
# Grades the submission; a failed case is a result, not a failure of the autograder.
set -euo pipefail
root=${AUTOGRADER:-/autograder}
mkdir -p "$root/results"
export PYTHONPATH="$root/gradir"
python3 -m gradir lessons grade "$root/submission" --course "$root/source/course"ONLY \\
    --format gradescope -o "$root/results/results.json" || [ "$?" = 1 ]
"""


def student_bundle(course: Path, target: Path) -> int:
    """Write the archive for students; the number of its files."""
    files: dict[str, bytes] = {}
    loaded = load_course(course)
    files[COURSE_FILE] = (course / COURSE_FILE).read_bytes()
    for unit in loaded.units:
        files[f"{unit.name}/{UNIT_FILE}"] = (unit.folder / UNIT_FILE).read_bytes()
        for lesson in unit.lessons:
            for name, data in lesson_files(lesson).items():
                files[f"{unit.name}/{lesson.name}/{name}"] = data
    _write(target, {f"course/{name}": data for name, data in files.items()})
    return len(files)


def lesson_files(lesson: Lesson) -> dict[str, bytes]:
    """What of an exercise goes to students."""
    folder = lesson.folder
    names = ["lesson.toml", "lesson.md", lesson.starter.name]
    names += [f.name for f in sorted(folder.glob("*.gir")) if f.stem not in ("solution", "starter")]
    if any("check" in case.data for case in lesson.cases if not case.hidden):
        names.append("checks.py")
    found = {name: (folder / name).read_bytes() for name in names}
    rows: list[Mapping[str, Any]] = [
        made
        for case, row in zip(lesson.cases, read_toml(folder / "tests.toml")["case"], strict=True)
        if not case.hidden
        for made in visible_rows(lesson, case, row)
    ]
    found["tests.toml"] = tests_text(rows).encode()
    if (folder / "questions.toml").exists():
        questions = read_toml(folder / "questions.toml").get("question", [])
        stripped = [{k: v for k, v in q.items() if k not in _WITHHELD} for q in questions]
        found["questions.toml"] = toml_text("question", stripped).encode()
    return found


def visible_rows(lesson: Lesson, case: Case, row: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """A visible case as students get it: one, or a run for each seed of an equivalence."""
    if case.kind != "equiv":
        return [dict(row)]
    solution = read_solution(lesson)
    if solution is None:
        raise BrokenLesson([f"{lesson.unit}/{lesson.name}: case {case.name} needs the solution"])
    seeds = list(case.data.get("seeds", (1, 2, 3)))
    rows = []
    for seed in seeds:
        given, sized = equiv_inputs(solution, case, seed)
        ran = run_program(solution, sized, "numpy", seed, given)
        made = {key: row[key] for key in ("why", "steps", "ulp", "rel") if key in row}
        made |= {"name": f"{case.name}, seed {seed}", "kind": "run", "dims": sized.data["dims"]}
        made["points"] = case.points / len(seeds)
        made["set"] = {
            name: value.replace("{seed}", str(seed)) if isinstance(value, str) else value
            for name, value in given.items()
        }
        made["expect"] = {name: toml_value(np.asarray(v)) for name, v in ran.outputs.items()}
        made["slots"] = {name: toml_value(v) for name, v in ran.session.state.items()}
        rows.append({key: value for key, value in made.items() if value != {}})
    return rows


def gradescope_bundle(
    course: Path, target: Path, wheels: Path | None, only: Iterable[str] = ()
) -> int:
    """Write the autograder's archive: wheels, the whole course, and two scripts."""
    if wheels is None:
        help = "--wheels DIR: `pip wheel -w DIR gradir` fills it"
        raise error("U702", "the autograder installs without a network: it needs wheels", help=help)
    found = sorted(wheels.glob("*.whl")) if wheels.is_dir() else []
    if not any(wheel.name.startswith("gradir-") for wheel in found):
        raise error("U701", f"{wheels} holds no wheel of gradir")
    loaded = load_course(course)
    chosen = "".join(f" --only {loaded.lesson(name).id}" for name in only)
    files = {"setup.sh": _SETUP.encode(), "run_autograder": _RUN.replace("ONLY", chosen).encode()}
    files |= {f"wheels/{wheel.name}": wheel.read_bytes() for wheel in found}
    for path in sorted(course.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            files[f"course/{path.relative_to(course).as_posix()}"] = path.read_bytes()
    _write(target, files)
    return len(files)


def _write(target: Path, files: Mapping[str, bytes]) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            mode = _EXECUTABLE if name in ("setup.sh", "run_autograder") else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)
    write_atomically(str(target), stream.getvalue())
