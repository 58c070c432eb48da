"""Gradients of three models against gradients derived by hand, and against finite differences.

The models are example:transformer with its 16 weight matrices, example:attention and
example:layernorm. transformer_numpy and models_numpy hold the hand-derived forms, which share
nothing with gradir. The finite differences are taken twice: of those forms, and of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import models_numpy
import numpy as np
import pytest
import transformer_numpy
from example_helpers import Array, gradients, slope, values

import gradir

DIRECTIONS = 16
STEP = 1e-2  # of the sixth-order differences: their own error is about 1e-10 here

Weights = dict[str, Array]


@dataclass
class Model:
    """An example, the names of its weights, and the hand-derived loss and gradients."""

    name: str
    weights: tuple[str, ...]
    rate: float

    @cached_property
    def program(self) -> gradir.Program:
        return gradir.load(f"example:{self.name}")

    @cached_property
    def start(self) -> dict[str, np.ndarray]:
        """The buffers' first contents, each weight moved off its start so that none is special."""
        state = dict(self.program.session().state)
        draw = np.random.default_rng(11)
        for name in self.weights:
            state[name] = state[name] + draw.normal(0.0, 0.1, state[name].shape)
        return state

    @cached_property
    def by_hand(self) -> Callable[[Weights, int], tuple[float, Weights]]:
        """Weights and step number to loss and gradients."""
        if self.name == "transformer":
            return transformer_numpy.backward
        if self.name == "layernorm":
            data = values(self.program, ["x", "t"], self.start)
            return lambda w, step: models_numpy.layernorm(w, data["x"], data["t"])
        data = values(self.program, ["x", "labels"], self.start)
        return lambda w, step: models_numpy.attention(w, data["x"], data["labels"])

    @cached_property
    def first_weights(self) -> Weights:
        return {name: self.start[name] for name in self.weights}

    @cached_property
    def gradients(self) -> Weights:
        return gradients(self.program, self.start)

    def loss(self, weights: Weights) -> float:
        return float(values(self.program, ["loss"], {**self.start, **weights})["loss"])


MODELS = {
    "transformer": Model("transformer", transformer_numpy.NAMES, 0.2),
    "attention": Model("attention", ("embed", "query", "key", "value", "out", "bias"), 0.2),
    "layernorm": Model("layernorm", ("w", "g", "b"), 0.2),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def directions(weights: Weights) -> list[Weights]:
    """Random directions of length 1 through all weights."""
    draw = np.random.default_rng(5)
    found = []
    for _ in range(DIRECTIONS):
        way = {name: draw.normal(size=weight.shape) for name, weight in weights.items()}
        length = np.sqrt(sum((part * part).sum() for part in way.values()))
        found.append({name: part / length for name, part in way.items()})
    return found


def moved(weights: Weights, way: Weights, by: float) -> Weights:
    return {name: weights[name] + by * part for name, part in way.items()}


def test_the_transformer_has_16_gradients():
    assert len(MODELS["transformer"].gradients) == 16
    assert len(MODELS["transformer"].program.gradients) == 16


@each_model
def test_gradients_equal_the_hand_derived_ones(model):
    loss, expected = model.by_hand(model.first_weights, 0)
    assert abs(model.loss(model.first_weights) - loss) < 1e-12 * abs(loss)
    assert set(model.gradients) == set(model.weights)
    for name in model.weights:
        error = np.abs(model.gradients[name] - expected[name]).max()
        assert error <= 1e-10 * np.abs(expected[name]).max(), name


@each_model
def test_each_gradient_equals_differences_of_the_independent_form(model):
    """Weight by weight, along 16 directions each."""
    start = model.first_weights
    for name in model.weights:
        for way in directions({name: start[name]}):
            found = float((model.gradients[name] * way[name]).sum())
            expected = slope(
                lambda by, way=way: model.by_hand({**start, **moved(start, way, by)}, 0)[0], STEP
            )
            assert abs(found - expected) <= 1e-9 * np.linalg.norm(model.gradients[name]), name


@each_model
def test_all_gradients_equal_differences_of_the_program(model):
    """All weights at once, along 16 directions."""
    start = model.first_weights
    for way in directions(start):
        found = sum(float((model.gradients[name] * part).sum()) for name, part in way.items())
        expected = slope(lambda by, way=way: model.loss(moved(start, way, by)), STEP)
        length = np.sqrt(sum((g * g).sum() for g in model.gradients.values()))
        assert abs(found - expected) <= 1e-9 * length


@each_model
def test_ten_steps_equal_hand_derived_training(model):
    session = model.program.session(state=model.first_weights)
    weights = {name: np.array(weight) for name, weight in model.first_weights.items()}
    for step in range(10):
        loss, shares = model.by_hand(weights, step)
        weights = {name: weights[name] - model.rate * shares[name] for name in weights}
        assert abs(session.run()["loss"] - loss) <= 1e-11 * abs(loss)
    for name in model.weights:
        error = np.abs(session.state[name] - weights[name]).max()
        assert error <= 1e-10 * np.abs(weights[name]).max(), name
