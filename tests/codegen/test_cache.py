"""Programs found in the cache: what they are found by, and that a finding is the program."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradir import GirError, Program, Session
from gradir.codegen import identity, stages, toolchain, units
from gradir.codegen.executable import Executable
from gradir.codegen.identity import own_code, table_hash
from gradir.codegen.layout import from_bytes, make_layout, to_bytes
from gradir.codegen.toolchain import cache_folder, find_compiler
from gradir.reference.failures import Failures
from gradir.reference.memory import check_before
from gradir.runtime.program import example_names

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")

MODEL = """dim B = 1..64
%x = stage f32[B,3]
%c = const f32[3] [0.5, -0.0, 2.5]
%w = buffer f32[3,2] init=0.5
%k = buffer f32[4] init=1.0
%wv = load %w
%h = tanh (matmul (mul %x %c) %wv)
%i = stage i32
%picked = take %h %i axis=0
store %w (mul %wv 0.75)
store %k (sum %picked) %i
output %h
output %picked
"""
# the same program with other names of values and other lines
RENAMED = MODEL.replace("%wv", "%other").replace("dim B", "# again\n\ndim B")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "gradir"


@pytest.fixture
def no_passes(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From when it is called, a program that is not in the cache is an error."""

    def never(table: Any) -> Any:
        raise AssertionError("the program was not found")

    return lambda: monkeypatch.setattr(stages, "stage", never)


def outcome(session: Session) -> list[Any]:
    """Bytes of some steps' results, and how a step that fails says so."""
    found: list[Any] = []
    for rows, index in ((4, 0), (2, 1), (4, 9), (4, 3)):
        x = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3) - 3
        try:
            outputs = session(x=x, i=index)
        except GirError as failed:
            (said,) = failed.diagnostics
            found.append((said.code, said.message, said.span and said.span.line))
        else:
            found += [(name, array.tobytes()) for name, array in outputs.items()]
    return found + [(name, array.tobytes()) for name, array in session.state.items()]


# --- found again --------------------------------------------------------------------------


@needs_compiler
def test_a_program_that_is_found_runs_no_passes(no_passes: Callable[[], None]) -> None:
    first = Program.parse(MODEL).session(backend="c")
    no_passes()
    again = Program.parse(MODEL).session(backend="c")
    x = np.ones((2, 3), np.float32)
    for _ in range(2):
        one, two = first(x=x, i=1), again(x=x, i=1)
        assert [a.tobytes() for a in one.values()] == [a.tobytes() for a in two.values()]
    with pytest.raises(AssertionError, match="not found"):
        Program.parse(MODEL.replace("2.5", "2.25")).session(backend="c")


@needs_compiler
@pytest.mark.parametrize("text", [MODEL, RENAMED])
def test_results_and_failures_of_what_is_found(text: str) -> None:
    """The interpreter's, and its place in the text at hand; the third call fails."""
    expected = outcome(Program.parse(text).session())
    assert expected[4][0] == "R605"
    for source in (MODEL, text):
        assert outcome(Program.parse(source).session(backend="c"))[:4] == expected[:4]
    assert outcome(Program.parse(text).session(backend="c")) == expected
    assert len(list(cache_folder().glob("*.so"))) == 1


@needs_compiler
def test_what_is_checked_before_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "dim B = 1..100000\n%x = stage f32[B]\n%y = exp (shrink %x lo=[2] shape=[3])\noutput %y"
    for _ in range(2):
        session = Program.parse(text).session(backend="c")
        for size, limit, code in ((9, 0, ""), (4, 0, "R607"), (50000, 100000, "R606")):
            monkeypatch.setenv("GRADIR_MEMORY", str(limit or 10**9))
            said = []
            for one in (Program.parse(text).session(), session):
                try:
                    one(x=np.zeros(size, np.float32))
                except GirError as failed:
                    said.append(str(failed))
            assert len(said) == 2 * bool(code) and len(set(said)) == bool(code)
            assert all(code in message for message in said)


