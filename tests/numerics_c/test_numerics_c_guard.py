"""The mode guard: flushing and other rounding modes are undone inside and put back after."""

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest
from numerics_c_library import builds, call, compile_text, library, processor_flags

from gradir.numerics import ctext

X86 = {"flush results": 0x8000, "flush operands": 0x40, "round down": 0x2000, "round up": 0x4000}
X86 |= {"round toward zero": 0x6000, "both flushes": 0x8040, "trap on underflow": 0x800}
ARM = {"flush": 1 << 24, "round up": 1 << 22, "round down": 2 << 22, "round toward zero": 3 << 22}
SUBNORMAL = 0x00400000


def modes(build: str) -> dict[str, int]:
    return ARM if build.endswith("aarch64") else X86


def test_right_mode_is_left_alone(build):
    out = np.zeros(5, np.int64)
    call(library(build).mode, out, 0)
    assert out.tolist() == [1, 0, 1, SUBNORMAL, 1]


def test_wrong_mode_is_set_right_and_put_back(build):
    for name, bits in modes(build).items():
        out = np.zeros(5, np.int64)
        call(library(build).mode, out, bits)
        assert out.tolist() == [0, 1, 1, SUBNORMAL, 0], name


PROGRAM = """
import ctypes, sys
before = ctypes.CDLL(sys.argv[1])
x, out = ctypes.c_float(2.0**-126), ctypes.c_uint32(-1)  # bits: reading a float may flush it
def halved(guarded):
    before.halved(ctypes.byref(out), ctypes.byref(x), ctypes.c_long(guarded))
    return out.value
ok = ctypes.c_int64()
if len(sys.argv) > 2:
    ctypes.CDLL(sys.argv[2])
before.mode_now(ctypes.byref(ok))
print(ok.value, halved(0), halved(1), halved(0))
"""


@pytest.mark.skipif(not any(b == "gcc-baseline" for b in builds()), reason="needs gcc on x86")
def test_library_linked_with_fast_math_changes_no_bit():
    """Loading it flushes subnormals in the whole process; guarded code does not see that."""
    ours = library("gcc-baseline")._name
    fast = compile_text("fast", "int unused;\n", "gcc", ["-O2", "-ffast-math"])

    def told(*libraries: str) -> list[int]:
        command = [sys.executable, "-c", PROGRAM, ours, *libraries]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return [int(word) for word in done.stdout.split()]

    assert told() == [1, SUBNORMAL, SUBNORMAL, SUBNORMAL]
    assert told(str(fast)) == [0, 0, SUBNORMAL, 0]


@pytest.mark.parametrize("flag", ["-ffast-math", "-Ofast"])
def test_fast_math_is_refused_when_compiling(flag):
    done = subprocess.run(
        ["gcc", flag, "-fsyntax-only", "-xc", "-"],
        input=ctext.piece("base"),
        capture_output=True,
        text=True,
    )
    assert done.returncode and "-ffast-math" in done.stderr


CONTRACTION = {"gcc": "-ffp-contract=fast", "clang": "-ffp-contract=on"}  # their defaults


@pytest.mark.parametrize("compiler", CONTRACTION)
def test_no_contraction_where_flags_allow_it(compiler):
    """a*b + c stays two roundings although the processor could fuse them."""
    if "fma" not in processor_flags() or not shutil.which(compiler):
        pytest.skip("needs the compiler and fma")
    function = "double f(double a, double b, double c) { return a * b + c; }\n"
    a = 1 + 2.0**-30
    flags = ["-O2", "-mfma", CONTRACTION[compiler]]
    for start, fused in (("", True), (ctext.piece("base"), False)):
        path = compile_text(f"contract-{compiler}-{fused}", start + function, compiler, flags)
        f = ctypes.CDLL(str(path)).f
        f.restype, f.argtypes = ctypes.c_double, [ctypes.c_double] * 3
        assert (f(a, a, -(a * a)) != 0.0) is fused
