"""The peers, and ours: where each lives and what it needs. Modules are imported when measured."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from dataclasses import dataclass

from bench.peer import Peer


@dataclass(frozen=True)
class Known:
    """A peer that could be measured here."""

    module: str
    type: str
    needs: tuple[str, ...]  # packages, by the names both pip and Python know them by
    program: str | None = None  # what must be on the path besides
    compiles: bool = False  # ahead of the first run, so that this time counts

    def missing(self) -> str | None:
        """How to get what is missing, or None."""
        packages = [name for name in self.needs if importlib.util.find_spec(name) is None]
        if packages:
            return f"pip install {' '.join(packages)}"
        if self.program and not shutil.which(self.program):
            return f"{self.program} must be on the path"
        return None

    def make(self, threads: int) -> Peer:
        made: Peer = getattr(importlib.import_module(self.module), self.type)(threads)
        return made


OURS = "ours"
KNOWN = {
    OURS: Known("bench.ours", "Ours", ("numpy", "ply", "cffi"), compiles=True),
    "numpy": Known("bench.peers.numpy_peer", "NumPy", ("numpy", "threadpoolctl")),
    "numexpr": Known("bench.peers.numexpr_peer", "Numexpr", ("numexpr",)),
    "numba": Known("bench.peers.numba_peer", "Numba", ("numba",)),
    "autograd": Known("bench.peers.autograd_peer", "Autograd", ("autograd",)),
    "torch": Known("bench.peers.torch_peer", "TorchEager", ("torch",)),
    "torch_compile": Known(
        "bench.peers.torch_compile_peer", "TorchCompiled", ("torch",), compiles=True
    ),
    "jax": Known("bench.peers.jax_peer", "Jax", ("jax",), compiles=True),
    "tinygrad": Known("bench.peers.tinygrad_peer", "Tinygrad", ("tinygrad",), "clang", True),
}
