"""Fit every coefficient and table of gradir/numerics and write them as Python modules.

    python tools/fit_coefficients.py            rewrites gradir/numerics/coefficients.py
                                                and gradir/numerics/erf_table.py
    python tools/fit_coefficients.py --check    compares instead, exit 1 on a difference

Polynomials interpolate at Chebyshev nodes in 80 digits; each coefficient is then rounded to
f64.  The output depends on nothing but this file and the mathematics, so two runs agree to the
last character.
"""

from __future__ import annotations

import pathlib
import sys

from mpmath import (
    cos,
    erf,
    expm1,
    floor,
    log,
    lu_solve,
    matrix,
    mp,
    mpf,
    nint,
    pi,
    sin,
    sqrt,
    tanh,
)

mp.dps = 80
PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "gradir" / "numerics"

HEADER = '''"""{title}

Written by tools/fit_coefficients.py; do not edit.  The specification refers to these names.
"""

import numpy as np


def _floats(text: str) -> np.ndarray:
    values = np.array([float.fromhex(word) for word in text.split()])
    values.flags.writeable = False
    return values

'''


def chebyshev_fit(function, low, high, count):
    """Coefficients (ascending) of the polynomial through `count` Chebyshev nodes."""
    low, high = mpf(low), mpf(high)
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle + half * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    rows = matrix(count, count)
    values = matrix(count, 1)
    for i, node in enumerate(nodes):
        for power in range(count):
            rows[i, power] = node**power
        values[i] = function(node)
    return list(lu_solve(rows, values))


def cut(value, bits):
    """`value` rounded to the nearest multiple of 2^-bits."""
    return nint(value * mpf(2) ** bits) / mpf(2) ** bits


def top_bits(value, bits):
    """`value` cut (toward zero) to its `bits` leading bits."""
    exponent = int(floor(log(abs(value), 2)))
    scale = mpf(2) ** (bits - 1 - exponent)
    return mpf(int(value * scale)) / scale


def pair(value):
    """(hi, lo): the nearest f64 and the nearest f64 to what is left."""
    high = mpf(float(value))
    return high, value - high


class Module:
    """Collects assignments and prints them as one Python module."""

    def __init__(self, title):
        self.text = HEADER.format(title=title)

    def comment(self, text):
        self.text += f"\n# {text}\n"

    def scalar(self, name, value):
        self.text += f'{name} = float.fromhex("{float(value).hex()}")\n'

    def array(self, name, values, shape=None):
        words = [float(v).hex() for v in values]
        lines = [" ".join(words[i : i + 4]) for i in range(0, len(words), 4)]
        suffix = f".reshape({shape})" if shape else ""
        self.text += f'{name} = _floats("""\n    ' + "\n    ".join(lines) + f'\n"""){suffix}\n'

    def integer(self, name, value):
        digits = f"{value:x}"
        lines = [f'    "{digits[i : i + 80]}"' for i in range(0, len(digits), 80)]
        self.text += f"{name} = int(\n" + "\n".join(lines) + ",\n    16,\n)\n"


def single_precision(out):
    """Polynomials of the f32 functions, evaluated in plain f64."""
    ln2 = log(mpf(2))
    out.comment("f32 exp2: 2^r = 1 + r q(r), |r| <= 1/2")
    out.array("F32_EXP2", chebyshev_fit(lambda r: expm1(r * ln2) / r, -0.5, "0.50001", 11))
    out.comment("f32 exp, tanh: e^r = 1 + r q(r), |r| <= ln2 / 2")
    out.array("F32_EXP", chebyshev_fit(lambda r: expm1(r) / r, -ln2 / 2, ln2 * mpf("0.50001"), 12))
    out.comment("f32 log, log2: log((1+s)/(1-s)) = 2s + s z R(z), z = s^2")
    limit = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1) + mpf("1e-6")) ** 2

    def log_rest(z):
        s = sqrt(z)
        return (log((1 + s) / (1 - s)) / s - 2) / z

    out.array("F32_LOG", chebyshev_fit(log_rest, "1e-30", limit, 7))
    out.comment("f32 sin, cos: sin r = r + r z S(z), z = r^2, |r| <= pi/2")

    def sin_rest(z):
        r = sqrt(z)
        return (sin(r) / r - 1) / z

    out.array("F32_SIN", chebyshev_fit(sin_rest, "1e-25", (pi / 2 + mpf("1e-5")) ** 2, 8))
    out.comment("1 / ln 2 in a 29-bit part and the rest, and whole")
    high = top_bits(1 / ln2, 29)
    out.scalar("LOG2E_29", high)
    out.scalar("LOG2E_29_REST", 1 / ln2 - high)
    out.comment("pi in a 27-bit part, a 26-bit part and the rest, for |n| < 2^26")
    first = mpf(int(pi * 2**25)) / 2**25
    second = mpf(int((pi - first) * mpf(2) ** 51)) / mpf(2) ** 51
    out.scalar("PI_1", first)
    out.scalar("PI_2", second)
    out.scalar("PI_3", pi - first - second)


