"""Writes conformance files: directives, values wrapped at 100 columns, line numbers of errors."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from conformance_oracle import rounded

ROOT = Path(__file__).parent.parent / "spec" / "conformance"
COLUMNS = 96


def shortest(value: float, dtype: str) -> str:
    """The shortest decimal that reads back to the same bits of the type."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = repr(value)
    if dtype == "f32":
        for digits in range(1, 10):
            text = f"{value:.{digits}g}"
            if rounded(Fraction(text), "f32") == value:
                break
        if 1e-4 <= abs(value) < 1e7:
            text = repr(float(text))
    if re.fullmatch(r"-?\d+", text):
        text += ".0"
    return text


def show(value: Any, dtype: str) -> str:
    """A value, nested as its lists are, as a directive has it."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(show(item, dtype) for item in value) + "]"
    if dtype in ("f32", "f64"):
        return shortest(value, dtype)
    return ("true" if value else "false") if dtype == "bool" else str(value)


def wrapped(line: str) -> list[str]:
    """A directive over several comment lines where it is too long for one."""
    lines: list[str] = []
    while len(line) > COLUMNS and (cut := line.rfind(", ", 8, COLUMNS)) > 0:
        lines.append(line[: cut + 1])
        line = "#   " + line[cut + 2 :]
    return [*lines, line]


def given(name: str, value: Any, dtype: str) -> list[str]:
    return wrapped(f"# set: {name} = {show(value, dtype)}")


def expected(name: str, value: Any, dtype: str) -> list[str]:
    return wrapped(f"# expect: {name} = {show(value, dtype)}")


class Suite:
    """Files to be written, by path; `check` compares them with those on the disk."""

    def __init__(self) -> None:
        self.files: dict[Path, str] = {}

    def put(
        self, area: str, name: str, ids: str, head: Iterable[str], program: str | Sequence[str]
    ) -> None:
        """One file. A program line that ends in `# T302` gets an `# error: T302 line N`."""
        lines = program.split("\n") if isinstance(program, str) else list(program)
        body = [line for line in lines if line.strip()]
        codes = [m[1] if (m := re.search(r"# ([A-Z]\d{3})$", line)) else None for line in body]
        start = [f"# spec: {ids}", f"# name: {name}", *head]
        offset = len(start) + sum(code is not None for code in codes) + 1
        errors = [f"# error: {code} line {offset + at}" for at, code in enumerate(codes) if code]
        path = ROOT / area / f"{name}.gir"
        assert path not in self.files, path
        self.files[path] = "\n".join([*start, *errors, *body]) + "\n"

    def write(self) -> None:
        for path, text in self.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def stale(self) -> list[Path]:
        """Files on the disk that are not what the oracle says."""
        return [
            path
            for path, text in self.files.items()
            if not path.exists() or path.read_text(encoding="utf-8") != text
        ]
