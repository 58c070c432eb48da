"""Fit the tables of the C text and write them as gradir/numerics/c/tables_*.h.

    python tools/fit_c_tables.py            rewrites the files
    python tools/fit_c_tables.py --check    compares instead, exit 1 on a difference

The tables of the plain forms are those of gradir/numerics (fit_coefficients.py); the others
belong to the forms with fma and look-ups in registers.  Polynomials interpolate at Chebyshev
nodes or, for sine, come from Remez' exchange, in 60 digits and more.  The output depends on
nothing but this file, that one and the mathematics.
"""

from __future__ import annotations

import pathlib
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from mpmath import cos, erf, exp, expm1, floor, log, log1p, lu_solve, matrix, mp, mpf, nint, pi, sin
from mpmath import sqrt as root

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from fit_coefficients import chebyshev_fit  # noqa: E402

from gradir.numerics import angle, coefficients, erf_table  # noqa: E402
from gradir.numerics.exceptions import EXCEPTIONS  # noqa: E402

# Arguments for which the vector forms in f64 with fma round wrong, found by prove_numerics.py:
# pairs as in gradir/numerics/exceptions.py, for any of the processors' forms.
VECTOR_EXCEPTIONS = {
    "exp2": ((0x3B429D37, 0x3F804385), (0xBCF3A937, 0x3F7AC6B1)),
    "log": (
        (0x3F7FFFFE, 0xB4000001),
        (0x4C5D65A5, 0x418F034B),
        (0x4D604EBE, 0x419A352C),
        (0x65D890D3, 0x4254D1F9),
        (0x6F31A8EC, 0x42845A89),
    ),
    "sin": ((0x46199998, 0xBEB1FA5D),),
    "cos": (),
    "tanh": ((0x3CD41B91, 0x3CD40F70),),
}

TARGET = ROOT / "gradir" / "numerics" / "c"
Real = Any  # an mpmath number
WIDTH = 96


def as_f32(value: Real) -> float:
    """The nearest f32.  (By way of f64: no table value here is near half way.)"""
    return float(struct.unpack("f", struct.pack("f", float(value)))[0])


def bits64(value: Real) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", float(value)))[0])


def hex_f64(value: Real) -> str:
    text = float(value).hex()
    head, tail = text.split("p")
    return (head.rstrip("0").rstrip(".") if "." in head else head) + "p" + tail


def hex_f32(value: Real) -> str:
    return hex_f64(as_f32(value)) + "f"


def wrapped(words: list[str], indent: int) -> str:
    lines, line = [], " " * indent
    for word in words:
        if len(line) + len(word) + 2 > WIDTH:
            lines.append(line)
            line = " " * indent
        line += f" {word},"
    return "\n".join([*lines, line])


class Header:
    """Collects the tables of one C file."""

    def __init__(self, name: str, title: str) -> None:
        self.name = name
        guard = f"GIR_{name.upper()}_H"
        self.text = (
            f"/* @needs base\n *\n * {title}\n *\n"
            " * Written by tools/fit_c_tables.py; do not edit.\n */\n"
            f"#ifndef {guard}\n#define {guard}\n"
        )

    def comment(self, text: str) -> None:
        self.text += f"\n/* {text} */\n"

    def line(self, text: str) -> None:
        self.text += text + "\n"

    def array(self, kind: str, name: str, words: list[str], columns: int = 0) -> None:
        """A table; with `columns`, one of that many columns."""
        if columns:
            rows = [words[i : i + columns] for i in range(0, len(words), columns)]
            lines = [f"    {{{', '.join(row)},}}" for row in rows]
            if max(map(len, lines)) > 95:
                lines = ["    {\n" + wrapped(row, 7) + "\n    }" for row in rows]
            body = ",\n".join(lines)
            size = f"[{len(rows)}][{columns}]"
        else:
            body, size = wrapped(words, 3), f"[{len(words)}]"
        self.text += f"GIR_TABLE {kind} {name}{size} = {{\n{body}\n}};\n"

    def f64(self, name: str, values: Iterable[Real], columns: int = 0) -> None:
        self.array("double", name, [hex_f64(v) for v in values], columns)

    def rows(self, name: str, *columns: np.ndarray) -> None:
        """Entry j: element j of each column."""
        self.f64(name, np.stack(columns, axis=1).reshape(-1), len(columns))

    def f32(self, name: str, values: Iterable[Real]) -> None:
        self.array("float", name, [hex_f32(v) for v in values])

    def u32(self, name: str, values: Iterable[int]) -> None:
        self.array("uint32_t", name, [f"0x{v:08x}u" for v in values])

    def pairs(self, name: str, pairs: Iterable[tuple[int, int]]) -> None:
        pairs = list(pairs)
        words = [f"0x{word:08x}u" for pair in pairs or [(0, 0)] for word in pair]
        self.array("uint32_t", name, words, 2)
        self.line(f"#define {name.upper()}_COUNT {len(pairs)}")

    def constant(self, name: str, value: Real, single: bool = False) -> None:
        self.line(f"#define {name} {hex_f32(value) if single else hex_f64(value)}")

    def finished(self) -> str:
        return self.text + "#endif\n"


