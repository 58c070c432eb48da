"""Conformance files: the format, the comparisons, the protocol; every expectation can fail."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from gradir.cli.conform import selection
from gradir.cli.main import main
from gradir.conform.executor import Foreign, Own, serve
from gradir.conform.suite import BadFile, Case, Expectation, Mistake, parse_file, run_file

ROOT = str(Path(__file__).parent.parent.parent)
SERVE = f"{sys.executable} -m gradir conform --serve"

GOOD = """\
# spec: TEST-1
# name: p
# set: x = 3.0
# expect: g = 6.0
# expect: slot s = [1.0, 2.0]
# slot: s = [1.0, 2.0]
# nodes: 7
%x = stage f32
%s = buffer f32[2]
%y = mul %x %x
%g = gradient %y %x
output %g
"""
LOOPED = """\
# spec: TEST-2
# steps: 3
# expect: slot c = 3
%cb = buffer i32 name="c"
%c = load %cb
store %cb (add %c 1)
%v = take (iota i32[3]) %c
output %v
"""


def result(folder: Path, text: str, executor: Own | Foreign | None = None) -> tuple[str, str]:
    path = folder / "p.gir"
    path.write_text(text)
    found = run_file(path, executor or Own())
    return found.status, "\n".join(found.problems)


@pytest.fixture(scope="module")
def foreign():  # type: ignore[no-untyped-def]
    executor = Foreign(SERVE)
    yield executor
    executor.close()


# --- the format ---------------------------------------------------------------------------


def test_all_directives_are_read() -> None:
    text = """\
