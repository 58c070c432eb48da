"""The limits of spec/sugar.md's table of largest errors, held on random arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import mpmath
import numpy as np
import pytest

from gradir.runtime.program import Program

SUGAR = Path(__file__).parents[2] / "spec" / "sugar.md"
SAMPLE = 1500
EXACT: dict[str, Callable[[mpmath.mpf], mpmath.mpf]] = {
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "log10": mpmath.log10,
    "tan": mpmath.tan,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "gelu": lambda x: x * (1 + mpmath.erf(x / mpmath.sqrt(2))) / 2,
}
FORMATS = {"f32": (np.float32, 24, -149), "f64": (np.float64, 53, -1074)}


def limits() -> dict[tuple[str, str], float]:
    rows = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+) \|", SUGAR.read_text("utf-8"), re.M)
    return {(n, t): float(v) for n, a, b in rows for t, v in (("f32", a), ("f64", b))}


def arguments(name: str, dtype: str) -> np.ndarray:
    rng = np.random.default_rng(sum(map(ord, name + dtype)))
    half, wide = SAMPLE // 2, 87.0 if dtype == "f32" else 708.0
    exponents = rng.uniform(-126, 127, half) if dtype == "f32" else rng.uniform(-1022, 1023, half)
    parts = {
        "rsqrt": [2.0**exponents, rng.uniform(0.5, 2.0, half)],
        "log10": [2.0**exponents, rng.uniform(0.5, 2.0, half)],
        "tan": [rng.uniform(-10, 10, half), rng.uniform(-1e5, 1e5, half)],
        "sigmoid": [rng.uniform(-wide, wide, half), rng.normal(0, 3, half)],
        "silu": [rng.uniform(-wide, wide, half), rng.normal(0, 3, half)],
        "gelu": [rng.uniform(0, 6, SAMPLE)],
    }[name]
    return np.concatenate(parts).astype(FORMATS[dtype][0])


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("name", EXACT)
def test_no_error_is_larger_than_the_table_says(name: str, dtype: str) -> None:
    _, precision, least = FORMATS[dtype]
    given = arguments(name, dtype)
    text = f"%x = stage {dtype}[{given.size}]\n%y = {name} %x\noutput %y\n"
    found = Program.parse(text).session().run({"x": given})["y"]
    worst = 0.0
    with mpmath.workprec(200):
        for x, y in zip(given.tolist(), found.tolist(), strict=True):
            exact = EXACT[name](mpmath.mpf(x))
            _, exponent = mpmath.frexp(exact)
            unit = mpmath.mpf(2) ** max(exponent - precision, least)
            worst = max(worst, float(abs(y - exact) / unit))
    limit = limits()[name, dtype]
    assert limit / 2 < worst <= limit


def test_log10_is_exact_at_powers_of_ten() -> None:
    powers = np.array([10.0**k for k in range(11)], np.float32)
    text = "%x = stage f32[11]\n%y = log10 %x\noutput %y\n"
    found = Program.parse(text).session().run({"x": powers})["y"]
    assert found.tolist() == [float(k) for k in range(11)]
