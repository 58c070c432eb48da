"""The proof of the f32 functions: that it notices, what it records, and a sample of it."""

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest
from numerics_c_library import HERE, builds

ROOT = HERE.parent.parent
TOOL = ROOT / "tools" / "prove_numerics.py"
RECORDS = ROOT / "spec" / "proofs"
FAST = [b for b in builds() if b in ("gcc-avx512", "gcc-avx2")] or builds()[:1]


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("prove_numerics", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules["prove_numerics"] = module
    spec.loader.exec_module(module)
    return module


def proved(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, str(TOOL), "--no-record", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("fast_build", FAST)
def test_hard_cases_and_a_few_blocks(fast_build):
    done = proved("--build", fast_build, "--sample", "8")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" 0 misrounded") == 8


@pytest.mark.parametrize("fast_build", FAST)
def test_functions_of_one_number(fast_build):
    done = proved("--build", f"{fast_build}-one", "--sample", "8")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" 0 misrounded") == 5


def test_one_wrong_input_is_noticed_and_named(tool, tmp_path):
    """sin(0x3f123456) made wrong in its last bit: the whole block's hash shows it."""
    if not FAST:
        pytest.skip("no C compiler")
    build = tool.Build.of(FAST[0])
    wrong = tool.Measure(build, tmp_path, "0x3f123456u")
    right_folder = tmp_path / "right"
    right_folder.mkdir()
    right = tool.Measure(build, right_folder)
    known = tool.Reference(tmp_path).known["sin"]
    first, last = 0x3F10, 0x3F18
    assert (right.hashes("sin", first, last) == known[first:last]).all()
    differing = np.nonzero(wrong.hashes("sin", first, last) != known[first:last])[0]
    assert differing.tolist() == [2]
    reference = tool.Reference(tmp_path)
    if not reference.build():
        pytest.skip("the argument is found with MPFR, which is not here")
    (line,) = tool.locate(wrong, reference, "sin", 0x3F12)
    assert line.startswith("3f123456: ")
    assert tool.locate(right, reference, "sin", 0x3F12) == []


def test_a_difference_in_any_one_result_changes_the_hash(tool):
    """Weights are odd: modulo 2^32 no nonzero difference of one result vanishes."""
    text = (ROOT / "tools" / "proof" / "proof.h").read_text()
    assert "scrambled(i) | 1" in text
    for difference in (1, 2, 0x80000000, 0xFFFFFFFF):
        for weight in (1, 0x9E3779B1, 0xFFFFFFFF):
            assert difference * weight % 2**32 != 0


def complete_records() -> list[dict]:
    paths = [*RECORDS.glob("gcc-*.json"), *RECORDS.glob("clang-*.json")]
    return [json.loads(path.read_text()) for path in sorted(paths)]


def test_records_hold_for_the_present_text(tool):
    records = complete_records()
    assert records, "no proof recorded"
    for record in records:
        build = tool.Build.of(record["build"])
        assert record["text"] == tool.text_hash(build), (
            f"{build.name} was proven for another text: run tools/prove_numerics.py"
        )
        assert set(record["functions"]) == set(build.functions)
        assert all(f["misrounded"] == 0 for f in record["functions"].values())


def test_record_of_the_twins_holds_for_the_present_modules(tool):
    record = json.loads((RECORDS / "twin.json").read_text())
    assert record["text"] == tool.twin_hash(), "run tools/prove_numerics.py --build twin"
    assert set(record["functions"]) == set(tool.FUNCTIONS)
    assert all(f["misrounded"] == 0 for f in record["functions"].values())
    assert all(f["arguments"] >= 10**8 for f in record["functions"].values())


def test_complete_records_have_the_exact_hashes():
    exact = json.loads((RECORDS / "exact.json").read_text())
    name = "sum of the blocks' hashes"
    for record in complete_records():
        for function, found in record["functions"].items():
            if found["arguments"] == 2**32:
                assert found[name] == exact[function][name]


def test_twins_give_the_exact_results_of_hard_cases_and_a_few_blocks():
    done = proved("--build", "twin", "--sample", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" 0 misrounded") == 8
