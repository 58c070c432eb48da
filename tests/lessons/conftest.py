"""The little course, and one grader for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lessons.little_course import write_course

from gradir.lessons.course import Course, load_course
from gradir.lessons.grade import Grader


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    with Grader(2) as made:
        yield made


@pytest.fixture(scope="session")
def little(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return load_course(write_course(tmp_path_factory.mktemp("course") / "course"))


@pytest.fixture
def course_copy(tmp_path: Path) -> Path:
    """A course that a test may change."""
    return write_course(tmp_path / "course")
