"""numba: one loop over the numbers, compiled, into an array that is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from bench import data
from bench.peer import Makers, Peer, Workload

C0, C1, C2, C3, C4, C5 = np.array(data.HORNER, np.float32)


@numba.njit
def chain10(v: Any) -> Any:
    return ((((v * C0 + C1) * v + C2) * v + C3) * v + C4) * v + C5


@numba.njit
def exp2(v: Any) -> Any:
    return np.exp2(v)


@numba.njit
def log2(v: Any) -> Any:
    return np.log2(v)


@numba.njit
def sin(v: Any) -> Any:
    return np.sin(v)


class Numba(Peer):
    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        numba.set_num_threads(threads)

    def versions(self) -> dict[str, str]:
        return {"numba": numba.__version__}

    def makers(self) -> Makers:
        return {
            "chain10": lambda: self.mapped("chain10", chain10),
            "exp2": lambda: self.mapped("exp2", exp2),
            "log2": lambda: self.mapped("log2", log2),
            "sin": lambda: self.mapped("sin", sin),
        }

    def mapped(self, name: str, function: Callable[[Any], Any]) -> Workload:
        @numba.njit(parallel=self.threads > 1)
        def loop(x: np.ndarray, y: np.ndarray) -> None:
            for at in numba.prange(x.size):
                y[at] = function(x[at])

        (x,) = data.forward_arguments(name)
        result = np.empty_like(x)
        return Workload(lambda: loop(x, result), lambda: data.forward_check(name, result))
