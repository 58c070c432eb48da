"""Conformance files of what is composed: sugar by its expansion, gradients by their rules.

Each function below is a line of the expansion or of the rule table, element by element, in the
exact arithmetic of the oracle.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import conformance_oracle as oracle
from conformance_oracle import FLOATS, INF, NAN
from conformance_writer import Suite, expected, given

PLAIN = ["0.5", "-0.5", "1", "-1.25", "2", "-3", "0.1", "7.5", "-10", "1e-3", "20", "-33.3"]
WORD = 2**32


class Arithmetic:
    """The operations of one element type."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def lit(self, text: str | float) -> float:
        return oracle.number(text, self.dtype)

    def add(self, a: float, b: float) -> float:
        return oracle.add(a, b, self.dtype)

    def sub(self, a: float, b: float) -> float:
        return self.add(a, self.mul(b, -1.0))

    def mul(self, a: float, b: float) -> float:
        return oracle.mul(a, b, self.dtype)

    def div(self, a: float, b: float) -> float:
        return oracle.div(a, b, self.dtype)

    def recip(self, a: float) -> float:
        return oracle.recip(a, self.dtype)

    def of(self, name: str, a: float) -> float:
        return oracle.any_function(name, a, self.dtype)

    def sum(self, items: Sequence[float]) -> float:
        return oracle.lanes("add", items, self.dtype)

    def largest(self, items: Sequence[float]) -> float:
        best = -INF
        for item in items:
            best = oracle.maximum(best, item, self.dtype)
        return best


# --- sugar ------------------------------------------------------------------------------------


def sigmoid(t: Arithmetic, a: float) -> float:
    e = t.of("exp", a if a < 0 else t.mul(a, -1.0))
    r = t.recip(t.add(1.0, e))
    return t.mul(e, r) if a < 0 else r


def gelu(t: Arithmetic, a: float) -> float:
    scaled = t.mul(a, t.lit("0.70710678118654752440084436210485"))
    return t.mul(t.mul(a, 0.5), t.add(1.0, t.of("erf", scaled)))


def tan(t: Arithmetic, a: float) -> float:
    return t.div(t.of("sin", a), t.of("cos", a))


def log10(t: Arithmetic, a: float) -> float:
    return t.div(t.of("log", a), t.lit("2.3025850929940456840179914546844"))


MAPS: dict[str, tuple[str, Callable[[Arithmetic, float], float], bool]] = {
    "sigmoid": ("SIGMOID-1", sigmoid, False),
    "silu": ("SILU-1", lambda t, a: t.mul(a, sigmoid(t, a)), False),
    "gelu": ("GELU-1", gelu, False),
    "tan": ("TAN-1", tan, False),
    "log10": ("LOG10-1", log10, True),
    "rsqrt": ("RSQRT-1", lambda t, a: t.recip(t.of("sqrt", a)), True),
}


def softmax(t: Arithmetic, row: list[float]) -> list[float]:
    top = t.largest(row)
    e = [t.of("exp", t.sub(x, top)) for x in row]
    r = t.recip(t.sum(e))
    return [t.mul(v, r) for v in e]


def log_softmax(t: Arithmetic, row: list[float]) -> list[float]:
    top = t.largest(row)
    s = [t.sub(x, top) for x in row]
    total = t.of("log", t.sum([t.of("exp", v) for v in s]))
    return [t.sub(v, total) for v in s]


def logsumexp(t: Arithmetic, row: list[float]) -> float:
    top = t.largest(row)
    m = top if math.isfinite(top) else 0.0
    return t.add(t.of("log", t.sum([t.of("exp", t.sub(x, m)) for x in row])), m)


def mean(t: Arithmetic, row: list[float]) -> float:
    return t.div(t.sum(row), float(len(row)))


def centred(t: Arithmetic, row: list[float]) -> tuple[list[float], float]:
    d = [t.sub(x, mean(t, row)) for x in row]
    return d, mean(t, [t.mul(v, v) for v in d])


