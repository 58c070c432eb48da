"""`gradir run`: inputs, state, and the three forms of results."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from gradir.cli.main import main
from gradir.runtime.showing import array_text

WORKED = ["run", "example:worked", "--set", "x=[[.5,-1],[2,1]]", "--set", "w=[[1,2],[3,4]]"]
COUNTER = """\
%cb = buffer i32[] slot=3 name="c"
%c = load %cb
%next = add %c 1
store %cb %next
output %next
"""
ECHO = """\
dim B = 0..9
%f = stage f32
%v = stage f32[3]
%d = stage f64[2,2]
%i = stage i32[B]
%b = stage bool[2]
output %f
output %v
output %d
output %i
output %b
"""
FULL = {"f": "1", "v": "1,2,3", "d": "[[1,2],[3,4]]", "i": "[]", "b": "true,false"}


def program(folder: Path, text: str) -> str:
    path = folder / "p.gir"
    path.write_text(text)
    return str(path)


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main(["run", *arguments, "--format", "json"]) == 0
    seen = capsys.readouterr()
    assert seen.err == ""
    found: dict[str, object] = json.loads(seen.out)
    return found


def test_the_opening_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "example:cubic", "--set", "xs=-2,-1,0,1,2"]) == 0
    seen = capsys.readouterr()
    assert seen.out == "slot 1 ys: f32[5] = [10.0, 1.0, -2.0, 1.0, 10.0]\n"
    assert seen.err == ""


def test_the_worked_example_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(WORKED) == 0
    assert capsys.readouterr().out == (
        "loss: f32 = 26.0\n"
        "dw: f32[2,2] =\n  [[4.0, 4.0],\n   [2.0, 2.0]]\n"
        "dx: f32[2,2] =\n  [[ 0.0,  0.0],\n   [ 6.0, 14.0]]\n"
    )


def test_the_worked_example_as_bits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORKED, "--format", "bits"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "loss: f32 = 0x41d00000",
        "dw: f32[2,2] =",
        "  [[0x40800000, 0x40800000],",
    ]


def test_json_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = COUNTER + "%x = stage f32[3]\noutput %x\n%q = eq %x %x\noutput %q\n"
    found = run_json(capsys, program(tmp_path, text), "--set", "x=0.1,-inf,nan", "--steps", "2")
    assert found == {
        "outputs": {
            "next": {"type": "i32", "shape": [], "values": 2, "bits": "0x00000002"},
            "x": {
                "type": "f32",
                "shape": [3],
                "values": [0.1, "-inf", "nan"],
                "bits": ["0x3dcccccd", "0xff800000", "0x7fc00000"],
            },
            "q": {
                "type": "bool",
                "shape": [3],
                "values": [True, True, False],
                "bits": ["0x01", "0x01", "0x00"],
            },
        },
        "slots": {"c": {"type": "i32", "shape": [], "values": 2, "bits": "0x00000002"}},
        "steps": 2,
    }


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("f", "2", 2.0),
        ("f", "0x1p-149", 1e-45),
        ("f", "+.5", 0.5),
        ("f", "5.", 5.0),
        ("f", "-inf", "-inf"),
        ("v", "[1, 2.5, -0.0]", [1.0, 2.5, -0.0]),
        ("v", "1,nan,inf", [1.0, "nan", "inf"]),
        ("v", "ones", [1.0, 1.0, 1.0]),
        ("d", "[[0.1,1e300],[1e-320,3]]", [[0.1, 1e300], [1e-320, 3.0]]),
        ("d", "zeros", [[0.0, 0.0], [0.0, 0.0]]),
        ("i", "7", [7]),
        ("i", "0x10,-2147483648", [16, -2147483648]),
        ("b", "[true, false]", [True, False]),
    ],
)
def test_values_of_set(
    name: str,
    value: str,
    expected: object,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = {**FULL, name: value}
    flags = [flag for item in given.items() for flag in ("--set", "=".join(item))]
    found = run_json(capsys, program(tmp_path, ECHO), *flags)
    outputs = found["outputs"]
    assert isinstance(outputs, dict)
    assert outputs[name]["values"] == expected
    assert json.dumps(outputs[name]["values"]) == json.dumps(expected)  # -0.0 is not 0.0


@pytest.mark.parametrize(
    ("flag", "code", "said"),
    [
        ("v=1,2", "R603", "f32[3] is needed, the value has shape [2]"),
        ("v=[[1,2,3]]", "R603", "f32[3] is needed, the value has shape [1, 3]"),
        ("d=[[1,2],[3]]", "R603", "lists of 2 and of 1 items"),
        ("d=[[1,2],3]", "R603", "mixed"),
        ("d=[[1,2],[3,4]", "R603", "`[` is not closed"),
        ("d=[[1,2],[3,4]]]", "R603", "behind the value"),
        ("v=1,,3", "R603", "comma"),
        ("v=", "R603", "shape [0]"),
        ("f=one", "R602", "`one` is no float"),
        ("f=1e99", "R602", "too large for f32"),
        ("f=true", "R602", "`true` is no float"),
        ("i=1.5", "R602", "`1.5` is no integer"),
        ("i=2147483648", "R602", "out of range for i32"),
        ("b=1,0", "R602", "`1` is not true or false"),
        ("q=1", "R611", "no stage or buffer q"),
        ("f", "U702", "NAME=VALUE"),
        ("f=normal:1:x", "R609", "normal:1:x"),
        ("i=normal:1:7", "R604", "B has no value"),
        ("v=" + "[" * 100000, "R603", "nested too deeply"),
        ("f=" + "1" * 5000, "R602", "a number of 5000 characters"),
    ],
)
def test_values_of_set_that_do_not_fit(
    flag: str, code: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", program(tmp_path, ECHO), "--set", flag]) == (2 if code[0] == "U" else 1)
    seen = capsys.readouterr()
    assert seen.out == ""
    assert f"error[{code}]" in seen.err and said in seen.err
    assert f"\n 1 | {flag[:20]}" in seen.err  # the flag's text is shown


def test_one_name_set_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", program(tmp_path, ECHO), "--set", "f=1", "--set", "f=2"]) == 2
    assert "f is set twice" in capsys.readouterr().err


def test_a_missing_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "example:worked"]) == 1
    assert "error[R601]: no value for stage x" in capsys.readouterr().err


def test_random_values_are_those_of_init(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        'dim B = 1..9\n%x = stage f32[B,2]\n%wb = buffer f32[3,2] init="normal:0.5:77"\n'
        "%w = load %wb\noutput %x\noutput %w\n"
    )
    found = run_json(capsys, program(tmp_path, text), "--set", "x=normal:0.5:77", "--dim", "B=3")[
        "outputs"
    ]
    assert isinstance(found, dict)
    assert found["x"]["bits"] == found["w"]["bits"]


@pytest.mark.parametrize(
    ("flag", "code"), [("B=10", "R604"), ("C=1", "R604"), ("B", "U702"), ("B=x", "U702")]
)
def test_dimensions_that_do_not_fit(
    flag: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", program(tmp_path, ECHO), "--dim", flag]) == (2 if code == "U702" else 1)
    assert f"error[{code}]" in capsys.readouterr().err


def test_a_dimension_that_no_input_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = program(tmp_path, 'dim B = 1..9\noutput (iota i32[B]) name="i"\n')
    assert main(["run", path]) == 1
    assert "error[R604]" in capsys.readouterr().err
    assert main(["run", path, "--dim", "B=4"]) == 0
    assert capsys.readouterr().out == "i: i32[4] = [0, 1, 2, 3]\n"


# --- files --------------------------------------------------------------------------------


def test_arrays_from_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("v.npy", np.array([1, 2, 3], "<f4")[::-1])
    np.savez(
        "all.npz",
        f=np.float32(0.5),
        d=np.ones((2, 2)),
        i=np.arange(2, dtype="i4"),
        b=np.array([True, False]),
    )
    path = program(tmp_path, ECHO)
    assert main(["run", path, "--npz", "all.npz", "--set", "v=v.npy", "--set", "f=2.5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["f: f32 = 2.5", "v: f32[3] = [3.0, 2.0, 1.0]"]


@pytest.mark.parametrize(
    ("array", "code"),
    [
        (np.array([1.0, 2.0, 3.0]), "R602"),
        (np.array([1, 2], "f4"), "R603"),
        (np.array([1, None, 3], object), "U701"),
    ],
)
def test_array_files_that_do_not_fit(
    array: np.ndarray, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "v.npy"
    np.save(target, array)
    expected = 2 if code == "U701" else 1
    assert main(["run", program(tmp_path, ECHO), "--set", f"v={target}"]) == expected
    assert f"error[{code}]" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\x05\x06" + bytes(18)[:10]])
def test_damaged_archives(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "a.npz"
    target.write_bytes(content)
    assert main(["run", program(tmp_path, ECHO), "--npz", str(target)]) == 2
    assert "error[U701]" in capsys.readouterr().err


def test_an_archive_that_unpacks_to_too_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.npz"
    stream = io.BytesIO()
    np.save(stream, np.zeros(1_000_000, "f4"))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("v.npy", stream.getvalue())
    monkeypatch.setenv("GRADIR_MEMORY", "1000000")
    assert main(["run", program(tmp_path, ECHO), "--npz", str(target)]) == 1
    assert "error[R606]" in capsys.readouterr().err


def test_state_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, state = program(tmp_path, COUNTER), str(tmp_path / "s.npz")
    assert main(["run", path, "--state", state, "--steps", "3"]) == 0
    assert main(["run", path, "--state", state, "--steps", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["next: i32 = 3", "slot 3 c: i32 = 3", "next: i32 = 7", "slot 3 c: i32 = 7"]
    with np.load(state, allow_pickle=False) as saved:
        assert {name: saved[name].tolist() for name in saved} == {"c": 7}
    assert main(["run", path, "--state", state, "--set", "c=100"]) == 0
    assert capsys.readouterr().out == "next: i32 = 101\nslot 3 c: i32 = 101\n"
    assert sorted(os.listdir(tmp_path)) == ["p.gir", "s.npz"]


def test_the_same_state_is_the_same_bytes(tmp_path: Path) -> None:
    path = program(tmp_path, COUNTER)
    files = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for file in files:
        assert main(["run", path, "--state", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("arrays", "code"),
    [
        ({"c": np.int64(1)}, "R608"),
        ({"c": np.zeros(2, "i4")}, "R608"),
        ({"other": np.int32(1)}, "R608"),
        ({"c": np.array(None, object)}, "U701"),
    ],
)
def test_a_state_of_another_program(
    arrays: dict[str, np.ndarray], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "s.npz"
    np.savez(state, **arrays)
    before = state.read_bytes()
    exit_code = 2 if code == "U701" else 1
    assert main(["run", program(tmp_path, COUNTER), "--state", str(state)]) == exit_code
    assert f"error[{code}]" in capsys.readouterr().err
    assert state.read_bytes() == before


@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_steps_before_one_that_fails_are_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], backend: str
) -> None:
    text = """
        %n = buffer i32 init=0
        %next = add (load %n) 1
        %x = take (const i32[3] [10, 20, 30]) %next
        store %n %next
        output %x
    """
    path, state = program(tmp_path, text), tmp_path / "s.npz"
    run = ["run", path, "--state", str(state), "--steps", "5", "--backend", backend]
    assert main(run) == 1
    shown = capsys.readouterr().err
    assert "step 3 of 5 failed; those before it stay done" in shown and "R605" in shown
    with np.load(state, allow_pickle=False) as saved:
        assert saved["n"] == 2
    before = state.read_bytes()
    assert main(run) == 1  # now its first step fails: there is nothing to save
    assert "stay done" not in capsys.readouterr().err
    assert state.read_bytes() == before


def test_a_first_step_that_fails_writes_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = COUNTER + "%p = take (iota i32[3]) %c\noutput %p\n"
    state, out = tmp_path / "s.npz", tmp_path / "o.npz"
    arguments = ["run", program(tmp_path, text), "--state", str(state), "--out", str(out)]
    assert main([*arguments, "--set", "c=9"]) == 1
    seen = capsys.readouterr()
    assert seen.out == "" and "error[R605]" in seen.err
    assert not state.exists() and not out.exists()
    assert main([*arguments, "--steps", "3"]) == 0
    with np.load(out, allow_pickle=False) as saved:
        assert {name: saved[name].tolist() for name in saved} == {"next": 3, "p": 2}


# --- what is shown ------------------------------------------------------------------------


def test_a_program_without_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", program(tmp_path, "%x = const f32 1.0\n")]) == 0
    seen = capsys.readouterr()
    assert seen.out == "" and seen.err == "the program has no outputs, and no buffer has changed\n"


def test_trace_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORKED, "--trace"]) == 0
    seen = capsys.readouterr()
    assert seen.out.startswith("loss: f32 = 26.0\n")
    assert "%loss: f32 = reduce" in seen.err and "\n    26.0\n" in seen.err


def test_steps_must_be_one_or_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORKED, "--steps", "0"]) == 2
    assert "error[U702]" in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = program(tmp_path, COUNTER)
    assert main(["run", path, "--steps", "5"]) == 0
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert main(["run", path, "--steps", "5"]) == 0
    assert "\r\x1b[Kstep 5/5  next 5" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")  # and the line is cleared


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.float32(0.1), "x: f32 = 0.1\n"),
        (np.float64(0.1), "x: f64 = 0.1\n"),
        (np.float32(1e-45), "x: f32 = 1e-45\n"),
        (np.array([-0.0, np.nan, -np.inf]), "x: f64[3] = [-0.0, nan, -inf]\n"),
        (np.zeros((0, 3), "f4"), "x: f32[0,3] = []\n"),
        (np.zeros((2, 0), "f4"), "x: f32[2,0] =\n  [[],\n   []]\n"),
        (np.array([[1, -20], [300, 4]], "i4"), "x: i32[2,2] =\n  [[  1, -20],\n   [300,   4]]\n"),
        (np.array([[[True]], [[False]]]), "x: bool[2,1,1] =\n  [[[ true]],\n   [[false]]]\n"),
    ],
)
def test_layout(array: np.ndarray, text: str) -> None:
    assert array_text("x", np.asarray(array)) == text


def test_layout_of_a_long_row_and_of_a_large_array() -> None:
    rows = array_text("x", np.arange(100, dtype="i4")).splitlines()
    assert len(rows) > 2 and max(map(len, rows)) <= 92
    numbers = "".join(rows[1:]).replace("[", "").replace("]", "").split(",")
    assert [int(number) for number in numbers] == list(range(100))
    assert array_text("x", np.arange(2000, dtype="i4")) == (
        "x: i32[2000] = [0, 1, 2, …, 1997, 1998, 1999]\n"
    )
    large = array_text("x", np.arange(10000, dtype="i4").reshape(100, 100)).splitlines()
    assert large[1:4] == [
        "  [[   0,    1,    2, …,   97,   98,   99],",
        "   [ 100,  101,  102, …,  197,  198,  199],",
        "   [ 200,  201,  202, …,  297,  298,  299],",
    ]
    assert large[4:6] == ["   …", "   [9700, 9701, 9702, …, 9797, 9798, 9799],"]
    assert large[-1].endswith("9999]]") and len(large) == 8
