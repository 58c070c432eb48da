"""The compiler and its cache under everything that goes wrong with them."""

from __future__ import annotations

import ctypes
import hashlib
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gradir import GirError, Program
from gradir.codegen import toolchain
from gradir.codegen.toolchain import cache_folder, clear_cache, find_compiler, library

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")

C = "int gir_answer(void) { return %d; }\n"
PROGRAM = """%x = stage f32[4]
%y = mul (exp %x) 2.0
output %y
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "gradir"


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler that writes a line to this file each time it is run."""
    log = tmp_path / "runs"
    log.write_text("")
    script = tmp_path / "counted-cc"
    script.write_text(f'#!/bin/sh\necho run >> "{log}"\nexec cc "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    return log


def answer(path: Path) -> int:
    return int(ctypes.CDLL(str(path)).gir_answer())


def runs(log: Path) -> int:
    return len(log.read_text().splitlines())


def in_python(code: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# --- the cache ----------------------------------------------------------------------------


def test_a_text_is_compiled_once(cache: Path, counted: Path) -> None:
    first = library(C % 1)
    assert first.parent == cache and library(C % 1) == first
    assert (answer(first), runs(counted)) == (1, 1)
    assert answer(library(C % 2)) == 2
    assert runs(counted) == 2


def test_eight_threads_run_one_compiler(cache: Path, counted: Path) -> None:
    gate, found = threading.Barrier(8), []

    def work() -> None:
        gate.wait()
        found.append(library(C % 1))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(found)) == 1
    assert runs(counted) == 1


def test_the_key_has_text_flags_compiler_and_processor(
    cache: Path, counted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {library(C % 1), library(C % 1, ("-O0",))}
    monkeypatch.setenv("GRADIR_CPU", "baseline")
    found.add(library(C % 1))
    monkeypatch.setenv("CC", "cc")
    found.add(library(C % 1))
    assert len(found) == 4


def test_a_compiler_that_was_replaced_is_another_one(counted: Path) -> None:
    first = library(C % 1)
    script = Path(os.environ["CC"])
    script.write_text(script.read_text() + "# a new version\n")
    assert library(C % 1) != first
    assert runs(counted) == 2


def test_private_modes(cache: Path) -> None:
    old = os.umask(0)
    try:
        made = library(C % 1)
    finally:
        os.umask(old)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert [path.name for path in cache.iterdir()] == [made.name]


def test_a_cache_that_others_can_write_is_not_used(cache: Path) -> None:
    planted = library(C % 666)
    content = planted.read_bytes()
    good = library(C % 1)
    good.write_bytes(content)  # whole, and of another text
    assert answer(library(C % 1)) == 666  # the owner may do what he likes
    cache.chmod(0o777)
    made = library(C % 1)
    assert made.parent != cache and answer(made) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda body: b"",
        lambda body: body[: len(body) // 2],
        lambda body: body[:-1],
        lambda body: body[:2000] + bytes([body[2000] ^ 1]) + body[2001:],
        lambda body: body[:-1] + bytes([body[-1] ^ 1]),
        lambda body: b"gradir.1" + hashlib.sha256(b"").digest() + b"tail",
    ],
    ids=["empty", "half", "short", "bit", "seal", "nonsense"],
)
def test_a_damaged_library_is_made_again(damage: object, cache: Path, counted: Path) -> None:
    made = library(C % 1)
    whole = made.read_bytes()
    made.unlink()
    made.write_bytes(damage(whole))  # type: ignore[operator]
    assert library(C % 1) == made
    assert made.read_bytes() == whole and answer(made) == 1
    assert runs(counted) == 2


def test_clear(cache: Path, counted: Path) -> None:
    library(C % 1), library(C % 2)
    (cache / "build-left").mkdir()
    (cache / "build-left" / "program.so").write_bytes(b"half")
    assert clear_cache() == 2
    assert list(cache.iterdir()) == []
    assert clear_cache() == 0
    assert answer(library(C % 1)) == 1
    assert runs(counted) == 3


def test_a_cache_that_cannot_be_written(cache: Path, counted: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("a file where the folder should be")
    made = library(C % 1)
    assert answer(made) == 1 and cache not in made.parents
    assert library(C % 1) == made  # found again in this process
    assert runs(counted) == 1
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700


def mount(folder: Path, options: str) -> None:
    """A file system of its own; without the right to mount one the test is skipped."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"{options},mode=700", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"cannot mount: {done.stderr.decode().strip()}")


def test_a_read_only_cache(cache: Path) -> None:
    """What is there is used, what is not goes elsewhere."""
    cache.mkdir(parents=True, mode=0o700)
    mount(cache, "size=1m")
    try:
        there = library(C % 1)
        assert there.parent == cache
        subprocess.run(["mount", "-o", "remount,ro", str(cache)], check=True)
        assert library(C % 1) == there
        made = library(C % 2)
        assert answer(made) == 2 and made.parent != cache
    finally:
        subprocess.run(["umount", "-l", str(cache)], check=True)


def test_private_folders_go_with_their_process(cache: Path, tmp_path: Path) -> None:
    code = (
        "from gradir.codegen.toolchain import library\n"
        "print(library('int gir_answer(void) { return 7; }'))"
    )
    cache.parent.mkdir(parents=True)
    cache.write_text("no folder")
    process = in_python(code, TMPDIR=str(tmp_path))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert Path(out.strip()).is_relative_to(tmp_path)
    assert not Path(out.strip()).parent.exists()


def test_a_full_disk(cache: Path) -> None:
    cache.mkdir(parents=True, mode=0o700)
    mount(cache, "size=16k")
    try:
        # more than 16 KiB of constant data, so that it cannot fit
        data = ", ".join(str(i) for i in range(8192))
        text = f"const int gir_data[] = {{{data}}};\n" + C % 5
        made = library(text)
        assert answer(made) == 5 and made.parent != cache
        assert [p.name for p in cache.iterdir()] == []
    finally:
        subprocess.run(["umount", "-l", str(cache)], check=True)


# --- several processes --------------------------------------------------------------------

RACE = """
import ctypes, sys, time
from gradir.codegen.toolchain import library
for number in range(50):
    begin = float(sys.argv[1]) + number * 0.1
    while time.time() < begin:
        pass
    path = library("int gir_answer(void) { return %d; }" % number)
    assert ctypes.CDLL(str(path)).gir_answer() == number, number
    print(path)
"""


def test_two_processes_fill_an_empty_cache(cache: Path) -> None:
    begin = str(time.time() + 1.0)
    both = [in_python(RACE, begin) for _ in range(2)]
    found = []
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        found.append(out.split())
    assert found[0] == found[1] and len(set(found[0])) == 50
    assert {str(path) for path in cache.iterdir()} == set(found[0])


def test_killed_while_it_compiles(cache: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow-cc"
    slow.write_text('#!/bin/sh\nfor last; do :; done\necho half > "$TMPDIR/x"\nexec sleep 30\n')
    slow.chmod(0o755)
    code = f"from gradir.codegen.toolchain import library\nlibrary({C % 1!r})"
    process = in_python(code, CC=str(slow))
    deadline = time.time() + 30
    while not list(cache.glob("build-*/x")):
        assert time.time() < deadline and process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close(), process.stderr.close()  # type: ignore[union-attr]
    (left,) = cache.iterdir()
    assert answer(library(C % 1)) == 1
    assert left.exists()  # it might still be somebody's
    os.utime(left, (time.time() - 7200, time.time() - 7200))
    assert answer(library(C % 2)) == 2
    assert not left.exists() and len(list(cache.iterdir())) == 2


# --- compilers ----------------------------------------------------------------------------


def refused(text: str = C % 1) -> GirError:
    with pytest.raises(GirError) as caught:
        library(text)
    assert [d.code for d in caught.value.diagnostics] == ["U704"]
    return caught.value


def test_the_compiler_named_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nonexistent")
    assert "CC is /nonexistent" in str(refused())


def test_no_compiler_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)
    assert "there is no C compiler" in str(refused())


def test_ziglang_comes_last(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: object())
    assert find_compiler()[-1] != "ziglang"  # type: ignore[index]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_compiler() == [sys.executable, "-m", "ziglang", "cc"]


def test_cc_may_hold_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "cc -DGIR_NUMBER=31")
    assert answer(library("int gir_answer(void) { return GIR_NUMBER; }")) == 31


def test_a_compiler_that_fails(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    assert "failed on generated code (status 1)" in str(refused())
    assert list(cache.iterdir()) == []


def test_a_compiler_that_makes_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "true")
    assert "failed" in str(refused())
    assert list(cache.iterdir()) == []


def test_what_the_compiler_says_is_shown(cache: Path) -> None:
    notes = refused("int gir_answer(void) { return nothing; }").diagnostics[0].notes
    assert any("nothing" in note.message for note in notes)


def test_auto_interprets_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nonexistent")
    with pytest.warns(RuntimeWarning, match="CC is /nonexistent: interpreted"):
        step = Program.parse(PROGRAM).compile()
    assert step.backend == "numpy"
    with pytest.raises(GirError):
        Program.parse(PROGRAM).compile(backend="c")


# --- programs that look alike -------------------------------------------------------------

ALIKE = [
    "%x = stage f32\noutput (add %x 1.0)",
    "%x = stage f32\noutput (add %x 0x1.000002p+0)",
    "%x = stage f32\noutput (add %x 0x1.fffffep-1)",
    "%x = stage f32\noutput (add %x 0.0)",
    "%x = stage f32\noutput (add %x -0.0)",
    "%x = stage f64\noutput (add %x 0.0)",
    "%x = stage f64\noutput (add %x -0.0)",
    "%x = stage i32\noutput (add %x 1)",
    "%x = stage u32\noutput (add %x 1)",
    "%x = stage i64\noutput (add %x 1)",
]


def test_programs_that_differ_in_a_bit_share_nothing(cache: Path) -> None:
    """A value that tells each of them from the others is computed by each."""
    found = []
    for text in ALIKE:
        text = text.replace("output (", "%y = ").replace(")", "\noutput %y")
        step = Program.parse(text).compile(backend="c")
        dtype = text.split()[3]
        x = -0.0 if dtype[0] == "f" else 1
        found.append((dtype, step({"x": x})["y"].tobytes()))
    assert len(set(found)) == len(ALIKE)
    assert len(list(cache_folder().glob("*.so"))) == len(ALIKE)
