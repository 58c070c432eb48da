"""Writers against their formats, read back by other means."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as xml

import pytest

from gradir.lessons.outcome import CaseResult, LessonResult, Report, Submission
from gradir.lessons.report import WRITERS
from gradir.text.diagnostics import GirError

NASTY = '<a> & "q" \x1b[31m\0 # \\ ’ \ud800'


def report(*names: str) -> Report:
    good = CaseResult("fine", "run", 1.0, False, "by hand", True, seconds=0.25)
    bad = CaseResult("bad # 1", "equiv", 3.0, False, "random", False, NASTY, ("a", NASTY))
    hidden = CaseResult("secret", "run", 2.0, True, "others", False, "y is 1", ("yours: 1",))
    lessons = (
        LessonResult("one.double", "Double", 3.0, (good, bad, hidden), printed=NASTY),
        LessonResult("one.slope", "Slope", 2.0, (good,)),
        LessonResult(
            "one.twice",
            "Twice",
            1.0,
            (CaseResult("none", "python", 1.0, False, "w", False, "not handed in"),),
            missing=True,
        ),
    )
    return Report("Little", 0.4, tuple(Submission(name, lessons) for name in names))


def test_scores() -> None:
    (ann,) = report("ann").submissions
    assert [lesson.score for lesson in ann.lessons] == [0.5, 2.0, 0.0]
    assert ann.score == 2.5 and ann.points == 6.0 and ann.finished == 1
    assert ann.passed(0.4) and not ann.passed(0.5)
    assert ann.lessons[0].count(hidden=False) == (1, 2)


def test_json() -> None:
    data = json.loads(WRITERS["json"](report("ann", "bob")))
    assert [s["name"] for s in data["submissions"]] == ["ann", "bob"]
    assert data["submissions"][0]["lessons"][0]["cases"][1]["detail"] == ["a", NASTY]
    assert data["passed"] is True and data["submissions"][0]["score"] == 2.5


def test_junit() -> None:
    root = xml.fromstring(WRITERS["junit"](report("ann", "bob")).encode("utf-8"))
    assert root.tag == "testsuites"
    assert root.attrib["tests"] == "10" and root.attrib["failures"] == "4"
    assert root.attrib["skipped"] == "2"
    suites = root.findall("testsuite")
    assert [s.attrib["name"] for s in suites[:2]] == ["ann.one.double", "ann.one.slope"]
    for suite in suites:
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
    failure = suites[0].find("testcase[@name='bad # 1']/failure")
    assert failure is not None and failure.attrib["message"].startswith('<a> & "q"')


def test_gradescope() -> None:
    data = json.loads(WRITERS["gradescope"](report("ann")))
    assert data["score"] == 2.5 and data["max_score"] == 6.0
    assert set(data) == {
        *("score", "max_score", "execution_time", "output", "visibility"),
        *("stdout_visibility", "tests"),
    }
    assert sum(t["max_score"] for t in data["tests"]) == pytest.approx(6.0)
    assert sum(t["score"] for t in data["tests"]) == pytest.approx(2.5)
    assert {t["visibility"] for t in data["tests"]} == {"visible", "hidden"}
    secret = next(t for t in data["tests"] if t["name"] == "Double: secret")
    assert secret["visibility"] == "hidden" and secret["status"] == "failed"
    assert [t["number"] for t in data["tests"]] == ["1.1", "1.2", "1.3", "2.1", "3.1"]


def test_gradescope_takes_one_submission() -> None:
    with pytest.raises(GirError):
        WRITERS["gradescope"](report("ann", "bob"))


def test_tap() -> None:
    """Each line is one that TAP 14 knows; numbers run; the blocks are JSON."""
    lines = WRITERS["tap"](report("ann")).split("\n")
    assert lines[:2] == ["TAP version 14", "1..5"] and lines[-1] == ""
    number = 0
    for line in lines[2:-1]:
        if match := re.fullmatch(r"(not )?ok (\d+) - (.*)", line):
            number += 1
            assert int(match[2]) == number
            assert " # " not in match[3] or match[3].endswith("# SKIP not handed in")
        elif line not in ("  ---", "  ..."):
            key, _, value = line.strip().partition(": ")
            assert key in ("message", "why", "detail")
            json.loads(value)
    assert number == 5


def test_text_of_one_and_of_many() -> None:
    one = WRITERS["text"](report("ann"))
    assert "ann: 2.5 of 6 points, 1 of 3 exercises passed" in one
    assert "not handed in: one.twice" in one
    assert "y is 1" not in one  # hidden
    assert "\x1b" not in one
    table = WRITERS["text"](report("ann", "bob")).splitlines()
    assert len(table) == 3 and table[1].split()[:4] == ["ann", "2.5", "6", "1"]
