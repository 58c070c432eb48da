"""Builds of the C text that this machine can run, as functions on NumPy arrays.

A build is named "compiler-target", as in "gcc-avx512".  Each is compiled once a session into a
folder of its own.  The target aarch64 runs in an emulator: driver.c takes the calls.  In a build
named "…-watched" gcc's sanitizer writes to standard error what is undefined; conftest.py reads it.
"""

from __future__ import annotations

import ctypes
import functools
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

import numpy as np

from gradir.numerics import ctext

HERE = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=gnu99", "-Wall", "-Wextra", "-fno-trapping-math", "-ffp-contract=off"]
TARGETS = {
    "avx512": "-mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma -mprefer-vector-width=512",
    "avx2": "-mavx2 -mfma",
    "baseline": "",
    "aarch64": "-static",
}
WATCHED = ["-fsanitize=undefined,float-cast-overflow", "-g1"]
EMULATED = ("aarch64-linux-gnu-gcc", "qemu-aarch64")
CPU_FLAGS = {
    "avx512": {"avx512f", "avx512dq", "avx512bw", "avx512vl"},
    "avx2": {"avx2", "fma"},
    "baseline": set(),
}


def processor_flags() -> set[str]:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return set(line.split(":")[1].split())
    return set()


def builds() -> list[str]:
    """What can be made and run here: each target by gcc, the widest one by clang too.

    tools/prove_numerics.py goes through clang's other targets.  All by gcc also watched.
    """
    have = processor_flags()
    targets = [t for t, needed in CPU_FLAGS.items() if needed <= have]
    found = [f"gcc-{t}" for t in targets if shutil.which("gcc")]
    found += [f"clang-{t}" for t in targets[:1] if shutil.which("clang")]
    found += [f"gcc-{t}-watched" for t in targets if shutil.which("gcc")]
    return found + (["gcc-aarch64"] if all(map(shutil.which, EMULATED)) else [])


@functools.cache
def _folder() -> pathlib.Path:
    return pathlib.Path(tempfile.mkdtemp(prefix="gradir-numerics-c-"))


def compile_text(
    name: str, text: str, compiler: str, flags: list[str], shared: bool = True
) -> pathlib.Path:
    """A shared library or a program; compiler warnings are errors."""
    source, target = _folder() / f"{name}.c", _folder() / f"{name}.out"
    source.write_text(text)
    kind = ["-shared", "-fPIC"] if shared else []
    command = [compiler, *flags, *kind, "-o", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return target


class Emulated:
    """The functions of exports.c in a process of an emulator."""

    def __init__(self, program: pathlib.Path) -> None:
        command = [EMULATED[1], str(program)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __getattr__(self, name: str):
        return functools.partial(self._call, name)

    def _call(self, name: str, *arguments: np.ndarray | int | None) -> None:
        request = [struct.pack("32sq", name.encode(), len(arguments))]
        for a in arguments:
            if isinstance(a, np.ndarray):
                first, last = np.lib.array_utils.byte_bounds(a)  # strided operands as they lie
                request += [struct.pack("q", last - first), ctypes.string_at(first, last - first)]
            else:
                request.append(struct.pack("qq", -1, a or 0))
        self._process.stdin.write(b"".join(request))
        self._process.stdin.flush()
        out = arguments[0]
        answer = self._process.stdout.read(out.nbytes)
        out[...] = np.frombuffer(answer, out.dtype).reshape(out.shape)


@functools.cache
def library(build: str, optimisation: str = "-O2"):
    """The whole C text with exports.c behind it."""
    compiler, target, *watched = build.split("-")
    text = ctext.assemble(ctext.names()) + (HERE / "exports.c").read_text()
    flags = [optimisation, *FLAGS, *TARGETS[target].split()]
    if watched:
        flags = ["-O1", *flags[1:], *WATCHED]
    name = build + optimisation
    if target == "aarch64":
        known = "\n".join(f"    ENTRY({n}) \\" for n in exported(text))
        text += f"#define ENTRIES \\\n{known}\n\n" + (HERE / "driver.c").read_text()
        return Emulated(compile_text(name, text, EMULATED[0], flags, shared=False))
    return ctypes.CDLL(str(compile_text(name, text, compiler, flags)))


def exported(text: str) -> list[str]:
    """The names that exports.c defines, its macros carried out."""
    done = subprocess.run(["gcc", "-E", "-P", "-"], input=text, capture_output=True, text=True)
    marked = re.findall(r'visibility\("default"\)\)\) void (\w+)\(', done.stdout)
    assert marked, done.stderr
    return marked


def call(function, *arguments: np.ndarray | int | None) -> None:
    """Arrays go as pointers, integers as long; the first array takes what is written."""
    if isinstance(function, functools.partial):
        function(*arguments)
        return
    converted = []
    for a in arguments:
        if isinstance(a, np.ndarray):
            converted.append(ctypes.c_void_p(a.ctypes.data))
        else:
            converted.append(ctypes.c_void_p(None) if a is None else ctypes.c_long(a))
    function.restype = None
    function(*converted)


def elementwise(function, out_dtype, *operands: np.ndarray) -> np.ndarray:
    """`function(out, a, …, n)` on 1-d operands, padded to whole vectors."""
    n = operands[0].size
    padded = [np.concatenate([a, np.zeros(-n % 32, a.dtype)]) for a in operands]
    out = np.empty(padded[0].size, out_dtype)
    call(function, out, *padded, out.size)
    return out[:n]


def same_bits(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Lanes with equal bits, any NaN being like any other."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    if actual.dtype.kind != "f":
        return actual == expected
    whole = np.dtype(f"u{actual.dtype.itemsize}")
    both_nan = (actual != actual) & (expected != expected)
    return both_nan | (
        np.ascontiguousarray(actual).view(whole) == np.ascontiguousarray(expected).view(whole)
    )


def assert_same_bits(actual: np.ndarray, expected: np.ndarray, *operands: np.ndarray) -> None:
    wrong = np.nonzero(~same_bits(actual, expected).reshape(-1))[0]
    if wrong.size:
        i = int(wrong[0])
        shown = [np.asarray(v).reshape(-1)[i] for v in (actual, expected, *operands)]
        raise AssertionError(f"{wrong.size} elements differ; first at {i}: {shown}")


def special_floats(dtype) -> np.ndarray:
    """Both zeros, subnormals, the ends of the range, infinities, NaN and ordinary numbers."""
    info = np.finfo(dtype)
    positive = [
        0.0,
        info.smallest_subnormal,
        3 * info.smallest_subnormal,
        info.tiny,
        np.nextafter(info.tiny, dtype(0)),
        info.eps,
        0.5,
        1.0,
        1 + info.eps,
        1.5,
        2.0,
        3.0,
        1e10,
        2.0**31,
        2.0**32,
        2.0**63,
        info.max,
        np.inf,
        np.nan,
    ]
    x = np.array(positive, dtype)
    return np.concatenate([x, -x])


def random_bits(dtype, n: int, seed: int) -> np.ndarray:
    """Floats of any bits at all."""
    whole = np.dtype(f"u{np.dtype(dtype).itemsize}")
    random = np.random.default_rng(seed)
    return random.integers(0, 2 ** (8 * whole.itemsize), n, dtype=whole).view(dtype)
