"""The race's workloads as programs of ours: `make` gives what the race's driver asks a peer for.

Each workload is a pair (run, check): `run()` does the work once, on arguments bound before;
`check()` is a number that must agree with the peers'. Arrays come from the driver's own data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import gradir
from gradir import Program

PROGRAMS = Path(__file__).resolve().parent / "programs"
Workload = tuple[Callable[[], Any], Callable[[], float]]

N16 = 1 << 24
SMALL = {
    "exp2": f"output (exp2 (stage f32[{N16}] name=x)) name=y",
    "log2": f"output (log2 (stage f32[{N16}] name=x)) name=y",
    "sin": f"output (sin (stage f32[{N16}] name=x)) name=y",
    "sum16M": f"output (sum (stage f32[{N16}] name=x)) name=y",
    "rowsum": "output (sum (stage f32[4096,4096] name=x) axes=1) name=y",
    "colsum": "output (sum (stage f32[4096,4096] name=x) axes=0) name=y",
    "softmax": "output (softmax (stage f32[4096,1024] name=x)) name=y",
}
MATMUL = "output (matmul (stage f32[{n},{n}] name=a) (stage f32[{n},{n}] name=b)) name=y"
STEPS = {"sgd_mlp2": 300, "adam_plane": 1000, "adam_lin30": 100}


def chain10(coefficients: list[float]) -> str:
    """Ten operations on 16M numbers, in Horner's form."""
    first, *rest = coefficients
    value = f"(mul %x {first})"
    for c in rest[:-1]:
        value = f"(mul (add {value} {c}) %x)"
    return f"%x = stage f32[{N16}]\noutput (add {value} {rest[-1]}) name=y"


def scalar1000() -> str:
    """The derivative of 1000 operations on one number."""
    lines = ["%x = stage f32", "%y0 = add %x 0.0"]
    for at in range(250):
        before = "%x" if at == 0 else f"%y{at}"
        lines.append(f"%y{at + 1} = tanh (sin (add (mul {before} 1.02) 0.001))")
    return "\n".join([*lines, "output (gradient %y250 %x) name=y"])


class Ours:
    """The workloads for one number of threads, as methods w_NAME."""

    def __init__(self, threads: int, bench: ModuleType) -> None:
        self.threads, self.bench = threads, bench
        self.versions = {"gradir": gradir.__version__}
        for name in SMALL:
            setattr(self, f"w_{name}", lambda name=name: self.small(name))
        for n in (128, 512, 1024, 2048):
            setattr(self, f"w_mm{n}", lambda n=n: self.matmul(n))
        for name in ("f64", "f32"):
            setattr(self, f"w_sgd_mlp2_{name}", lambda name=name: self.mlp2(name))
        for name in bench.MLPS:
            setattr(self, f"w_step_{name}", lambda name=name: self.step(name))

    def names(self) -> list[str]:
        return sorted(n[2:] for n in dir(self) if n.startswith("w_"))

    def compiled(self, text: str, state: Mapping[str, Any] | None = None) -> gradir.Session:
        return Program.parse(text).compile(threads=self.threads, state=state, backend="c")

    def bound(self, text: str, at: int, **inputs: np.ndarray) -> Workload:
        call = self.compiled(text).bind(inputs)
        return call, lambda: float(call.outputs["y"].reshape(-1)[at])

    def small(self, name: str) -> Workload:
        shapes = {"rowsum": (4096, 4096), "colsum": (4096, 4096), "softmax": (4096, 1024)}
        if name in shapes:
            x = np.random.default_rng(1).uniform(-1, 1, shapes[name]).astype(np.float32)
        else:
            x = self.bench.vec16()
        return self.bound(SMALL[name], 7 if name in ("exp2", "log2", "sin") else 0, x=x)

    def matmul(self, n: int) -> Workload:
        a, b = self.bench.rnd(1, n, n), self.bench.rnd(2, n, n)
        return self.bound(MATMUL.format(n=n), 0, a=a, b=b)

    def w_chain10(self) -> Workload:
        return self.bound(chain10(self.bench.COEF), 7, x=self.bench.vec16())

    def w_scalar1000(self) -> Workload:
        return self.bound(scalar1000(), 0, x=np.array(0.3, np.float32))

    def trained(
        self, text: str, data: Mapping[str, Any], start: Mapping[str, Any], steps: int
    ) -> Workload:
        """Whole training runs: each begins at `start`; the check is the last step's loss."""
        session = self.compiled(text, {**data, **start})
        call = session.bind()

        def run() -> None:
            session.state = start
            call.run(steps)

        return run, lambda: float(call.outputs["loss"])

    def mlp2(self, float_type: str) -> Workload:
        dtype = np.dtype(float_type.replace("f", "float"))
        x, labels, weights = self.bench.d_mlp2(dtype.type)
        text = (PROGRAMS / "mlp2.gir").read_text().replace("FLOAT", float_type)
        start = dict(zip(("w1", "b1", "w2", "b2"), weights, strict=True))
        return self.trained(text, {"x": x, "labels": labels.astype(np.int32)}, start, 300)

    def adam(self, name: str, data: tuple[Any, Any, list[Any]], steps: int) -> Workload:
        x, t, weights = data
        start: dict[str, Any] = {"steps": np.int32(0)}
        for key, value in zip("wb", weights, strict=False):
            start |= {key: value, f"{key}.mean": 0 * value, f"{key}.square": 0 * value}
        text = (PROGRAMS / f"{name}.gir").read_text()
        return self.trained(text, {"x": x, "t": t}, start, steps)

    def w_adam_plane(self) -> Workload:
        return self.adam("plane", self.bench.d_plane(), 1000)

    def w_adam_lin30(self) -> Workload:
        return self.adam("lin30", self.bench.d_lin30(), 100)

    def step(self, name: str) -> Workload:
        x, labels, weights = self.bench.d_mlp784(*self.bench.MLPS[name])
        layers = len(weights) // 2
        keys = [f"{kind}{at + 1}" for at in range(layers) for kind in "wb"]
        start = dict(zip(keys, weights, strict=True))
        data = {"x": x, "labels": labels.astype(np.int32)}
        session = self.compiled((PROGRAMS / f"{name}.gir").read_text(), {**data, **start})
        call = session.bind()

        def check() -> float:
            session.state = start
            return float(call()["loss"])

        return call, check

    def w_block(self) -> Workload:
        x, weight, parameters = self.bench.d_block()
        keys = ("g1", "b1", "wq", "bq", "wo", "bo", "g2", "b2", "w1", "c1", "w2", "c2")
        state = dict(zip(keys, parameters, strict=True))
        state |= {"x": x, "weight": weight, "mask": self.bench.MASK}
        call = self.compiled((PROGRAMS / "block.gir").read_text(), state).bind()

        def check() -> float:
            return sum(float(np.abs(v).sum()) for k, v in call.outputs.items() if k != "loss")

        return call, check


def make(threads: int, bench: ModuleType) -> Ours:
    return Ours(threads, bench)
