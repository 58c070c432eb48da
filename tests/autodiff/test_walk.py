"""The walk: order, paths, sharing, refusals (spec/gradient.md)."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import dump, refused, run

from gradir import Program
from gradir.autodiff.rules import NO_RULE, NO_SHARE, RULES
from gradir.ir.ops import OPS


def test_shares_arrive_in_reverse_post_order() -> None:
    text = """%x = stage f32
%y = add (add (mul %x 1.0) (mul %x 1e8)) (mul %x -1e8)
%g = gradient %y %x
output %g
"""
    assert run(text, {"x": 2.0})["g"] == 1.0


def test_nodes_of_a_small_gradient() -> None:
    assert dump("%x = stage f64\n%y = mul (mul %x %x) %x\n%g = gradient %y %x\n")[3:] == [
        "%3 = const f64 1.0",
        "%4: f64 = mul %3 %x",  # from y to x*x
        "%5: f64 = mul %3 %1",  # from y to x
        "%6: f64 = mul %4 %x",  # from x*x to x, its left operand
        "%7: f64 = add %5 %6",  # the fold starts with the second share
        "%g: f64 = add %7 %6",
    ]


def test_only_what_is_on_a_path_is_built() -> None:
    lines = dump("%x = stage f32\n%c = stage f32\n%y = mul %x %c\n%g = gradient %y %x\n")
    assert lines[3:] == ["%3 = const f32 1.0", "%g: f32 = mul %3 %c"]


def test_no_path_gives_zeros_and_nothing_else() -> None:
    lines = dump("%x = stage f32[2]\n%c = stage f32\n%y = mul %c %c\n%g = gradient %y %x\n")
    assert lines[3:] == [
        "%3 = const f32 0.0",
        "%4: f32[1] = reshape %3 shape=[1]",
        "%g: f32[2] = expand %4 shape=[2]",
    ]


def test_the_gradient_of_a_node_by_itself_is_one() -> None:
    assert run("%x = stage f64\n%b = mul %x %x\n%g = gradient %b %b\noutput %g", {"x": 3})["g"] == 1


def chain(width: int) -> str:
    """A loss of `width` weights: sum of tanh(w_k * h_(k-1))."""
    lines = ["%h0 = stage f64"]
    for k in range(1, width + 1):
        lines += [f"%w{k} = stage f64", f"%h{k} = tanh (mul %h{k - 1} %w{k})"]
    return "\n".join(lines) + "\n"


def test_many_gradients_of_one_loss_cost_one_walk() -> None:
    """Sixteen statements add at most 1.1 times the nodes of one walk to all sixteen."""
    base = chain(16)
    forward = len(Program.parse(base).table)
    each = base + "".join(f"%g{k} = gradient %h16 %w{k}\n" for k in range(1, 17))
    backwards = base + "".join(f"%g{k} = gradient %h16 %w{k}\n" for k in range(16, 0, -1))
    lowest = len(Program.parse(base + "%g = gradient %h16 %w1\n").table) - forward
    # one walk down to w1 passes every h_k; each w_k costs one product more
    assert len(Program.parse(each).table) - forward <= 1.1 * (lowest + 15)
    assert len(Program.parse(backwards).table) == len(Program.parse(each).table)


def test_a_later_target_reuses_what_is_finished() -> None:
    text = chain(4) + "%a = gradient %h4 %w1\n%b = gradient %h4 %w4\n%c = gradient %h4 %h2\n"
    program = Program.parse(text)
    alone = Program.parse(chain(4) + "%c = gradient %h4 %h2\noutput %c\n")
    inputs = {f"w{k}": 0.5 + k / 8 for k in range(1, 5)} | {"h0": 0.75}
    shared = Program.parse(text + "output %c\n")
    left, right = shared.session().run(inputs)["c"], alone.session().run(inputs)["c"]
    assert left.tobytes() == right.tobytes()
    nodes = program.table
    assert nodes.names["c"] < nodes.names["a"]  # it was finished on the way to w1


@pytest.mark.parametrize("first", ["w1", "w3", "h2", "h0"])
def test_bits_do_not_depend_on_which_target_came_first(first: str) -> None:
    inputs = {f"w{k}": 1.5 - k / 4 for k in range(1, 5)} | {"h0": -0.3}
    text = chain(4).replace("tanh (mul %h1 %w2)", "tanh (add (mul %h1 %w2) (mul %h1 %h0))")
    alone = run(text + "%g = gradient %h4 %h0\noutput %g", inputs)["g"]
    after = run(text + f"%f = gradient %h4 %{first}\n%g = gradient %h4 %h0\noutput %g", inputs)["g"]
    assert alone.tobytes() == after.tobytes()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("%g = gradient %x 2.0", "G107"),
        ("%c = 2.0\n%y = mul %c 3.0\n%g = gradient %y %c", "G107"),
        ("%v = stage f32[3]\n%g = gradient %v %v", "G101"),
        ("%i = stage i32\n%g = gradient %i %x", "G101"),
        ("%i = stage i32\n%g = gradient %x %i", "G102"),
        ("%b = buffer f32\n%g = gradient %x %b", "G102"),
        ("%y = reduce (mul %x %x) op=mul\n%g = gradient %y %x", "G104"),
        ("%b = buffer f32\nstore %b (mul %x 2.0)\n%v = load %b\n%g = gradient %v %x", "G106"),
        (
            "%b = buffer f32[3]\n%i = range 3\nstore %b %x %i\nend %i\n%v = load %b 1\n"
            "%g = gradient %v %x",
            "G106",
        ),
        ("%y = mul %x %x\n%g = gradient %y %x checkpoint=[%q]", "N201"),
        ("%q = sin 2.0\n%y = mul %x %x\n%g = gradient %y %x checkpoint=[%q]", "G108"),
    ],
)
def test_refusals(body: str, code: str) -> None:
    assert refused("%x = stage f32\n" + body + "\n")[0][0] == code


def test_a_call_on_the_path_is_refused_and_off_it_is_not() -> None:
    head = "func @f(%a: f32) {\n  return (mul %a %a)\n}\n%x = stage f32\n%c = stage f32\n"
    assert refused(head + "%y = call @f %x\n%g = gradient %y %x\n")[0][0] == "G105"
    text = head + "%y = mul %x (call @f %c)\n%g = gradient %y %x\noutput %g\n"
    assert run(text, {"x": 5.0, "c": 3.0})["g"] == 9.0


def test_an_open_range_is_refused() -> None:
    text = """%b = buffer f32[3]