# spec: A-1, B-2
# an ordinary comment: this
# name: some_name
# set: x = [1.0,
#           2.0]
# dim: B = 4
# steps: 2
# expect: y = 0x1.8p+1 ulp=2 rel=1e-6
# case: other
# set: z = true
# steps: 5
# slot: w = splat 0.5
# expect: slot w = [[0.0], [1.0]]
# run-error: R605 line 5 "axis 0"
# warning: W501 line 3
# nodes: 14
"""
    file = parse_file(Path("f.gir"), text)
    assert (file.name, file.spec, file.nodes) == ("some_name", ["A-1", "B-2"], 14)
    assert file.warnings == [Mistake("W501", 3, None)]
    assert file.cases == [
        Case(
            name="other",
            inputs={"x": "[1.0, 2.0]", "z": "true"},
            dims={"B": 4},
            slots={"w": "splat 0.5"},
            steps=5,
            expects=(
                Expectation("y", False, "0x1.8p+1", 2.0, 1e-6),
                Expectation("w", True, "[[0.0], [1.0]]"),
            ),
            run_errors=(Mistake("R605", 5, "axis 0"),),
        )
    ]


def test_cases_share_what_comes_before_them() -> None:
    text = "# spec: A-1\n# set: x = 1.0\n# case: a\n# set: y = 2.0\n# case: b\n# set: x = 3.0\n"
    cases = parse_file(Path("f.gir"), text).cases
    assert [(c.name, c.inputs) for c in cases] == [
        ("a", {"x": "1.0", "y": "2.0"}),
        ("b", {"x": "3.0"}),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "# set: x",
        "# set: x = [1.0,",
        "# error: here",
        "# error: G107 line four",
        "# nodes: many",
        "# nodes: -1",
        "# steps: 0",
        "# dim: B = x",
        "# expect: y = 1.0 ulp=two",
    ],
)
def test_directives_that_cannot_be_followed(line: str) -> None:
    with pytest.raises(BadFile):
        parse_file(Path("f.gir"), f"# spec: A-1\n{line}\n%x = stage f32\n")


def test_a_file_without_spec_is_no_conformance_file() -> None:
    with pytest.raises(BadFile):
        parse_file(Path("f.gir"), "# name: x\n")


# --- the comparisons ----------------------------------------------------------------------


def test_what_is_right_passes(tmp_path: Path, foreign: Foreign) -> None:
    for executor in (Own(), foreign):
        assert result(tmp_path, GOOD, executor) == ("passed", "")
        assert result(tmp_path, LOOPED, executor) == ("passed", "")


WRONG = [
    (GOOD, "g = 6.0", "g = 6.0000005", "g: got 6.0, expected 6.0000005"),
    (GOOD, "g = 6.0", "g = [6.0]", "shape"),
    (GOOD, "g = 6.0", "g = 6", "is no float; write `6.0`"),
    (GOOD, "g = 6.0", "h = 6.0", "has no h"),
    (GOOD, "slot s = [1.0", "slot s = [-1.0", "slot s: got [1.0, 2.0], expected [-1.0, 2.0]"),
    (GOOD, "slot s =", "slot t =", "no slot t"),
    (GOOD, "nodes: 7", "nodes: 9", "7 nodes, not 9"),
    (GOOD, "set: x", "set: z", "no stage z"),
    (GOOD, "set: x = 3.0", "set: x = true", "`true` is no float"),
    (GOOD, "# set: x = 3.0", "# set:", "not NAME = VALUE"),
    (GOOD, "# nodes: 7", "# error: G107 line 11", "accepted instead of G107 line 11"),
    (GOOD, "# nodes: 7", "# warning: W501 line 11", "no warning W501 line 11"),
    (GOOD, "# nodes: 7", "# run-error: R605 line 11", "accepted instead of R605"),
    (GOOD, "%y = mul %x %x", "%y = mul %x %q", "refused: N201 line 10"),
    (GOOD, "# spec: TEST-1\n", "", "no `# spec:`"),
    (LOOPED, "slot c = 3", "slot c = 4", "slot c: got 3, expected 4"),
    (LOOPED, "steps: 3", "steps: 4", "failed: R605 line 7"),
    (LOOPED, "steps: 3", "steps: 4\n# run-error: R605 line 6", "expected R605 line 6, got R605"),
    (LOOPED, "steps: 3", "steps: 4\n# run-error: R607 line 9", "expected R607 line 9, got R605"),
]


@pytest.mark.parametrize(("text", "old", "new", "said"), WRONG)
def test_what_is_wrong_fails(text: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in text
    status, problems = result(tmp_path, text.replace(old, new))
    assert status == "failed"
    assert said in problems


def test_bits_are_compared(tmp_path: Path) -> None:
    text = "# spec: A-1\n# expect: y = VALUE\n%y = const f32[3] [0.0, nan, 1.0]\noutput %y\n"
    assert result(tmp_path, text.replace("VALUE", "[0.0, nan, 1.0]")) == ("passed", "")
    status, problems = result(tmp_path, text.replace("VALUE", "[-0.0, nan, 1.0]"))
    assert (status, problems) == ("failed", "y: got [0.0, nan, 1.0], expected [-0.0, nan, 1.0]")


@pytest.mark.parametrize(
    ("value", "passes"),
    [
        ("1.0 ulp=1", True),  # the neighbour of 1.0 is 1.0000001
        ("1.0 ulp=0.5", False),
        ("1.0 rel=2e-7", True),
        ("1.0 rel=1e-8", False),
        ("1.0", False),
    ],
)
def test_tolerances(value: str, passes: bool, tmp_path: Path) -> None:
    text = f"# spec: A-1\n# expect: y = {value}\n%y = const f32 1.0000001\noutput %y\n"
    assert result(tmp_path, text)[0] == ("passed" if passes else "failed")


def test_splat_takes_the_shape_from_the_dimensions(tmp_path: Path) -> None:
    text = """\
