"""Small programs that other systems got wrong, with the values that the rules give.

Values are compared by bits: what the rules say is exact, NaN and the sign of zero included. Where
the mathematical value differs from the rules' (a NaN in a dead branch), the safe form stands
beside it.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradir

NAN, INF = float("nan"), float("inf")


def outputs(text: str, **inputs: object) -> dict[str, np.ndarray]:
    return gradir.parse(text).session().run(inputs)


def same(found: np.ndarray, expected: object) -> bool:
    """Whether the bits are those of `expected`, rounded once to the type; NaN is NaN."""
    wanted = np.array(expected, found.dtype)
    return found.shape == wanted.shape and found.tobytes() == wanted.tobytes()


# --- where: a branch that is not taken has a share of 0, and 0 times infinity is NaN -------------

WHERE_SQRT = """\
%x = stage f64[4]
%l = reduce (where (lt 0.0 %x) (sqrt {argument}) 0.0) op=add
output (gradient %l %x) name="g"
output (where (lt 0.0 %x) (sqrt {argument}) 0.0) name="y"
"""


def test_sqrt_in_the_branch_not_taken():
    found = outputs(WHERE_SQRT.format(argument="%x"), x=[-1.0, 0.0, 1.0, 4.0])
    assert np.isnan(found["g"][:2]).all()
    assert same(found["g"][2:], [0.5, 0.25])
    assert same(found["y"], [0.0, 0.0, 1.0, 2.0])


def test_sqrt_made_safe():
    safe = WHERE_SQRT.format(argument="(where (lt 0.0 %x) %x 1.0)")
    found = outputs(safe, x=[-1.0, 0.0, 1.0, 4.0])
    assert same(found["g"], [0.0, 0.0, 0.5, 0.25])
    assert same(found["y"], [0.0, 0.0, 1.0, 2.0])


def test_sqrt_of_the_mirror():
    text = """\
%x = stage f64
%y = where (lt %x 0.0) (sqrt (mul %x -1.0)) %x
output %y
output (gradient %y %x) name="g"
"""
    found = outputs(text, x=1.0)
    assert same(found["y"], 1.0)
    assert np.isnan(found["g"])


def test_log2_in_the_branch_not_taken():
    text = """\
%x = stage f64[3]
%y = where (lt 0.0 %x) (log2 %x) -100.0
output (gradient (reduce %y op=add) %x) name="g"
"""
    found = outputs(text, x=[0.0, -1.0, 2.0])
    assert np.isnan(found["g"][0])
    assert same(found["g"][1:], [-0.0, 0.7213475204444817])


# --- masks ---------------------------------------------------------------------------------------

MASKED = """\
%x = stage f64[5]
%m = const f64[5] [4.0, -inf, 4.0, 4.0, 4.0]
%keep = lt 0.0 %m
%b = {masked}
%t = detach (reduce %b op=max)
%e = exp2 (add %b (mul %t -1.0))
%p = mul %e (recip (reduce %e op=add))
output %p
output (gradient (reshape (shrink %p lo=2 shape=1) shape=[]) %x) name="g"
"""
SHARE = [-0.17328679513998632, 0.0, 0.5198603854199589, -0.17328679513998632, -0.17328679513998632]


def test_masking_by_a_product_with_infinity():
    found = outputs(MASKED.format(masked="mul %x %m"), x=[1.0] * 5)
    assert same(found["p"], [0.25, 0.0, 0.25, 0.25, 0.25])
    assert np.isnan(found["g"][1])
    assert same(np.delete(found["g"], 1), np.delete(SHARE, 1))


def test_masking_by_where():
    found = outputs(MASKED.format(masked="where %keep (mul %x 4.0) -inf"), x=[1.0] * 5)
    assert same(found["p"], [0.25, 0.0, 0.25, 0.25, 0.25])
    assert same(found["g"], SHARE)


# --- the logistic function -----------------------------------------------------------------------

LOGISTIC = """\
%x = stage f32[4]
%y = recip (add 1.0 (exp2 (mul %x -1.4426950408889634)))
output %y
output (gradient (reduce %y op=add) %x) name="g"
"""


def test_logistic_function_far_out():
    found = outputs(LOGISTIC, x=[-90.0, -100.0, 0.0, -50.0])
    assert same(found["y"][0], 0.0)
    assert np.isnan(found["g"][:2]).all()
    assert same(found["y"][2:], [0.5, 1.9287521652731455e-22])
    assert same(found["g"][2:], [0.25, 1.9616340335044195e-22])


def test_logistic_function_of_the_library_far_out():
    """No NaN: 0.25 at 0, and the subnormal slope at -90."""
    text = """\
