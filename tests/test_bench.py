"""The benchmarks: our programs compute what the peers do, and the table says what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench import data, driver, table
from bench.answers import Answer
from bench.measure import FOREIGN_LIMIT, Measured
from bench.ours import Ours
from bench.peers import KNOWN
from bench.peers.numpy_peer import NumPy, net_gradients
from bench.workloads import WORKLOADS

from gradir.codegen.toolchain import find_compiler

ROOT = Path(__file__).resolve().parent.parent
needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
SMALL = (
    "mm128",
    "scalar1000",
    "adam_plane",
    "adam_lin30",
    "step_mlp784_128",
    "sgd_mlp2_f64",
)


def measured(
    median: float,
    foreign: float = 0.0,
    check: float = 1.0,
    first: float = 1.0,
    first_foreign: float = 0.0,
) -> Measured:
    return Measured(median, median / 2, median * 2, 7, 1, first, first_foreign, foreign, check)


def answer(bits: dict[str, list[str]] | None = None, **workloads: Measured) -> Answer:
    """Forms are written `exp2__out` here."""
    found = {name.replace("__", "/"): value for name, value in workloads.items()}
    return Answer(measured=found, bits=bits or {})


# --- the workloads ------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("name", SMALL)
def test_ours_computes_what_numpy_does(name: str) -> None:
    checks = []
    for peer in (Ours(1), NumPy(1)):
        workload = peer.makers()[name]()
        workload.run()
        workload.run()  # a training begins anew
        checks.append(workload.check())
    kind = WORKLOADS[name]
    assert table.agree(checks, kind.tolerance, kind.scale), checks


@needs_compiler
def test_gradients_whose_bits_are_compared_are_the_net_s() -> None:
    x, labels, parameters = data.net("mlp784_128")
    ours = Ours(2).gradients("mlp784_128")()
    _, theirs = net_gradients(parameters, x, data.one_hot(labels, 10), "relu")
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5 * abs(other).max())


def test_every_workload_is_ours_and_numpys() -> None:
    assert set(Ours(1).makers()) == set(WORKLOADS)
    assert {name.split("/")[0] for name in NumPy(1).makers()} == set(WORKLOADS)


# --- the table ----------------------------------------------------------------------------


def test_the_fastest_form_of_the_fastest_peer_counts() -> None:
    answers = {
        ("ours", 1): answer(exp2=measured(2e-3)),
        ("numpy", 1): answer(exp2=measured(5e-3), exp2__fresh=measured(3e-3)),
        ("torch", 1): answer(exp2=measured(4e-3)),
        ("jax", 2): answer(exp2=measured(1e-3)),  # another number of threads
    }
    (row,) = table.rows(answers, 1)
    assert (row.workload, row.peer) == ("exp2", "numpy/fresh")
    assert row.ratio == pytest.approx(1.5)
    assert row.verdict == "reached"
    assert table.rows(answers, 2) == []  # ours was not measured


@pytest.mark.parametrize(("median", "verdict"), [(3.0e-3, "reached"), (2.9e-3, "missed")])
def test_a_goal_is_reached_or_missed(median: float, verdict: str) -> None:
    goal = WORKLOADS["step_mlp784_128"].goal
    ours = measured(3e-3 / goal)
    answers = {
        ("ours", 1): answer(step_mlp784_128=ours),
        ("jax", 1): answer(step_mlp784_128=measured(median * (1 + 1e-9))),
    }
    assert table.rows(answers, 1)[0].verdict == verdict


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("who", ["ours", "jax", "nobody"])
def test_a_disturbed_row_is_not_counted(threads: int, who: str) -> None:
    limit = FOREIGN_LIMIT[threads]
    answers = {
        (peer, threads): answer(mm128=measured(1e-3, limit + 0.01 if peer == who else limit))
        for peer in ("ours", "jax")
    }
    (row,) = table.rows(answers, threads)
    assert row.counts == (who == "nobody")
    assert ("not to be counted" in "\n".join(table.report(answers))) != row.counts


@pytest.mark.parametrize(("foreign", "counts"), [(0.9, False), (0.2, True)])
def test_a_disturbed_peer_counts_only_where_it_might_have_been_the_best(
    foreign: float, counts: bool
) -> None:
    """Slower by a half: with 0.9 of the two CPUs back it might have won, with 0.2 not."""
    answers = {
        ("ours", 2): answer(mm128=measured(1e-3)),
        ("jax", 2): answer(mm128=measured(1e-3)),
        ("numpy", 2): answer(mm128=measured(1.5e-3, foreign)),
    }
    assert table.rows(answers, 2)[0].counts == counts


def test_two_threads_are_compared_with_one() -> None:
    answers = {
        ("ours", 1): answer(mm1024=measured(18e-3)),
        ("ours", 2): answer(mm1024=measured(10e-3)),
    }
    assert any("1.80" in line and "reached" in line for line in table.report(answers))
    answers["ours", 2] = answer(mm1024=measured(10e-3, foreign=0.5))
    assert any("not to be counted" in line for line in table.report(answers))


@pytest.mark.parametrize(("foreign", "verdict"), [(1.0, "reached"), (1.5, "not to be counted")])
def test_only_those_who_compile_are_compared_there(foreign: float, verdict: str) -> None:
    answers = {
        ("ours", 1): answer(block=measured(1e-3, first=0.501)),
        ("numpy", 1): answer(block=measured(2e-3, first=0.003)),
        ("jax", 1): answer(
            block=measured(1e-3, first=1.001, first_foreign=foreign),
            block__again=measured(1e-3, first=0.101),
        ),
    }
    (line,) = [line for line in table.compile_table(answers) if line.startswith("block")]
    assert "jax" in line and " 2.00 " in line and line.endswith(verdict)


@pytest.mark.parametrize(
    ("other", "agrees"), [(1.0 + 5e-7, True), (1.0 + 5e-6, False), (float("nan"), False)]
)
def test_results_that_disagree_end_with_1(other: float, agrees: bool) -> None:
    answers = {
        ("ours", 1): answer(sin=measured(1e-3)),
        ("torch", 1): answer(sin__out=measured(1e-3, check=other)),
    }
    assert (table.disagreements(answers) == []) == agrees
    assert driver.verdict(answers) == (0 if agrees else 1)


def test_our_bits_must_not_change_and_others_may() -> None:
    steady = {("ours", n): answer({"net": ["a", "a"]}) for n in (1, 2)}
    jax = {("jax", 1): answer({"net": ["b"]}), ("jax", 2): answer({"net": ["c"]})}
    assert driver.verdict(steady | jax) == 0
    changed = steady | {("ours", 2): answer({"net": ["a", "b"]})}
    assert driver.verdict(changed) == 1
    assert any("jax" in line and "differ" in line for line in table.bits_table(jax))


def test_measurements_travel_as_json(tmp_path: Path) -> None:
    sent = replace(answer({"net": ["a"]}, mm128=measured(1e-3)), versions={"a": "1"})
    path = tmp_path / "answer"
    path.write_text(json.dumps(sent.as_json()))
    assert Answer.load(path) == sent


# --- the command --------------------------------------------------------------------------


def test_names_are_peers_and_beginnings_of_workloads() -> None:
    found = driver.select(["jax", "mm1", "step", "ours"])
    assert found.peers == ["ours", "jax"]
    assert found.workloads == ["mm128", "mm1024", "step_mlp784_128", "step_mlp784_512_512"]
    assert found.nets == []
    everything = driver.select([])
    assert everything.peers == list(KNOWN) and everything.workloads == list(WORKLOADS)
    assert driver.select(["bits"]).workloads == []
    assert driver.select(["bits"]).nets == list(data.NETS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["mm99"],
        [""],
        ["--threads", "3"],
        ["--budget", "0"],
        ["--budget", "nan"],
        ["--json", "/no/such/folder/file"],
        ["--only", "mm128"],
    ],
)
def test_bad_arguments_end_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        driver.main(arguments)
    assert ended.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_no_compiler_ends_with_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "/no/such/compiler")
    with pytest.raises(SystemExit) as ended:
        driver.main(["ours", "mm128"])
    assert ended.value.code == 2
    assert "no C compiler" in capsys.readouterr().err


def test_more_threads_than_cpus_end_with_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)
    with pytest.raises(SystemExit) as ended:
        driver.main(["numpy", "bits", "--threads", "2"])
    assert ended.value.code == 2
    assert "2 threads: there is 1 CPU" in capsys.readouterr().err


def test_a_peer_that_is_missing_is_named_with_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(KNOWN, "jax", replace(KNOWN["jax"], needs=("no_such_package",)))
    with pytest.raises(SystemExit) as ended:
        driver.main(["jax", "mm128"])
    assert ended.value.code == 2
    assert "pip install no_such_package" in capsys.readouterr().err


def test_shell_settings_that_tune_a_peer_are_dropped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "2097152")
    found = driver.environment(1, tmp_path)
    assert not {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"} & set(found)
    assert found["OMP_NUM_THREADS"] == "1" and found["XDG_CACHE_HOME"] == str(tmp_path)


def test_the_script_runs_by_itself() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "bench" / "run", "no-such-name"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "neither a peer nor the beginning of a workload's name" in done.stderr
