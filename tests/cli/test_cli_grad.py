"""`gradir grad`: programs with the gradient, or whole descent steps, written in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradir.cli.main import main
from gradir.runtime.program import Program

WORKED = """\
%x = stage f32[2,2]
%w = stage f32[2,2]
%loss = sum (mul (relu (matmul %x %w)) 2.0)
output %loss
"""
X = np.array([[0.5, -1], [2, 1]], "f4")
W = np.array([[1, 2], [3, 4]], "f4")

# Two weights, one of them in a buffer; a hand-written step of the same descent beside it.
FORWARD = """\
%x = stage f32[4,3]
%t = stage f32[4,2]
%wb = buffer f32[3,2] init="normal:0.7:5"
%cb = buffer f32[2] init="normal:0.7:6"
%w = load %wb
%c = load %cb
%e = sub (tanh (add (matmul %x %w) %c)) %t
%loss = div (sum (mul %e %e)) 8.0
"""
STEP = """\
store %wb (sub %w (mul 0.3 (gradient %loss %w)))
store %cb (sub %c (mul 0.3 (gradient %loss %c)))
output %loss
"""


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]
    def write(text: str) -> str:
        path = tmp_path / "p.gir"
        path.write_text(text)
        return str(path)

    return write


def written(capsys: pytest.CaptureFixture[str], *arguments: str) -> Program:
    assert main(["grad", *arguments]) == 0
    seen = capsys.readouterr()
    program = Program.parse(seen.out)
    assert program.text() == seen.out  # a dump: reading it back changes nothing
    return program


def test_the_worked_example(write, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    program = written(capsys, write(WORKED), "--loss", "loss", "--wrt", "w,x")
    found = program.session().run({"x": X, "w": W})
    assert {name: array.tolist() for name, array in found.items()} == {
        "loss": 26.0,
        "grad_w": [[4.0, 4.0], [2.0, 2.0]],
        "grad_x": [[0.0, 0.0], [6.0, 14.0]],
    }


def test_the_bits_are_those_of_a_gradient_statement(write, capsys) -> None:  # type: ignore[no-untyped-def]
    random = np.random.default_rng(1)
    inputs = {
        "x": random.normal(size=(4, 3)).astype("f4"),
        "t": random.normal(size=(4, 2)).astype("f4"),
    }
    ours = written(capsys, write(FORWARD), "--loss", "loss", "--wrt", "w,e")
    theirs = Program.parse(
        FORWARD + 'output (gradient %loss %w) name="gw"\noutput (gradient %loss %e) name="ge"\n'
    )
    mine, reference = ours.session().run(inputs), theirs.session().run(inputs)
    assert mine["grad_w"].tobytes() == reference["gw"].tobytes()
    assert mine["grad_e"].tobytes() == reference["ge"].tobytes()


def test_a_buffer_stands_for_its_load_and_an_output_for_its_value(write, capsys) -> None:  # type: ignore[no-untyped-def]
    text = FORWARD + 'output %loss name="cost"\n'
    by_buffer = written(capsys, write(text), "--loss", "cost", "--wrt", "wb")
    by_value = written(capsys, write(text), "--loss", "%loss", "--wrt", "%w")
    assert list(by_buffer.table.outputs) == ["cost", "grad_wb"]
    assert by_buffer.table.nodes[:-1] == by_value.table.nodes[:-1]


@pytest.mark.parametrize("steps", [1, 10])
def test_descent_has_the_bits_of_running_one_step(steps: int, write, capsys) -> None:  # type: ignore[no-untyped-def]
    random = np.random.default_rng(2)
    inputs = {
        "x": random.normal(size=(4, 3)).astype("f4"),
        "t": random.normal(size=(4, 2)).astype("f4"),
    }
    session = Program.parse(FORWARD + STEP).session()
    losses = [session.run(inputs)["loss"] for _ in range(steps)]
    program = written(
        capsys,
        write(FORWARD),
        "--loss",
        "loss",
        "--wrt",
        "w,cb",
        "--descend",
        str(steps),
        "--lr",
        "0.3",
    )
    found = program.session().run(inputs)
    assert list(found) == [*(f"loss.{k}" for k in range(steps)), "w", "cb"]
    assert [found[f"loss.{k}"].tobytes() for k in range(steps)] == [l.tobytes() for l in losses]
    assert found["w"].tobytes() == session.state["wb"].tobytes()
    assert found["cb"].tobytes() == session.state["cb"].tobytes()
    assert losses[0] != losses[-1] or steps == 1


def test_descent_copies_only_what_depends_on_a_weight(write, capsys) -> None:  # type: ignore[no-untyped-def]
    text = """\
