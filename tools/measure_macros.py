"""Measure the largest error of every float macro, in units of the last place.

    python tools/measure_macros.py                all rows, dense sweeps (about 10 minutes)
    python tools/measure_macros.py softmax tan    only these

Each row of ROWS says what is computed, over which arguments, and what the error is measured in.
An f32 result is compared with the 80-bit floats of the host's C library, an f64 result with
mpmath at 140 bits. The figures stand in the last table of spec/sugar.md; tests/std repeats a thin
part of each sweep and holds the table to it. Arguments are fixed: bit patterns at even steps, or
rows of a fixed seed.
"""

from __future__ import annotations

import math
import pathlib
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from gradir.reference.interpreter import evaluate  # noqa: E402
from gradir.runtime.program import Program  # noqa: E402

Inputs = dict[str, np.ndarray]
NAMES = {np.float32: "f32", np.float64: "f64"}
BLOCK = 1 << 18
F32_POINTS, F64_POINTS = 1 << 24, 1 << 16
MANTISSA = {np.float32: 24, np.float64: 53}
LEAST = {np.float32: -149, np.float64: -1074}


class Wide:
    """Functions on 80-bit floats: what f32 results are compared with."""

    if np.finfo(np.longdouble).nmant < 63:
        raise SystemExit("this host's long double is no wider than f64: nothing to compare with")
    exp, log, sqrt, sin, cos = np.exp, np.log, np.sqrt, np.sin, np.cos
    pi = np.longdouble("3.14159265358979323846264338327950288")
    number = np.longdouble
    erfc = staticmethod(np.vectorize(lambda z: np.longdouble(math.erfc(z)), otypes=["g"]))

    @staticmethod
    def of(array: np.ndarray) -> np.ndarray:
        return array.astype(np.longdouble)


class Exact:
    """The same on arrays of mpmath numbers: what f64 results are compared with."""

    exp, log, sqrt, sin, cos, erfc = (
        staticmethod(np.frompyfunc(f, 1, 1))
        for f in (mpmath.exp, mpmath.log, mpmath.sqrt, mpmath.sin, mpmath.cos, mpmath.erfc)
    )
    pi = mpmath.pi
    number = mpmath.mpf
    of = staticmethod(np.frompyfunc(lambda v: mpmath.mpf(float(v)), 1, 1))


# --- arguments -------------------------------------------------------------------------------


