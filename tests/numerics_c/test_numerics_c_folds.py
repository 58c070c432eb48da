"""Sums, products, maxima and matrix products in C against the NumPy twins, bit for bit."""

import itertools

import numpy as np
import pytest
from numerics_c_library import assert_same_bits, call, library

from gradir import numerics

LENGTHS = [0, 1, 2, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1023, 4095, 4096, 4097, 4127, 4128]
LENGTHS += [4129, 8191, 8192, 8193, 32 * 4096 - 1, 32 * 4096, 32 * 4096 + 1, 33 * 4096 + 33]
KINDS = [("add", np.float32), ("mul", np.float32), ("add", np.float64), ("mul", np.float64)]
REDUCE = {"add": numerics.reduce_add, "mul": numerics.reduce_mul}


def suffix(operation: str, dtype) -> str:
    return f"{operation}_f{8 * np.dtype(dtype).itemsize}"


def terms(operation: str, dtype, shape, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    if operation == "mul":
        return (1 + 0.01 * random.standard_normal(shape)).astype(dtype)
    exponents = random.integers(-20, 20, shape)
    return np.ldexp(random.standard_normal(shape), exponents).astype(dtype)


def folded(build: str, name: str, dtype, x: np.ndarray, *arguments: int, size: int = 1):
    out = np.empty(size, dtype)
    call(getattr(library(build), name), out, x, *arguments)
    return out


@pytest.mark.parametrize(("operation", "dtype"), KINDS)
def test_whole_strided_and_left_folds(operation, dtype, build):
    kind = suffix(operation, dtype)
    for n in LENGTHS:
        x = terms(operation, dtype, max(n, 1) * 3)
        for step in (1, 3):
            some = x[: n * step : step].copy()
            expected = REDUCE[operation](some, (0,)).reshape(1)
            found = folded(build, f"fold_strided_{kind}", dtype, x, n, step)
            assert_same_bits(found, expected)
            if step == 1:
                assert_same_bits(folded(build, f"fold_{kind}", dtype, x, n), expected)
            left = REDUCE[operation](some, (0,), order="left").reshape(1)
            assert_same_bits(folded(build, f"fold_left_{kind}", dtype, x, n, step), left)


@pytest.mark.parametrize(("operation", "dtype"), KINDS)
def test_what_is_left_behind_whole_runs(operation, dtype, build):
    """Every number of elements behind the runs of 32: zeros of either sign, NaN, infinities."""
    kind = suffix(operation, dtype)
    for n in range(33, 130):
        for x in (terms(operation, dtype, n), np.full(n, -0.0, dtype), np.full(n, np.inf, dtype)):
            for last in (x[-1], -0.0, np.nan, -np.inf):
                x[-1] = last
                expected = REDUCE[operation](x, (0,)).reshape(1)
                assert_same_bits(folded(build, f"fold_{kind}", dtype, x, n), expected)
                for kept in (1, 2, 3, 7):
                    y, name = np.repeat(x, kept), f"fold_columns_{kind}"
                    y[-2] = x[0]
                    expected = REDUCE[operation](y.reshape(n, kept), (0,))
                    found = folded(build, name, dtype, y, n, kept, kept, size=kept)
                    assert_same_bits(found, expected)


@pytest.mark.parametrize(("operation", "dtype"), KINDS)
@pytest.mark.parametrize(
    "n", [0, 1, 7, 32, 33, 40, 47, 48, 49, 63, 64, 100, 513, 4096, 4097, 9000, 33 * 4096 + 5]
)
def test_rows_and_columns(n, operation, dtype, build):
    kind = suffix(operation, dtype)
    for kept in (1, 2, 3, 5, 8, 19, 64, 67, 150) if n < 10000 else (3,):
        x = terms(operation, dtype, (kept, n + 2))[:, :n]
        apart = n + 2
        for order, prefix in (("lanes", "fold"), ("left", "fold_left")):
            expected = REDUCE[operation](x, (1,), order=order)
            base = x.base if x.base is not None else x
            found = folded(build, f"{prefix}_rows_{kind}", dtype, base, kept, n, apart, size=kept)
            assert_same_bits(found, expected)
        y = terms(operation, dtype, (n, kept + 3))
        for order, prefix in (("lanes", "fold"), ("left", "fold_left")):
            expected = REDUCE[operation](y[:, :kept], (0,), order=order)
            name = f"{prefix}_columns_{kind}"
            found = folded(build, name, dtype, y, n, kept, kept + 3, size=kept)
            assert_same_bits(found, expected)
            together = np.ascontiguousarray(y[:, :kept])
            found = folded(build, name, dtype, together, n, kept, kept, size=kept)
            assert_same_bits(found, expected)


@pytest.mark.parametrize(("operation", "dtype"), KINDS)
def test_many_columns(operation, dtype, build):
    """Around the widths of the blocks: rows side by side and apart, few chunks and many."""
    kind = suffix(operation, dtype)
    sizes = [(2, 4100), (33, 4097), (95, 2049), (300, 513), (131, 257), (4100, 70), (4097, 256)]
    sizes += [(4400, 515), (32 * 4096 + 40, 67)] if "baseline" not in build else []
    for n, columns in sizes:
        x = terms(operation, dtype, (n, columns), n)
        expected = REDUCE[operation](x, (0,))
        found = folded(build, f"fold_columns_{kind}", dtype, x, n, columns, columns, size=columns)
        assert_same_bits(found, expected)
        part = columns - 1
        found = folded(build, f"fold_columns_{kind}", dtype, x, n, part, columns, size=part)
        assert_same_bits(found, expected[:-1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_chunks_split_among_threads(dtype, build):
    kind = suffix("add", dtype)
    n = 40 * 4096 + 77
    x = terms("add", dtype, n)
    partial = np.zeros(41, dtype)
    for first, last in ((17, 41), (0, 3), (3, 17)):
        call(getattr(library(build), f"fold_chunks_{kind}"), partial, x, n, first, last)
    whole = folded(build, f"fold_{kind}", dtype, x, n)
    assert_same_bits(folded(build, f"fold_{kind}", dtype, partial, 41), whole)


def test_2_to_25_ones_sum_exactly(build):
    x = np.ones(2**25, np.float32)
    assert folded(build, "fold_add_f32", np.float32, x, x.size)[0] == 2.0**25
    assert folded(build, "fold_left_add_f32", np.float32, x, x.size, 1)[0] == 2.0**24


SPECIAL = [
    ([-0.0], 0.0),
    ([-0.0] * 40, 0.0),
    ([np.inf, 1.0], np.inf),
    ([np.inf, -np.inf], np.nan),
    ([1.0] * 50 + [np.nan], np.nan),
    ([1e-45] * 3, 4.2e-45),
    ([-1e-45, 1e-45], 0.0),
    ([3e38, 3e38, -3e38], np.inf),
]


@pytest.mark.parametrize(("values", "expected"), SPECIAL)
def test_special_terms(values, expected, build):
    x = np.array(values, np.float32)
    found = folded(build, "fold_add_f32", np.float32, x, x.size)
    assert_same_bits(found, np.array([expected], np.float32))
    assert_same_bits(found, numerics.reduce_add(x, (0,)).reshape(1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_max(dtype, build):
    kind = f"f{8 * np.dtype(dtype).itemsize}"
    random = np.random.default_rng(1)
    for n in (*range(70), 95, 127, 128, 129, 200, 1000):
        x = random.standard_normal(n).astype(dtype)
        zeros = np.where(random.uniform(size=n) < 0.5, dtype(0.0), dtype(-0.0)).astype(dtype)
        cases = [x, zeros, np.full(n, -0.0, dtype), np.full(n, -np.inf, dtype)]
        for at in {0, n // 3, n - 1} if n else ():
            for one in (np.nan, -np.nan, np.inf, 0.0, -0.0):
                cases.append(-np.abs(x))
                cases[-1][at] = one
        cases.append(x.copy())
        cases[-1][n // 2 :: 7] = -np.inf
        cases[-1][n // 3 :: 7] = np.inf
        for values in cases:
            found = folded(build, f"reduce_max_{kind}", dtype, values, n, 1)
            assert_same_bits(found, numerics.reduce_max(values, (0,)).reshape(1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 7, 63, 64, 65, 100, 1000])
def test_max_of_columns(n, dtype, build):
    """Zeros of both signs, infinities and NaNs in some columns; narrow rows side by side."""
    kind = f"f{8 * np.dtype(dtype).itemsize}"
    random = np.random.default_rng(n)
    special = np.array([0.0, -0.0, -0.0, -0.0, -np.inf, np.inf, np.nan, -np.nan], dtype)
    for columns in (1, 2, 3, 7, 8, 15, 16, 17, 33, 63, 64, 65, 4100):
        for kinds in (4, 8):
            x = -np.abs(random.standard_normal((n, columns + 2))).astype(dtype)
            at = random.uniform(size=x.shape) < 1.0 / max(n, 1)
            x[at] = random.choice(special[:kinds], np.count_nonzero(at))
            for apart in (columns, columns + 2):
                rows = np.ascontiguousarray(x[:, :apart])
                found = folded(
                    build, f"fold_columns_max_{kind}", dtype, rows, n, columns, apart, size=columns
                )
                assert_same_bits(found, numerics.reduce_max(rows[:, :columns], (0,)))
    zeros = np.full((100, 5), -0.0, dtype)
    zeros[70, 3] = 0.0
    found = folded(build, f"fold_columns_max_{kind}", dtype, zeros, 100, 5, 5, size=5)
    assert np.signbit(found).tolist() == [True, True, True, False, True]


def product(build: str, name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    (m, k), n = a.shape, b.shape[1]
    c = np.full((m, n + 1), 7, a.dtype)  # what is outside must stay as it is
    size = a.itemsize
    strides = [a.strides[0], a.strides[1], b.strides[0], b.strides[1]]
    shape = np.array([m, n, k, *(s // size for s in strides), n + 1], np.int64)
    call(getattr(library(build), name), c, a, b, shape)
    assert (c[:, n] == 7).all()
    return c[:, :n].copy()


def matrix(random, rows: int, columns: int, dtype, transposed: bool) -> np.ndarray:
    shape = (columns, rows) if transposed else (rows, columns)
    x = np.ldexp(random.standard_normal(shape), random.integers(-8, 8, shape)).astype(dtype)
    return x.T if transposed else x


SIZES = [(1, 1, 1), (1, 1, 0), (3, 5, 0), (8, 32, 64), (6, 16, 512), (7, 31, 513), (9, 33, 1025)]
SIZES += [
    (20, 600, 700),
    (13, 17, 511),
    (16, 64, 512),
    (5, 100, 1030),
    (200, 40, 20),
    (193, 7, 3),
    (1, 300, 70),
    (100, 3, 33),
    (17, 1, 1030),
    (70, 2, 16),
    (33, 15, 600),
    (49, 10, 31),
    # a few rows or columns, and the larger operand read once
    (1, 2100, 530),
    (3, 1030, 600),
    (4, 700, 1027),
    (2, 31, 515),
    (4, 65, 7),
    (3, 48, 514),
    (700, 4, 513),
    (90, 3, 1025),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_matmul_equals_twin(m, n, k, dtype, build):
    random = np.random.default_rng(m + n + k)
    for a_transposed, b_transposed in itertools.product((False, True), repeat=2):
        a = matrix(random, m, k, dtype, a_transposed)
        b = matrix(random, k, n, dtype, b_transposed)
        found = product(build, f"matmul_f{8 * a.itemsize}", a, b)
        assert_same_bits(found, numerics.matmul(a, b))


@pytest.mark.parametrize(("dtype", "shapes"), [(np.float32, 500), (np.float64, 100)])
def test_matmul_equals_naive_definition_on_random_shapes(dtype, shapes, build):
    if build.split("-")[1] in ("baseline", "aarch64"):
        shapes //= 10  # slow without vectors that fuse; the tiles' edges are the same
    random = np.random.default_rng(77)
    kind = f"f{8 * np.dtype(dtype).itemsize}"
    for i in range(shapes):
        m, n = random.integers(1, 70, 2)
        k = random.integers(1, 1100) if i % 5 == 0 else random.integers(1, 130)
        if i % 50 == 49:
            m, n = random.integers(1, 260), random.integers(1, 2200) if i % 100 == 99 else 3
            k = random.integers(1, 20)
        if i % 4 == 3:  # narrower than a vector
            n = random.integers(1, 17)
        flags = [bool(f) for f in random.integers(0, 2, 2)]
        a, b = matrix(random, m, k, dtype, flags[0]), matrix(random, k, n, dtype, flags[1])
        if i % 7 == 0:
            a[random.integers(m), random.integers(k)] = random.choice([np.inf, np.nan, 0.0, -0.0])
        expected = product(build, f"naive_matmul_{kind}", a, b)
        assert_same_bits(product(build, f"matmul_{kind}", a, b), expected)


def test_matmul_keeps_minus_zero_of_the_first_block(build):
    """-1e-45 · 0.25 rounds to -0.0, and no block's result is added to +0.0."""
    a, b = np.full((1, 1), -1e-45, np.float32), np.full((1, 1), 0.25, np.float32)
    found = product(build, "matmul_f32", a, b)
    assert_same_bits(found, np.full((1, 1), -0.0, np.float32))
