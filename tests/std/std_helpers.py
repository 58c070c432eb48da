"""What the tests of the standard library share: running a text, its dump, central differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradir.runtime.program import Program
from gradir.text.diagnostics import GirError

NAMES = {np.dtype("float32"): "f32", np.dtype("float64"): "f64", np.dtype("int32"): "i32"}
NAMES |= {np.dtype("int64"): "i64", np.dtype("uint32"): "u32", np.dtype("bool"): "bool"}


def stages(inputs: Mapping[str, np.ndarray]) -> str:
    """`stage` statements for arrays by name."""
    lines = []
    for name, array in inputs.items():
        sizes = ",".join(map(str, array.shape))
        lines.append(f"%{name} = stage {NAMES[array.dtype]}[{sizes}]\n")
    return "".join(lines)


def run(text: str, dims: Mapping[str, int] | None = None, **inputs: Any) -> dict[str, np.ndarray]:
    """The outputs of a program that declares its stages itself."""
    return Program.parse(text).session(dims=dims).run(inputs)


def value(expression: str, **inputs: np.ndarray) -> np.ndarray:
    """The value of one expression in the inputs."""
    text = f"{stages(inputs)}%result = {expression}\noutput %result\n"
    return run(text, **inputs)["result"]


def dump(expression: str, inputs: str) -> list[str]:
    """The nodes that an expression adds behind its stages, as the dump prints them."""
    before = Program.parse(inputs).text().splitlines()
    after = Program.parse(f"{inputs}\n%y = {expression}\n").text().splitlines()
    assert after[: len(before)] == before
    return after[len(before) :]


def codes(text: str) -> list[str]:
    """The codes of the diagnostics that a text is refused with."""
    try:
        Program.parse(text)
    except GirError as refused:
        return [diagnostic.code for diagnostic in refused.diagnostics]
    return []


def gradients(expression: str, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    """The gradients of sum(expression * weights) by every float input."""
    floats = [name for name, array in inputs.items() if array.dtype.kind == "f"]
    shape = value(expression, **inputs).shape
    given = {**inputs, "weights": weights(shape)}
    text = f"{stages(given)}%loss = reduce (mul ({expression}) %weights) op=add\n"
    for name in floats:
        text += f"%d{name} = gradient %loss %{name}\noutput %d{name}\n"
    found = run(text, **given)
    return {name: found[f"d{name}"] for name in floats}


def weights(shape: tuple[int, ...]) -> np.ndarray:
    """Fixed weights without symmetry, so that a permuted gradient shows."""
    count = int(np.prod(shape, dtype=np.int64))
    return (np.cos(np.arange(count) * 1.7) + 0.3).reshape(shape)


def check_gradients(expression: str, step: float = 1e-6, **inputs: np.ndarray) -> None:
    """Compare each gradient with central differences in f64."""
    found = gradients(expression, **inputs)
    w = weights(value(expression, **inputs).shape)
    for name, gradient in found.items():
        x = inputs[name]
        assert x.dtype == np.float64
        expected = np.zeros_like(x)
        for at in np.ndindex(x.shape):
            sides = []
            for sign in (1.0, -1.0):
                moved = x.copy()
                moved[at] += sign * step
                sides.append((value(expression, **{**inputs, name: moved}) * w).sum())
            expected[at] = (sides[0] - sides[1]) / (2 * step)
        np.testing.assert_allclose(gradient, expected, rtol=2e-6, atol=2e-7, err_msg=name)


def bits(array: np.ndarray) -> np.ndarray:
    """The array's bits as unsigned integers; every NaN is the one NaN of its type."""
    array = np.ascontiguousarray(array)
    if array.dtype.kind != "f":
        return array
    array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
    return array.view(f"u{array.dtype.itemsize}")


def same(found: np.ndarray, expected: Any) -> None:
    """Equal in type, shape and every bit."""
    expected = np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    np.testing.assert_array_equal(bits(found), bits(expected))