def layer_norm(t: Arithmetic, row: list[float]) -> list[float]:
    d, v = centred(t, row)
    r = t.recip(t.of("sqrt", t.add(v, t.lit("1e-5"))))
    return [t.mul(x, r) for x in d]


def cross_entropy(t: Arithmetic, rows: list[list[float]], labels: list[int]) -> float:
    losses = []
    for row, label in zip(rows, labels, strict=True):
        top = t.largest(row)
        s = [t.sub(x, top) for x in row]
        z = t.of("log", t.sum([t.of("exp", v) for v in s]))
        p = t.sum([v if at == label else 0.0 for at, v in enumerate(s)])
        losses.append(t.sub(z, p))
    return mean(t, losses)


def sugar_values(suite: Suite) -> None:
    for dtype in FLOATS:
        t = Arithmetic(dtype)
        for name, (id, function, positive) in MAPS.items():
            x = [t.lit(v) for v in PLAIN if not (positive and v.startswith("-"))]
            y = [function(t, v) for v in x]
            suite.put(
                "sugar",
                f"{name}_{dtype}_values",
                id,
                [*given("x", x, dtype), *expected("y", y, dtype)],
                [f"%x = stage {dtype}[{len(x)}]", f"%y = {name} %x", "output %y"],
            )
        rows = [[t.lit(v) for v in PLAIN[at : at + 4]] for at in (0, 4, 8)]
        labels = [3, 0, 2]
        head = given("x", rows, dtype)
        stage = [f"%x = stage {dtype}[3,4]"]
        row_wise: dict[str, tuple[str, list[list[float]] | list[float]]] = {
            "softmax": ("SOFTMAX-1", [softmax(t, row) for row in rows]),
            "log_softmax": ("LOG-SOFTMAX-1", [log_softmax(t, row) for row in rows]),
            "logsumexp": ("LOGSUMEXP-1", [logsumexp(t, row) for row in rows]),
            "layer_norm": ("LAYER-NORM-1", [layer_norm(t, row) for row in rows]),
        }
        for name, (id, result) in row_wise.items():
            suite.put("sugar", f"{name}_{dtype}_values", id,
                      [*head, *expected("y", result, dtype)],
                      [*stage, f"%y = {name} %x", "output %y"])  # fmt: skip
        variances = [centred(t, row)[1] for row in rows]
        suite.put("sugar", f"mean_and_var_{dtype}_values", "MEAN-1, VAR-1",
                  [*head, *expected("m", [mean(t, row) for row in rows], dtype),
                   *expected("v", variances, dtype)],
                  [*stage, "%m = mean %x axes=1", "%v = var %x axes=1", "output %m",
                   "output %v"])  # fmt: skip
        suite.put("sugar", f"cross_entropy_{dtype}_values", "CROSS-ENTROPY-1",
                  [*head, *given("l", labels, "i32"),
                   *expected("y", cross_entropy(t, rows, labels), dtype)],
                  [*stage, "%l = stage i32[3]", "%y = cross_entropy %x %l",
                   "output %y"])  # fmt: skip
        powers = [t.lit(v) for v in PLAIN]
        cubes = [t.mul(t.mul(v, v), v) for v in powers]
        sevenths = [t.mul(t.mul(c, c), v) for v, c in zip(powers, cubes, strict=True)]
        suite.put("sugar", f"pow_{dtype}_values", "POW-2",
                  [*given("x", powers, dtype), *expected("y", sevenths, dtype)],
                  [f"%x = stage {dtype}[{len(powers)}]", "%y = pow %x exponent=7",
                   "output %y"])  # fmt: skip


# --- training -------------------------------------------------------------------------------------


