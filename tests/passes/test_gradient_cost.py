"""What a generated backward pass costs beside one that was derived by hand.

hand/attention.gir and hand/transformer.gir are the examples' models with their gradients written
out by an expert. Both are compiled in the same way; callgrind counts their instructions.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from callgrind import count, read_profile

from gradir import Program

HAND = Path(__file__).parent / "hand"
# How many instructions more than the hand-derived step the generated one may execute, in gcc's
# code. As a ratio they are 1.001 and 1.009, but that falls or rises with what both do alike,
# functions and products. What the transformer's has more: factors of gelu's, softmax's and the
# norms' derivatives that an expert cancels or merges, which would change bits; and the mask,
# applied once more.
MORE = {"attention": 340, "transformer": 3750}
needs_tools = pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("gcc")), reason="valgrind or gcc is missing"
)


@pytest.fixture(autouse=True)
def gcc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc")


@pytest.mark.parametrize("name", MORE)
def test_the_hand_derived_program_trains_the_same_model(name: str) -> None:
    generated = Program.load(f"example:{name}").session(backend="numpy")
    by_hand = Program.load(HAND / f"{name}.gir").session(backend="numpy")
    for _ in range(3):
        found, wanted = generated.run(), by_hand.run()
        assert abs(found["loss"] - wanted["loss"]) <= 1e-12 * abs(wanted["loss"])
    assert set(generated.state) == set(by_hand.state)
    for key, value in by_hand.state.items():
        assert np.abs(generated.state[key] - value).max() <= 1e-12, key


@needs_tools
@pytest.mark.parametrize("name", MORE)
def test_the_generated_step_is_as_cheap(name: str) -> None:
    generated = count(Program.load(f"example:{name}")).total
    by_hand = count(Program.load(HAND / f"{name}.gir")).total
    assert generated <= by_hand + MORE[name], generated - by_hand


@needs_tools
def test_counting_counts() -> None:
    """An add of n elements takes more for more of them; both counts are the same every time."""
    texts = (f"%x = stage f32[{n}]\noutput (add %x 1.0) name=o\n" for n in (64, 6400))
    small, large = (Program.parse(text) for text in texts)
    assert 6400 / 16 < count(large).total < 6400 * 16
    assert count(small).total < count(large).total == count(large).total


PROFILE = """# callgrind format
events: Ir
fn=(1) main
10 5
+2 7
cfn=(2) kernel
calls=3 20
* 900
fn=(2)
20 300
-1 4
"""


def test_a_profile_is_read() -> None:
    """What a callee took, on the line after its call, is counted at the callee only."""
    assert read_profile(PROFILE) == {"main": 12, "kernel": 304}
