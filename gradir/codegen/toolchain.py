"""The C compiler, and the cache of what it has made.

A library is found by the hash of its C text, or of what the text is made from, with the flags, the
compiler and the kind of processor. What its caller wants to know of it lies behind it in the file.
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
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from gradir.text.diagnostics import GirError, Note, error

T = TypeVar("T")

FLAGS = [
    "-std=gnu99",
    "-O2",
    "-fPIC",
    "-shared",
    "-fno-fast-math",  # first: it sets the others of its kind back
    "-fno-math-errno",
    "-ffp-contract=off",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-ftree-vectorize",  # part of -O2 only from gcc 12 on
    "-w",
]
PROCESSORS = {
    "avx512": ["-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mfma", "-mavx2"],
    "avx2": ["-mavx2", "-mfma"],
    "baseline": [],
}
_AVX512 = {"avx512f", "avx512dq", "avx512bw", "avx512vl", "fma"}

# Behind a library: what belongs to it, the length of that, this, and the SHA-256 of all before.
_SEAL = b"gradir.2"
_TRAILER = 8 + len(_SEAL)
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
    return found_or_made(text, extra, lambda: ([text], b""), lambda content: None)[0]


def found_or_made(
    name: str,
    extra: tuple[str, ...],
    make: Callable[[], tuple[list[str], bytes]],
    read: Callable[[bytes], T],
) -> tuple[Path, T]:
    """A library that is known by `name`, and what lies behind it.

    `make` gives the C texts, compiled side by side, and what is to lie there; `read` what that
    says, or ValueError: then the library is made again. Raises GirError U704 when there is no
    compiler or it fails.
    """
    compiler = find_compiler()
    if compiler is None:
        raise _no_compiler()
    flags = [*FLAGS, *PROCESSORS[processor()], *extra]
    key = _key(name, [*flags, *_linking(compiler)], compiler)
    with _building.setdefault(key, Lock()):  # once, however many threads ask
        return _Request(key, compiler, flags, make, read).answer()


_building: dict[str, Lock] = {}


class _Request(Generic[T]):
    def __init__(
        self,
        key: str,
        compiler: list[str],
        flags: list[str],
        make: Callable[[], tuple[list[str], bytes]],
        read: Callable[[bytes], T],
    ) -> None:
        self.file = f"{key}.so"
        self.compiler, self.flags = compiler, flags
        self.make, self.read = make, read

    def answer(self) -> tuple[Path, T]:
        folder = cache_folder()
        usable = _private(folder)
        if usable and (found := self.found(folder)):
            return found
        made: tuple[list[str], bytes] | None = None
        if usable or _made(folder):
            made = self.make()
            # whatever goes wrong here, a full disk too, may go well elsewhere
            with contextlib.suppress(OSError, GirError):
                return self.compiled(made, folder)
        private = _private_folder()
        if found := self.found(private):
            return found
        try:
            return self.compiled(made or self.make(), private)
        except OSError as problem:
            raise error("U704", f"cannot write a library: {problem.strerror or problem}") from None

    def found(self, folder: Path) -> tuple[Path, T] | None:
        content = _whole(folder / self.file)
        if content is None:
            return None
        try:
            return folder / self.file, self.read(content)
        except ValueError:
            return None

    def compiled(self, made: tuple[list[str], bytes], folder: Path) -> tuple[Path, T]:
        (texts, beside), target = made, folder / self.file
        return _compile(self.compiler, self.flags, texts, beside, target), self.read(beside)


def _linking(compiler: list[str]) -> list[str]:
    """What is linked to. On Linux nothing but the C library: start files and others take the linker
    longer than the program."""
    if sys.platform == "linux" and os.uname().machine == "x86_64" and "ziglang" not in compiler:
        return ["-nostdlib", "-lc"]
    return ["-lm"]


def _key(name: str, flags: list[str], compiler: list[str]) -> str:
    made = hashlib.sha256()
    for part in (name, *flags, platform.machine(), _identity(compiler)):
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
    from tempfile import mkdtemp

    process = os.getpid()
    if process not in _private_folders:
        _private_folders[process] = Path(mkdtemp(prefix="gradir-"))
        atexit.register(_remove_private, process)
    return _private_folders[process]


def _remove_private(process: int) -> None:
    if process == os.getpid():
        shutil.rmtree(_private_folders[process], ignore_errors=True)


def _compile(
    compiler: list[str], flags: list[str], texts: list[str], beside: bytes, target: Path
) -> Path:
    from tempfile import mkdtemp

    _sweep(target.parent)
    build = Path(mkdtemp(prefix=_BUILD, dir=target.parent))
    made, linking = build / "program.so", _linking(compiler)
    try:
        if len(texts) == 1:
            _run([[*compiler, *flags, "-x", "c", "-", "-o", str(made), *linking]], texts, build)
        else:
            objects = [str(build / f"part{at}.o") for at in range(len(texts))]
            compile = [*compiler, *flags, "-c", "-x", "c", "-", "-o"]
            _run([[*compile, object] for object in objects], texts, build)
            _run([[*compiler, *flags, *objects, "-o", str(made), *linking]], [""], build)
        if not made.exists():
            raise _failed(compiler, 0, b"it made no library")
        _seal(made, beside)
        os.replace(made, target)
        return target
    finally:
        shutil.rmtree(build, ignore_errors=True)


def _run(commands: list[list[str]], texts: list[str], build: Path) -> None:
    """Commands side by side, each with a text to read. GirError U704 for the first that fails."""
    import subprocess

    environment = {**os.environ, "TMPDIR": str(build), "LC_ALL": "C"}
    running = []
    try:
        for at, (command, text) in enumerate(zip(commands, texts, strict=True)):
            source = build / f"part{at}.c"
            source.write_text(text, encoding="utf-8")
            with source.open("rb") as file:
                running.append(
                    subprocess.Popen(
                        command,
                        stdin=file,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.PIPE,
                        env=environment,
                    )
                )
        said = [process.communicate()[1] for process in running]
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
                process.wait()
    for process, command, lines in zip(running, commands, said, strict=True):
        if process.returncode:
            raise _failed(command, process.returncode, lines)


def _failed(command: list[str], status: int, lines: bytes) -> GirError:
    return error(
        "U704",
        f"{command[0]} failed on generated code (status {status})",
        notes=[Note(line) for line in lines.decode(errors="replace").splitlines()[:5]],
        help="this is a bug of gradir or of the compiler; `--backend numpy` needs neither",
    )


def _seal(library: Path, beside: bytes) -> None:
    tail = beside + len(beside).to_bytes(8, "little") + _SEAL
    digest = hashlib.sha256(library.read_bytes() + tail).digest()
    with open(library, "ab") as file:
        file.write(tail + digest)
    os.chmod(library, 0o600)


def _whole(library: Path) -> bytes | None:
    """What lies behind a library; None where it is missing or damaged."""
    try:
        content = library.read_bytes()
    except OSError:
        return None
    end = len(content) - 32
    if end < _TRAILER or content[end - len(_SEAL) : end] != _SEAL:
        return None
    if hashlib.sha256(memoryview(content)[:end]).digest() != content[end:]:
        return None
    end -= len(_SEAL) + 8
    return content[end - int.from_bytes(content[end : end + 8], "little") : end]


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
