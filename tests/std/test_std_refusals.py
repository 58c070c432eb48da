"""Mistakes in sugar: told at the user's place, in the user's terms, with the sugar named."""

import pytest
from std_helpers import codes

from gradir.runtime.program import Program
from gradir.text.diagnostics import Diagnostic, GirError

HEAD = "%x = stage f32[3]\n%z = stage f32[2]\n%w = buffer f32[3]\n"


def refused(statement: str) -> Diagnostic:
    with pytest.raises(GirError) as raised:
        Program.parse(HEAD + statement)
    (diagnostic,) = raised.value.diagnostics
    return diagnostic


@pytest.mark.parametrize(
    ("statement", "code", "place", "note"),
    [
        ("%y = min %x %z", "T303", "min %x %z", "in the expansion of min"),
        ("%y = sub %x %z", "T303", "sub %x %z", "in the body of sub"),
        ("%y = softmax %x axis=1", "T311", "softmax %x axis=1", "in the body of softmax"),
        ("sgd %w %z", "T303", "sgd %w %z", "in the body of sgd"),
    ],
)
def test_inner_mistakes_name_the_sugar(statement, code, place, note):
    found = refused(statement)
    assert found.code == code
    assert found.span is not None and found.span.text == place
    assert found.notes[0].message == note


@pytest.mark.parametrize(
    ("statement", "code", "place"),
    [
        ("%y = concat %x 2.0", "T314", "2.0"),
        ("%y = cumsum %x axis=1", "T311", "axis=1"),
        ("%y = one_hot %x size=3", "T302", "%x"),
        ("%y = split %x sizes=[1,1] part=0", "T313", "sizes=[1,1]"),
        ("%y = full f32[2] %x", "T314", "%x"),
        ("%y = argmax %x axis=1.0", "T310", "axis=1.0"),
        ("%y = relu %x slope=0.1", "T308", "slope=0.1"),
        ("%y = abs %x slope=0.1", "T308", "slope=0.1"),
        ("%y = abs %w", "T319", "%w"),
    ],
)
def test_outer_mistakes_have_the_place_of_their_operand(statement, code, place):
    found = refused(statement)
    assert found.code == code
    assert found.span is not None and found.span.text == place


@pytest.mark.parametrize(
    ("statement", "literal"),
    [
        ("%y = sub %x 1", "1"),
        ("%y = clamp %x 0 1", "0"),
        ("%y = min 2 %x", "2"),
        ("%y = relu 3", "3"),
        ("%y = floor 4", "4"),
        ("%y = gt %x 5", "5"),
    ],
)
def test_an_integer_in_a_float_place_shows_the_float(statement, literal):
    found = refused(statement)
    assert found.code == "T305"
    assert found.span is not None and found.span.text == literal
    assert found.help == f"write `{literal}.0`"


def test_another_mistake_is_not_blamed_on_a_literal():
    assert codes(f"{HEAD}%y = dropout %x %x 1") == ["T301"]
    assert codes("%i = stage i32\n%x = stage f32\n%y = clamp %x %i 1") == ["T301"]
    assert codes("macro @m %x %i {\n  return (add %x (add %i 1.0))\n}\n%y = @m 1.0 2") == ["T301"]


@pytest.mark.parametrize("name", ["floor", "ceil", "round", "abs", "min", "pow", "relu", "sigmoid"])
def test_bool_is_refused(name):
    second = " %b" if name == "min" else " exponent=2" if name == "pow" else ""
    assert codes(f"%b = stage bool[2]\n%y = {name} %b{second}")[0] in ("T301", "T302", "T320")


def test_abs_is_not_for_u32():
    assert codes("%u = stage u32\n%y = abs %u") == ["T302"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("%y = pow %x", ["T309"]),
        ("%y = pow %x exponent=2.0", ["T310"]),
        ("%y = pow %x exponent=2147483648", ["T310"]),
        ("%y = pow %x exponent=-2147483647", []),
        ("%y = sum %x axes=all", []),
        ("%y = flip %x axes=all", ["T310"]),
        ("%y = reduce %x op=add axes=all keep=true", []),
        ("%y = min %x", ["T307"]),
        ("%y = stack", ["T307"]),
        ("min %x %x", ["M413"]),
    ],
)
def test_attributes_and_arity(statement, expected):
    assert codes(HEAD + statement) == expected
