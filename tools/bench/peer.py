"""What a peer is: workloads by name, each made when it is its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bench import data


class Workload(NamedTuple):
    """`run` does the work once on arguments prepared before; `check` is a number all agree on.

    `built`: the seconds already spent on compiling, where that is not part of the first run.
    """

    run: Callable[[], object]
    check: Callable[[], float]
    built: float = 0.0


Makers = dict[str, Callable[[], Workload]]
Gradients = Callable[[], list[np.ndarray]]


class Peer:
    """A library to be measured, for one number of threads.

    A key of `makers` is a workload's name, or `name/form` where a peer has several ways to do the
    same: the fastest counts.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def versions(self) -> dict[str, str]:
        raise NotImplementedError

    def warm(self) -> None:
        """What a first use pays once in a process, whatever it computes."""

    def makers(self) -> Makers:
        raise NotImplementedError

    def gradient_makers(self) -> dict[str, Callable[[], Gradients]]:
        """By the names of nets: calls that compute all gradients anew, for their bits."""
        return {}


class FullPeer(Peer):
    """A peer that runs every workload."""

    def makers(self) -> Makers:
        return {name: partial(self.forward, name) for name in data.FORWARD} | self.trainings()

    def trainings(self) -> Makers:
        """The workloads with gradients."""
        return {
            **{f"sgd_mlp2_f{bits}": partial(self.sgd, f"float{bits}") for bits in (64, 32)},
            **{f"step_{net}": partial(self.step, net) for net in data.NETS},
            **{f"adam_{fit}": partial(self.adam, fit) for fit in data.FITS},
            "block": self.block,
            "scalar1000": self.scalar1000,
        }

    def gradient_makers(self) -> dict[str, Callable[[], Gradients]]:
        return {net: partial(self.gradients, net) for net in data.NETS}

    def forward(self, name: str) -> Workload:
        raise NotImplementedError

    def sgd(self, dtype: str) -> Workload:
        """The net of two layers, trained from its start; the last step's loss."""
        raise NotImplementedError

    def step(self, net: str) -> Workload:
        """One step of descent, from where the last one led; the loss at the start."""
        raise NotImplementedError

    def adam(self, fit: str) -> Workload:
        """A fit from its start; the last step's loss."""
        raise NotImplementedError

    def block(self) -> Workload:
        """All 13 gradients of the transformer block; the sum of their absolute values."""
        raise NotImplementedError

    def scalar1000(self) -> Workload:
        """The derivative of 1000 operations on one number."""
        raise NotImplementedError

    def gradients(self, net: str) -> Gradients:
        raise NotImplementedError


class Last:
    """The result of the last run, for `check`."""

    def __init__(self) -> None:
        self.value: Any = None


def absolute_sum(arrays: Iterable[Any]) -> float:
    return sum(float(abs(array).sum()) for array in arrays)