def fit(g: Callable[[Real], Real], reach: Real, count: int) -> list[Real]:
    """`count` coefficients for |r| <= reach; no node is 0, where g may be 0/0."""
    return list(chebyshev_fit(g, -reach, reach * mpf("1.0001"), count))


def remez(g: Callable[[Real], Real], w: Callable[[Real], Real], a: Real, b: Real, n: int) -> Any:
    """n coefficients of the polynomial p that minimises max |(p - g) w| on [a, b]."""
    grid = [(a + b) / 2 - (b - a) / 2 * cos(pi * mpf(i) / 1500) for i in range(1501)]
    nodes = [(a + b) / 2 - (b - a) / 2 * cos(pi * i / n) for i in range(n + 1)]
    for _ in range(8):
        rows, values = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, x in enumerate(nodes):
            for k in range(n):
                rows[i, k] = x**k
            rows[i, n] = (-1) ** i / w(x)
            values[i] = g(x)
        solution = lu_solve(rows, values)
        c = [solution[k] for k in range(n)]
        errors = [(sum(c[k] * x**k for k in range(n)) - g(x)) * w(x) for x in grid]
        extrema = extreme_points(errors)
        while len(extrema) > n + 1:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        if len(extrema) < n + 1:
            break
        nodes = [grid[i] for i in extrema]
    return c


def extreme_points(errors: list[Real]) -> list[int]:
    """Of each run of one sign the index of the largest error."""
    result = []
    first = 0
    while first < len(errors):
        last = first
        while last < len(errors) and (errors[last] > 0) == (errors[first] > 0):
            last += 1
        result.append(max(range(first, last), key=lambda i: abs(errors[i])))
        first = last
    return result


def high_low(values: list[Real]) -> tuple[list[float], list[float]]:
    high = [as_f32(v) for v in values]
    return high, [as_f32(v - mpf(h)) for v, h in zip(values, high, strict=True)]


