"""What every operation means: one short function an op (spec/ops).

A function takes the `Result` it has to make (concrete shape, element type, the node's
attributes) and the operands as NumPy arrays. Elementwise ones take the operands only. All run
under `np.errstate(all="ignore")`, which the interpreter sets once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gradir import numerics
from gradir.ir.table import Node
from gradir.reference.failures import IndexOutOfRange

Array: TypeAlias = Any  # an ndarray, or a NumPy scalar where the rank is 0


class Result(NamedTuple):
    """What is to be made: the node, the shape with every symbol replaced, the dtype."""

    node: Node
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


ELEMENTWISE: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
    "recip": lambda a: np.divide(np.ones((), a.dtype), a),
    "max": numerics.maximum,
    "where": np.where,
    "fma": numerics.fma,
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": numerics.shl,
    "shr": numerics.shr,
    "idiv": numerics.idiv,
    "mod": numerics.mod,
    **numerics.FUNCTIONS,  # exp exp2 log log2 sin cos tanh erf
}

SEMANTICS: dict[str, Callable[..., Array]] = {}


def semantics(name: str) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    def register(function: Callable[..., Array]) -> Callable[..., Array]:
        SEMANTICS[name] = function
        return function

    return register


# --- conversions ----------------------------------------------------------------------------


@semantics("cast")
def _cast(result: Result, x: Array) -> Array:
    return numerics.cast(x, result.dtype)


@semantics("bitcast")
def _bitcast(result: Result, x: Array) -> Array:
    return numerics.bitcast(x, result.dtype)


@semantics("detach")
def _detach(result: Result, x: Array) -> Array:
    return x


# --- folds ----------------------------------------------------------------------------------


@semantics("reduce")
def _reduce(result: Result, x: Array) -> Array:
    op, axes, order = result.node.attrs
    if op == "max":
        return numerics.reduce_max(np.asarray(x), axes)
    fold = numerics.reduce_add if op == "add" else numerics.reduce_mul
    return fold(np.asarray(x), axes, order or "lanes")


@semantics("matmul")
def _matmul(result: Result, a: Array, b: Array) -> Array:
    return numerics.matmul(a, b)


# --- movement -------------------------------------------------------------------------------


@semantics("reshape")
def _reshape(result: Result, x: Array) -> Array:
    return np.reshape(x, result.shape)


@semantics("permute")
def _permute(result: Result, x: Array) -> Array:
    return np.transpose(x, result.node.attrs[0])


@semantics("expand")
def _expand(result: Result, x: Array) -> Array:
    return np.broadcast_to(x, result.shape)


@semantics("flip")
def _flip(result: Result, x: Array) -> Array:
    return np.flip(x, result.node.attrs[0])


def _window(lo: tuple[int, ...], inner: tuple[int, ...]) -> Any:
    """The slices of a window of shape `inner` at `lo`; that it fits has been checked (R607)."""
    return tuple(slice(start, start + size) for start, size in zip(lo, inner, strict=True))


@semantics("pad")
def _pad(result: Result, x: Array) -> Array:
    lo, _, value = result.node.attrs
    padded = np.full(result.shape, np.frombuffer(value, result.dtype)[0], result.dtype)
    padded[_window(lo, np.shape(x))] = x
    return padded


@semantics("shrink")
def _shrink(result: Result, x: Array) -> Array:
    return x[_window(result.node.attrs[0], result.shape)]


# --- indexing -------------------------------------------------------------------------------


def check_indices(indices: Array, size: int) -> Array:
    """The indices, or IndexOutOfRange for the first that is negative or not below `size`."""
    outside = np.asarray((indices < 0) | (indices >= size))
    if outside.any():
        at = int(np.flatnonzero(outside)[0])
        position = tuple(int(p) for p in np.unravel_index(at, outside.shape))
        raise IndexOutOfRange(int(np.asarray(indices).reshape(-1)[at]), position, size)
    return indices


@semantics("take")
def _take(result: Result, x: Array, indices: Array) -> Array:
    axis = result.node.attrs[0]
    return np.take(x, check_indices(indices, x.shape[axis]), axis=axis)


@semantics("scatter_add")
def _scatter_add(result: Result, x: Array, indices: Array, values: Array) -> Array:
    axis = result.node.attrs[0]
    rank = np.ndim(indices)
    flat = np.asarray(check_indices(indices, x.shape[axis])).reshape(-1)
    added = np.array(np.moveaxis(x, axis, 0), order="C")
    shares = np.moveaxis(values, range(axis, axis + rank), range(rank))
    shares = np.reshape(shares, (flat.size, *added.shape[1:]))
    for among in _rounds(flat):
        added[flat[among]] += shares[among]
    return np.moveaxis(added, 0, axis)


def _rounds(flat: Array) -> list[Array]:
    """Positions in row-major order cut into rounds: round r holds each index's r-th occurrence.

    Within a round no index appears twice, so adding a round at once adds one by one.
    """
    order = np.argsort(flat, kind="stable")
    ranked = flat[order]
    first = np.ones(flat.size, bool)
    first[1:] = ranked[1:] != ranked[:-1]
    starts = np.flatnonzero(first)
    counts = np.diff(np.append(starts, flat.size))
    occurrence = np.arange(flat.size) - np.repeat(starts, counts)
    by_round = np.argsort(occurrence, kind="stable")
    sizes = np.bincount(occurrence) if flat.size else np.zeros(0, int)
    return np.split(order[by_round], np.cumsum(sizes)[:-1]) if flat.size else []


# --- sources --------------------------------------------------------------------------------


@semantics("const")
def _const(result: Result) -> Array:
    value = np.frombuffer(result.node.attrs[0], result.dtype).reshape(result.shape)
    return value if result.shape else value[()]


@semantics("iota")
def _iota(result: Result) -> Array:
    axis = result.node.attrs[0]
    along = [1] * len(result.shape)
    along[axis] = result.shape[axis]
    return np.broadcast_to(
        np.arange(result.shape[axis], dtype=result.dtype).reshape(along), result.shape
    )
