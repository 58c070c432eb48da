"""Reductions whose order is part of the language (FOLD-1 to FOLD-8).

A float `add` or `mul` over n elements: up to 32, one left fold; up to 4096, 32 lanes, halved;
more, chunks of 4096 and again.  Everything is vectorised over what the order leaves free: the
elements that stay, the lanes, the chunks.  NumPy's own reductions are used on integers only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradir.numerics.exact import BLOCK, Array

LANES = 32
CHUNK = 4096
_WORKING_SET = 1 << 18  # elements of a pass over one array, to stay in the cache

_FLOAT_BITS: dict[np.dtype[Any], tuple[Any, int]] = {
    np.dtype(np.float32): (np.int32, 0x7FC00000),
    np.dtype(np.float64): (np.int64, 0x7FF8000000000000),
}


def reduce_add(x: Array, axes: tuple[int, ...], order: str = "lanes") -> Array:
    """The sum over `axes` (sorted, non-negative), which vanish; `order` is lanes or left."""
    return _reduce(np.add, 0, np.asarray(x), axes, order)


def reduce_mul(x: Array, axes: tuple[int, ...], order: str = "lanes") -> Array:
    """The product over `axes`, in the order of `reduce_add`."""
    return _reduce(np.multiply, 1, np.asarray(x), axes, order)


def reduce_max(x: Array, axes: tuple[int, ...]) -> Array:
    """The language's max over `axes`; over no terms -inf, or the least integer.

    A float is mapped to an integer that grows with it: -0.0 below +0.0, NaN above everything.
    So the integers' maximum, which no order can change, is the answer.
    """
    x = np.asarray(x)
    axes = tuple(axes)
    if x.dtype.kind != "f":
        least = x.dtype.type(np.iinfo(x.dtype).min)
        return np.asarray(np.maximum.reduce(x, axis=axes, initial=least))
    keys = _ordered_keys(x)
    flip = np.iinfo(keys.dtype).max
    least = ~np.array(np.inf, x.dtype).view(keys.dtype)
    best = np.asarray(np.maximum.reduce(keys, axis=axes, initial=least))
    return np.where(best < 0, best ^ flip, best).view(x.dtype)


def _ordered_keys(x: Array) -> Array:
    """Integers in the order of the floats; the one key of NaN is its canonical bits."""
    integer, nan = _FLOAT_BITS[x.dtype]
    flat = np.ascontiguousarray(x).reshape(-1)
    keys = np.empty(flat.size, integer)
    sign_place = 8 * x.dtype.itemsize - 1
    for start in range(0, flat.size, BLOCK):
        part, key = flat[start : start + BLOCK], keys[start : start + BLOCK]
        bits = part.view(integer)
        np.right_shift(bits, sign_place, out=key)  # -1 where negative
        key &= np.iinfo(integer).max
        key ^= bits
        key[part != part] = nan
    return keys.reshape(x.shape)


def _reduce(
    operation: np.ufunc, identity: int, x: Array, axes: tuple[int, ...], order: str
) -> Array:
    axes = tuple(axes)
    if order not in ("lanes", "left"):
        raise ValueError(f"order is {order!r}; it must be 'lanes' or 'left'")
    with np.errstate(all="ignore"):
        if x.dtype.kind != "f":
            if not axes:
                return np.array(x)
            return np.asarray(operation.reduce(x, axis=axes, dtype=x.dtype))
        start = x.dtype.type(identity)
        if not axes:
            return np.asarray(operation(start, x))
        rows, kept_shape = _terms_first(x, axes)
        fold = _left_fold if order == "left" else _lanes_fold
        result = np.empty(rows.shape[1], x.dtype)
        width = max(1, _WORKING_SET // max(1, min(rows.shape[0], CHUNK)))
        for first in range(0, rows.shape[1], width):
            part = slice(first, first + width)
            result[part] = fold(operation, start, rows[:, part])
        return result.reshape(kept_shape)


def _terms_first(x: Array, axes: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
    """(terms, kept): terms in row-major order down, kept elements across; a view if it can be."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    kept_shape = tuple(x.shape[axis] for axis in kept)
    terms = 1
    for axis in axes:
        terms *= x.shape[axis]
    kept_size = 1
    for size in kept_shape:
        kept_size *= size
    if kept + list(axes) == list(range(x.ndim)):
        return x.reshape(kept_size, terms).T, kept_shape
    return x.transpose(list(axes) + kept).reshape(terms, kept_size), kept_shape


def _left_fold(operation: np.ufunc, start: np.generic, rows: Array) -> Array:
    """One left fold down the rows.

    A long fold of one column uses `accumulate`: it returns every partial result, each by
    definition one operation on the one before, so it cannot be reassociated.
    """
    if rows.shape[1] == 1 and rows.shape[0] > LANES:
        return operation.accumulate(np.concatenate([[start], rows[:, 0]]))[-1:]
    result = np.full(rows.shape[1:], start)
    for row in rows:
        result = operation(result, row)
    return result


def _lanes_fold(operation: np.ufunc, start: np.generic, rows: Array) -> Array:
    """FOLD-2 to FOLD-4 on the columns of `rows`."""
    while rows.shape[0] > CHUNK:
        rows = _chunk_results(operation, start, rows)
    if rows.shape[0] <= LANES:
        return _left_fold(operation, start, rows)
    return _fold_chunks(operation, start, rows[None])[0]


def _chunk_results(operation: np.ufunc, start: np.generic, rows: Array) -> Array:
    """The results of all chunks of 4096 rows, the last perhaps shorter, in order."""
    count, rest = divmod(rows.shape[0], CHUNK)
    columns = rows.shape[1]
    result = np.empty((count + (rest > 0), columns), rows.dtype)
    chunks = rows[: count * CHUNK].reshape(count, CHUNK, columns)
    together = max(1, _WORKING_SET // (CHUNK * max(1, columns)))
    for first in range(0, count, together):
        part = slice(first, min(count, first + together))
        result[part] = _fold_chunks(operation, start, chunks[part])
    if rest:
        result[-1] = _lanes_fold(operation, start, rows[count * CHUNK :])
    return result


def _fold_chunks(operation: np.ufunc, start: np.generic, chunks: Array) -> Array:
    """FOLD-3 on axis 1 of (chunks, rows, columns): 32 lanes, then halved to one."""
    count, length, columns = chunks.shape
    whole = length // LANES
    body = chunks[:, : whole * LANES].reshape(count, whole, LANES, columns)
    lanes = np.full((count, LANES, columns), start)
    for i in range(whole):
        operation(lanes, body[:, i], out=lanes)
    rest = length - whole * LANES
    if rest:
        operation(lanes[:, :rest], chunks[:, whole * LANES :], out=lanes[:, :rest])
    half = LANES // 2
    while half:
        lanes = operation(lanes[:, :half], lanes[:, half : 2 * half])
        half //= 2
    return lanes[:, 0]
