"""Writers: a report as text for people, JSON, JUnit XML, Gradescope's results, or TAP."""

from __future__ import annotations

from collections.abc import Callable

from gradir.lessons.outcome import Report
from gradir.lessons.report import gradescope, junit, plain, structured, tap

WRITERS: dict[str, Callable[[Report], str]] = {
    "text": plain.write,
    "json": structured.write,
    "junit": junit.write,
    "gradescope": gradescope.write,
    "tap": tap.write,
}