%x = stage f32[4]
output (gradient (reduce (sigmoid %x) op=add) %x) name="g"
"""
    found = outputs(text, x=[-90.0, 0.0, 2.0, -1000.0])["g"]
    assert np.isfinite(found).all()
    assert same(found[1], 0.25)
    assert found[3] == 0.0
    assert abs(found[0] - 8.194e-40) < 1e-43
    assert abs(found[2] - 0.10499358540350662) < 2e-8


# --- ties ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "x", "expected"),
    [
        ("f32[3]", [0.6, 0.6, 0.3], [0.5, 0.5, 0.0]),
        ("f32[3]", [1.0, 1.0, 1.0], [float.fromhex("0x1.555556p-2")] * 3),
        ("f64[4]", [1.0, 2.0, 2.0, 2.0], [0.0, 1 / 3, 1 / 3, 1 / 3]),
        ("f64[2,2]", [[1.0, 1.0], [1.0, 0.0]], [[1 / 3, 1 / 3], [1 / 3, 0.0]]),
    ],
)
def test_ties_of_a_maximum(type, x, expected):
    text = f'%x = stage {type}\noutput (gradient (reduce %x op=max) %x) name="g"\n'
    assert same(outputs(text, x=x)["g"], expected)


def test_two_maxima_are_not_one():
    text = """\
%x = stage f64[2,2]
%l = reduce (reduce %x op=max axes=1) op=max
output (gradient %l %x) name="g"
"""
    found = outputs(text, x=[[1.0, 1.0], [1.0, 0.0]])["g"]
    assert same(found, [[0.25, 0.25], [0.5, 0.0]])


def test_ties_are_counted_as_integers():
    """2^24 + 1 equal values: a count in f32 would stick at 2^24 for want of bits, an i64 does not.

    16777217 converts to 16777216.0, whose reciprocal is 2^-24.
    """
    text = """\
%v = stage f32
%x = reshape (expand (reshape %v shape=[1]) shape=[16777217]) shape=[16777217]
output (reduce (gradient (reduce %x op=max) %x) op=max) name="g"
"""
    assert same(outputs(text, v=1.0)["g"], 2.0**-24)


@pytest.mark.parametrize(
    ("x", "first"),
    [(0.0, 0.5), (-0.0, 0.5), (1e-45, 1.0), (-1e-45, 0.0), (1e-10, 1.0), (-1e-10, 0.0)],
)
def test_maximum_with_zero(x, first):
    text = """\
%x = stage f32
%g = gradient (max %x 0.0) %x
output %g
output (gradient %g %x) name="h"
"""
    found = outputs(text, x=x)
    assert same(found["g"], first)
    assert same(found["h"], 0.0)


@pytest.mark.parametrize(
    ("form", "x", "expected"),
    [
        ("where (lt 0.0 %x) %x 0.0", 0.0, 0.0),
        ("max %x (mul %x -1.0)", 0.0, 0.0),
        ("max %x %x", 1.5, 1.0),
        ("relu %x", 0.0, 0.0),
        ("abs %x", 0.0, 0.0),
    ],
)
def test_slope_at_the_kink(form, x, expected):
    text = f'%x = stage f32\noutput (gradient ({form}) %x) name="g"\n'
    assert same(outputs(text, x=x)["g"], expected)


# --- shares --------------------------------------------------------------------------------------


def test_a_node_on_several_paths():
    text = """\
