"""The conformance suite, a test a file; and the ids of the specification against it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradir.conform.executor import Own
from gradir.conform.suite import files_below, read_file, run_file, suite

ROOT = Path(__file__).parent.parent.parent
TOOLS = ROOT / "tools"
FILES = files_below([suite()])


@pytest.fixture(scope="module")
def reference() -> Own:
    return Own()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_file(path: Path, reference: Own) -> None:
    result = run_file(path, reference)
    assert (result.status, result.problems) == ("passed", ())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_name_is_the_files(path: Path) -> None:
    assert read_file(path).name == path.stem


def test_names_are_unique() -> None:
    names = [path.stem for path in FILES]
    assert len(set(names)) == len(names)


def test_every_sentence_has_a_file() -> None:
    found = subprocess.run(
        [sys.executable, str(TOOLS / "spec_ids.py")], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_generated_files_are_what_the_oracle_says() -> None:
    found = subprocess.run(
        [sys.executable, str(TOOLS / "make_conformance.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
