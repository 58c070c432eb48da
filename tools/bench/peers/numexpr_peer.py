"""numexpr: expressions as text, over blocks that stay in the cache."""

from __future__ import annotations

import numexpr
import numpy as np

from bench import data
from bench.peer import Makers, Peer, Workload

CHAIN = "((((x*c0+c1)*x+c2)*x+c3)*x+c4)*x+c5"


class Numexpr(Peer):
    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        numexpr.set_num_threads(threads)

    def versions(self) -> dict[str, str]:
        return {"numexpr": numexpr.__version__}

    def makers(self) -> Makers:
        return {
            "chain10": lambda: evaluated("chain10", CHAIN),
            "sin": lambda: evaluated("sin", "sin(x)"),
        }


def evaluated(name: str, expression: str) -> Workload:
    (x,) = data.forward_arguments(name)
    result = np.empty_like(x)
    names = {"x": x} | {f"c{at}": np.float32(value) for at, value in enumerate(data.HORNER)}

    def run() -> None:
        numexpr.evaluate(expression, names, out=result)

    return Workload(run, lambda: data.forward_check(name, result))