def exp_tables(mp: Any) -> Header:
    out = Header("tables_exp", "exp, exp2 and tanh on f32.")
    ln2 = log(mpf(2))
    out.comment("plain forms: gradir.numerics.coefficients")
    out.f64("gir_f32_exp2", coefficients.F32_EXP2)
    out.f64("gir_f32_exp", coefficients.F32_EXP)
    for name in ("LOG2E", "LN2_HI", "LN2_LO"):
        out.constant(f"GIR_{name}", getattr(coefficients, name))
    out.pairs("gir_exp2_exceptions", EXCEPTIONS["exp2"])
    out.comment("vector forms")
    out.pairs("gir_exp2_v_exceptions", VECTOR_EXCEPTIONS["exp2"])
    out.pairs("gir_tanh_v_exceptions", VECTOR_EXCEPTIONS["tanh"])

    def rest(r: Real) -> Real:
        return expm1(r * ln2) / r

    for size, counts in ((16, (6, 7)), (8, (7, 8))):
        half = mpf(1) / (2 * size) * (1 + mpf(2) ** -18)
        for count in counts:
            out.comment(f"2^r = 1 + r q(r), |r| <= 1/{2 * size}")
            out.f64(f"gir_exp2_{size}_{count}", fit(rest, half, count))
    out.comment("bits of 2^(j/16), less j << 48: adding (16n + j) << 48 makes 2^(n + j/16) of them")
    adjusted = [(bits64(mpf(2) ** (mpf(j) / 16)) - (j << 48)) % 2**64 for j in range(16)]
    out.f64("gir_exp2_of_16ths", [struct.unpack("<d", struct.pack("<Q", b))[0] for b in adjusted])
    out.comment("the same for eighths (j << 49), in words")
    adjusted = [(bits64(mpf(2) ** (mpf(j) / 8)) - (j << 49)) % 2**64 for j in range(8)]
    out.u32("gir_exp2_of_8ths_low", [b & 0xFFFFFFFF for b in adjusted])
    out.u32("gir_exp2_of_8ths_high", [b >> 32 for b in adjusted])

    out.comment("float-float: 2^(j/32) and ln2 2^(j/32), each high and low")
    powers = [mpf(2) ** (mpf(j) / 32) for j in range(32)]
    for name, values in (("power", powers), ("slope", [p * ln2 for p in powers])):
        high, low = high_low(values)
        out.f32(f"gir_ff_{name}_high", high)
        out.f32(f"gir_ff_{name}_low", low)
    half = mpf(1) / 64
    out.comment("2^r = 1 + r ln2 + r^2 q(r), e^r = 1 + r + r^2 q(r), |r| <= 1/64, ln2/64")
    out.f32(
        "gir_ff_exp2_q",
        fit(lambda r: (exp(r * ln2) - 1 - r * ln2) / r**2, half, 3),
    )
    half = half * ln2 * mpf("1.01")
    out.f32("gir_ff_exp_q", fit(lambda r: (exp(r) - 1 - r) / r**2, half, 3))
    first = as_f32(ln2 / 32)
    out.constant("GIR_FF_LN2_32_HIGH", first, single=True)
    out.constant("GIR_FF_LN2_32_LOW", ln2 / 32 - mpf(first), single=True)
    return out


FIRST_BITS = 0x3F330000  # 0.69921875, where the intervals of m begin


def log_centres(size: int) -> list[Real]:
    """c_j for `size` intervals of the bits of m from FIRST_BITS on: m*c_j - 1 is exact in f32."""
    shift = 23 - size.bit_length() + 1
    centres = []
    for j in range(size):
        low = as_real(FIRST_BITS + (j << shift))
        high = as_real(FIRST_BITS + ((j + 1) << shift) - 1)
        if low <= 1 <= high:
            centres.append(mpf(1))
            continue
        best = None
        for places in range(4, 8):
            for k in range(int(2**places * 0.6), int(2**places * 1.5)):
                c = mpf(k) / 2**places
                r = max(abs(low * c - 1), abs(high * c - 1))
                unit = (24 if low < 1 else 23) + places  # m*c is a multiple of 2^-unit
                if r * 2**unit <= 2**24 and (best is None or r < best[0]):
                    best = (r, c)
        assert best is not None
        centres.append(best[1])
    return centres


def as_real(bits: int) -> Real:
    return mpf(struct.unpack("f", struct.pack("I", bits))[0])


def log_reach(size: int, centres: list[Real]) -> Real:
    shift = 23 - size.bit_length() + 1
    reach = mpf(0)
    for j, c in enumerate(centres):
        for b in (FIRST_BITS + (j << shift), FIRST_BITS + ((j + 1) << shift) - 1):
            reach = max(reach, abs(as_real(b) * c - 1))
    return reach


