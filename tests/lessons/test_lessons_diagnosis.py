"""Likely causes, each shown by numbers that have it and none that have not; where nodes differ."""

from __future__ import annotations

import numpy as np
import pytest

from gradir.ir.types import DTYPES, tensor_type
from gradir.lessons.calls import mismatch
from gradir.lessons.causes import likely_cause
from gradir.lessons.course import Course
from gradir.lessons.diagnose import difference, worst_index
from gradir.lessons.grade import Grader
from gradir.lessons.questions import Question, judge, normalise
from gradir.lessons.values import BadValue, hex_text, read_value, toml_value
from gradir.text.diagnostics import GirError

RNG = np.random.default_rng(5)
A = RNG.normal(size=(4, 3)).astype(np.float32)
S = RNG.normal(size=(4, 4)).astype(np.float32)
E = np.exp(S)

CAUSES = [
    ("transposed", S, S.T.copy()),
    ("shape looks transposed", A, RNG.normal(size=(3, 4)).astype(np.float32)),
    ("looks transposed", A, A.T.copy()),
    ("twice too large", A, 2 * A),
    ("half of what is expected", A, A / 2),
    ("4 times too large", A, 4 * A),
    ("12 times too small", A, A / np.float32(12)),
    ("1.5 times what is expected", A, A * np.float32(1.5)),
    ("the sign is wrong", A, -A),
    ("all zeros", A, np.zeros_like(A)),
    ("off by one along axis 0", A, np.roll(A, 1, 0)),
    ("off by one along axis 1", A, np.roll(A, 1, 1)),
    ("axis 1 is in reverse order", A, A[:, ::-1].copy()),
    ("a constant is missing", A, A + np.float32(1.25)),
    ("softmax over the wrong axis", E / E.sum(1, keepdims=True), E / E.sum(0, keepdims=True)),
    ("NaN: inf - inf", A, np.where(A > 0, A, np.float32(np.nan))),
    ("inf: a division by zero", A, np.where(A > 0, A, np.float32(np.inf))),
    ("only the last bits differ", A, np.nextafter(A, np.float32(9))),
    ("only the sign of a zero", np.zeros(2, np.float32), -np.zeros(2, np.float32)),
    ("only index 2 of axis 0", A, np.where(np.arange(4)[:, None] == 2, 9 * A * A, A)),
    ("the broadcast axis was not summed: a sum over axis 0", A.sum(0), A),
    ("a mean over axis 1", A.mean(1), A),
    ("a maximum over axis 0", A.max(0), A),
    ("an axis of size 1 is missing", A.sum(0, keepdims=True), A.sum(0)),
    ("an axis of size 1 is left", A.sum(0), A.sum(0, keepdims=True)),
    ("the shape is not", A, A.reshape(2, 6)),
    ("summed over axis 1", A, A.sum(1)),
    ("the element type differs", A, A.astype(np.float64)),
    ("the other way round", A > 0, A <= 0),
]


@pytest.mark.parametrize(("said", "expected", "found"), CAUSES, ids=[row[0] for row in CAUSES])
def test_a_cause_is_named(said: str, expected: np.ndarray, found: np.ndarray) -> None:
    assert said in str(likely_cause(np.asarray(expected), np.asarray(found)))


@pytest.mark.parametrize("seed", range(20))
def test_none_is_named_where_none_fits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (rng.normal(size=(4, 5)).astype(np.float32) for _ in range(2))
    assert likely_cause(a, b) is None
    assert likely_cause(a, rng.normal(size=(7, 2)).astype(np.float32)) is None
    assert likely_cause(rng.integers(0, 99, (3, 3)), rng.integers(100, 999, (3, 3))) is None


def test_the_worst_element() -> None:
    expected = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    found = np.array([[1.0, 2.5], [3.0, 9.0]], np.float32)
    assert worst_index(expected, found) == (1, 1)
    found[0, 0] = np.nan
    assert worst_index(expected, found) == (0, 0)
    said = difference("output y", expected, found)
    assert said.message == "output y[0,0] is nan, expected 1.0 (3 of 4 elements differ)"
    assert difference("y", np.float32(1), np.float32(2)).message == "y is 2.0, expected 1.0"


