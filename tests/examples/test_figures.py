"""The figures that the examples promise in their first lines, and that all of them are in order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gradir
from gradir.cli.main import main
from gradir.runtime.program import example_names
from gradir.text.format import format_source
from gradir.text.source import Source

FOLDER = Path(gradir.__file__).parent / "examples"
NAMES = [
    "attention",
    "cubic",
    "layernorm",
    "linear",
    "map30",
    "map30_scalar",
    "minibatch",
    "plane",
    "softmax",
    "spiral",
    "transformer",
    "worked",
]


def bits(value: np.ndarray, expected: object) -> bool:
    """Whether a value has the bits of what is expected, rounded once to its type."""
    return value.tobytes() == np.array(expected, value.dtype).tobytes()


def run(name: str, steps: int = 1, **inputs: object) -> tuple[gradir.Session, list[dict]]:
    session = gradir.load(f"example:{name}").session()
    return session, [session.run(inputs) for _ in range(steps)]


def test_the_examples_are_these():
    assert example_names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_formatted_and_says_how_to_run_it(name):
    text = (FOLDER / f"{name}.gir").read_text(encoding="utf-8")
    assert format_source(Source(name, text)) == text
    assert max(map(len, text.splitlines())) <= 100
    head = text.split("\n\n")[0].splitlines()
    assert all(line.startswith("#") for line in head)
    assert any(line.startswith(f"#     gradir run example:{name}") for line in head)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "map30_scalar"])
def test_an_example_is_read_back_from_its_dump(name):
    program = gradir.load(f"example:{name}")
    assert program.warnings == []
    assert gradir.parse(program.text()).table.same_as(program.table)


def command_of(name: str) -> list[str]:
    """The arguments of the `gradir` command that an example's first lines show."""
    lines = (FOLDER / f"{name}.gir").read_text(encoding="utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("#     gradir "))
    words: list[str] = []
    while True:
        line = lines[at].removeprefix("#").strip()
        words += line.removesuffix("\\").split()
        at += 1
        if not line.endswith("\\"):
            return words[1:]


@pytest.mark.parametrize("name", [n for n in NAMES if n != "map30_scalar"])
def test_the_command_in_the_first_lines_runs(name, capsys):
    """With two steps in place of many: what they lead to is tested below."""
    words = command_of(name)
    if "--steps" in words:
        words[words.index("--steps") + 1] = "2"
    assert main(words) == 0
    assert "f32" in (shown := capsys.readouterr().out) or "f64" in shown


def test_the_command_of_cubic_shows_the_five_derivatives(capsys):
    assert main(command_of("cubic")) == 0
    assert "[10.0, 1.0, -2.0, 1.0, 10.0]" in capsys.readouterr().out


def test_cubic():
    session = gradir.load("example:cubic").session(state={"xs": [-2, -1, 0, 1, 2]})
    session.run()
    assert bits(session.state["ys"], [10.0, 1.0, -2.0, 1.0, 10.0])


def test_worked():
    _, (found,) = run("worked", x=[[0.5, -1.0], [2.0, 1.0]], w=[[1.0, 2.0], [3.0, 4.0]])
    assert bits(found["loss"], 26.0)
    assert bits(found["dw"], [[4.0, 4.0], [2.0, 2.0]])
    assert bits(found["dx"], [[0.0, 0.0], [6.0, 14.0]])


def test_softmax_where_the_naive_form_fails():
    _, (found,) = run("softmax", x=[1000.0, 1001.0, 1002.0], label=2)
    e = np.exp([-2.0, -1.0, 0.0])
    p = e / e.sum()
    assert np.abs(found["p"] - p).max() < 1e-7
    assert np.abs(found["dx"] - (p - [0.0, 0.0, 1.0])).max() < 1e-7
    assert abs(found["loss"] + np.log(p[2])) < 1e-7
    assert np.isnan(found["naive"]).all()


def test_softmax_of_the_library_is_the_same_node():
    table = gradir.load("example:softmax").table
    written, library = (table[table.outputs[name]] for name in ("p", "library"))
    assert written.operands == library.operands


TRUE_W = np.array([[1.0, -2.0], [0.5, 3.0], [-1.5, 0.25]])
TRUE_B = np.array([0.5, -1.0])


def test_linear_with_batches_of_changing_length():
    """One program, batches of 8, 16 and 32 rows in rotation: 100 steps, noiseless, seed 7."""
    session = gradir.load("example:linear").session()
    draw = np.random.default_rng(7)
    for step in range(100):
        x = draw.normal(size=((8, 16, 32)[step % 3], 3)).astype(np.float32)
        t = (x @ TRUE_W + TRUE_B).astype(np.float32)
        found = session.run({"x": x, "t": t})
        assert found["dw"].shape == (3, 2)
        assert found["db"].shape == (2,)
    assert np.abs(session.state["wb"] - TRUE_W).max() < 1e-3
    assert np.abs(session.state["bb"] - TRUE_B).max() < 1e-3


def test_linear_as_its_first_lines_run_it():
    x = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    t = [[0.5, 0.25], [2.5, -6.25], [1.5, 3.75], [-2.5, -1.75]]
    assert (x @ TRUE_W + TRUE_B).tolist() == t
    session, _ = run("linear", 100, x=x.tolist(), t=t)
    assert np.abs(session.state["wb"] - TRUE_W).max() < 1e-6
    assert np.abs(session.state["bb"] - TRUE_B).max() < 1e-6


@pytest.mark.parametrize("rows", [0, 65])
def test_linear_refuses_a_batch_outside_its_bounds(rows):
    x, t = np.zeros((rows, 3), np.float32), np.zeros((rows, 2), np.float32)
    with pytest.raises(gradir.GirError) as refused:
        run("linear", x=x, t=t)
    assert [d.code for d in refused.value.diagnostics] == ["R604"]


def test_plane():
    session, _ = run("plane", 1000)
    assert np.abs(session.state["w"] - [3.0, 2.0]).max() < 1e-5
    assert abs(session.state["b"] - 1.0) < 1e-5
    assert session.state["steps"] == 1000


def test_minibatch():
    session, found = run("minibatch", 160)
    assert session.state["step"] == 160
    assert np.mean([o["loss"] for o in found[-16:]]) < 0.45
    # ten epochs of 16 steps: step 16 takes the rows of step 0
    program = session.program
    rows = [program.session(state={"step": np.int32(n)}).run()["loss"] for n in (0, 1, 16)]
    assert rows[0] == rows[2] != rows[1]


def test_map30():
    _, found = run("map30", 100)
    assert found[0]["loss"] > 20.0
    assert found[-1]["loss"] < 0.1


def test_layernorm():
    _, found = run("layernorm", 200)
    assert found[0]["loss"] > 5.0
    assert found[-1]["loss"] < 0.01
    assert bits(found[-1]["library"], found[-1]["n"])


def test_attention():
    _, found = run("attention", 350)
    assert found[0]["loss"] > 1.0
    assert found[-1]["loss"] < 0.2
    assert found[-1]["accuracy"] > 0.9


def test_transformer():
    session, found = run("transformer", 150)
    assert found[0]["loss"] > 2.5
    assert found[-1]["loss"] < 0.5
    assert session.state["step"] == 150