def patterns(lo: float, hi: float, negative: bool = False) -> Callable[[Any, int], Inputs]:
    """Floats from lo to hi at even steps of their bit patterns, every `thin`-th of them.

    The steps are odd, so that all low bits occur. Half of the few f64 arguments lie between 2^-6
    and 2^10, where most functions do what is of interest.
    """

    def between(dtype: Any, lo: float, hi: float, count: int, thin: int) -> np.ndarray:
        unsigned = f"u{np.dtype(dtype).itemsize}"
        first, last = (int(end) for end in np.array([lo, hi], dtype).view(unsigned))
        step = max(1, (last - first) // count) | 1
        steps = np.array(range(0, (last - first) // step + 1, thin), "u8")
        found = np.append(steps * np.uint64(step) + np.uint64(first), np.uint64(last))
        return np.asarray(found.astype(unsigned).view(dtype))

    def points(dtype: Any, thin: int) -> Inputs:
        least, greatest = max(lo, 2.0 ** LEAST[dtype]), min(hi, float(np.finfo(dtype).max))
        if dtype is np.float32:
            x = between(dtype, least, greatest, F32_POINTS, thin)
        else:
            inner = between(dtype, max(lo, 2.0**-6), min(hi, 2.0**10), F64_POINTS // 2, thin)
            x = np.append(between(dtype, least, greatest, F64_POINTS // 2, thin), inner)
        return {"x": -x if negative else x}

    return points


def both(points: Callable[[Any, int], Inputs]) -> Callable[[Any, int], Inputs]:
    def signed(dtype: Any, thin: int) -> Inputs:
        x = points(dtype, thin)["x"]
        return {"x": np.concatenate([x, -x])}

    return signed


def rows(size: int, draw: Callable[[Any, tuple[int, int]], np.ndarray], more: int = 0) -> Any:
    """Rows of a fixed seed: a part is the first rows. `more` asks for further arrays like it."""

    def points(dtype: Any, thin: int) -> Inputs:
        count = max(4, (1 << 20 if dtype is np.float32 else 1 << 13) // size // thin)
        rng = np.random.default_rng(20)
        names = ["x", *(f"x{at}" for at in range(1, more + 1))]
        # row by row, so that fewer rows are the same rows
        drawn = [[draw(rng, (1, size)).astype(dtype) for _ in names] for _ in range(count)]
        return {name: np.concatenate([d[at] for d in drawn]) for at, name in enumerate(names)}

    return points


def within(limit: float) -> Callable[[Any, tuple[int, int]], np.ndarray]:
    return lambda rng, shape: rng.uniform(-limit, limit, shape)


def normal(rng: Any, shape: tuple[int, int]) -> np.ndarray:
    found: np.ndarray = rng.normal(size=shape)
    return found


def positive(rng: Any, shape: tuple[int, int]) -> np.ndarray:
    found: np.ndarray = rng.uniform(0.0, 1.0, shape)
    return found


# --- rows ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A macro as measured. `exact` takes `Wide` or `Exact` and the inputs in its numbers;
    `unit` gives what the last place is one of, by default the exact result. `points` may give
    the results themselves, as y."""

    name: str
    expression: str
    exact: Callable[..., Any]
    points: Callable[[Any, int], Inputs]
    unit: Callable[..., Any] = lambda f, exact, **inputs: exact
    program: str = ""  # a whole program with the output %y in place of the expression
    low: Mapping[Any, float] | None = None  # a lower bound of x that depends on the type


def at_least_one(f: Any, exact: Any, **inputs: Any) -> Any:
    return np.maximum(abs(exact), f.number(1))


def softmax(f: Any, x: Any) -> Any:
    e = f.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def logsumexp(f: Any, x: Any) -> Any:
    m = x.max(-1)
    return f.log(f.exp(x - m[:, None]).sum(-1)) + m


def mean(x: Any) -> Any:
    return x.sum(-1, keepdims=True) / x.shape[-1]


def var(f: Any, x: Any) -> Any:
    return mean((x - mean(x)) ** 2)[:, 0]


def layer_norm(f: Any, x: Any) -> Any:
    eps = f.number("1e-5")
    return (x - mean(x)) / f.sqrt(mean((x - mean(x)) ** 2) + eps)


def cross_entropy(f: Any, x: Any) -> Any:
    """Label 0 in every row; one row at a time, so that the mean is the row's own."""
    return logsumexp(f, x) - x[:, 0]


def box_muller(f: Any, x: Any, x1: Any) -> Any:
    return f.sqrt(-2 * f.log(x)) * f.cos(2 * f.pi * x1)


def gelu(f: Any, x: Any) -> Any:
    return x / 2 * f.erfc(-x / f.sqrt(f.number(2)))


def size_of(f: Any, exact: Any, x: Any, **others: Any) -> Any:
    return abs(x)


def larger(f: Any, exact: Any, x: Any, **others: Any) -> Any:
    """The larger of the weight and the step."""
    return np.maximum(abs(x), abs(exact - x))


def terms(f: Any, exact: Any, x: Any, x1: Any, x2: Any) -> Any:
    """The largest of the weight and the two terms of the step."""
    return np.maximum(abs(x), np.maximum(abs(x1), abs(x2)) * f.number("0.01"))


def momentum(f: Any, x: Any, x1: Any, x2: Any) -> Any:
    return x - f.number("0.01") * (f.number("0.9") * x2 + x1)


def adam(f: Any, x: Any, x1: Any, x2: Any, x3: Any, decay: str, step: int) -> Any:
    """x1 is the gradient, x2 and x3 are the states; `step` counts from 1."""
    one, lr = f.number(1), f.number("0.001")
    b1, b2 = f.number("0.9"), f.number("0.999")
    m, v = b1 * x2 + (one - b1) * x1, b2 * x3 + (one - b2) * x1 * x1
    root = f.sqrt(v / (one - b2**step)) + f.number("1e-8")
    return x * (one - lr * f.number(decay)) - lr * (m / (one - b1**step)) / root


def power(x: Any, exponent: int) -> Any:
    """One multiplication after the other: the C library's long double `pow` is slow."""
    result = math.prod([x] * abs(exponent))
    return 1 / result if exponent < 0 else result


def power_row(exponent: int) -> Row:
    return Row(
        f"pow, exponent={exponent}",
        f"pow %x exponent={exponent}",
        lambda f, x: power(x, exponent),
        both(patterns(0.5, 2.0)),
    )


def adam_row(name: str, completed: int) -> Row:
    decay = "0.01" if name == "adamw" else "0"
    return Row(
        f"{name}, step {completed + 1}",
        "",
        lambda f, **inputs: adam(f, **inputs, decay=decay, step=completed + 1),
        rows(1000, positive, 3),
        larger,
        program="%w = buffer {type}\n%m = buffer {type}\n%v = buffer {type}\nstore %w %x\n"
        f"store %m %x2\nstore %v %x3\n{name} %w %x1 %m %v {completed}\n%y = load %w",
    )


def normal_numbers(dtype: Any, thin: int) -> Inputs:
    """random_normal's p and q as its nodes have them, and its results."""
    count = (1 << 20 if dtype is np.float32 else 1 << 14) // thin
    text = f"%k = const u32[2] [7, 11]\n%y = random_normal %k 3 shape=[{count}]"
    table = Program.parse(f"{text} dtype={NAMES[dtype]}\noutput %y").table
    (log,), (cos,) = table.of_op("log"), table.of_op("cos")
    roots = {
        "x": table[log].operands[0],
        "x1": table[table[cos].operands[0]].operands[0],
        "y": table.names["y"],
    }
    values = evaluate(table, roots=roots.values()).values
    return {name: np.asarray(values[id]) for name, id in roots.items()}


FINITE = patterns(0.0, math.inf)
ROWS = [
    Row("rsqrt", "rsqrt %x", lambda f, x: 1 / f.sqrt(x), FINITE),
    Row("log10", "log10 %x", lambda f, x: f.log(x) / f.log(f.number(10)), FINITE),
    Row("tan", "tan %x", lambda f, x: f.sin(x) / f.cos(x), both(FINITE)),
    Row("sigmoid", "sigmoid %x", lambda f, x: 1 / (1 + f.exp(-x)), both(patterns(0.0, 11000.0))),
    Row("silu", "silu %x", lambda f, x: x / (1 + f.exp(-x)), FINITE),
    Row(
        "silu, below 0",
        "silu %x",
        lambda f, x: x / (1 + f.exp(-x)),
        patterns(0.0, 708.0, negative=True),
        low={np.float32: -87.0, np.float64: -708.0},
    ),
    Row("gelu", "gelu %x", gelu, FINITE),
    Row("gelu, below 0", "gelu %x", gelu, patterns(0.0, 1e4, negative=True), size_of),
    *(power_row(exponent) for exponent in (3, 7, 31, -3)),
    Row(
        "mean",
        "mean %x axes=-1",
        lambda f, x: mean(x)[:, 0],
        rows(1000, normal),
        lambda f, exact, x: mean(abs(x))[:, 0],
    ),
    Row("var", "var %x axes=-1", var, rows(1000, normal)),
    Row("layer_norm", "layer_norm %x", layer_norm, rows(1000, normal), at_least_one),
    Row("softmax, within 1", "softmax %x", softmax, rows(100, within(1.0))),
    Row("softmax, within 10", "softmax %x", softmax, rows(100, within(10.0))),
    Row(
        "log_softmax",
        "log_softmax %x",
        lambda f, x: x - logsumexp(f, x)[:, None],
        rows(100, within(10.0)),
        at_least_one,
    ),
    Row("logsumexp", "logsumexp %x", logsumexp, rows(100, within(10.0)), at_least_one),
    Row(
        "cross_entropy",
        "",
        lambda f, x: cross_entropy(f, x).mean(),
        rows(100, within(10.0)),
        at_least_one,
        program="%y = cross_entropy %x (zeros i32[{rows}])",
    ),
    Row("cumsum", "cumsum %x", lambda f, x: np.cumsum(x, -1), rows(1000, positive)),
    Row(
        "sgd",
        "",
        lambda f, x, x1: x - f.number("0.01") * x1,
        rows(1000, normal, 1),
        larger,
        program="%w = buffer {type}\nstore %w %x\nsgd %w %x1\n%y = load %w",
    ),
    Row(
        "momentum",
        "",
        momentum,
        rows(1000, normal, 2),
        terms,
        program="%w = buffer {type}\n%v = buffer {type}\nstore %w %x\nstore %v %x2\n"
        "momentum %w %x1 %v\n%y = load %w",
    ),
    *(adam_row(name, completed) for name in ("adam", "adamw") for completed in (0, 9, 999)),
    Row("random_normal", "", box_muller, normal_numbers, at_least_one),
]


# --- measuring -------------------------------------------------------------------------------


def results(row: Row, dtype: Any, inputs: Inputs) -> np.ndarray:
    """What the macro gives, by the reference interpreter."""
    first = next(iter(inputs.values()))
    type = f"{NAMES[dtype]}[{','.join(map(str, first.shape))}]"
    text = "".join(f"%{name} = stage {type}\n" for name in inputs)
    text += row.program.format(type=type, rows=len(first)) or f"%y = {row.expression}"
    outputs: Mapping[str, np.ndarray] = Program.parse(f"{text}\noutput %y\n").session().run(inputs)
    return outputs["y"]


def errors(row: Row, dtype: Any, inputs: Inputs) -> np.ndarray:
    """The error of each result in units of the last place."""
    f: Any = Wide if dtype is np.float32 else Exact
    wide = {name: f.of(array) for name, array in inputs.items()}
    with np.errstate(all="ignore"):
        found = wide.pop("y") if "y" in wide else f.of(results(row, dtype, inputs))
        exact = row.exact(f, **wide)
        unit = np.asarray(row.unit(f, exact, **wide))
        exponents = np.frexp(np.abs(unit.astype(np.longdouble)))[1].astype(int)
        place = np.ldexp(np.longdouble(1), np.maximum(exponents - MANTISSA[dtype], LEAST[dtype]))
        return np.asarray(abs(found - exact), dtype=np.longdouble) / place


def measure(row: Row, dtype: Any, thin: int = 1) -> tuple[float, str]:
    """The largest error, and the argument or the number of the result where it was seen."""
    inputs = row.points(dtype, thin)
    if row.low is not None:
        inputs = {"x": inputs["x"][inputs["x"] >= row.low[dtype]]}
    first = inputs["x"]
    count = max(1, BLOCK // (first.shape[1] if first.ndim > 1 else 1))
    worst, place = 0.0, "none"
    with mpmath.workprec(140):
        for at in range(0, len(first), count):
            block = {name: array[at : at + count] for name, array in inputs.items()}
            found = errors(row, dtype, block)
            if not np.isfinite(found).all():
                raise ArithmeticError(f"{row.name}: not finite, or no finite reference")
            if found.size and found.max() > worst:
                worst, where = float(found.max()), int(found.argmax())
                shown = first.ndim == 1 and block["x"].shape == found.shape
                place = repr(float(block["x"][where])) if shown else f"result {where}"
    return worst, place


def main(names: list[str]) -> None:
    for row in ROWS:
        if names and row.name.partition(",")[0] not in names:
            continue
        started = time.perf_counter()
        cells = []
        for dtype in (np.float32, np.float64):
            worst, place = measure(row, dtype)
            cells.append(f"{NAMES[dtype]} {worst:7.3f} at {place:24}")
        print(f"{row.name:22}", *cells, f"{time.perf_counter() - started:5.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
