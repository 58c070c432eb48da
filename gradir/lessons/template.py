"""`dev new`: the files of an exercise that is yet to be written."""

from __future__ import annotations

from pathlib import Path

from gradir.lessons.course import SUFFIX
from gradir.text.diagnostics import error

_TOML = """\
id = "UNIT.NAME"
title = "…"
kind = "KIND"
concepts = ["…"]
requires = []
minutes = 10
points = 1
hints = [
  "A nudge.",
  "A step.",
  "Nearly the answer.",
]
reveal = "after:3"
time_limit = 5.0
starter_message = "…"
"""

_TEXT = """\
What this is about, in a few sentences, with an example.

```gir
%x = stage f32[3]
output (mul %x 2.0) name="y"
```

## Your task

…
"""

_GIR_TESTS = """\
[[case]]
name = "small numbers"
kind = "run"
why = "three numbers by hand"
set = { x = [1, 2, 3] }
expect = { y = [2.0, 4.0, 6.0] }

[[case]]
name = "other numbers"
kind = "equiv"
hidden = true
why = "random numbers"
seeds = [1, 2, 3]
"""

_PYTHON_TESTS = """\
[[case]]
name = "small numbers"
kind = "python"
why = "by hand"
call = "double"
args = [[1.0, 2.0]]
expect = [2.0, 4.0]

[[case]]
name = "no numbers"
kind = "python"
hidden = true
why = "an empty list"
call = "double"
args = [[]]
expect = []
"""

_QUESTIONS = """\
[[question]]
id = "q1"
kind = "single"
text = "…?"
choices = { a = "…", b = "…" }
answer = "b"
feedback = { a = "…" }
explain = "…"
"""

_PROGRAMS = {
    "gir": (
        '%x = stage f32[3]\noutput %x name="y"\n',
        '%x = stage f32[3]\noutput (mul %x 2.0) name="y"\n',
    ),
    "python": (
        "def double(xs):\n    return xs\n",
        "def double(xs):\n    return [2 * x for x in xs]\n",
    ),
}


def make_lesson(folder: Path, kind: str) -> list[Path]:
    """The files, written; GirError where the folder is there already."""
    if kind not in SUFFIX:
        raise error("U702", f"an exercise is of kind {' or '.join(SUFFIX)}, not {kind}")
    if folder.exists():
        raise error("U703", f"{folder} exists")
    suffix = SUFFIX[kind]
    starter, solution = _PROGRAMS[kind]
    unit = folder.resolve().parent.name.partition("-")[2] or "unit"
    name = folder.name.partition("-")[2] or folder.name
    toml = _TOML.replace("UNIT", unit).replace("NAME", name).replace("KIND", kind)
    files = {
        "lesson.toml": toml,
        "lesson.md": _TEXT,
        "tests.toml": _GIR_TESTS if kind == "gir" else _PYTHON_TESTS,
        "questions.toml": _QUESTIONS,
        "explain.md": "Why, and where it goes next.\n",
        f"starter{suffix}": starter,
        f"solution{suffix}": solution,
        f"wrong/first{suffix}": f"# expect: …\n{starter}",
        f"wrong/second{suffix}": f"# expect: …\n{starter}",
    }
    written = []
    try:
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            written.append(target)
    except OSError as problem:
        raise error("U703", f"cannot write {folder}: {problem.strerror or problem}") from None
    return written
