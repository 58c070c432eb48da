"""max, casts, integer operations, fma and scatter_add in C against NumPy twins, bit for bit."""

import numpy as np
import pytest
from numerics_c_library import (
    assert_same_bits,
    call,
    elementwise,
    library,
    random_bits,
    special_floats,
)

from gradir import numerics

FLOATS = [(np.float32, "f32"), (np.float64, "f64")]
INTEGERS = [(np.int32, "i32"), (np.int64, "i64"), (np.uint32, "u32")]


def pairs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.meshgrid(values, values)
    return a.reshape(-1).copy(), b.reshape(-1).copy()


@pytest.mark.parametrize(("dtype", "kind"), FLOATS)
def test_max(dtype, kind, build):
    a, b = pairs(special_floats(dtype))
    expected = numerics.maximum(a, b)
    for name in (f"max_{kind}", f"vector_max_{kind}"):
        assert_same_bits(elementwise(getattr(library(build), name), dtype, a, b), expected, a, b)


@pytest.mark.parametrize(("dtype", "kind"), FLOATS)
def test_nan_becomes_the_canonical_one(dtype, kind, build):
    whole = np.uint32 if dtype == np.float32 else np.uint64
    x = np.concatenate([special_floats(dtype), random_bits(dtype, 5000, 2)])
    found = elementwise(getattr(library(build), f"canonical_{kind}"), dtype, x)
    assert (found.view(whole) == numerics.canonical_nan(x).view(whole)).all()


@pytest.mark.parametrize(("dtype", "kind"), FLOATS)
@pytest.mark.parametrize(("to", "name"), INTEGERS)
def test_cast_to_integers(to, name, dtype, kind, build):
    edges = [2.0**31, 2.0**32, 2.0**63, 2.0**64, 2147483647.0, 4294967295.0, 0.999, 1.0]
    x = np.array([v * s for v in edges for s in (1, -1)], dtype)
    near = [np.nextafter(x, dtype(np.inf)), np.nextafter(x, dtype(-np.inf)), x + dtype(0.5)]
    random = np.random.default_rng(8).uniform(-(2**34), 2**34, 2000).astype(dtype)
    x = np.concatenate([x, *near, special_floats(dtype), random_bits(dtype, 2000, 4), random])
    found = elementwise(getattr(library(build), f"to_{name}_{kind}"), to, x)
    assert_same_bits(found, numerics.cast(x, np.dtype(to)), x)


@pytest.mark.parametrize(("dtype", "kind"), INTEGERS)
@pytest.mark.parametrize("name", ["idiv", "mod", "shl", "shr", "add", "mul", "max"])
def test_integer_operations(name, dtype, kind, build):
    info = np.iinfo(dtype)
    edges = [0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 65, info.max, info.max - 1, info.min]
    edges += [info.min + 1] + ([-1, -2, -3, -7, -32, -64] if info.min else [])
    few = np.random.default_rng(3).integers(info.min, info.max, 40, dtype=dtype, endpoint=True)
    a, b = pairs(np.concatenate([np.array(edges, dtype), few]))
    twin = {"add": numerics.add, "mul": numerics.mul, "max": np.maximum}.get(name)
    expected = (twin or getattr(numerics, name))(a, b)
    found = elementwise(getattr(library(build), f"{name}_{kind}"), dtype, a, b)
    assert_same_bits(found, np.asarray(expected), a, b)


def fma_operands(dtype) -> list[np.ndarray]:
    """All triples of a few special values, random bits, and sums that nearly cancel or tie."""
    some = special_floats(dtype)[:: 2 if dtype == np.float32 else 3]
    grid = [v.reshape(-1).copy() for v in np.meshgrid(some, some, some)]
    bits = [random_bits(dtype, 20000, seed) for seed in (1, 2, 3)]
    random = np.random.default_rng(5)
    n = 20000
    a, b = (np.ldexp(random.uniform(1, 2, n), random.integers(-30, 30, n)) for _ in range(2))
    a, b = a.astype(dtype), b.astype(dtype)
    with np.errstate(all="ignore"):
        near = -(a * b) * (1 + np.finfo(dtype).eps * random.integers(-2, 3, n)).astype(dtype)
        wide = near * np.exp2(random.integers(-60, 60, n)).astype(dtype)
    low = 1.0 if dtype == np.float64 else 2.0**-10
    small = np.ldexp(
        random.uniform(1, 2, n), random.integers(-540, -500, n) // (1 if low == 1 else 7)
    )
    tiny = np.ldexp(
        random.uniform(-1, 1, n), random.integers(-1074, -1000, n) // (1 if low == 1 else 7)
    )
    # half a unit and a hair: the exact sum lies next to a tie
    one = (1 + np.finfo(dtype).eps * random.integers(0, 2**10, n)).astype(dtype)
    half = np.full(n, np.finfo(dtype).eps / 2, dtype)
    hair = (1 + np.finfo(dtype).eps * random.integers(-1, 2, n)).astype(dtype)
    parts = [
        grid,
        bits,
        [a, b, near.astype(dtype)],
        [a, b, wide.astype(dtype)],
        [small.astype(dtype), small[::-1].astype(dtype), tiny.astype(dtype)],
        [half, hair, one],
        [half, -hair, one],
    ]
    return [np.concatenate([part[i] for part in parts]) for i in range(3)]


@pytest.mark.parametrize(("dtype", "kind"), FLOATS)
def test_fma(dtype, kind, build):
    a, b, c = fma_operands(dtype)
    expected = numerics.fma(a, b, c)
    for name in ("fma", "soft_fma", "vector_fma"):
        found = elementwise(getattr(library(build), f"{name}_{kind}"), dtype, a, b, c)
        assert_same_bits(found, expected, a, b, c)


@pytest.mark.parametrize(
    ("dtype", "kind"), [*FLOATS, (np.int32, "i32"), (np.int64, "i64"), (np.uint32, "u32")]
)
@pytest.mark.parametrize("width", [1, 3, 32])
def test_scatter_add_goes_one_by_one(width, dtype, kind, build):
    random = np.random.default_rng(9)
    index = random.integers(0, 7, 500)
    values = (random.standard_normal((500, width)) * 1e3).astype(dtype)
    start = (random.standard_normal((7, width)) * 1e3).astype(dtype)
    expected = start.copy()
    for i, row in zip(index, values, strict=True):
        expected[i] = expected[i] + row
    for index32, index64 in ((index.astype(np.int32), None), (None, index.astype(np.int64))):
        found = start.copy()
        function = getattr(library(build), f"scatter_add_{kind}")
        call(function, found, index32, index64, values, 500, width)
        assert_same_bits(found, expected)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_bad_index_is_found(dtype, build):
    function = getattr(library(build), f"bad_index_{8 * np.dtype(dtype).itemsize}")
    index = np.array([0, 4, 3, 4, 1], dtype)

    def first_bad(values: np.ndarray) -> int:
        out = np.zeros(1, np.int64)
        call(function, out, values, values.size, 5)
        return int(out[0])

    assert first_bad(index) == 5
    for place, wrong in ((0, 5), (2, -1), (4, np.iinfo(dtype).max), (3, np.iinfo(dtype).min)):
        bad = index.copy()
        bad[place] = wrong
        assert first_bad(bad) == place
