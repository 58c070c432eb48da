"""Likely causes of a wrong array: one row a cause, tried in order, each borne out by numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

CLOSE = 1e-5  # relative: how near the numbers must be for a cause to be named

Cause = Callable[[np.ndarray, np.ndarray], str | None]


def likely_cause(expected: np.ndarray, found: np.ndarray) -> str | None:
    """The first cause that explains the difference, in words."""
    if expected.dtype.kind == "b" or found.dtype.kind == "b":
        if expected.dtype == found.dtype and expected.shape == found.shape and expected.size:
            return "every answer is the other way round" if (expected != found).all() else None
        return None
    if expected.shape == found.shape and expected.dtype != found.dtype:
        return "the element type differs: a `cast`, or a literal's suffix"
    a, b = expected.astype(np.float64), found.astype(np.float64)
    rows = _SAME_SHAPE if expected.shape == found.shape else _OTHER_SHAPE
    with np.errstate(all="ignore"):
        for row in rows:
            said = row(a, b)
            if said is not None:
                return said
    return None


def _near(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal up to rounding, and not trivially so."""
    if a.shape != b.shape or not a.size or not np.isfinite(a).all() or not np.isfinite(b).all():
        return False
    scale = float(np.abs(a).max())
    return scale > 0 and float(np.abs(a - b).max()) <= CLOSE * scale


# --- the same shape -----------------------------------------------------------------------


def _zero_sign(a: np.ndarray, b: np.ndarray) -> str | None:
    if (a == b).all():
        return "only the sign of a zero differs: -0.0 and 0.0 are two values"
    return None


def _rounding(a: np.ndarray, b: np.ndarray) -> str | None:
    if _near(a, b) and float(np.abs(a - b).max()) <= 2e-6 * float(np.abs(a).max()):
        return (
            "only the last bits differ: another order of additions, or a formula that rounds "
            "elsewhere"
        )
    return None


def _not_finite(a: np.ndarray, b: np.ndarray) -> str | None:
    if not np.isfinite(a).all():
        return None
    if np.isnan(b).any():
        return "NaN: inf - inf, 0 * inf or 0 / 0 somewhere before; `--trace` shows where"
    if np.isinf(b).any():
        return "inf: a division by zero, or an exp or a sum beyond the largest number"
    return None


def _all_zero(a: np.ndarray, b: np.ndarray) -> str | None:
    if not b.any() and a.any():
        return "all zeros: a product with 0, a condition that is never true, or no path of shares"
    return None


def _sign(a: np.ndarray, b: np.ndarray) -> str | None:
    return "the sign is wrong" if _near(a, -b) else None


def _transposed(a: np.ndarray, b: np.ndarray) -> str | None:
    if a.ndim >= 2 and _near(a, np.swapaxes(b, -1, -2)):
        return "looks transposed: the last two axes are swapped"
    return None


def _flipped(a: np.ndarray, b: np.ndarray) -> str | None:
    for axis in range(a.ndim):
        if a.shape[axis] > 1 and _near(a, np.flip(b, axis)):
            return f"axis {axis} is in reverse order"
    return None


def _shifted(a: np.ndarray, b: np.ndarray) -> str | None:
    for axis in range(a.ndim):
        size = a.shape[axis]
        if size < 3:
            continue
        head, tail = slice(0, size - 1), slice(1, size)
        for mine, theirs in ((head, tail), (tail, head)):
            if _near(_along(a, axis, theirs), _along(b, axis, mine)):
                return f"off by one along axis {axis}"
    return None


def _along(array: np.ndarray, axis: int, part: slice) -> np.ndarray:
    return array[(slice(None),) * axis + (part,)]


def _factor(a: np.ndarray, b: np.ndarray) -> str | None:
    factor = _ratio(a, b)
    if factor is None:
        return None
    if abs(factor - 2) <= 1e-4:
        return "twice too large: a share was counted twice, or a factor 0.5 is missing"
    if abs(factor - 0.5) <= 1e-4:
        return "half of what is expected: a share is missing, or a factor 2"
    if round(factor) >= 2 and abs(factor - round(factor)) <= 1e-4:
        return f"{round(factor)} times too large: a sum where a mean is wanted?"
    if 0 < factor < 1 and abs(1 / factor - round(1 / factor)) <= 1e-4:
        return f"{round(1 / factor)} times too small: a mean where a sum is wanted?"
    return f"every element is {factor:.6g} times what is expected"


def _ratio(a: np.ndarray, b: np.ndarray) -> float | None:
    """The one number with b = number * a, where there is one; a single element shows none."""
    if not a.any() or not np.isfinite(a).all() or not np.isfinite(b).all():
        return None
    factor = float((a * b).sum() / (a * a).sum())
    if factor == 0 or not _near(a, b / factor):
        return None
    nice = min(abs(factor - n) for n in (2, 0.5))
    return factor if np.count_nonzero(a) > 1 or nice <= 1e-4 else None