%x = stage f32[3]
%w = stage f32[3]
%k = sum (exp (sin (mul %x %x)))
%loss = mul %k (sum (mul %w %w))
"""
    sizes = [
        len(
            written(
                capsys,
                write(text),
                "--loss",
                "loss",
                "--wrt",
                "w",
                "--descend",
                str(n),
                "--lr",
                "1",
            ).table
        )
        for n in (1, 2, 3)
    ]
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0]
    program = written(
        capsys, write(text), "--loss", "loss", "--wrt", "w", "--descend", "3", "--lr", "1"
    )
    assert sum(1 for _ in program.table.of_op("exp")) == 1


def test_a_dimension_and_a_function_come_along(write, capsys) -> None:  # type: ignore[no-untyped-def]
    text = """\
dim B = 1..9
func @half(%a: f32[B]) { return (mul %a 0.5) }
%x = stage f32[B]
%w = stage f32
%loss = sum (mul (mul %w %w) (call @half %x))
"""
    program = written(
        capsys, write(text), "--loss", "loss", "--wrt", "w", "--descend", "2", "--lr", "0.25"
    )
    found = program.session().run({"x": np.ones(4, "f4"), "w": np.float32(1)})
    assert found["w"] == 0.0 and found["loss.0"] == 2.0 and found["loss.1"] == 0.0


@pytest.mark.parametrize(
    ("text", "flags", "code", "said"),
    [
        (WORKED, "--loss x --wrt w", "G101", "not a scalar"),
        (WORKED, "--loss lss --wrt w", "U702", "did you mean loss?"),
        (WORKED, "--loss loss --wrt v", "U702", "nothing is named v"),
        (WORKED, "--loss loss --wrt ,", "U702", "names no target"),
        (WORKED, "--loss loss --wrt w,w", "U702", "w is a target twice"),
        (WORKED + "%i = iota i32[3]\n", "--loss loss --wrt i", "G102", "not a float"),
        (WORKED + "%o = const f32 2.0\n", "--loss loss --wrt o", "G107", "literal"),
        (WORKED + "%u = stage f32\n", "--loss loss --wrt u", "U702", "does not depend on u"),
        (WORKED.replace("relu", "detach"), "--loss loss --wrt w", "U702", "does not depend on w"),
        (WORKED, "--loss loss --wrt w --descend 3", "U702", "belong together"),
        (WORKED, "--loss loss --wrt w --lr 3", "U702", "belong together"),
        (WORKED, "--loss loss --wrt w --lr 1 --descend 0", "U702", "number of steps"),
        (WORKED, "--loss loss --wrt w --lr fast --descend 1", "U702", "--lr takes a float"),
        (WORKED, "--loss loss --wrt w --lr 1e99 --descend 1", "U702", "--lr takes a float"),
        (WORKED, "--loss loss --wrt w --lr 1 --descend 99999999", "U702", "--steps"),
        (FORWARD, "--loss loss --wrt w,loss --lr 1 --descend 2", "U702", "another target"),
        ("%b = buffer f32\noutput 1.0 name=\"y\"\n", "--loss b --wrt b", "U702", "never loaded"),
        (
            "%b = buffer f32\nstore %b 1.0\n%w = load %b\n%y = mul %w %w\n",
            "--loss y --wrt w --lr 1 --descend 2", "U702", "after it was stored to",
        ),
        (
            "%w = stage f32\n%y = mul %w %w\noutput %y name=\"grad_w\"\n",
            "--loss y --wrt w", "M402", "grad_w",
        ),
    ],
)  # fmt: skip
def test_refusals(text: str, flags: str, code: str, said: str, write, capsys) -> None:  # type: ignore[no-untyped-def]
    assert main(["grad", write(text), *flags.split()]) == (2 if code == "U702" else 1)
    seen = capsys.readouterr()
    assert seen.out == ""
    assert f"error[{code}]" in seen.err and said in seen.err