def test_the_first_node_without_names(little: Course, grader: Grader) -> None:
    text = '%x = stage f32[3]\noutput (mul (mul (mul %x 2.0) 3.0) 1.0) name="y"\n'
    result = grader.grade_text(little.lesson("one.double"), text)
    detail = "\n".join(result.cases[0].detail)
    assert "the first value that the solution does not have is an inner value: line 2" in detail
    assert "it is: f32[3] = [6.0, 12.0, 18.0]" in detail


# --- values -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_values_go_round_by_bits(dtype: str) -> None:
    type = tensor_type(DTYPES[dtype], (2, 5))
    array = np.array(
        [[0.1, -0.0, 1e-40, 1.5, -3e38], [np.nan, np.inf, -np.inf, 2.0**-149, 7.0]],
        type.dtype.numpy,
    )
    assert read_value(toml_value(array), type).tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("number", "text"),
    [(3.0, "0x1.8p+1"), (0.0, "0x0.0p+0"), (-0.0, "-0x0.0p+0"), (1.0, "0x1.0p+0")],
)
def test_hexadecimal_texts(number: float, text: str) -> None:
    assert hex_text(number) == text


def test_values_that_do_not_fit() -> None:
    type = tensor_type(DTYPES["i32"], (2,))
    for value in ([1, 2, 3], [1.5, 2], [1, [2]], [1 << 40, 0], "x", [True, False]):
        with pytest.raises(BadValue):
            read_value(value, type)


def test_json_values_are_compared_strictly() -> None:
    same = [(1, 1), (1, 1.0), (0.5, 0.5), ("0x1.8p+1", 3.0), ("nan", float("nan")), ([], [])]
    for a, b in same:
        assert mismatch(a, b, 0.0) is None
    differ = [(True, 1), (1, True), (0.0, -0.0), ("a", "b"), ([1], [1, 2]), (1, None), ("3", 3)]
    for a, b in differ:
        assert mismatch(a, b, 0.0) is not None
    assert mismatch([1.0, [2.0, 3.0]], [1.0, [2.0, 4.0]], 0.0) == ("[1][1]", 3.0, 4.0)
    assert mismatch(1.0, 1.0 + 1e-9, 1e-6) is None


# --- questions ----------------------------------------------------------------------------


def question(kind: str, answer: object, **more: object) -> Question:
    choices = {"a": "x", "b": "y", "c": "z"} if kind in ("single", "multi") else {}
    feedback = {"a": "not a", "c": "not c", "default": "look again"}
    made = {"tolerance": 0.0, "feedback": feedback, "explain": "so"} | more
    return Question("q1", kind, "?", choices, answer, **made)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "answer", "given", "right", "said"),
    [
        ("single", "b", "B", True, "so"),
        ("single", "b", "a", False, "not a"),
        ("multi", ["a", "b"], "b a", True, "so"),
        ("multi", ["a", "b"], "ba", True, "so"),
        ("multi", ["a", "b"], "a,c", False, "not c"),
        ("multi", ["a", "b"], "a", False, "look again"),
        ("number", 3.5, "3.50", True, "so"),
        ("number", 3.5, "0x1.cp+1", True, "so"),
        ("number", 3.5, "3", False, "look again"),
        ("shape", [2, 3], "[2,3]", True, "so"),
        ("shape", [2, 3], "2 3", True, "so"),
        ("shape", ["B", 3], "(B, 3)", True, "so"),
        ("shape", [2, 3], "3,2", False, "look again"),
        ("text", "Scatter_Add", "`scatter_add`", True, "so"),
        ("text", "take", "give", False, "look again"),
    ],
)
def test_answers_are_judged(kind: str, answer: object, given: str, right: bool, said: str) -> None:
    verdict = judge(question(kind, answer), given)
    assert (verdict.right, verdict.text) == (right, said)


def test_what_is_no_answer() -> None:
    for kind, answer, given in (("single", "b", "q"), ("multi", ["a"], "a q"), ("number", 1, "x")):
        with pytest.raises(GirError):
            normalise(question(kind, answer), given)