def _offset(a: np.ndarray, b: np.ndarray) -> str | None:
    if a.size < 2 or not np.isfinite(a).all() or not np.isfinite(b).all():
        return None
    apart = (b - a).reshape(-1)
    scale = max(float(np.abs(a).max()), float(np.abs(apart).max()))
    if scale > 0 and float(np.ptp(apart)) <= CLOSE * scale and abs(apart[0]) > CLOSE * scale:
        return f"every element is {apart[0]:+.6g} away: a constant is missing or added"
    return None


def _other_axis(a: np.ndarray, b: np.ndarray) -> str | None:
    """Sums to one along another axis: a softmax over the wrong one."""
    if a.ndim < 2 or not (np.isfinite(a).all() and np.isfinite(b).all()) or (a < 0).any():
        return None
    mine = [axis for axis in range(a.ndim) if _sums_to_one(b, axis)]
    right = [axis for axis in range(a.ndim) if _sums_to_one(a, axis)]
    if mine and right and not set(mine) & set(right):
        return f"sums to one along axis {mine[0]}, not {right[0]}: a softmax over the wrong axis"
    return None


def _sums_to_one(a: np.ndarray, axis: int) -> bool:
    sums = a.sum(axis)
    return bool(a.shape[axis] > 1 and sums.size and np.abs(sums - 1).max() < 1e-4)


def _some_wrong(a: np.ndarray, b: np.ndarray) -> str | None:
    """A part is right: which."""
    differs = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    count = int(differs.sum())
    if a.ndim < 1 or a.size < 4 or not 0 < count <= a.size // 2:
        return None
    for axis in range(a.ndim):
        others = tuple(k for k in range(a.ndim) if k != axis)
        lines = np.flatnonzero(differs.any(others))
        if len(lines) == 1 and a.shape[axis] > 2:
            return f"only index {int(lines[0])} of axis {axis} is wrong"
    if (b[differs] == 0).all():
        return "zero where something is expected, right elsewhere: a mask or a condition"
    return None


# --- another shape ------------------------------------------------------------------------


def _transposed_shape(a: np.ndarray, b: np.ndarray) -> str | None:
    if a.ndim >= 2 and b.ndim == a.ndim and np.swapaxes(b, -1, -2).shape == a.shape:
        if _near(a, np.swapaxes(b, -1, -2)):
            return "looks transposed: the last two axes are swapped"
        return "the shape looks transposed: are the axes or the operands swapped?"
    return None


def _not_summed(a: np.ndarray, b: np.ndarray) -> str | None:
    for axes in _axes_between(a, b):
        if _near(a, b.sum(axes).reshape(a.shape)):
            return f"the broadcast axis was not summed: a sum over axis {_listed(axes)} is missing"
        if _near(a, b.mean(axes).reshape(a.shape)):
            return f"a mean over axis {_listed(axes)} is missing"
        if _near(a, b.max(axes).reshape(a.shape)):
            return f"a maximum over axis {_listed(axes)} is missing"
    return None


def _axes_between(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[int, ...]]:
    """Axes of b whose sum leaves as many elements as a has."""
    if not 0 < b.ndim <= 6 or not a.size:
        return
    for code in range(1, 1 << b.ndim):
        axes = tuple(axis for axis in range(b.ndim) if code >> axis & 1)
        kept = [size for axis, size in enumerate(b.shape) if axis not in axes]
        if int(np.prod(kept)) == a.size and b.size > a.size:
            yield axes


def _listed(axes: tuple[int, ...]) -> str:
    return " and ".join(map(str, axes))


def _kept(a: np.ndarray, b: np.ndarray) -> str | None:
    if a.size == b.size and [n for n in a.shape if n != 1] == [n for n in b.shape if n != 1]:
        if a.ndim > b.ndim:
            return "an axis of size 1 is missing: `keep=true`, `unsqueeze` or `reshape`"
        if a.ndim < b.ndim:
            return "an axis of size 1 is left: without `keep=true`, or `squeeze` it"
        return "the axis of size 1 stands elsewhere"
    return None


def _flat(a: np.ndarray, b: np.ndarray) -> str | None:
    if a.size == b.size and a.size > 1 and _near(a.reshape(-1), b.reshape(-1)):
        return "the elements are right, the shape is not: a `reshape` is missing"
    return None


def _summed(a: np.ndarray, b: np.ndarray) -> str | None:
    for axes in _axes_between(b, a):
        if _near(b, a.sum(axes).reshape(b.shape)):
            return f"summed over axis {_listed(axes)}, which is to stay"
    return None


_SAME_SHAPE: tuple[Cause, ...] = (
    _zero_sign,
    _rounding,
    _not_finite,
    _all_zero,
    _sign,
    _transposed,
    _factor,
    _offset,
    _other_axis,
    _shifted,
    _flipped,
    _some_wrong,
)
_OTHER_SHAPE: tuple[Cause, ...] = (_not_summed, _kept, _transposed_shape, _flat, _summed)
