"""Gradients of gradients of whole models, against differences of hand-derived first gradients.

Each case asks how a first gradient, weighed by fixed numbers v, changes with another weight.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rule_checks
from example_helpers import slope, values
from models_numpy import attention, layernorm
from transformer_numpy import backward

import gradir
from gradir.reference.interpreter import evaluate

FOLDER = Path(gradir.__file__).parent / "examples"
STEP = 1e-2

# example, first gradient, its name in the program, the weight, its name in the program
CASES = [
    ("transformer", "Wq", "dWq", "Wk", "Wk"),
    ("transformer", "E", "dE", "W1", "W1"),
    ("transformer", "g1", "dg1", "E", "E"),
    ("attention", "key", "dkey", "query", "query"),
    ("layernorm", "w", "dw", "w", "w"),
]


def by_hand(example, state):
    """Weights to gradients, with the data of the program."""
    if example == "transformer":
        return lambda weights: backward(weights, 0)[1]
    names, form = {
        "attention": (["x", "labels"], attention),
        "layernorm": (["x", "t"], layernorm),
    }[example]
    data = values(gradir.load(f"example:{example}"), names, state)
    return lambda weights: form(weights, *(data[name] for name in names))[1]


@pytest.mark.parametrize(
    ("example", "first", "gradient", "weight", "value"), CASES, ids=lambda word: word
)
def test_second_gradient(example, first, gradient, weight, value):
    state = rule_checks.derived(example).state
    draw = np.random.default_rng(8)
    v = draw.normal(size=state[first].shape)
    text = (FOLDER / f"{example}.gir").read_text(encoding="utf-8")
    text += f"%weigh = stage f64{list(v.shape)}\n"
    text += f"%second = gradient (sum (mul %{gradient} %weigh)) %{value}\n"
    table = gradir.parse(text).table
    id = table.names["second"]
    second = evaluate(table, buffers=state, inputs={"weigh": v}, roots=[id]).values[id]
    assert second.shape == state[weight].shape

    gradients = by_hand(example, state)
    for _ in range(4):
        way = draw.normal(size=second.shape)
        way /= np.linalg.norm(way)
        expected = slope(
            lambda by, way=way: float(
                (gradients({**state, weight: state[weight] + by * way})[first] * v).sum()
            ),
            STEP,
        )
        assert abs((second * way).sum() - expected) <= 1e-9 * np.linalg.norm(second)
