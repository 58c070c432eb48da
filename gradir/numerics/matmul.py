"""Matrix multiplication with a fixed order (MATMUL-1 to MATMUL-5).

The chain acc = fma(a, b, acc) over k is run in a cheap form that rounds twice in rare cases,
for many result elements at once, keeping every intermediate; then one pass over all steps
looks for a step where the two roundings could matter.  If there is one, that piece is run again
with the full `fma`.  Operands the cheap form cannot take use the full `fma` from the start.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from gradir.numerics.exact import Array, split
from gradir.numerics.fma import fma

Parts = list[Array]  # an operand, and what the chain needs of it besides
Chain = Callable[[Parts, Parts, Array], Array]

BLOCK = 512  # terms that share one accumulator
_TILE = 1 << 14  # result elements worked on together
_NARROW = 32
_HISTORY = 1 << 16  # intermediates kept before they are checked; at least _TILE

# Exponents (biased) for which the f64 scheme neither over- nor underflows.
_LARGEST_EXPONENT = 1023 + 980
_LARGEST_PRODUCT = 2 * 1023 + 980
_SMALLEST_PRODUCT = 2 * 1023 - 950


def matmul(a: Array, b: Array) -> Array:
    """a[..., M, K] times b[..., K, N], one dtype, equal leading axes; the result [..., M, N]."""
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim < 2 or a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul of shapes {a.shape} and {b.shape}")
    batch, (m, k), n = a.shape[:-2], a.shape[-2:], b.shape[-1]
    result = np.zeros((*batch, m, n), a.dtype)
    if result.size == 0 or k == 0:
        return result
    multiply = _multiply_floats if a.dtype.kind == "f" else _multiply_integers
    with np.errstate(all="ignore"):
        for index in np.ndindex(*batch):
            multiply(a[index], b[index], result[index])
    return result


def _multiply_integers(a: Array, b: Array, result: Array) -> None:
    for k in range(a.shape[1]):
        result += a[:, k, None] * b[k]


def _multiply_floats(a: Array, b: Array, result: Array) -> None:
    """Cut the result into tiles of rows and columns."""
    m, n = result.shape
    if n < min(m, _NARROW):  # NumPy's inner loop wants length; products commute
        a, b, result, m, n = b.T, a.T, result.T, n, m
    columns = min(n, _TILE)
    rows = max(1, min(m, _TILE // columns))
    if a.dtype == np.float32:
        chain, prepare = _chain32, _widen
    elif _moderate(a, b):
        chain, prepare = _chain64, _halves
    else:
        chain, prepare = _chain_fma, _as_is
    left, right = prepare(np.ascontiguousarray(a.T)), prepare(b)
    for top in range(0, m, rows):
        some_left = [part[:, top : top + rows] for part in left]
        for first in range(0, n, columns):
            some_right = [part[:, first : first + columns] for part in right]
            result[top : top + rows, first : first + columns] = _tile(
                chain, some_left, some_right, a.dtype
            )


def _tile(chain: Chain, left: Parts, right: Parts, dtype: np.dtype[Any]) -> Array:
    """One tile: the blocks' results, added left to right.  Whole blocks run side by side."""
    terms, rows = left[0].shape
    columns = right[0].shape[1]
    total: Array | None = None
    together = max(1, min(terms // BLOCK, _TILE // (rows * columns)))
    first = 0
    while first < terms:
        count = min(together, (terms - first) // BLOCK)
        length = BLOCK if count else terms - first
        count = max(count, 1)
        part = slice(first, first + count * length)
        some_left = [v[part].reshape(count, length, rows, 1) for v in left]
        some_right = [v[part].reshape(count, length, 1, columns) for v in right]
        blocks = _block(chain, some_left, some_right, (count, rows, columns), dtype)
        for block in blocks:
            total = block if total is None else total + block
        first += count * length
    assert total is not None  # K > 0
    return total


def _block(
    chain: Chain, left: Parts, right: Parts, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    """Chains of at most 512 terms from +0.0; operands (blocks, terms, rows, columns)."""
    accumulator = np.zeros(shape, dtype)
    terms = left[0].shape[1]
    piece = max(1, min(terms, _HISTORY // accumulator.size))
    for first in range(0, terms, piece):
        part = slice(first, first + piece)
        some_left = [np.moveaxis(v[:, part], 1, 0) for v in left]
        some_right = [np.moveaxis(v[:, part], 1, 0) for v in right]
        accumulator = chain(some_left, some_right, accumulator)
    return accumulator


_room = threading.local()


def _scratch(count: int, shape: tuple[int, ...]) -> list[Array]:
    """`count` f64 arrays to work in, the same memory each time, one set a thread.

    Fresh arrays of this size would cost more in page faults than the arithmetic.
    """
    size = math.prod(shape)
    if not hasattr(_room, "arrays"):
        _room.arrays = [np.empty(_HISTORY) for _ in range(7)]
    return [array[:size].reshape(shape) for array in _room.arrays[:count]]


# f64 operands beyond the range of the cheap form: values as they are, one fma a term.


def _as_is(v: Array) -> Parts:
    return [v]


def _chain_fma(left: Parts, right: Parts, accumulator: Array) -> Array:
    for a, b in zip(left[0], right[0], strict=True):
        accumulator = fma(a, b, accumulator)
    return accumulator


# f32: the exact product and the sum in f64, then rounded to f32.  Wrong only where the f64 sum
# was inexact and lies half way between two f32, or where f32 is subnormal.


def _widen(v: Array) -> Parts:
    return [v.astype(np.float64)]


def _chain32(left: Parts, right: Parts, accumulator: Array) -> Array:
    products, sums, before = _scratch(3, (len(left[0]), *accumulator.shape))
    np.multiply(left[0], right[0], out=products)  # exact
    result = accumulator
    for product, s, old in zip(products, sums, before, strict=True):
        np.copyto(old, result)
        np.add(product, old, out=s)
        result = s.astype(np.float32)
    if _doubtful32(sums, products, before):
        return _again(left[0], right[0], accumulator)
    return result


_LOW_29 = np.uint64((1 << 29) - 1)
_HALF_WAY = np.uint64(1 << 28)
_F32_NORMAL = float.fromhex("0x1p-126")


def _doubtful32(sums: Array, products: Array, before: Array) -> bool:
    doubtful = (sums.view(np.uint64) & _LOW_29) == _HALF_WAY
    doubtful |= (np.abs(sums) < _F32_NORMAL) & (sums != 0)  # a zero sum is exact
    if not doubtful.any():
        return False
    s, product, old = sums[doubtful], products[doubtful], before[doubtful]
    part = s - product
    error = (product - (s - part)) + (old - part)
    return bool((error != 0).any())


def _again(a: Array, b: Array, accumulator: Array) -> Array:
    """The same terms with the full fma; f32 operands come widened."""
    dtype = accumulator.dtype
    for a_term, b_term in zip(a, b, strict=True):
        accumulator = fma(a_term.astype(dtype), b_term.astype(dtype), accumulator)
    return accumulator


# f64: product and sum with their errors; the errors' sum t is added to the rounded sum s.
# Wrong only where t is inexact and s + t lies within a hair of half way between two f64.


def _moderate(a: Array, b: Array) -> bool:
    """True where every product is 0 or in the range of the cheap form."""
    a_low, a_high = _exponent_range(a)
    b_low, b_high = _exponent_range(b)
    return (
        max(a_high, b_high) <= _LARGEST_EXPONENT
        and a_high + b_high <= _LARGEST_PRODUCT
        and a_low + b_low >= _SMALLEST_PRODUCT
    )


def _exponent_range(v: Array) -> tuple[int, int]:
    """The least and greatest biased exponents of the nonzero elements."""
    bits = np.ascontiguousarray(v).view(np.uint64) << np.uint64(1)
    highest = int(bits.max()) >> 53
    lowest = int((bits - np.uint64(1)).min()) + 1 >> 53  # 0 becomes the largest
    return lowest, highest


def _halves(v: Array) -> Parts:
    return [v, *split(v)]


def _chain64(left: Parts, right: Parts, accumulator: Array) -> Array:
    (a, a_high, a_low), (b, b_high, b_low) = left, right
    shape = (len(a), *accumulator.shape)
    products, errors, results, sums, sum_errors, tails, work = _scratch(7, shape)
    add, subtract, multiply = np.add, np.subtract, np.multiply
    multiply(a, b, out=products)
    multiply(a_high, b_high, out=errors)
    errors -= products
    for x, y in ((a_high, b_low), (a_low, b_high), (a_low, b_low)):
        errors += multiply(x, y, out=work)  # in the end exactly a * b - products
    part, other = np.empty_like(accumulator), np.empty_like(accumulator)
    old = accumulator
    steps = zip(products, errors, results, sums, sum_errors, tails, strict=True)
    for p, e, r, s, d, t in steps:
        add(old, p, s)
        subtract(s, old, part)
        subtract(s, part, other)
        subtract(old, other, other)
        subtract(p, part, part)
        add(other, part, d)  # old + p = s + d exactly
        add(d, e, t)
        add(s, t, r)
        old = r
    if _doubtful64(results, sums, sum_errors, tails, errors, products, work):
        return _again(a, b, accumulator)
    return old.copy()


def _doubtful64(
    results: Array,
    sums: Array,
    sum_errors: Array,
    tails: Array,
    errors: Array,
    part: Array,
    lost: Array,
) -> bool:
    """True where a tail is inexact and the rest it leaves could tip the last rounding.

    `part` and `lost` are room to work in; `errors` and `sum_errors` are used up.
    """
    np.subtract(tails, errors, out=part)
    np.subtract(tails, part, out=lost)
    np.subtract(errors, lost, out=lost)
    sum_errors -= part
    lost += sum_errors  # tails + lost = errors + sum_errors exactly
    inexact = lost != 0
    if not inexact.any():
        return False
    np.subtract(results, sums, out=part)
    rest = np.subtract(tails, part, out=part)  # exact: the rounding error of sums + tails
    rest *= 1.0 + 2.0**-30
    rest += results
    inexact &= rest != results
    return bool(inexact.any())