%i = range 3
%x = load %b %i
%y = mul %x %x
%g = gradient %y %x
store %b %g %i
end %i
"""
    assert refused(text)[0] == ("G103", 5)


def test_stores_and_loops_off_the_path_are_fine() -> None:
    text = """%b = buffer f32 init=2.0
%x = load %b
store %b 7.0
%v = load %b
%y = mul %x (mul %v %v)
%g = gradient %y %x
output %g
"""
    assert run(text)["g"] == 49.0


@pytest.mark.parametrize(
    ("order", "values"),
    [
        (0, [1, 0, 1]), (1, [-4, 0, 4]), (2, [12, 0, 12]),
        (3, [-24, 0, 24]), (4, [24, 24, 24]), (5, [0, 0, 0]),
    ],
)  # fmt: skip
def test_derivatives_of_x4_are_exact_to_any_order(order: int, values: list[float]) -> None:
    for x, value in zip([-1.0, 0.0, 1.0], values, strict=True):
        lines = ["%x = stage f64", "%d0 = mul (mul %x %x) (mul %x %x)"]
        lines += [f"%d{k + 1} = gradient %d{k} %x" for k in range(order)]
        found = run("\n".join([*lines, f"output %d{order} name=d"]), {"x": x})["d"]
        assert found == value and not np.isnan(found)


def test_nested_sines() -> None:
    lines = ["%x = stage f64", "%d0 = sin (sin (sin %x))"]
    lines += [f"%d{k + 1} = gradient %d{k} %x" for k in range(5)]
    lines += [f"output %d{k}" for k in range(1, 6)]
    outputs = run("\n".join(lines), {"x": 0.5})
    right = [
        0.6972664358502411,
        -0.9688873082401872,
        -0.32403679620736514,
        6.370199238282419,
        -12.597949254390674,
    ]
    assert np.allclose([outputs[f"d{k}"] for k in range(1, 6)], right, rtol=1e-13, atol=0)


def test_every_op_has_a_rule_or_a_reason() -> None:
    keys = set(OPS) - {"reduce"} | {f"reduce {fold}" for fold in ("add", "mul", "max")}
    assert keys == set(RULES) | set(NO_RULE) | NO_SHARE
    assert not set(RULES) & (set(NO_RULE) | NO_SHARE)
    for key, row in RULES.items():
        assert len(row) == len(OPS[key.split()[0]].operands)