def adam(dtype: str, w: float, gradients: list[float], decay: str | None) -> tuple[float, ...]:
    """w, m and v after one step for each gradient, t counting completed steps."""
    t, d = Arithmetic(dtype), Arithmetic("f64")
    b1, b2 = d.lit("0.9"), d.lit("0.999")
    a1, a2 = (oracle.cast(d.sub(1.0, b), "f64", dtype) for b in (b1, b2))
    m = v = 0.0
    for step, g in enumerate(gradients):
        n = float(step + 1)
        c1 = d.sub(1.0, d.of("exp", d.mul(n, d.of("log", b1))))
        c2 = d.sub(1.0, d.of("exp", d.mul(n, d.of("log", b2))))
        m = t.add(t.mul(t.lit("0.9"), m), t.mul(a1, g))
        v = t.add(t.mul(t.lit("0.999"), v), t.mul(a2, t.mul(g, g)))
        rate = t.div(t.lit("0.001"), oracle.cast(c1, "f64", dtype))
        correction = oracle.cast(d.recip(d.of("sqrt", c2)), "f64", dtype)
        root = t.mul(t.of("sqrt", v), correction)
        kept = w
        if decay is not None:
            kept = t.mul(w, t.sub(1.0, t.mul(t.lit("0.001"), t.lit(decay))))
        w = t.sub(kept, t.mul(rate, t.div(m, t.add(root, t.lit("1e-8")))))
    return w, m, v


def training(suite: Suite) -> None:
    for dtype in FLOATS:
        t = Arithmetic(dtype)
        start, slope = t.lit("1.5"), [t.lit("0.3"), t.lit("-2.0"), t.lit("1e-6")]
        for name, decay in (("adam", None), ("adamw", "0.01")):
            columns = [adam(dtype, start, [g] * 3, decay) for g in slope]
            w, m, v = (list(column) for column in zip(*columns, strict=True))
            suite.put("sugar", f"{name}_{dtype}_three_steps", f"{name.upper()}-1",
                      ["# steps: 3", *given("g", slope, dtype),
                       *expected("slot w", w, dtype), *expected("slot m", m, dtype),
                       *expected("slot v", v, dtype), "# expect: slot t = 3"],
                      [f"%w = buffer {dtype}[3] init=1.5", f"%m = buffer {dtype}[3]",
                       f"%v = buffer {dtype}[3]", "%t = buffer i32", f"%g = stage {dtype}[3]",
                       "%n = load %t", f"{name} %w %g %m %v %n",
                       "store %t (add %n 1)"])  # fmt: skip


# --- random numbers -------------------------------------------------------------------------------


def threefry(x0: int, x1: int, k0: int, k1: int) -> tuple[int, int]:
    """Threefry2x32 with 20 rounds."""
    keys = (k0, k1, k0 ^ k1 ^ 0x1BD11BDA)
    a, b = (x0 + k0) % WORD, (x1 + k1) % WORD
    for i in range(5):
        for r in (13, 15, 26, 6) if i % 2 == 0 else (17, 29, 16, 24):
            a = (a + b) % WORD
            b = ((b << r | b >> (32 - r)) % WORD) ^ a
        a = (a + keys[(i + 1) % 3]) % WORD
        b = (b + keys[(i + 2) % 3] + i + 1) % WORD
    return a, b


def normal(dtype: str, w0: int, w1: int) -> float:
    t = Arithmetic(dtype)
    if dtype == "f32":
        p = t.add(t.mul(float(w0 >> 8), 2.0**-24), 2.0**-25)
        q = t.mul(float(w1 >> 8), 2.0**-24)
    else:
        p = t.add(t.mul(float(w0), 2.0**-32), 2.0**-33)
        q = t.mul(float(w1), 2.0**-32)
    r = t.of("sqrt", t.mul(t.of("log", p), -2.0))
    return t.mul(r, t.of("cos", t.mul(q, t.lit("6.2831853071795864769252867665590"))))


