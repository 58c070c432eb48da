"""The course's transformer block: its solution, and what its cases expect, against hand-derived.

The sizes differ from those of example:transformer; the derivation is the same.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformer_numpy
from transformer_numpy import NAMES, Array, Weights

import gradir
from gradir.lessons.values import read_value

FOLDER = Path(__file__).parents[2] / "lessons/09-transformer/04-project-transformer"
SIZES = {"BATCH": 2, "PLACES": 4, "TOKENS": 5, "WIDTH": 4, "HEADS": 2, "DEPTH": 2}
RATE = 0.2
LIMIT = 1e-10  # both are f64; seen: below 1e-12


def cases() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads((FOLDER / "tests.toml").read_text())["case"]
    return [row for row in rows if row["kind"] == "run"]


def places() -> Array:
    """The code of the places, [4, 4]: two speeds, the upper half a quarter turn ahead."""
    speed = 2.0 ** -(np.arange(4.0) % 2)
    return np.sin(np.arange(4)[:, None] * speed + (np.arange(4) // 2) * (np.pi / 2))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_by_hand(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = np.array(case["set"]["tokens"], np.int32)
    for name, size in SIZES.items():
        monkeypatch.setattr(transformer_numpy, name, size)
    monkeypatch.setattr(transformer_numpy, "data", lambda step: (tokens[:, :-1], tokens[:, 1:]))
    monkeypatch.setattr(transformer_numpy, "places", places)

    program = gradir.load(FOLDER / "solution.gir")
    session = program.session()
    weights: Weights = {name: np.array(session.state[name]) for name in NAMES}
    found: dict[str, Array] = {}
    for _ in range(case.get("steps", 1)):
        outputs = session.run({"tokens": tokens})
        loss, gradients = transformer_numpy.backward(weights, 0)
        found = {"loss": np.float64(loss), **{f"d{name}": gradients[name] for name in NAMES}}
        assert set(outputs) == set(found)
        for name, value in found.items():
            assert np.abs(outputs[name] - value).max() < LIMIT, name
        weights = {name: weights[name] - RATE * gradients[name] for name in NAMES}
    for name in NAMES:
        assert np.abs(session.state[name] - weights[name]).max() < LIMIT, name

    table = program.table
    stated = [(name, found[name], table.outputs[name]) for name in case.get("expect", {})]
    stated += [(name, weights[name], table.buffers[name]) for name in case.get("slots", {})]
    assert stated
    for name, value, node in stated:
        group = "expect" if name in case["expect"] else "slots"
        expected = read_value(case[group][name], table.type(node))
        assert np.abs(expected - value).max() < LIMIT, name


def test_all_sixteen_are_asked_for() -> None:
    visible = next(case for case in cases() if case["name"] == "sixteen gradients")
    assert set(visible["expect"]) == {f"d{name}" for name in NAMES}
