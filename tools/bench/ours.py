"""The workloads as programs of ours: text to compiled session, arguments bound once."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import gradir
from bench import data
from bench.peer import FullPeer, Gradients, Workload, absolute_sum
from gradir import Bound, Program
from gradir.codegen.toolchain import find_compiler

PROGRAMS = Path(__file__).resolve().parent / "programs"

FORWARD = {
    "exp2": f"output (exp2 (stage f32[{data.LONG}] name=x)) name=y",
    "log2": f"output (log2 (stage f32[{data.LONG}] name=x)) name=y",
    "sin": f"output (sin (stage f32[{data.LONG}] name=x)) name=y",
    "sum16M": f"output (sum (stage f32[{data.LONG}] name=x)) name=y",
    "rowsum": "output (sum (stage f32[4096,4096] name=x) axes=1) name=y",
    "colsum": "output (sum (stage f32[4096,4096] name=x) axes=0) name=y",
    "softmax": "output (softmax (stage f32[4096,1024] name=x)) name=y",
}
MATMUL = "output (matmul (stage f32[{n},{n}] name=x) (stage f32[{n},{n}] name=b)) name=y"
BLOCK_PARAMETERS = ("g1", "b1", "wq", "bq", "wo", "bo", "g2", "b2", "w1", "c1", "w2", "c2")
_UPDATE = re.compile(r"^sgd %(\w+)b (\(gradient .*\)) lr=.*$", re.MULTILINE)


def chain10() -> str:
    """Ten operations on every number, in Horner's form."""
    first, *middle, last = data.HORNER
    value = f"(mul %x {first})"
    for coefficient in middle:
        value = f"(mul (add {value} {coefficient}) %x)"
    return f"%x = stage f32[{data.LONG}]\noutput (add {value} {last}) name=y"


def scalar1000() -> str:
    """The derivative of 1000 operations on one number."""
    lines = ["%x = stage f32", "%y0 = add %x 0.0"]
    for at in range(250):
        before = "%x" if at == 0 else f"%y{at}"
        lines.append(f"%y{at + 1} = tanh (sin (add (mul {before} 1.02) 0.001))")
    return "\n".join([*lines, "output (gradient %y250 %x) name=y"])


def forward_text(name: str) -> str:
    if name.startswith("mm"):
        return MATMUL.format(n=int(name[2:]))
    return chain10() if name == "chain10" else FORWARD[name]


def program_text(name: str) -> str:
    return (PROGRAMS / f"{name}.gir").read_text(encoding="utf-8")


def gradient_text(net: str) -> str:
    """A net's program with its gradients put out, where it would move the parameters by them."""
    text, count = _UPDATE.subn(r'output \2 name="d\1"', program_text(net))
    assert count == 2 * (len(data.NETS[net][0]) + 1), f"{net}.gir: {count} updates"
    return text


class Ours(FullPeer):
    def versions(self) -> dict[str, str]:
        return {"gradir": gradir.__version__, "compiler": " ".join(find_compiler() or ["none"])}

    def warm(self) -> None:
        text = "output (add (stage f32[1000] name=x) 1.0) name=y"
        self.bound(text, {}, {"x": np.ones(1000, np.float32)})

    def bound(
        self, text: str, state: Mapping[str, Any], inputs: Mapping[str, Any]
    ) -> tuple[gradir.Session, Bound, float]:
        """A compiled program on its arguments, and the seconds from its text to there."""
        began = time.perf_counter()
        session = Program.parse(text).compile(threads=self.threads, state=state, backend="c")
        call = session.bind(inputs)
        return session, call, time.perf_counter() - began

    def forward(self, name: str) -> Workload:
        inputs = dict(zip("xb", data.forward_arguments(name), strict=False))
        _, call, built = self.bound(forward_text(name), {}, inputs)
        return Workload(call, lambda: data.forward_check(name, call.outputs["y"]), built)

    def scalar1000(self) -> Workload:
        inputs = {"x": np.array(data.SCALAR_START, np.float32)}
        _, call, built = self.bound(scalar1000(), {}, inputs)
        return Workload(call, lambda: float(call.outputs["y"]), built)

    def trained(
        self, text: str, samples: Mapping[str, Any], start: Mapping[str, Any], steps: int
    ) -> Workload:
        """Whole runs of training, each from the start."""
        session, call, built = self.bound(text, {**samples, **start}, {})

        def run() -> None:
            session.state = start
            call.run(steps)

        return Workload(run, lambda: float(call.outputs["loss"]), built)

    def sgd(self, dtype: str) -> Workload:
        x, labels, parameters = data.mlp2(dtype)
        text = program_text("mlp2").replace("FLOAT", dtype.replace("float", "f"))
        samples = {"x": x, "labels": labels.astype(np.int32)}
        return self.trained(text, samples, net_parameters(parameters), data.MLP2_STEPS)

    def adam(self, fit: str) -> Workload:
        x, target, parameters = data.FITS[fit]()
        start: dict[str, Any] = {"steps": np.int32(0)}
        for name, value in zip("wb", parameters, strict=False):
            start |= {name: value, f"{name}.mean": 0 * value, f"{name}.square": 0 * value}
        samples = {"x": x, "t": target}
        return self.trained(program_text(fit), samples, start, data.FIT_STEPS[fit])

    def on_net(self, text: str, net: str) -> tuple[gradir.Session, Bound, float]:
        x, labels, parameters = data.net(net)
        samples = {"x": x, "labels": labels.astype(np.int32)}
        return self.bound(text, samples | net_parameters(parameters), {})

    def step(self, net: str) -> Workload:
        session, call, built = self.on_net(program_text(net), net)

        def check() -> float:
            session.state = net_parameters(data.net(net).parameters)
            return float(call()["loss"])

        return Workload(call, check, built)

    def gradients(self, net: str) -> Gradients:
        _, call, _ = self.on_net(gradient_text(net), net)
        return lambda: [value for name, value in call().items() if name != "loss"]

    def block(self) -> Workload:
        x, weight, parameters = data.block()
        state = dict(zip(BLOCK_PARAMETERS, parameters, strict=True))
        state |= {"x": x, "weight": weight, "mask": data.MASK}
        _, call, built = self.bound(program_text("block"), state, {})

        def check() -> float:
            return absolute_sum(value for name, value in call.outputs.items() if name != "loss")

        return Workload(call, check, built)


def net_parameters(parameters: list[np.ndarray]) -> dict[str, Any]:
    """Weights and biases by their buffers' names."""
    names = [f"{kind}{layer + 1}" for layer in range(len(parameters) // 2) for kind in "wb"]
    return dict(zip(names, parameters, strict=True))
