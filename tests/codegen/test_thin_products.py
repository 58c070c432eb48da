"""Products of few terms an element, computed inside their users: the interpreter's bits."""

from __future__ import annotations

import numpy as np
import pytest
from executables import cache, same  # noqa: F401

from gradir import Program
from gradir.codegen.stages import stage
from gradir.codegen.toolchain import find_compiler

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")

SPECIAL = [0.0, -0.0, 1.5, -2.0, 1e-40, 3e38, -1e30, np.inf, -np.inf, np.nan]


def checked(text: str, seed: int = 3, dims: dict[str, int] | None = None) -> Program:
    """Run interpreted and compiled, by one thread and by three, on special values too."""
    program = Program.parse(text)
    rng = np.random.default_rng(seed)
    for special in (False, True):
        inputs = {}
        for name, id in program.table.stages.items():
            type = program.table.type(id)
            shape = tuple(e if isinstance(e, int) else (dims or {})[str(e)] for e in type.shape)
            drawn = rng.normal(size=shape)
            if special:
                drawn = np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), drawn)
            inputs[name] = drawn.astype(type.dtype.numpy)
        with np.errstate(all="ignore"):
            expected = program.session(backend="numpy")(inputs)
        for threads in (1, 3):
            same(expected, program.session(backend="c", threads=threads)(inputs))
    return program


def products(program: Program) -> int:
    """Calls of the product's kernel in the program's C text."""
    return stage(program.table).text().count("gir_matmul_f")


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("terms", [1, 2, 3, 4, 8])
def test_inside_an_activation(dtype: str, terms: int) -> None:
    columns = {"f32": 40, "f64": 19}[dtype]
    program = checked(
        f"%x = stage {dtype}[70,{terms}]\n%w = stage {dtype}[{terms},{columns}]\n"
        f"%b = stage {dtype}[{columns}]\noutput (tanh (add (matmul %x %w) %b)) name=y\n"
    )
    assert products(program) == 0


def test_nine_terms_or_narrow_rows_are_products() -> None:
    for terms, columns in ((9, 64), (8, 31)):
        program = checked(
            f"%x = stage f32[9,{terms}]\n%w = stage f32[{terms},{columns}]\n"
            "output (add (matmul %x %w) 1.0) name=y\n"
        )
        assert products(program) == 1


def test_moved_operands() -> None:
    program = checked(
        "%x = stage f64[3,50]\n%w = stage f64[33,6]\n%h = stage f64[50,33]\n"
        "%v = shrink %w lo=[0,1] shape=[33,3]\n"
        "output (mul (matmul (transpose %x) (transpose %v)) %h) name=y\n"
    )
    assert products(program) == 0


def test_batches() -> None:
    program = checked(
        "%x = stage f32[3,5,7,2]\n%w = stage f32[3,5,2,32]\noutput (exp (matmul %x %w)) name=y\n"
    )
    assert products(program) == 0


def test_what_is_read_twice_or_folded_is_a_product() -> None:
    for expression in (
        "(relu %p)",
        "(reduce (mul %p 2.0) op=max)",
        "(permute %p axes=[1,0])",
        "(expand (reshape %p shape=[1,6,64]) shape=[4,6,64])",
    ):
        program = checked(
            "%x = stage f32[6,3]\n%w = stage f32[3,64]\n%p = matmul %x %w\n"
            f"output {expression} name=y\n"
        )
        assert products(program) == 1, expression


def test_symbolic_rows() -> None:
    text = (
        "dim B = 0..90\n%x = stage f32[B,2]\n%w = stage f32[2,48]\n"
        "output (mul (matmul %x %w) 2.0) name=y\n"
    )
    for size in (0, 1, 17, 90):
        assert products(checked(text, dims={"B": size})) == 0


def test_a_step_of_training() -> None:
    """Forward, backward and update of a net whose first product is thin, and the last one back."""
    program = checked(
        "%x = stage f64[40,2]\n%t = stage f64[40,3]\n"
        '%b1 = buffer f64[2,32] init="normal:0.5:1"\n%w1 = load %b1\n'
        '%b2 = buffer f64[32,3] init="normal:0.5:2"\n%w2 = load %b2\n'
        "%h = tanh (matmul %x %w1)\n%e = sub (matmul %h %w2) %t\n%loss = mean (mul %e %e)\n"
        "sgd %b1 (gradient %loss %w1) lr=0.5\nsgd %b2 (gradient %loss %w2) lr=0.5\n"
        "output %loss\noutput (load %b1) name=w1\noutput (load %b2) name=w2\n"
    )
    assert products(program) == 3  # h w2, and what reaches the weights


def test_in_a_loop() -> None:
    checked(
        "%x = stage f32[8,2]\n%w = stage f32[2,32]\n%s = buffer f32[8,32]\n"
        "%i = range 3\n%p = add (load %s) (matmul %x %w)\nstore %s (mul %p 0.5)\nend %i\n"
        "output (load %s) name=y\n"
    )
