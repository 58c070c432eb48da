"""The C compiler, and the cache of what it has made.

A library is found by the hash of its C text, the flags, the compiler and the kind of processor.
The compiler writes into a folder of its own inside the cache, and the result is renamed into
place: processes that make the same library at once do not disturb one another, and one that is
killed leaves nothing behind that anybody reads. A library carries its own hash at its end, and a
damaged one is made again. A cache that cannot be written, or that others could write, is not
used: the library then lies in a private folder that goes with the process. Refuses when there is
no compiler, or when it fails (U704).
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from threading import Lock

from gradir.text.diagnostics import GirError, Note, error

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

_SEAL = b"gradir.1"  # behind a library, then its SHA-256
_TRAILER = len(_SEAL) + 32
_BUILD = "build-"  # the folders that compilers write into
_STALE_SECONDS = 3600.0


def processor() -> str:
    """The kind of code this machine runs: avx512, avx2 or baseline; GRADIR_CPU overrides."""
    stated = os.environ.get("GRADIR_CPU")
    return stated if stated in PROCESSORS else _found_processor()


@cache
def _found_processor() -> str:
    flags: set[str] = set()
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            flags = next((set(line.split()) for line in file if line.startswith("flags")), flags)
    except OSError:
        return "baseline"
    if flags >= _AVX512:
        return "avx512"
    return "avx2" if {"avx2", "fma"} <= flags else "baseline"


def find_compiler() -> list[str] | None:
    """The command of $CC, or of cc, gcc, clang or the ziglang package; None without any.

    CC may hold arguments. Where it is set, nothing else is tried.
    """
    stated = os.environ.get("CC")
    if stated:
        words = shlex.split(stated)
        found = shutil.which(words[0]) if words else None
        return [found, *words[1:]] if found else None
    for name in ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return [found]
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    return None


def _identity(command: list[str]) -> str:
    """What changes when the compiler does: its files, without running it."""
    parts = [*command]
    package = importlib.util.find_spec("ziglang") if "ziglang" in command else None
    files = [shutil.which(word) for word in command] + [package.origin if package else None]
    for path in files:
        if path is not None and os.path.exists(path):
            real = os.path.realpath(path)
            status = os.stat(real)
            parts.append(f"{real} {status.st_size} {status.st_mtime_ns}")
    return " ".join(parts)


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "gradir"


def library(text: str, extra: tuple[str, ...] = ()) -> Path:
    """The library of a C text: from the cache, or compiled into it.

    Raises GirError U704 when there is no compiler or it fails.
    """
    compiler = find_compiler()
    if compiler is None:
        raise _no_compiler()
    flags = [*FLAGS, *PROCESSORS[processor()], *extra]
    key = _key(text, flags, compiler)
    with _building.setdefault(key, Lock()):  # once, however many threads ask
        return _found_or_made(key, compiler, flags, text)


_building: dict[str, Lock] = {}


def _found_or_made(key: str, compiler: list[str], flags: list[str], text: str) -> Path:
    folder = cache_folder()
    usable = _private(folder)
    if usable and _intact(found := folder / f"{key}.so"):
        return found
    if usable or _made(folder):
        # whatever goes wrong here, a full disk too, may go well elsewhere
        with contextlib.suppress(OSError, GirError):
            return _compile(compiler, flags, text, folder / f"{key}.so")
    private = _private_folder() / f"{key}.so"
    if _intact(private):
        return private
    try:
        return _compile(compiler, flags, text, private)
    except OSError as problem:
        raise error("U704", f"cannot write a library: {problem.strerror or problem}") from None


def _key(text: str, flags: list[str], compiler: list[str]) -> str:
    made = hashlib.sha256()
    for part in (text, *flags, platform.machine(), _identity(compiler)):
        made.update(part.encode())
        made.update(b"\0")
    return made.hexdigest()


def _no_compiler() -> GirError:
    stated = os.environ.get("CC")
    return error(
        "U704",
        f"there is no C compiler{f': CC is {stated}' if stated else ''}",
        help="install gcc or clang, or set CC; `--backend numpy` needs none",
    )


# --- the cache ----------------------------------------------------------------------------


def _private(folder: Path) -> bool:
    """Whether the folder is there, and nobody else can put a library into it."""
    try:
        status = os.stat(folder)
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    return not hasattr(os, "geteuid") or (
        status.st_uid == os.geteuid() and not status.st_mode & 0o022
    )


def _made(folder: Path) -> bool:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return _private(folder)  # made by another process just now, or not ours
    except OSError:
        return False
    return True


_private_folders: dict[int, Path] = {}


def _private_folder() -> Path:
    """This process's own folder; a child of a fork gets another, and removes only that."""
    process = os.getpid()
    if process not in _private_folders:
        _private_folders[process] = Path(tempfile.mkdtemp(prefix="gradir-"))
        atexit.register(_remove_private, process)
    return _private_folders[process]


def _remove_private(process: int) -> None:
    if process == os.getpid():
        shutil.rmtree(_private_folders[process], ignore_errors=True)


def _compile(compiler: list[str], flags: list[str], text: str, target: Path) -> Path:
    _sweep(target.parent)
    build = Path(tempfile.mkdtemp(prefix=_BUILD, dir=target.parent))
    made = build / "program.so"
    try:
        done = subprocess.run(
            [*compiler, *flags, "-x", "c", "-", "-o", str(made), "-lm"],
            input=text.encode(),
            capture_output=True,
            check=False,
            env={**os.environ, "TMPDIR": str(build), "LC_ALL": "C"},
        )
        if done.returncode or not made.exists():
            raise _failed(compiler, done)
        _seal(made)
        os.replace(made, target)
        return target
    finally:
        shutil.rmtree(build, ignore_errors=True)


def _failed(compiler: list[str], done: subprocess.CompletedProcess[bytes]) -> GirError:
    said = done.stderr.decode(errors="replace").splitlines()
    return error(
        "U704",
        f"{' '.join(compiler)} failed on generated code (status {done.returncode})",
        notes=[Note(line) for line in said[:5]],
        help="this is a bug of gradir or of the compiler; `--backend numpy` needs neither",
    )


def _seal(library: Path) -> None:
    digest = hashlib.sha256(library.read_bytes()).digest()
    with open(library, "ab") as file:
        file.write(_SEAL + digest)
    os.chmod(library, 0o600)


def _intact(library: Path) -> bool:
    """Whether a library is there and whole."""
    try:
        content = library.read_bytes()
    except OSError:
        return False
    body, trailer = content[:-_TRAILER], content[-_TRAILER:]
    return trailer == _SEAL + hashlib.sha256(body).digest()


def _sweep(folder: Path) -> None:
    """Remove what processes that were killed have left."""
    now = time.time()
    for left in folder.glob(f"{_BUILD}*"):
        with contextlib.suppress(OSError):
            if now - left.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def clear_cache() -> int:
    """Remove what is cached; the number of libraries."""
    folder = cache_folder()
    removed = 0
    for file in folder.glob("*.so"):
        file.unlink(missing_ok=True)
        removed += 1
    for left in folder.glob(f"{_BUILD}*"):
        shutil.rmtree(left, ignore_errors=True)
    return removed