def log_tables(mp: Any) -> Header:
    out = Header("tables_log", "log and log2 on f32.")
    ln2 = log(mpf(2))
    out.comment("plain forms: gradir.numerics.coefficients")
    out.f64("gir_f32_log", coefficients.F32_LOG)
    for name in ("LOG2E", "LN2_HI", "LN2_LO", "LOG2E_29", "LOG2E_29_REST"):
        out.constant(f"GIR_{name}", getattr(coefficients, name))
    out.constant("GIR_LN2", ln2)
    out.pairs("gir_log_exceptions", EXCEPTIONS["log"])
    out.comment("vector forms")
    out.pairs("gir_log_v_exceptions", VECTOR_EXCEPTIONS["log"])

    for size, count in ((16, 8), (8, 10)):
        centres = log_centres(size)
        reach = log_reach(size, centres)
        out.comment(f"{size} intervals: c_j; ln and log2 of 1/c_j; log(1+r) = r p(r), |r| <= reach")
        out.f32(f"gir_log_centre_{size}", centres)
        pieces = fit(lambda r: log1p(r) / r, reach, count)
        for name, unit in (("log", mpf(1)), ("log2", ln2)):
            values = [-log(c) / unit for c in centres]
            if size == 16:
                out.f64(f"gir_{name}_of_centre_16", values)
            else:
                out.u32(f"gir_{name}_of_centre_8_low", [bits64(v) & 0xFFFFFFFF for v in values])
                out.u32(f"gir_{name}_of_centre_8_high", [bits64(v) >> 32 for v in values])
            out.f64(f"gir_{name}_{size}_{count}", [c / unit for c in pieces])

    for size, count in ((32, 4), (16, 5)):
        centres = log_centres(size)
        reach = log_reach(size, centres)
        out.comment(f"float-float, {size} intervals: high is a multiple of 2^-15")
        out.f32(f"gir_ff_log_centre_{size}", centres)
        pieces = fit(lambda r: (log1p(r) - r) / r**2, reach, count)
        for name, unit in (("log", mpf(1)), ("log2", ln2)):
            values = [-log(c) / unit for c in centres]
            high = [nint(v * 2**15) / 2**15 for v in values]
            out.f32(f"gir_ff_{name}_high_{size}", high)
            out.f32(f"gir_ff_{name}_low_{size}", [v - h for v, h in zip(values, high, strict=True)])
            out.f32(f"gir_ff_{name}_q_{size}", [c / unit for c in pieces])
    first = floor(ln2 * 2**15 + mpf("0.5")) / 2**15
    out.constant("GIR_FF_LN2_HIGH", first, single=True)
    out.constant("GIR_FF_LN2_LOW", ln2 - first, single=True)
    first = mpf(as_f32(1 / ln2))
    out.constant("GIR_FF_LOG2E_HIGH", first, single=True)
    out.constant("GIR_FF_LOG2E_LOW", 1 / ln2 - first, single=True)
    return out


def sin_tables(mp: Any) -> Header:
    out = Header("tables_sin", "sin and cos on f32.")
    out.comment("plain forms: gradir.numerics.coefficients")
    out.f64("gir_f32_sin", coefficients.F32_SIN)
    for name in ("INVERSE_PI", "PI_HI", "PI_LO", "PI_1", "PI_2", "PI_3"):
        out.constant(f"GIR_{name}", getattr(coefficients, name))
    out.pairs("gir_sin_exceptions", EXCEPTIONS["sin"])
    out.pairs("gir_cos_exceptions", EXCEPTIONS["cos"])
    out.comment("vector forms")
    out.pairs("gir_sin_v_exceptions", VECTOR_EXCEPTIONS["sin"])
    out.pairs("gir_cos_v_exceptions", VECTOR_EXCEPTIONS["cos"])
    out.comment("(2^k / pi) mod 2 for k = 0 ... 104: three pieces of at most 26 bits, and the rest")
    table = angle._PI_TABLE
    out.f64("gir_turns_of_pi", table.reshape(-1), 4)

    def rest(z: Real) -> Real:
        r = root(z)
        return (sin(r) / r - 1) / z

    def weight(z: Real) -> Real:
        r = root(z)
        return z * r / sin(r)

    out.comment("sin r = r + r z s(z), z = r^2, |r| <= pi/2, relative error 2^-52")
    limit = (pi / 2 * (1 + mpf(2) ** -22)) ** 2
    out.f64("gir_sin_7", remez(rest, weight, mpf("1e-12"), limit, 7))
    return out


def erf_tables(mp: Any) -> Header:
    out = Header("tables_erf", "erf on f32: the forms with look-ups in registers and by rows.")
    count = 11
    columns, centres = [], []
    for j in range(16):
        centre = mpf(j) / 4 + mpf(1) / 8 if j else mpf(0)
        centres.append(centre)
        columns.append(erf_piece(centre, mpf(1) / 8 if j else mpf(1) / 4, count))
    out.comment("|x| in [j/4, (j+1)/4): erf x = sum of c_k (x - a_j)^k; row k holds the 16 c_k")
    out.f32("gir_erf_centre", centres)
    out.f64(
        "gir_erf_16",
        [columns[j][k] for k in range(count) for j in range(16)],
        16,
    )
    out.comment("the same for 128 intervals of 1/32, by rows: [j][k]")
    rows = []
    for j in range(128):
        centre = mpf(j) / 32 + mpf(1) / 64 if j else mpf(0)
        rows += erf_piece(centre, mpf(1) / 64 if j else mpf(1) / 32, 8)
    out.f64("gir_erf_128", rows, 8)
    return out


