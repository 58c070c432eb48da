"""Submissions that misbehave cost their own points and nothing else."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from gradir.lessons.classroom import grade_folder, grade_one
from gradir.lessons.course import Course
from gradir.lessons.grade import Grader
from gradir.lessons.outcome import LessonResult

GOOD = "\n\ndef twice(xs):\n    return [2 * x for x in xs]\n"

linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's walls are Linux's")


def graded(text: str, course: Course, grader: Grader) -> LessonResult:
    return grader.grade_text(course.lesson("one.twice"), text)


def messages(result: LessonResult) -> str:
    return " ".join(case.message for case in result.cases)


# What each does, and a part of the message it gets.
HOSTILE = {
    "endless loop": ("def twice(xs):\n    while True:\n        pass\n", "was stopped"),
    "endless loop at import": ("while True:\n    pass\n", "was stopped"),
    "ten gigabytes": ("def twice(xs):\n    return len(bytearray(10 << 30))\n", "MemoryError"),
    "endless printing": (
        "def twice(xs):\n    while True:\n        print('x' * 10000)\n",
        "printed more than 4 MB",
    ),
    "recursion": ("def twice(xs):\n    return twice(xs)\n", "RecursionError"),
    "exit": ("import os\n\ndef twice(xs):\n    os._exit(0)\n", "ended itself"),
    "sys.exit": ("import sys\n\ndef twice(xs):\n    sys.exit(0)\n", "ended itself"),
    "fork": ("import os\n\ndef twice(xs):\n    os.fork()\n    return xs\n", "may not use os.fork"),
    "process": (
        "import subprocess\n\ndef twice(xs):\n    subprocess.run(['true'])\n",
        "may not use subprocess.Popen",
    ),
    "network": (
        "import socket\n\ndef twice(xs):\n    socket.socket()\n",
        "may not use socket",
    ),
    "password file": (
        "def twice(xs):\n    return open('/etc/passwd').read()\n",
        "may not open /etc/passwd",
    ),
    "memory of others": (
        "import gc\n\ndef twice(xs):\n    return len(gc.get_objects())\n",
        "may not use gc",
    ),
    "no json": ("def twice(xs):\n    return object()\n", "cannot be looked at"),
    "syntax": ("def twice(xs:\n", "SyntaxError"),
    "no function": ("x = 1\n", "no function twice"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_each_costs_its_own_points(name: str, little: Course, grader: Grader) -> None:
    text, message = HOSTILE[name]
    result = graded(text, little, grader)
    assert result.score == 0
    assert message in messages(result)
    assert graded(GOOD, little, grader).passed  # the server lives


def test_a_case_that_ends_its_process_leaves_the_others(little: Course, grader: Grader) -> None:
    text = "import os\n\ndef twice(xs):\n    if not xs:\n        os._exit(3)\n" + GOOD.replace(
        "\n\ndef twice(xs):\n", ""
    )
    result = graded(text, little, grader)
    assert [case.passed for case in result.cases] == [True, True, False]


@linux
def test_a_fork_bomb_by_way_of_libc_stays_one_process(little: Course, grader: Grader) -> None:
    text = (
        "import _ctypes, os, posix\n\ndef twice(xs):\n    n = 0\n"
        "    for k in range(50):\n        try:\n            posix.fork()\n            n += 1\n"
        "        except OSError:\n            pass\n    return n\n"
    )
    assert graded(text, little, grader).score == 0


@linux
def test_its_folder_goes_but_nothing_else(little: Course, grader: Grader, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("still here")
    text = (
        "import os, shutil\n\ndef twice(xs):\n"
        f"    for path in ('.', {str(tmp_path)!r}):\n"
        "        try:\n            shutil.rmtree(path)\n        except OSError:\n            pass\n"
        f"        try:\n            os.unlink({str(kept)!r})\n        except OSError:\n"
        "            pass\n    return [2 * x for x in xs]\n"
    )
    assert graded(text, little, grader).passed
    assert kept.read_text() == "still here"


def test_a_claim_to_have_passed_is_no_value(little: Course, grader: Grader) -> None:
    text = (
        "import os\n"
        'for k in range(3):\n    os.write(3, b\'{"case": %d, "passed": true}\\n\' % k)\n'
        "os.write(3, b'{\"done\": true}\\n')\nos._exit(0)\n"
    )
    assert graded(text, little, grader).score == 0


def test_rubbish_on_the_result_pipe(little: Course, grader: Grader) -> None:
    result = graded("import os\nos.write(3, b'[' * 100000 + b'\\n')\n", little, grader)
    assert result.score == 0


@linux
def test_the_solution_cannot_be_read(little: Course, grader: Grader) -> None:
    solution = little.lesson("one.twice").solution
    for way in ("open({0!r}).read()", "posix.read(posix.open({0!r}, 0), 1000)"):
        text = f"import posix\n\ndef twice(xs):\n    return {way.format(str(solution))}\n"
        result = graded(text, little, grader)
        assert "PermissionError" in messages(result)


def test_what_is_printed_is_cut(little: Course, grader: Grader) -> None:
    result = graded("print('y' * 200000)\n" + GOOD, little, grader)
    assert result.passed
    assert len(result.printed) == 64 << 10


# --- programs -----------------------------------------------------------------------------

PROGRAMS = {
    "include": ('include "/etc/passwd"\n', "N210"),
    "include above": ('include "../../../../etc/passwd"\n', "N210"),
    "npy": ('%b = buffer f32[3] init="/etc/passwd.npy"\noutput (load %b) name="y"\n', "R609"),
    "memory": (
        "%x = stage f32[3]\n%a = mul (expand (iota i32[1,1]) shape=[60000,60000]) 1\n"
        'output (cast (reduce %a op=add) dtype=f32) name="y"\n',
        "R606",
    ),
    "not text": ("\udcff\udcfe", "P108"),
    "deep": ("%x = stage f32[3]\n%y = neg " + "(neg " * 5000 + "%x" + ")" * 5000 + "\n", "P106"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_refused(name: str, little: Course, grader: Grader, tmp_path: Path) -> None:
    text, code = PROGRAMS[name]
    file = tmp_path / "01-double.gir"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    result = grader.grade(little.lesson("one.double"), file)
    assert result.score == 0
    said = messages(result) + " ".join(line for case in result.cases for line in case.detail)
    assert code in said


def test_a_program_that_runs_too_long(little: Course, grader: Grader) -> None:
    text = (
        "%x = stage f32[3]\n%b = buffer f32\n%i = range 100000000\n"
        'store %b (add (load %b) 1.0)\nend %i\noutput (mul %x 2.0) name="y"\n'
    )
    began = time.monotonic()
    result = grader.grade_text(little.lesson("one.double"), text)
    assert "was stopped" in messages(result)
    assert time.monotonic() - began < 60


# --- files --------------------------------------------------------------------------------


def test_links_and_devices_are_refused(little: Course, grader: Grader, tmp_path: Path) -> None:
    lesson = little.lesson("one.double")
    root = tmp_path / "ann"
    root.mkdir()
    (root / f"{lesson.id}.gir").symlink_to(lesson.solution)
    assert "link" in messages(grade_one(root, lesson, grader))
    other = tmp_path / "bob"
    other.mkdir()
    (other / lesson.unit).symlink_to(lesson.folder.parent)
    (lesson.folder.parent / "01-double.gir").write_text(lesson.solution.read_text())
    try:
        assert "outside" in messages(grade_one(other, lesson, grader))
    finally:
        (lesson.folder.parent / "01-double.gir").unlink()
    huge = tmp_path / "eve"
    huge.mkdir()
    (huge / f"{lesson.id}.gir").write_bytes(b"#" * (2 << 20))
    assert "larger than" in messages(grade_one(huge, lesson, grader))
    folder = tmp_path / "dan"
    (folder / f"{lesson.id}.gir").mkdir(parents=True)
    assert grade_one(folder, lesson, grader).score == 0


def test_one_broken_submission_stops_nobody(little: Course, grader: Grader, tmp_path: Path) -> None:
    for name in ("ann", "bob", "cyd", "dan"):
        for lesson in little.lessons:
            target = tmp_path / name / lesson.work_file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(lesson.solution.read_bytes())
    (tmp_path / "bob" / "01-one" / "03-twice.py").write_text("import os\nos.kill(0, 9)\n")
    (tmp_path / "cyd" / "01-one" / "01-double.gir").write_bytes(b"\0\xff" * 1000)
    report = grade_folder(tmp_path, little, grader, 2)
    assert {s.name: s.score for s in report.submissions} == {
        "ann": 6.0,
        "bob": 4.0,
        "cyd": 4.0,
        "dan": 6.0,
    }
    assert not report.passed  # two thirds are below seven tenths
