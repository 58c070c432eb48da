"""Any name the language has can be compiled: names stand in comments of the C text only."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from test_bits import COMPILER, build, findings, made

from gradir import GirError, Program
from gradir.codegen.poly import symbol
from gradir.codegen.stages import stage

KEYWORDS = ["int", "double", "if", "static", "struct", "main", "gir_run", "NULL", "asm", "m"]
COLLIDING = ["a.b", "a_b", "a__b", "a.b.c", "a_b.c", "a.b_c", "_", "_1", "x1", "x.1"]


def program(names: list[str], dims: list[str] | None = None) -> str:
    """A dimension, a stage, a buffer, a function and an output of each name."""
    dims = dims or names
    lines = [f"dim {dim} = 1..9" for dim in dims]
    for at, (name, dim) in enumerate(zip(names, dims, strict=True)):
        lines += [
            f"func @{name}(%{name}: f32[{dim}]) {{ return (mul %{name} {at}.5) }}",
            f"%{name} = stage f32[{dim}]",
            f"%s{at}.q = buffer f32 init={at}.0 name={name}q",
            f"%o{at}.q = call @{name} (add %{name} (load %s{at}.q))",
            f"store %s{at}.q (reduce %o{at}.q op=add)",
            f"output %o{at}.q name={name}",
        ]
    return "\n".join(lines) + "\n"


def made_up(random: random.Random) -> str:
    """A name that nothing else in a text would be called: letters from far apart."""
    middle = "".join(random.choice("zqxjZQXJ7_.") for _ in range(random.randint(8, 40)))
    return ("q" + middle + "z").replace("..", "._").replace("..", "._")


@pytest.mark.skipif(COMPILER is None, reason="there is neither gcc nor clang")
@pytest.mark.parametrize("names", [KEYWORDS, COLLIDING], ids=["keywords", "colliding"])
def test_any_name_runs(names: list[str]) -> None:
    inputs = {name: np.full(at % 9 + 1, at + 0.25, "f4") for at, name in enumerate(names)}
    assert findings([made("names", program(names), **inputs)], build()) == []


def code(program: Program) -> str:
    """The C text without its comments, which go to the end of a line."""
    text = stage(program.table).text()
    assert "/*" not in text and "\\\n" not in text
    return re.sub(r"//[^\n]*", "", text)


def test_the_code_is_that_of_other_names() -> None:
    rng, dims = random.Random(4), ["I", "J", "K"]
    plain = code(Program.parse(program(["a", "b", "c"], dims)))
    for _ in range(200):
        names = [made_up(rng) for _ in range(3)]
        assert code(Program.parse(program(names, dims))) == plain


def test_dimensions_are_identifiers_of_their_own() -> None:
    rng = random.Random(5)
    names = [*KEYWORDS, *COLLIDING, *(made_up(rng) for _ in range(2000))]
    made = {symbol(name) for name in names}
    assert len(made) == len(set(names))
    assert all(re.fullmatch(r"d_[A-Za-z0-9_]+", name) for name in made)


HOSTILE = ["*/ int x; /*", "\\", "%s", "\x01", "//", "#define for if", "ü", "' + system('id') + '"]


@pytest.mark.parametrize("string", HOSTILE)
def test_no_string_reaches_the_code(string: str) -> None:
    """Most are refused as names, before there is a text."""
    plain = Program.parse('%x = stage f32\noutput (add %x 1.0) name="y"\n')
    with_string = f'%x = stage f32\noutput (add %x 1.0) name="{string}"\n'
    try:
        program = Program.parse(with_string)
    except GirError:
        return
    assert code(program) == code(plain)