def constants(out):
    ln2 = log(mpf(2))
    out.comment("1 / ln 2, 1 / pi, pi")
    out.scalar("LOG2E", 1 / ln2)
    out.scalar("INVERSE_PI", 1 / pi)
    high, low = pair(pi)
    out.scalar("PI_HI", high)
    out.scalar("PI_LO", low)
    out.comment("ln 2: a multiple of 2^-42, and the rest")
    out.scalar("LN2_HI", cut(ln2, 42))
    out.scalar("LN2_LO", ln2 - cut(ln2, 42))
    out.comment("floor(2^1280 / pi): the bits of 1/pi for huge arguments")
    with_more = mp.dps
    mp.dps = 450
    out.integer("INVERSE_PI_BITS", int(floor(mpf(2) ** 1280 / pi)))
    mp.dps = with_more


def double_exp(out):
    ln2 = log(mpf(2))
    out.comment("f64 exp, exp2: 2^(j/128) as hi + lo")
    pairs = [pair(mpf(2) ** (mpf(j) / 128)) for j in range(128)]
    out.array("EXP_HI", [p[0] for p in pairs])
    out.array("EXP_LO", [p[1] for p in pairs])
    out.comment("e^r = 1 + r + r^2 Q(r), |r| <= ln2 / 256")
    half = ln2 / 256 * mpf("1.001")
    out.array(
        "EXP_Q", chebyshev_fit(lambda r: (expm1(r) / r - 1) / r, -half, half * mpf("1.01"), 5)
    )
    out.comment("ln2 / 128: 35 leading bits, and the rest")
    out.scalar("LN2_128_HI", top_bits(ln2 / 128, 35))
    out.scalar("LN2_128_LO", ln2 / 128 - top_bits(ln2 / 128, 35))
    out.scalar("LOG2E_128", 128 / ln2)
    out.comment("2^t = 1 + t ln2 + t^2 Q(t), |t| <= 1/256")
    out.scalar("LN2", ln2)
    out.array(
        "EXP2_Q",
        chebyshev_fit(
            lambda t: ((expm1(t * ln2)) / t - mpf(float(ln2))) / t,
            -mpf(1) / 255,
            mpf(1) / 254,
            6,
        ),
    )


def log_centres():
    """c_j: multiples of 2^-8 near 1/m in the j-th interval; 1 in the two around m = 1."""
    result = []
    for j in range(128):
        if j < 80:
            middle = mpf("0.6875") + (j + mpf("0.5")) / 256
        else:
            middle = 1 + (j - 80 + mpf("0.5")) / 128
        result.append(mpf(1) if j in (79, 80) else cut(1 / middle, 8))
    return result


def double_log(out):
    ln2 = log(mpf(2))
    centres = log_centres()
    out.comment("f64 log, log2: c_j, and -ln c_j, -log2 c_j as a multiple of 2^-42 and the rest")
    out.array("LOG_C", centres)
    for name, unit in (("LOG", mpf(1)), ("LOG2", ln2)):
        exact = [-log(c) / unit for c in centres]
        out.array(f"{name}_HI", [cut(v, 42) for v in exact])
        out.array(f"{name}_LO", [v - cut(v, 42) for v in exact])
    out.comment("log(1 + r) = r - r^2/2 + r^3 P(r), |r| < 2^-7; LOG2_P: the same times 1/ln2")
    low, high = -(mpf(2) ** -7), mpf(2) ** -7 * mpf("1.001")
    rest = chebyshev_fit(lambda r: (mp.log1p(r) - r + r * r / 2) / r**3, low, high, 7)
    out.array("LOG_P", rest)
    out.array("LOG2_P", [c / ln2 for c in rest])
    out.comment("1 / ln 2 in a 26-bit part and the rest")
    out.scalar("LOG2E_26", top_bits(1 / ln2, 26))
    out.scalar("LOG2E_26_REST", 1 / ln2 - top_bits(1 / ln2, 26))