%x = stage f64
%xa = mul %x 1.0
%f = add (add (mul %x %xa) (mul (mul %x %x) 1.0)) (mul %x %xa)
%g = gradient %f %x
output %f
output %g
output (gradient %g %x) name="h"
"""
    found = outputs(text, x=1.0)
    assert same(found["f"], 3.0)
    assert same(found["g"], 6.0)
    assert same(found["h"], 6.0)


def test_a_diamond():
    """x x at 5: the two shares of one node make 10."""
    text = '%x = stage f64\n%y = mul %x %x\noutput (gradient %y %x) name="g"\n'
    assert same(outputs(text, x=5.0)["g"], 10.0)


@pytest.mark.parametrize(
    "form",
    [
        "add (add (mul %x 1.0) (mul %x 1e8)) (mul %x -1e8)",
        "add (mul %x 1.0) (add (mul %x 1e8) (mul %x -1e8))",
    ],
)
def test_shares_are_added_in_the_order_of_arrival(form):
    """(-1e8 + 1e8) + 1 = 1; in program order 1 + 1e8 - 1e8 would be 0 in f32."""
    text = f'%x = stage f32\noutput (gradient ({form}) %x) name="g"\n'
    assert same(outputs(text, x=2.0)["g"], 1.0)


@pytest.mark.parametrize(
    ("form", "x", "expected"),
    [
        ("mul %x (detach (mul %x 2.0))", 1.0, (2.0, 2.0, 0.0)),
        ("mul %x (mul %x 2.0)", 1.0, (2.0, 4.0, 4.0)),
        ("mul %x (detach (mul %x %x))", 2.0, (8.0, 4.0, 0.0)),
        ("add %h (detach (add 5.0 (mul %h -1.0)))", 2.0, (5.0, 12.0, 12.0)),
    ],
)
def test_detach_in_first_and_second_gradients(form, x, expected):
    text = f"""\
%x = stage f64
%h = mul (mul %x %x) %x
%y = {form}
%g = gradient %y %x
output %y
output %g
output (gradient %g %x) name="gg"
"""
    found = outputs(text, x=x)
    for name, value in zip(("y", "g", "gg"), expected, strict=True):
        assert same(found[name], value), name


def test_gradient_by_an_intermediate_that_is_written_twice():
    text = """\
%x = stage f64
%x2 = mul %x 2.0
%y = mul (mul %x 2.0) 4.0
output (gradient %y %x2) name="g"
%b = mul %x %x
%c = mul %x %x
%z = mul %b %c
output (gradient %z %b) name="h"
output (gradient %b %b) name="s"
%d = mul 2.0 %x
output (gradient (mul %d 4.0) %x2) name="commuted"
"""
    found = outputs(text, x=3.0)
    assert same(found["g"], 4.0)
    assert same(found["h"], 18.0)
    assert same(found["s"], 1.0)
    assert same(found["commuted"], 0.0)  # only what is written equal is one node


# --- gradients of gradients ----------------------------------------------------------------------


def tower(form: str, count: int, type: str = "f64") -> str:
    """A program that outputs a function's value d0 and derivatives d1 … of an elementwise form."""
    lines = [f"%x = stage {type}", f"%d0 = {form}", "output %d0"]
    for k in range(1, count + 1):
        lines.append(f"%d{k} = gradient (reduce %d{k - 1} op=add) %x")
        lines.append(f"output %d{k}")
    return "\n".join(lines) + "\n"


SINES = [
    0.6972664358502411,
    -0.9688873082401872,
    -0.32403679620736514,
    6.370199238282419,
    -12.597949254390674,
]


def test_five_derivatives_of_three_nested_sines():
    program = gradir.parse(tower("sin (sin (sin %x))", 5))
    found = program.session().run({"x": 0.5})
    for k, expected in enumerate(SINES, 1):
        assert abs(found[f"d{k}"] - expected) < 4e-15 * abs(expected) * 2**k
    assert len(program.table) < 1000  # shared: unshared derivatives would grow without measure


@pytest.mark.parametrize(
    ("form", "rows"),
    [
        (
            "mul (mul %x %x) (mul %x %x)",
            [[1, 0, 1], [-4, 0, 4], [12, 0, 12], [-24, 0, 24], [24, 24, 24], [0, 0, 0]],
        ),
        (
            "add (add (add %x (mul %x %x)) (mul %x (mul %x %x))) (mul (mul %x %x) (mul %x %x))",
            [[0, 0, 4], [-2, 1, 10], [8, 2, 20], [-18, 6, 30], [24, 24, 24], [0, 0, 0]],
        ),
        (
            "pow %x exponent=4",
            [[1, 0, 1], [-4, 0, 4], [12, 0, 12], [-24, 0, 24], [24, 24, 24], [0, 0, 0]],
        ),
    ],
)
def test_derivatives_of_polynomials_are_exact(form, rows):
    found = outputs(tower(form, 5, "f64[3]"), x=[-1.0, 0.0, 1.0])
    for k, expected in enumerate(rows):
        assert (found[f"d{k}"] == expected).all(), k  # equal numbers; the sign of 0 is not asked