@needs_compiler
def test_another_version_of_gradir_is_not_found(
    no_passes: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    Program.parse(MODEL).session(backend="c")
    assert len(own_code()) == 64
    no_passes()
    monkeypatch.setattr("gradir.codegen.executable.own_code", lambda: "0" * 64)
    with pytest.raises(AssertionError, match="not found"):
        Program.parse(MODEL).session(backend="c")


def test_own_code_is_that_of_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in identity._PACKAGES:
        (tmp_path / package).mkdir(parents=True, exist_ok=True)
        (tmp_path / package / "a.py").write_text("a")
    (tmp_path / "numerics/c/b.h").write_text("b")
    monkeypatch.setattr(identity.resources, "files", lambda name: tmp_path)
    whole = identity.own_code.__wrapped__
    found = [whole()]
    for path in ("numerics/c/b.h", "passes/a.py", "codegen/a.py", "codegen/new.py"):
        (tmp_path / path).write_text("changed")
        found.append(whole())
    (tmp_path / "codegen/new.py").rename(tmp_path / "codegen/newer.py")
    found.append(whole())
    assert len(set(found)) == len(found)
    (tmp_path / "codegen/notes.txt").write_text("nothing that is compiled")
    assert whole() == found[-1]


# --- damage -------------------------------------------------------------------------------


def resealed(library: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Another description behind a library, whole and sealed."""
    content = library.read_bytes()[: -32 - len(toolchain._SEAL)]
    size = int.from_bytes(content[-8:], "little")
    body, beside = content[: -8 - size], content[-8 - size : -8]
    head, _, rest = beside.partition(b"\n")
    made = change(json.loads(head))
    beside = made if isinstance(made, bytes) else json.dumps(made).encode() + b"\n" + rest
    tail = body + beside + len(beside).to_bytes(8, "little") + toolchain._SEAL
    library.unlink()  # it may be mapped
    library.write_bytes(tail + hashlib.sha256(tail).digest())


WRONG: list[Callable[[dict[str, Any]], Any]] = [
    lambda fields: b"",
    lambda fields: b"nonsense\n",
    lambda fields: b"[" * 100_000 + b"\n",
    lambda fields: b'"text"\n',
    lambda fields: {},
    lambda fields: {**fields, "words": 1},
    lambda fields: {**fields, "words": -1},
    lambda fields: {**fields, "words": True},
    lambda fields: {**fields, "inputs": [["y", 0]]},
    lambda fields: {**fields, "inputs": [["x", 10**9]]},
    lambda fields: {**fields, "inputs": [["x", 0], ["i", 0]]},
    lambda fields: {**fields, "outputs": []},
    lambda fields: {**fields, "slots": [["z", 0, None, False]]},
    lambda fields: {**fields, "slots": 5},
    lambda fields: {**fields, "arena": [[0, [1, ["C"]], 0, 0]]},
    lambda fields: {**fields, "arena": [[0, "large", 0, 0]]},
    lambda fields: {**fields, "scratch": [[0, "f16", []]]},
    lambda fields: {**fields, "constants": [[at, n + 1] for at, n in fields["constants"]]},
    lambda fields: {**fields, "constants": []},
    lambda fields: {**fields, "growth": [None]},
    lambda fields: {**fields, "windows": [[0, 1]]},
]


@needs_compiler
@pytest.mark.parametrize("change", WRONG)
def test_a_description_that_cannot_be_is_made_again(change: Callable[..., Any]) -> None:
    expected = outcome(Program.parse(MODEL).session(backend="c"))
    (library,) = cache_folder().glob("*.so")
    whole = library.read_bytes()
    resealed(library, change)
    assert library.read_bytes() != whole
    assert outcome(Program.parse(MODEL).session(backend="c")) == expected
    assert library.read_bytes() == whole


@needs_compiler
def test_any_bit_of_the_file_counts() -> None:
    Program.parse(MODEL).session(backend="c")
    (library,) = cache_folder().glob("*.so")
    whole = library.read_bytes()
    library.unlink()  # it is mapped
    for at in (0, len(whole) // 2, *range(len(whole) - 200, len(whole), 7)):
        library.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        assert toolchain._whole(library) is None, at
    library.write_bytes(whole)
    assert toolchain._whole(library) is not None


# --- what tells programs apart --------------------------------------------------------------

BASE = """dim B = 1..8
%x = stage f32[B]
%w = buffer f32 init=0.5
%y = mul %x 2.0
%z = add %y (load %w)
store %w 1.5
output %z
"""
OTHERS = [
    ("2.0", "0x1.000002p+1"),
    ("2.0", "0.0"),
    ("2.0", "-0.0"),
    ("1..8", "1..9"),
    ("init=0.5", "init=0.25"),
    ("init=0.5", ""),
    ("f32", "f64"),
    ("mul", "add"),
    ("mul %x 2.0", "sub %x 2.0"),
    ("1.5", "1.25"),
    ("output %z", "output %y"),
    ("output %z", 'output %z name="q"'),
    ("output %z", "output %z\noutput %y"),
    ("output %z", "%n = range 2\nstore %w (cast %n dtype=f32)\nend %n\noutput %z"),
    ("output %z", "%g = gradient (sum %z) %x\noutput %z\noutput %g"),
    ("output %z", "%g = gradient (sum (exp %y)) %x checkpoint=[%y]\noutput %z\noutput %g"),
    ("output %z", "%g = gradient (sum (exp %y)) %x\noutput %z\noutput %g"),
    ("%z = add %y (load %w)\nstore %w 1.5", "store %w 1.5\n%z = add %y (load %w)"),
]


def test_tables_that_differ_have_other_hashes() -> None:
    texts = [BASE, *(BASE.replace(old, new) for old, new in OTHERS)]
    assert len(set(texts)) == len(texts)
    hashes = [table_hash(Program.parse(text).table) for text in texts]
    assert len(set(hashes)) == len(hashes)
    assert [table_hash(Program.parse(text).table) for text in texts] == hashes
    assert table_hash(Program.parse(BASE.replace("%y", "%v")).table) == hashes[0]


# --- layouts --------------------------------------------------------------------------------


# Without the longest, which takes a minute to stage and has nothing that others have not.
@pytest.mark.parametrize("name", [n for n in example_names() if n != "map30_scalar"])
def test_layouts_are_read_as_they_were_written(name: str) -> None:
    table = Program.load(f"example:{name}").table
    layout = make_layout(stages.stage(table), can_fail=True)
    assert from_bytes(to_bytes(layout), table) == layout


SIZES = """dim B = 1..500
dim C = 1..500
%x = stage f32[B,C]
%y = mul %x %x
%s = sum %y axes=[1]
%p = pad %s lo=[1] shape=[2*B]
%q = shrink %p lo=[2] shape=[B]
%t = matmul %y (permute %y axes=[1,0])
output %t
output %q
"""


def test_a_layout_knows_what_is_checked_before() -> None:
    staged = stages.stage(Program.parse(SIZES).table)
    layout = make_layout(staged, can_fail=False)
    failure = Failures(staged.table).make
    found = set()
    with pytest.MonkeyPatch.context() as patch:
        for b in (1, 2, 3, 40, 499):
            for c in (1, 17, 499):
                for limit in (4, 100, 3000, 10_000, 100_000, 10**6, 10**7):
                    patch.setenv("GRADIR_MEMORY", str(limit))
                    dims = {"B": b, "C": c}
                    try:
                        check_before(staged.table, staged.plan, dims, failure)
                    except GirError as refused:
                        found.add(refused.diagnostics[0].code)
                        assert not layout.fits(dims, limit), (dims, limit)
                    else:
                        found.add("")
                        assert layout.fits(dims, limit), (dims, limit)
    assert found == {"", "R606", "R607"}


# --- several texts ----------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("name", ["attention", "minibatch", "softmax"])
def test_no_bit_depends_on_the_number_of_texts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(units, "WORTH", 20.0)
    table = Program.load(f"example:{name}").table
    staged = stages.stage(table)
    functions, main = staged.functions()
    results = []
    for most in (1, 2, 3, 4):
        texts = units.units(functions, main, "", most)
        assert len(texts) == min(most, len(functions) + 1) or most > 2
        for at in range(len(functions)):
            head = f"int gir_k{at + 1}(const gir_run *r, void *const *m, int64_t first"
            assert sum(text.count(f"{head}, int64_t last) {{") for text in texts) == 1
        monkeypatch.setattr(units, "processors", lambda most=most: most)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / str(most)))
        program = Program.load(f"example:{name}")
        session = program.session(backend="c")
        assert isinstance(session.engine, Executable)
        rng = np.random.default_rng(5)
        inputs = {
            stage: rng.integers(0, 2, [4] * program.table.type(id).rank).astype(
                program.table.type(id).dtype.numpy
            )
            if not program.table.type(id).is_static
            else rng.integers(0, 2, program.table.type(id).shape).astype(
                program.table.type(id).dtype.numpy
            )
            for stage, id in program.table.stages.items()
        }
        outputs = session.run(inputs, steps=3)
        state = {buffer: array.tobytes() for buffer, array in session.state.items()}
        results.append(({n: a.tobytes() for n, a in outputs.items()}, state))
    assert all(result == results[0] for result in results)
