"""The f64 functions' errors, the twin's bits and fma on very many arguments: tool and records."""

import json
import pathlib
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import prove_wide as tool
import pytest
from numerics_oracle import ulps

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEAST = {"errors": 10**9, "twin": 10**8, "fma": 10**8}

needs_gcc = pytest.mark.skipif(not tool.builds(), reason="no gcc")


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "prove_wide.py"), *words]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """(right, one result of sin wrong by a unit): libraries that measure errors."""
    if not tool.builds():
        pytest.skip("no gcc")
    folders = [tmp_path_factory.mktemp(name) for name in ("right", "wrong")]
    name = tool.builds()[0]
    try:
        right = tool.Library(name, folders[0], mpfr=True)
    except SystemExit as problem:
        pytest.skip(f"no MPFR: {problem}")
    bits = np.float64(0.75).view(np.uint64)
    return right, tool.Library(name, folders[1], mpfr=True, wrong=f"{bits:#x}u")


def largest(library, function: str, x: np.ndarray) -> tool.Tally:
    tally = tool.Tally()
    library.call("wide_decide", tool.FUNCTIONS.index(function), x, x.size, tally)
    return tally


def drawn(library, function: str, count: int) -> np.ndarray:
    x = np.empty(count)
    library.call("wide_arguments", tool.FUNCTIONS.index(function), 7, count, x)
    return x


@pytest.mark.parametrize("function", tool.FUNCTIONS)
def test_errors_are_those_of_mpmath(function, measured):
    library, _ = measured
    for x in drawn(library, function, 60):
        y = tool.numerics.FUNCTIONS[function](np.float64(x))
        if np.isfinite(y):
            found = largest(library, function, np.array([x])).largest
            assert found == pytest.approx(float(ulps(function, x, y)), rel=1e-12, abs=1e-30)


def test_a_result_wrong_by_one_unit_has_that_error(measured):
    right, wrong = measured
    x = np.array([0.5, 0.75, 1.0])
    error = largest(right, "sin", x[1:2]).largest
    found = largest(wrong, "sin", x)
    assert found.at == 0.75
    assert min(abs(found.largest - (1 + sign * error)) for sign in (1, -1)) < 1e-12


def test_the_screen_hides_no_argument(measured):
    """The largest error is that of all arguments decided by MPFR."""
    library, _ = measured
    for function in ("exp", "log2", "cos", "erf"):
        x = drawn(library, function, 20000)
        number, screened = tool.FUNCTIONS.index(function), tool.Tally()
        library.call("wide_errors", number, 7, x.size, screened)
        assert screened.decided < x.size // 2
        everything = largest(library, function, x)
        assert (screened.largest, screened.at) == (everything.largest, everything.at)


@pytest.mark.parametrize("function", tool.FUNCTIONS)
def test_drawn_arguments_are_numbers_on_which_the_function_is_not_constant(function, measured):
    library, _ = measured
    x = drawn(library, function, 10**6)
    assert np.isfinite(x).all() and (x != 0).all()
    assert np.unique(tool.numerics.FUNCTIONS[function](x[:20000])).size > 10000


def test_angles_near_multiples_of_half_pi_are_near():
    x = tool.near_multiples()
    sizes = np.minimum(np.abs(tool.numerics.sin(x)), np.abs(tool.numerics.cos(x)))
    assert x.size > 10000
    assert np.median(sizes) < 1e-6 and sizes.min() < 2.0**-60


@needs_gcc
def test_twin_and_fma_on_some_arguments():
    for mode, expected in (("twin", len(tool.FUNCTIONS)), ("fma", len(tool.TYPES))):
        done = ran(mode, "--count", "20000")
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(re.findall("different 0$", done.stdout, re.MULTILINE)) == expected


@needs_gcc
def test_one_different_result_is_noticed_and_named():
    done = ran("twin", "--function", "exp", "--count", "1000", "--wrong", "0x3ff0000000000000u")
    assert done.returncode == 1
    assert "map exp(0x1.0000000000000p+0) is 0x1.5bf0a8b145768p+1" in done.stdout


def test_a_record_stays_for_the_same_object_code(tmp_path, monkeypatch):
    path = tmp_path / "record.json"
    monkeypatch.setattr(tool, "record_path", lambda mode: path)
    monkeypatch.setattr(tool, "text_hash", lambda mode: "today's")
    known = {"text": "old", "objects": {"gcc-avx2": "a"}, "modules": tool.modules_hash("errors")}
    path.write_text(json.dumps({**known, "functions": {"exp": {"arguments": 5}}}))
    same, other = ({"gcc-avx2": SimpleNamespace(object=text)} for text in "ab")
    assert not tool.kept("errors", ["exp"], 5, other)
    assert not tool.kept("errors", ["exp"], 6, same)
    assert not tool.kept("errors", ["exp", "log"], 5, same)
    assert json.loads(path.read_text())["text"] == "old"
    assert tool.kept("errors", ["exp"], 5, same)
    assert json.loads(path.read_text())["text"] == "today's"


@pytest.mark.parametrize("mode", tool.COUNTS)
def test_records_hold_for_the_present_text(mode):
    record = json.loads(tool.record_path(mode).read_text())
    assert record["text"] == tool.text_hash(mode), f"run tools/prove_wide.py {mode} --record"
    size = "triples" if mode == "fma" else "arguments"
    assert set(record["functions"]) == set(tool.TYPES if mode == "fma" else tool.FUNCTIONS)
    for name, entry in record["functions"].items():
        assert entry[size] >= LEAST[mode]
        if mode == "errors":
            assert entry["largest error in ulp"] <= tool.BOUNDS.get(name, 0.6)
            assert entry["largest error of the screen"] < tool.SLACK
            assert entry["of these at random"] >= 10**6
        else:
            assert entry["different"] == 0


def test_the_specification_states_the_recorded_errors():
    text = (ROOT / "spec" / "numerics.md").read_text()
    record = json.loads(tool.record_path("errors").read_text())
    for name, entry in record["functions"].items():
        row = f"| {name} | {entry['largest error in ulp']:.4f} | {entry['at']} |"
        assert row in text
