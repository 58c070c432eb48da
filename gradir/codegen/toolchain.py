"""The C compiler, and the cache of what it has made (spec/running.md says nothing of either).

A library is found by the hash of its C text, the flags, the compiler's version and the
processor; it is written beside and renamed into place, so that processes do not disturb one
another, and it is checked by its own hash before it is loaded. Refuses when there is no compiler
(U704).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from gradir.text.diagnostics import Note, error

FLAGS = [
    "-std=gnu99",
    "-O2",
    "-fPIC",
    "-shared",
    "-fno-math-errno",
    "-ffp-contract=off",
    "-fno-fast-math",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-w",
]
PROCESSORS = {
    "avx512": ["-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mfma", "-mavx2"],
    "avx2": ["-mavx2", "-mfma"],
    "baseline": [],
}
_AVX512 = {"avx512f", "avx512dq", "avx512bw", "avx512vl", "fma"}


@lru_cache(maxsize=1)
def processor() -> str:
    """The kind of code this machine runs: avx512, avx2 or baseline; GRADIR_CPU overrides."""
    stated = os.environ.get("GRADIR_CPU")
    if stated in PROCESSORS:
        return stated
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return "baseline"
    flags = next(
        (set(line.split()) for line in text.splitlines() if line.startswith("flags")), set()
    )
    if flags >= _AVX512:
        return "avx512"
    return "avx2" if {"avx2", "fma"} <= flags else "baseline"


def find_compiler() -> str | None:
    """$CC, cc, gcc or clang; None where there is none."""
    stated = os.environ.get("CC")
    for name in [stated] if stated else ["cc", "gcc", "clang"]:
        if name and (found := shutil.which(name)):
            return found
    return None


@lru_cache(maxsize=8)
def compiler_version(compiler: str) -> str:
    made = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    return made.stdout


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gradir"


def library(text: str, extra: tuple[str, ...] = ()) -> Path:
    """The library of a C text: from the cache, or compiled into it.

    Where the cache cannot be written the library lies in a private temporary folder. Raises
    GirError U704 when there is no compiler or it fails.
    """
    compiler = find_compiler()
    if compiler is None:
        raise error(
            "U704",
            "there is no C compiler",
            help="install gcc or clang, or set CC; `--backend numpy` needs none",
        )
    flags = [*FLAGS, *PROCESSORS[processor()], *extra]
    key = hashlib.sha256(
        "\0".join([text, *flags, compiler, compiler_version(compiler)]).encode()
    ).hexdigest()
    folder = cache_folder()
    found = folder / f"{key}.so"
    if _intact(found):
        return found
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _compile(compiler, flags, text, found)
    except OSError:
        private = Path(tempfile.mkdtemp(prefix="gradir-"))
        return _compile(compiler, flags, text, private / f"{key}.so")


def _compile(compiler: str, flags: list[str], text: str, target: Path) -> Path:
    handle, name = tempfile.mkstemp(dir=target.parent, suffix=".so")
    os.close(handle)
    made = Path(name)
    try:
        done = subprocess.run(
            [compiler, *flags, "-x", "c", "-", "-o", str(made), "-lm"],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise error(
                "U704",
                f"{compiler} failed on generated code",
                notes=[Note(line) for line in done.stderr.splitlines()[:5]],
                help="this is a bug of gradir or of the compiler; `--backend numpy` needs neither",
            )
        _seal(target).write_text(_digest(made), encoding="ascii")
        made.replace(target)
        return target
    finally:
        made.unlink(missing_ok=True)


def _seal(library: Path) -> Path:
    return library.with_suffix(".sha256")


def _digest(library: Path) -> str:
    return hashlib.sha256(library.read_bytes()).hexdigest()


def _intact(library: Path) -> bool:
    """Whether a cached library is whole; a damaged one is made again."""
    try:
        return _seal(library).read_text(encoding="ascii") == _digest(library)
    except (OSError, UnicodeDecodeError):
        return False


def clear_cache() -> int:
    """Remove what is cached; the number of libraries."""
    removed = 0
    for file in cache_folder().glob("*"):
        if file.suffix in (".so", ".sha256"):
            removed += file.suffix == ".so"
            file.unlink(missing_ok=True)
    return removed