def double_sin(out):
    out.comment("f64 sin, cos: sin(j pi / 64) as hi + lo, the whole circle")
    exact = [sin(pi * j / 64) if j % 64 else mpf(0) for j in range(128)]
    out.array("SIN_HI", [pair(v)[0] for v in exact])
    out.array("SIN_LO", [pair(v)[1] for v in exact])
    out.comment("sin r = r + r^3 S(r^2), cos r = 1 + r^2 C(r^2), |r| <= pi/128")
    limit = (pi / 128) ** 2 * mpf("1.01")

    def sin_rest(z):
        r = sqrt(z)
        return (sin(r) / r - 1) / z

    out.array("SIN_S", chebyshev_fit(sin_rest, "1e-20", limit, 4))
    out.array("SIN_C", chebyshev_fit(lambda z: (cos(sqrt(z)) - 1) / z, "1e-20", limit, 4))
    out.comment("pi / 64: three parts of 30 bits, and the rest")
    rest = pi / 64
    for i in (1, 2, 3):
        part = top_bits(rest, 30)
        out.scalar(f"PI_64_{i}", part)
        rest -= part
    out.scalar("PI_64_4", rest)
    out.scalar("INVERSE_PI_64", 64 / pi)
    high, low = pair(pi / 64)
    out.scalar("PI_64_HI", high)
    out.scalar("PI_64_LO", low)


def tanh_centres():
    """0, and the middles of the sixteen intervals of every binade from 1/16 up, as far as 20."""
    middles = [mpf(2) ** e * (1 + (i + mpf("0.5")) / 16) for e in range(-4, 5) for i in range(16)]
    return [mpf(0)] + [middle for middle in middles if middle < 21]


def double_tanh(out):
    out.comment("f64 tanh: tanh c_j as hi + lo, c_0 = 0, the others in the middle of intervals")
    exact = [pair(tanh(c)) for c in tanh_centres()]
    out.array("TANH_HI", [hi for hi, lo in exact])
    out.array("TANH_LO", [lo for hi, lo in exact])
    out.comment("tanh h = h + h^3 T(h^2), |h| < 1/16; farther out less is asked")

    def rest(z):
        h = sqrt(z)
        return (tanh(h) / h - 1) / z

    out.array("TANH_T", chebyshev_fit(rest, "1e-20", mpf(1) / 128, 5))


def erf_table(out):
    scale = 2 / sqrt(pi)
    out.comment("erf x = x + x ((2/sqrt(pi) - 1) + x^2 Z(x^2)), |x| < 1/4")

    def near_zero(z):
        x = sqrt(z)
        return (erf(x) / x - scale) / z

    out.scalar("ERF_E", scale - 1)
    out.array("ERF_Z", chebyshev_fit(near_zero, "1e-20", mpf(1) / 16 * mpf("1.001"), 10))
    out.comment("erf(j/8 + h) = HI[j] + (LO[j] + h P_j(h)), |h| <= 1/16, j = 2 .. 48")
    out.comment("row k of ERF_P: the coefficients of h^k of every P_j; columns 0, 1 unused")
    exact = [erf(mpf(j) / 8) for j in range(49)]
    out.array("ERF_HI", [pair(v)[0] for v in exact])
    out.array("ERF_LO", [pair(v)[1] for v in exact])
    columns = [[mpf(0)] * 12] * 2
    for j in range(2, 49):
        centre, value = mpf(j) / 8, exact[j]
        columns.append(
            chebyshev_fit(
                lambda h, c=centre, v=value: (erf(c + h) - v) / h,
                -mpf(1) / 16,
                mpf(1) / 16 * mpf("1.0001"),
                12,
            )
        )
    out.array("ERF_P", [columns[j][k] for k in range(12) for j in range(49)], "12, 49")


def build():
    main = Module("Coefficients and tables of the elementary functions, all but erf's.")
    constants(main)
    single_precision(main)
    double_exp(main)
    double_log(main)
    double_sin(main)
    double_tanh(main)
    erfs = Module("Coefficients of erf.")
    erf_table(erfs)
    return {"coefficients.py": main.text, "erf_table.py": erfs.text}


def run(arguments):
    different = 0
    for name, text in build().items():
        path = PACKAGE / name
        if "--check" in arguments:
            if path.read_text() != text:
                print(f"{path} differs from what the fit gives")
                different = 1
        else:
            path.write_text(text)
            print(f"wrote {path}")
    return different


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
