"""What is known of each workload: its goal, and how closely results must agree.

Peers round differently, so `check` agrees only up to a relative tolerance. Each follows from how
the number comes about, where one f32 rounding is 6e-8:

`ONE`      a function or polynomial at one place: some units in the last place of the result.
`SUM`      thousands of f32 in an order of each peer's own, whose roundings grow as the root of
           their number; an element of softmax has one such sum in it.
`PRODUCT`  up to 2048 products summed up: where terms of either sign leave a fiftieth of what the
           partial sums reached, as many digits are lost.
`GRADIENT` a loss, or sums of absolute values: no digits cancel any more.
`CHAIN`    the product of 250 derivatives, each off by a few units of a peer's own functions.
`TRAINED`  the loss after hundreds of steps from the last one's roundings, which descent damps.
`ADAM`     the same, where a library may keep 0.999^t in f32: of 1 - 0.999 three digits are lost.

`adam_plane` fits points of a plane exactly: what is left of the loss, which starts near 5, is
rounding alone, and need only be as small.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.data import SIZES
from bench.measure import Measured

ONE, SUM, PRODUCT, GRADIENT, CHAIN, TRAINED, ADAM = 1e-6, 1e-5, 1e-4, 1e-5, 2e-4, 1e-5, 1e-4
TRAINED_F64 = 1e-9


@dataclass(frozen=True)
class Kind:
    """A workload: `goal` is the ratio best peer / ours to be reached."""

    goal: float
    tolerance: float
    scale: float = 0.0  # the tolerance is relative to this at least
    flops: float = 0.0  # where the rate says more than the time


WORKLOADS = {
    **{f"mm{n}": Kind(1.00, PRODUCT, flops=2.0 * n**3) for n in SIZES},
    "chain10": Kind(1.00, ONE),
    # Ours are correctly rounded; the peers' are not.
    "exp2": Kind(0.72, ONE),
    "log2": Kind(0.85, ONE),
    "sin": Kind(0.97, ONE),
    "sum16M": Kind(1.00, SUM),
    "rowsum": Kind(1.00, SUM),
    "colsum": Kind(1.00, SUM),
    "softmax": Kind(1.00, SUM),
    "sgd_mlp2_f64": Kind(2.2, TRAINED_F64),
    "sgd_mlp2_f32": Kind(2.0, TRAINED),
    "adam_plane": Kind(6.0, 1e-12, scale=1.0),
    "adam_lin30": Kind(4.5, ADAM),
    "step_mlp784_128": Kind(1.30, GRADIENT),
    "step_mlp784_512_512": Kind(1.08, GRADIENT),
    "block": Kind(1.40, GRADIENT),
    "scalar1000": Kind(1.80, CHAIN),
}
# Compiled with an empty cache, from the text on: best peer / ours.
COMPILE_GOALS = {"step_mlp784_128": 1.00, "block": 1.00, "scalar1000": 1.00}
# Two threads against one, both ours.
SCALING_GOALS = {"mm1024": 1.7, "step_mlp784_512_512": 1.7}


def base(name: str) -> str:
    """The workload that a form of it does."""
    return name.split("/")[0]


def span(measured: Measured) -> str:
    """The median and its limits, in the unit that suits it."""
    scale, unit = (1e3, "ms") if measured.median >= 1e-3 else (1e6, "us")
    median, low, high = (scale * s for s in (measured.median, measured.low, measured.high))
    return f"{median:.2f} ({low:.2f}–{high:.2f}) {unit}"


def described(name: str, measured: Measured) -> str:
    """One measurement on a line."""
    flops = WORKLOADS[base(name)].flops
    rate = f"  {flops / measured.median * 1e-9:.1f} GFLOP/s" if flops else ""
    return (
        f"{span(measured):31s}{rate}"
        f"  compile {measured.compile:.3f} s  foreign {measured.foreign:.2f}"
        f"  check {measured.check:.9g}"
    )
