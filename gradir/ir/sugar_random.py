"""Random numbers: threefry2x32 with 20 rounds, as u32 arithmetic in the table.

An element depends on the key, the counter and its position alone.
"""

from __future__ import annotations

from gradir.ir.expr import Expr, apply
from gradir.ir.literals import Lit
from gradir.ir.ops import Attr
from gradir.ir.sugar_rows import Misuse, shape_of, sugar
from gradir.ir.types import F32, U32, DType, Extent, Shape, TensorType, product, tensor_type

ROUNDS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA
TWO_PI = Lit("float", "6.2831853071795864769252867665590")

SHAPE, LIKE = Attr("shape", "shape", None), Attr("like", "like", None)
DTYPE = Attr("dtype", "dtype", F32)


def xor(a: Expr, b: Expr | int) -> Expr:
    return apply("xor", a, b)


def rotated(v: Expr, by: int) -> Expr:
    return apply("or", apply("shl", v, by), apply("shr", v, 32 - by))


def words(key: Expr, counter: Expr, shape: Shape) -> tuple[Expr, Expr]:
    """Both output words of the blocks (j, counter), flat."""
    builder = key.builder
    a = Expr(builder, builder.iota(tensor_type(U32, (product(shape),)), 0))
    k0 = apply("shrink", key, lo=[0], shape=[1])
    k1 = apply("shrink", key, lo=[1], shape=[1])
    keys = k0, k1, xor(xor(k0, k1), PARITY)
    a = a + k0
    b = counter + k1
    for i in range(5):
        for by in ROUNDS[i % 2]:
            a = a + b
            b = xor(rotated(b, by), a)
        a = a + keys[(i + 1) % 3]
        b = b + keys[(i + 2) % 3] + (i + 1)
    return a, b


def shape_checked(
    name: str, key: Expr, counter: Expr, shape: list[Extent] | None, like: TensorType | None
) -> Shape:
    for at, operand in enumerate((key, counter)):
        if operand.dtype is not U32:
            raise Misuse(
                "T301",
                f"the {('key', 'counter')[at]} of {name} is {operand.type}; u32 is needed",
                operand=at,
                help="`const u32[2] [1, 2]` is a key, `7:u32` a counter",
            )
    if key.shape != (2,):
        raise Misuse("T313", f"the key of {name} is {key.type}, not u32[2]", operand=0)
    if counter.type.rank != 0:
        raise Misuse("T314", f"the counter of {name} is {counter.type}, not u32", operand=1)
    return shape_of(key.builder, name, shape, like)


def float_kind(name: str, dtype: DType) -> None:
    if not dtype.is_float:
        raise Misuse("T302", f"{name} gives f32 or f64, not {dtype}", attr="dtype")


@sugar("tensor tensor", SHAPE, LIKE)
def random_bits(
    key: Expr, counter: Expr, shape: list[Extent] | None, like: TensorType | None
) -> Expr:
    """The first word of each block."""
    found = shape_checked("random_bits", key, counter, shape, like)
    return words(key, counter, found)[0].reshape_to(found)


@sugar("tensor tensor", SHAPE, LIKE, DTYPE)
def random_uniform(
    key: Expr,
    counter: Expr,
    shape: list[Extent] | None,
    like: TensorType | None,
    dtype: DType,
) -> Expr:
    """In [0, 1): 24 bits for f32, 53 for f64, none of them rounded."""
    float_kind("random_uniform", dtype)
    found = shape_checked("random_uniform", key, counter, shape, like)
    w0, w1 = words(key, counter, found)
    if dtype is F32:
        u = top(w0, 8, dtype) * 2.0**-24
    else:
        h = top(w0, 5, dtype) * 67108864.0
        u = (h + top(w1, 6, dtype)) * 2.0**-53
    return u.reshape_to(found)


@sugar("tensor tensor", SHAPE, LIKE, DTYPE)
def random_normal(
    key: Expr,
    counter: Expr,
    shape: list[Extent] | None,
    like: TensorType | None,
    dtype: DType,
) -> Expr:
    """Box and Muller, on both words of one block; p is never 0."""
    float_kind("random_normal", dtype)
    found = shape_checked("random_normal", key, counter, shape, like)
    w0, w1 = words(key, counter, found)
    if dtype is F32:
        p = top(w0, 8, dtype) * 2.0**-24 + 2.0**-25
        q = top(w1, 8, dtype) * 2.0**-24
    else:
        p = w0.cast(dtype) * 2.0**-32 + 2.0**-33
        q = w1.cast(dtype) * 2.0**-32
    r = apply("sqrt", apply("log", p) * -2.0)
    z = r * apply("cos", q * TWO_PI)
    return z.reshape_to(found)


def top(word: Expr, dropped: int, dtype: DType) -> Expr:
    """The word without its low bits, as a float that holds it exactly."""
    return apply("shr", word, dropped).cast(dtype)