def erf_piece(centre: Real, reach: Real, count: int) -> list[Real]:
    if centre == 0:
        slope = 2 / root(pi)

        def rest(x: Real) -> Real:
            return (erf(x) / x - slope) / x

        return [mpf(0), slope, *chebyshev_fit(rest, "1e-15", reach, count - 2)]
    return fit(lambda r: erf(centre + r), reach, count)


def double_tables() -> list[Header]:
    """What the f64 functions need, as in gradir.numerics."""
    c = coefficients
    exps = Header("tables_f64_exp", "exp and exp2 on f64: gradir.numerics.coefficients.")
    exps.rows("gir_f64_exp", c.EXP_HI, c.EXP_LO)
    exps.f64("gir_f64_exp_q", c.EXP_Q)
    exps.f64("gir_f64_exp2_q", c.EXP2_Q)
    for name in ("LN2_128_HI", "LN2_128_LO", "LOG2E_128", "LN2"):
        exps.constant(f"GIR_F64_{name}", getattr(c, name))
    logs = Header("tables_f64_log", "log and log2 on f64: gradir.numerics.coefficients.")
    logs.rows("gir_f64_log", c.LOG_HI, c.LOG_LO, c.LOG_C, 0 * c.LOG_C)
    logs.rows("gir_f64_log2", c.LOG2_HI, c.LOG2_LO, c.LOG_C, 0 * c.LOG_C)
    for name in ("LOG_P", "LOG2_P"):
        logs.f64(f"gir_f64_{name.lower()}", getattr(c, name))
    for name in ("LN2_HI", "LN2_LO", "LOG2E", "LOG2E_26", "LOG2E_26_REST"):
        logs.constant(f"GIR_F64_{name}", getattr(c, name))
    sines = Header("tables_f64_sin", "sin and cos on f64: gradir.numerics.coefficients.")
    sines.rows("gir_f64_sin", c.SIN_HI, c.SIN_LO)
    for name in ("SIN_S", "SIN_C"):
        sines.f64(f"gir_f64_{name.lower()}", getattr(c, name))
    for name in ("PI_64_1", "PI_64_2", "PI_64_3", "PI_64_4", "INVERSE_PI_64"):
        sines.constant(f"GIR_F64_{name}", getattr(c, name))
    for name in ("PI_64_HI", "PI_64_LO"):
        sines.constant(f"GIR_F64_{name}", getattr(c, name))
    sines.comment("floor(2^1280 / pi), words of 32 bits, the lowest first")
    words = [(c.INVERSE_PI_BITS >> (32 * i)) & 0xFFFFFFFF for i in range(40)]
    sines.u32("gir_inverse_pi", words)
    tanhs = Header("tables_f64_tanh", "tanh on f64: gradir.numerics.coefficients.")
    tanhs.rows("gir_f64_tanh", c.TANH_HI, c.TANH_LO)
    tanhs.f64("gir_f64_tanh_t", c.TANH_T)
    erfs = Header("tables_f64_erf", "erf on f64: gradir.numerics.erf_table.")
    erfs.f64("gir_f64_erf_z", erf_table.ERF_Z)
    erfs.f64("gir_f64_erf_hi", erf_table.ERF_HI)
    erfs.f64("gir_f64_erf_lo", erf_table.ERF_LO)
    erfs.f64("gir_f64_erf_p", erf_table.ERF_P.reshape(-1), erf_table.ERF_P.shape[1])
    erfs.constant("GIR_F64_ERF_E", erf_table.ERF_E)
    return [exps, logs, sines, tanhs, erfs]


def build() -> dict[str, str]:
    mp.dps = 70
    headers = [exp_tables(mp), log_tables(mp), sin_tables(mp), erf_tables(mp), *double_tables()]
    return {f"{header.name}.h": header.finished() for header in headers}


def run(arguments: list[str]) -> int:
    different = 0
    for name, text in build().items():
        path = TARGET / name
        if "--check" in arguments:
            if not path.exists() or path.read_text() != text:
                print(f"{path} differs from what the fit gives")
                different = 1
        else:
            path.write_text(text)
            print(f"wrote {path}")
    return different


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
