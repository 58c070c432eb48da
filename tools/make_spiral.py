"""Writes the data of the examples spiral and minibatch: gradir/examples/spiral/*.npy.

512 points on three noisy arcs and the first weights of a network 2 → 32 → 3, all drawn by NumPy's
default_rng(7) in the order below. The files are committed; a test compares them with what this
makes.

    python tools/make_spiral.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "gradir" / "examples" / "spiral"
POINTS, HIDDEN, ARCS = 512, 32, 3


def make() -> dict[str, np.ndarray]:
    """The arrays by file name. Each draw moves the generator on: their order is part of them."""
    draw = np.random.default_rng(7)
    angle = draw.uniform(0.0, 2.0 * np.pi, POINTS)
    labels = draw.integers(0, ARCS, POINTS)
    first = np.cos(angle) + 1.6 * labels + draw.normal(0.0, 0.18, POINTS)
    second = np.sin(angle) + draw.normal(0.0, 0.18, POINTS)
    return {
        "x": np.stack([first, second], axis=1),
        "labels": labels.astype(np.int32),
        "w1": draw.normal(0.0, 0.5, (2, HIDDEN)),
        "w2": draw.normal(0.0, 0.5, (HIDDEN, ARCS)),
    }


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in make().items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


if __name__ == "__main__":
    main()