def random_numbers(suite: Suite) -> None:
    known = [((0, 0, 0, 0), (0x6B200159, 0x99BA4EFE)),
             ((WORD - 1,) * 4, (0x1CB996FC, 0xBB002BE7)),
             ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
              (0xC4923A9C, 0x483DF7A0))]  # fmt: skip
    assert all(threefry(*words) == answer for words, answer in known)
    for at, (k0, k1, counter) in enumerate(
        [(0, 0, 0), (7, 0, 1), (WORD - 1, 0x9E3779B9, WORD - 1)]
    ):
        words = [threefry(j, counter, k0, k1) for j in range(6)]
        head = [*given("k", [k0, k1], "u32"), f"# set: c = {counter}"]
        stages = ["%k = stage u32[2]", "%c = stage u32"]
        grid = [[words[3 * i + j] for j in range(3)] for i in range(2)]
        bits = [[w[0] for w in row] for row in grid]
        suite.put("sugar", f"random_bits_{at}", "RANDOM-BITS-1, RANDOM-BITS-2",
                  [*head, *expected("y", bits, "u32"), f"# expect: s = {words[0][0]}"],
                  [*stages, "%y: u32[2,3] = random_bits %k %c shape=[2,3]",
                   "%s: u32 = random_bits %k %c shape=[]", "output %y", "output %s"])  # fmt: skip
        for dtype in FLOATS:
            if dtype == "f32":
                uniform = [(w0 >> 8) * 2.0**-24 for w0, _ in words]
            else:
                uniform = [((w0 >> 5) * 2**26 + (w1 >> 6)) * 2.0**-53 for w0, w1 in words]
            number = 1 if dtype == "f32" else 2
            more = f", RANDOM-UNIFORM-3, RANDOM-NORMAL-{number}, RANDOM-NORMAL-3"
            normals = [normal(dtype, *pair) for pair in words]
            suite.put("sugar", f"random_{dtype}_{at}", f"RANDOM-UNIFORM-{number}{more}",
                      [*head, *expected("u", uniform, dtype),
                       *expected("z", [normals[:3], normals[3:]], dtype)],
                      [*stages, f"%u = random_uniform %k %c shape=6 dtype={dtype}",
                       f"%z = random_normal %k %c shape=[2,3] dtype={dtype}", "output %u",
                       "output %z"])  # fmt: skip


# --- gradients -----------------------------------------------------------------------------------


def constant(t: Arithmetic, which: str) -> float:
    import mpmath  # type: ignore[import-untyped]

    with mpmath.workprec(400):
        exact = {"ln2": mpmath.log(2), "half_pi": mpmath.pi / 2,
                 "erf": 2 / mpmath.sqrt(mpmath.pi)}[which]  # fmt: skip
        return oracle.rounded(oracle.exact(exact), t.dtype)


def unary_rule(t: Arithmetic, op: str, g: float, a: float, u: float) -> float:
    """GRAD-9, one row a branch."""
    match op:
        case "recip":
            return t.mul(g, t.mul(t.mul(u, u), -1.0))
        case "exp2":
            return t.mul(t.mul(g, u), constant(t, "ln2"))
        case "log2":
            return t.mul(g, t.recip(t.mul(a, constant(t, "ln2"))))
        case "sqrt":
            return t.mul(g, t.recip(t.mul(u, 2.0)))
        case "sin":
            return t.mul(g, t.of("sin", t.add(a, constant(t, "half_pi"))))
        case "cos":
            return t.mul(g, t.mul(t.of("sin", a), -1.0))
        case "exp":
            return t.mul(g, u)
        case "log":
            return t.div(g, a)
        case "tanh":
            return t.mul(g, t.add(1.0, t.mul(t.mul(u, u), -1.0)))
        case "erf":
            bell = t.of("exp", t.mul(t.mul(a, a), -1.0))
            return t.mul(g, t.mul(bell, constant(t, "erf")))
    raise AssertionError(op)


def unary_value(t: Arithmetic, op: str, a: float) -> float:
    return t.recip(a) if op == "recip" else t.of(op, a)


