"""`dev check --write`: expectations as the solution's bits.

A plain decimal must agree with the solution within 1e-6 before it is replaced; what is missing
is added. The file is written anew, in one order of fields; comments at its head stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradir.lessons.cases import read_program, run_program
from gradir.lessons.course import PYTHON, Case, Lesson, read_toml
from gradir.lessons.grade import Grader
from gradir.lessons.values import BadValue, read_value, toml_value
from gradir.runtime.files import write_atomically
from gradir.runtime.program import Program
from gradir.text.diagnostics import GirError

NEAR = 1e-6
_ORDER = (
    *("name", "kind", "points", "hidden", "why", "set", "dims", "steps", "seeds"),
    *("call", "args", "args_py", "check", "code", "line", "tolerance", "ulp", "rel"),
    *("counts", "at_least", "at_most", "nodes", "max_nodes", "expect", "slots"),
)
_WIDTH = 96


def record(lesson: Lesson) -> Iterator[str]:
    """Rewrite tests.toml; what changed and what does not agree, line by line."""
    file = lesson.folder / "tests.toml"
    data = read_toml(file)
    where = f"{lesson.unit}/{lesson.name}"
    try:
        if lesson.kind == PYTHON:
            yield from _record_calls(lesson, data, where)
        else:
            yield from _record_runs(lesson, data, where)
    except (GirError, BadValue) as problem:
        yield f"{where}: not written: {problem}"
        return
    text = tests_text(data["case"], _head(file))
    if text != file.read_text(encoding="utf-8"):
        write_atomically(str(file), text.encode("utf-8"))
        yield f"{where}: tests.toml written"


def _head(file: Path) -> str:
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line + "\n")
    return "".join(lines)


def _record_runs(lesson: Lesson, data: dict[str, Any], where: str) -> Iterator[str]:
    program = read_program(str(lesson.solution), "solution.gir")
    for case, row in zip(lesson.cases, data["case"], strict=True):
        if case.kind != "run":
            continue
        try:
            recorded, apart = recorded_run(program, case)
        except GirError as problem:
            yield f"{where}, case {case.name}: {problem}"
            continue
        for name, text in apart.items():
            yield f"{where}, case {case.name}: {name} is not what the solution gives: {text}"
        if not apart:
            row.update(recorded)


def recorded_run(program: Program, case: Case) -> tuple[dict[str, Any], dict[str, str]]:
    """What a run case expects, as bits; and the values that differ from what it says."""
    ran = run_program(program, case, "numpy")
    apart: dict[str, str] = {}
    result: dict[str, Any] = {}
    groups = (
        ("expect", ran.outputs, program.table.outputs),
        ("slots", ran.session.state, program.table.buffers),
    )
    for group, found, declared in groups:
        stated = case.data.get(group)
        names = list(stated or {})
        if stated is None and (group == "expect" or _stored(program)):
            names = list(declared) if group == "expect" else _stored(program)
        for name in names:
            if name not in declared:
                apart[name] = "it has no such name"
                continue
            value = np.asarray(found[name])
            if stated and not _near(
                read_value(stated[name], program.table.type(declared[name])), value
            ):
                apart[name] = str(value.tolist())[:200]
            result.setdefault(group, {})[name] = toml_value(value)
    return result, apart


def _stored(program: Program) -> list[str]:
    table = program.table
    stored = {table[id].operands[0] for id in table.of_op("store")}
    return [name for name, id in table.buffers.items() if id in stored]


def _near(stated: np.ndarray, found: np.ndarray) -> bool:
    if stated.shape != found.shape:
        return False
    if found.dtype.kind != "f":
        return bool((stated == found).all())
    a, b = stated.astype(np.float64), found.astype(np.float64)
    with np.errstate(all="ignore"):
        close = np.abs(a - b) <= NEAR * np.maximum(1.0, np.abs(b))
    return bool((close | (a == b) | (np.isnan(a) & np.isnan(b))).all())


def _record_calls(lesson: Lesson, data: dict[str, Any], where: str) -> Iterator[str]:
    wanted = [c for c in lesson.cases if "check" not in c.data]
    if not wanted:
        return
    with Grader() as grader:
        values = grader.values(lesson, lesson.solution)
    for case, row, value in zip(lesson.cases, data["case"], values, strict=True):
        if "check" in case.data or "expect" in case.data:
            continue
        if "value" not in value:
            yield f"{where}, case {case.name}: {value.get('error')}"
        else:
            row["expect"] = _exact(value["value"])


def _exact(value: Any) -> Any:
    """A JSON value with nothing that TOML cannot say."""
    if value is None:
        raise BadValue("None cannot stand in tests.toml: use a checker")
    if isinstance(value, list):
        return [_exact(item) for item in value]
    return value


# --- TOML text ----------------------------------------------------------------------------


def tests_text(cases: Sequence[Mapping[str, Any]], head: str = "") -> str:
    """tests.toml in one layout: short tables in a line, long arrays over several."""
    return (f"{head}\n" if head else "") + toml_text("case", cases)


def toml_text(word: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Tables `[[word]]` as TOML."""
    parts = []
    for row in rows:
        lines = [f"[[{word}]]"]
        tables: list[tuple[str, Mapping[str, Any]]] = []
        names = sorted(row, key=lambda name: _ORDER.index(name) if name in _ORDER else 99)
        for name in names:
            value = row[name]
            if isinstance(value, dict):
                line = f"{name} = {_inline(value)}"
                if len(line) > _WIDTH:
                    tables.append((name, value))
                    continue
                lines.append(line)
            else:
                lines.append(_field(name, value))
        for name, table in tables:
            lines.append(f"\n[{word}.{name}]")
            lines += [_field(key, value) for key, value in table.items()]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _field(name: str, value: Any) -> str:
    line = f"{_key(name)} = {_inline(value)}"
    if len(line) <= _WIDTH or not isinstance(value, list):
        return line
    return f"{_key(name)} = [\n{_wrapped(value)}]"


def _wrapped(items: list[Any]) -> str:
    lines, row = [], "  "
    for item in items:
        text = _inline(item) + ","
        if len(row) > 2 and len(row) + 1 + len(text) > _WIDTH:
            lines.append(row)
            row = "  "
        row += ("" if row == "  " else " ") + text
    lines.append(row)
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    bare = all(c.isascii() and (c.isalnum() or c in "_-") for c in name) and name
    return name if bare else json.dumps(name)


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list):
        return f"[{', '.join(_inline(item) for item in value)}]"
    if isinstance(value, float):
        return repr(value)  # `inf` and `nan` are TOML's own words
    return str(value)