# spec: A-1
# dim: B = 3
# set: x = splat 0.5
# expect: y = splat 1.0
dim B = 1..9
%x = stage f32[B,2]
%y = add %x %x
output %y
"""
    assert result(tmp_path, text) == ("passed", "")
    status, problems = result(tmp_path, text.replace("# dim: B = 3\n", ""))
    assert status == "failed" and "splat needs a `# dim: B = …`" in problems


def test_refused_programs(tmp_path: Path, foreign: Foreign) -> None:
    text = '# spec: A-1\n# error: N201 line 3 "unknown"\n%x = sin %y\n'
    for executor in (Own(), foreign):
        assert result(tmp_path, text, executor) == ("passed", "")
        for wrong in (text.replace("N201", "N202"), text.replace("line 3", "line 2")):
            assert result(tmp_path, wrong, executor)[0] == "failed"
    # the words of a message are free in another implementation
    other_words = text.replace("unknown", "no such words")
    assert result(tmp_path, other_words)[0] == "failed"
    assert result(tmp_path, other_words, foreign)[0] == "passed"


def test_warnings_are_wanted_or_unwanted(tmp_path: Path) -> None:
    text = """\
# spec: A-1
# warning: W501 line 4
%x = stage f32
%y = where (lt 0.0 %x) (sqrt %x) 0.0
%g = gradient %y %x
output %g
"""
    status, problems = result(tmp_path, text)
    assert (status, problems) == ("passed", ""), problems
    status, problems = result(tmp_path, text.replace("# warning: W501 line 4\n", "#\n"))
    assert status == "failed" and "unexpected warning W501 line 4" in problems


def test_a_failed_run_keeps_the_slots_of_the_step_before(tmp_path: Path, foreign: Foreign) -> None:
    text = LOOPED.replace("steps: 3", "steps: 5\n# run-error: R605 line 8")
    for executor in (Own(), foreign):
        assert result(tmp_path, text, executor) == ("passed", "")


def test_each_case_is_named_in_its_problems(tmp_path: Path) -> None:
    text = (
        "# spec: A-1\n# case: two\n# set: x = 2.0\n# expect: y = 4.0\n"
        "# case: three\n# set: x = 3.0\n# expect: y = 8.0\n"
        "%x = stage f32\n%y = mul %x %x\noutput %y\n"
    )
    assert result(tmp_path, text) == ("failed", "case three: y: got 9.0, expected 8.0")


# --- the protocol -------------------------------------------------------------------------


def answers(*lines: str) -> list[dict[str, object]]:
    out = io.StringIO()
    serve(io.StringIO("".join(line + "\n" for line in lines)), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_request_and_its_answer() -> None:
    request = {
        "id": 7,
        "op": "run",
        "program": "%x = stage f32\n%b = buffer f32\nstore %b %x\noutput %x\n",
        "inputs": {"x": {"type": "f32", "shape": [], "bits": "0x40400000"}},
        "steps": 2,
    }
    value = {"type": "f32", "shape": [], "values": 3.0, "bits": "0x40400000"}
    assert answers(json.dumps(request)) == [
        {
            "id": 7,
            "ok": True,
            "outputs": {"x": value},
            "slots": {"b": value},
            "steps": 2,
            "nodes": 4,
            "warnings": [],
        }
    ]


@pytest.mark.parametrize(
    ("line", "stage"),
    [
        ("no json", "unsupported"),
        ("[1]", "unsupported"),
        ("[" * 100000, "unsupported"),
        ('{"id": 1, "op": "dance", "program": ""}', "unsupported"),
        ('{"id": 1, "op": "run"}', "unsupported"),
        ('{"id": 1, "op": "build", "program": "%x = q"}', "build"),
        ('{"id": 1, "op": "run", "program": "%x = stage f32\\noutput %x"}', "run"),
        (
            '{"id": 1, "op": "run", "program": "%x = stage f32\\noutput %x", "inputs": {"x": 3}}',
            "run",
        ),
    ],
)
def test_requests_that_cannot_be_met(line: str, stage: str) -> None:
    (answer,) = answers(line)
    assert (answer["ok"], answer["stage"]) == (False, stage)


def script(folder: Path, text: str) -> str:
    path = folder / "executor.py"
    path.write_text(text)
    return f"{sys.executable} {path}"


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("import sys; sys.exit(3)\n", "failed", "has ended"),
        ("print('hello', flush=True)\nimport sys; sys.stdin.read()\n", "failed", "not an answer"),
        ("import sys; sys.stdin.read()\n", "failed", "no answer in 0.5 seconds"),
        (
            "import json, sys\nfor line in sys.stdin:\n"
            "    print(json.dumps({'id': json.loads(line)['id'], 'ok': False, "
            "'stage': 'unsupported', 'message': 'not yet'}), flush=True)\n",
            "skipped",
            "not yet",
        ),
    ],
)
def test_executors_that_misbehave(text: str, status: str, said: str, tmp_path: Path) -> None:
    executor = Foreign(script(tmp_path, text), timeout=0.5 if "seconds" in said else 20)
    found = result(tmp_path, GOOD, executor)
    executor.close()
    assert found[0] == status and said in found[1]


def test_a_wrong_answer_of_a_foreign_executor_fails(tmp_path: Path) -> None:
    """One that answers as gradir does, but for one bit."""
    text = (
        f"import io, sys\nsys.path.insert(0, {ROOT!r})\nfrom gradir.conform.executor import serve\n"
        "for line in sys.stdin:\n"
        "    out = io.StringIO()\n"
        "    serve(io.StringIO(line), out)\n"
        "    print(out.getvalue().strip().replace('0x40c00000', '0x40c00001'), flush=True)\n"
    )
    executor = Foreign(script(tmp_path, text))
    found = result(tmp_path, GOOD, executor)
    executor.close()
    assert found == ("failed", "g: got 6.0000005, expected 6.0")


# --- the command --------------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good").mkdir()
    (tmp_path / "bad").mkdir()
    (tmp_path / "good" / "p.gir").write_text(GOOD)
    (tmp_path / "bad" / "q.gir").write_text(GOOD.replace("6.0", "7.0"))
    assert main(["conform", str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert f"failed: {tmp_path}/bad/q.gir\n    g: got 6.0, expected 7.0\n" in shown
    assert shown.endswith("1 passed, 1 failed\n")
    assert main(["conform", str(tmp_path), "--group", "good", "-v"]) == 0
    assert capsys.readouterr().out == f"passed: {tmp_path}/good/p.gir\n1 passed\n"
    assert main(["conform", str(tmp_path), "-k", "not bad", "--exec", SERVE]) == 0
    assert main(["conform", str(tmp_path), "-k", "nothing"]) == 2
    assert main(["conform", str(tmp_path / "absent")]) == 2
    assert main(["conform", str(tmp_path), "--exec", "/no/such/command"]) == 2


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("a", ["a", "ab"]),
        ("A", ["a", "ab"]),
        ("a and b", ["ab"]),
        ("a or b", ["a", "ab", "b"]),
        ("not a", ["b", "c"]),
        ("not (a or b)", ["c"]),
        ("a and not b or c", ["a", "c"]),
    ],
)
def test_selection(text: str, chosen: list[str]) -> None:
    assert [name for name in ("a", "ab", "b", "c") if selection(text)(name)] == chosen


@pytest.mark.parametrize("text", ["a b", "(a", "a)", "and", "not", "a or", "(" * 1000, "not " * 99])
def test_selections_that_say_nothing(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "-k", text, "."]) == 2
    assert "error[U702]" in capsys.readouterr().err


def test_arrays_come_back_with_their_bits() -> None:
    from gradir.runtime.exchange import from_json, json_object

    for array in (
        np.array([[0.0, -0.0], [np.nan, 1e-45]], "f4"),
        np.float64(0.1),
        np.array([-1, 2**31 - 1], "i4"),
        np.array([2**32 - 1], "u4"),
        np.array([-(2**63)], "i8"),
        np.array([True, False]),
        np.zeros((2, 0, 3), "f4"),
    ):
        back = from_json(json.loads(json_object(np.asarray(array))))
        assert (back.dtype, back.shape, back.tobytes()) == (
            array.dtype,
            array.shape,
            array.tobytes(),
        )