def tie(t: Arithmetic, g: float, a: float, b: float) -> float:
    return g if b < a else t.mul(g, 0.5) if a == b else 0.0


def rules(suite: Suite) -> None:
    for dtype in FLOATS:
        t = Arithmetic(dtype)
        x = [t.lit(v) for v in PLAIN] + [0.0, -0.0, INF, -INF, NAN]
        g = [t.lit(v) for v in PLAIN[::-1]] + [1.0, 1.0, 2.0, 2.0, 1.0]
        for op in ("recip", "exp2", "log2", "sqrt", "sin", "cos", "exp", "log", "tanh", "erf"):
            result = [
                unary_rule(t, op, share, a, unary_value(t, op, a))
                for a, share in zip(x, g, strict=True)
            ]
            result = [t.mul(1.0, r) for r in result]
            suite.put("gradient", f"rule_of_{op}_{dtype}_values", "GRAD-8, GRAD-9, GRAD-17",
                      [*given("x", x, dtype), *given("w", g, dtype),
                       *expected("g", result, dtype)],
                      [f"%x = stage {dtype}[{len(x)}]", f"%w = stage {dtype}[{len(x)}]",
                       f"%y = reduce (mul ({op} %x) %w) op=add", "%g = gradient %y %x",
                       "output %g"])  # fmt: skip
        a = [1.0, 2.0, -3.0, 0.0, -0.0, INF, t.lit("0.1"), NAN, 5.0]
        b = [2.0, 2.0, t.lit("0.7"), 0.0, 0.0, INF, -INF, 1.0, 3.0]
        w = [t.lit(v) for v in PLAIN[:9]]
        rows = list(zip(a, b, w, strict=True))
        shares = {
            "mul": [(t.mul(g, b), t.mul(g, a)) for a, b, g in rows],
            "div": [
                (t.div(g, b), t.mul(t.div(t.mul(g, t.div(a, b)), b), -1.0)) for a, b, g in rows
            ],
            "max": [(tie(t, g, a, b), tie(t, g, b, a)) for a, b, g in rows],
        }
        for op, pairs in shares.items():
            suite.put("gradient", f"rule_of_{op}_{dtype}_values", "GRAD-9, GRAD-17",
                      [*given("a", a, dtype), *given("b", b, dtype), *given("w", w, dtype),
                       *expected("ga", [p[0] for p in pairs], dtype),
                       *expected("gb", [p[1] for p in pairs], dtype)],
                      [*[f"%{n} = stage {dtype}[9]" for n in "abw"],
                       f"%y = reduce (mul ({op} %a %b) %w) op=add", "%ga = gradient %y %a",
                       "%gb = gradient %y %b", "output %ga", "output %gb"])  # fmt: skip


def chains(suite: Suite) -> None:
    """A function of a function, twenty thousand deep: depth is no limit, and no bit drifts."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "numerics"))
    from test_numerics_steps import STEPS  # type: ignore[import-not-found]

    x = 1.0
    for _ in range(20000):
        x = STEPS["sin"](x)
    ten = (
        "return (@m{0} (@m{0} (@m{0} (@m{0} (@m{0} (@m{0} (@m{0} (@m{0} (@m{0} (@m{0} %x))))))))))"
    )
    body = ["macro @m0 %x { return (sin (sin %x)) }"]
    for level in range(1, 5):
        body += [f"macro @m{level} %x {{", "  " + ten.format(level - 1), "}"]
    suite.put("numerics", "sin_f64_twenty_thousand_times", "SIN-12, SIN-4, LIMIT-2",
              [*given("x", 1.0, "f64"), *expected("y", x, "f64")],
              [*body, "%x = stage f64", "%y = @m4 %x", "output %y"])  # fmt: skip


def composed_families(suite: Suite) -> None:
    for family in (sugar_values, training, random_numbers, rules, chains):
        family(suite)
