"""Checks that this thread's floating-point mode is the one the specification assumes (NUM-2).

A library built with -ffast-math can turn on flush-to-zero for the whole process when it is
loaded; a rounding mode can be left behind by foreign code.  Both change results silently.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradir.numerics.exact import Array

_PROBES: tuple[tuple[Any, str, str], ...] = (
    # dtype, smallest normal, half the distance from 1 to the next number
    (np.float32, "0x1p-126", "0x1p-24"),
    (np.float64, "0x1p-1022", "0x1p-53"),
)


class FloatModeError(RuntimeError):
    """Subnormals are flushed or the rounding mode is not to nearest even."""


def float_mode_ok() -> bool:
    """True where subnormals are kept and results are rounded to nearest, ties to even."""
    return not _problems()


def require_float_mode() -> None:
    """Raise FloatModeError, saying what is wrong, unless `float_mode_ok()`."""
    problems = _problems()
    if problems:
        raise FloatModeError(
            "this thread's floating-point mode is not IEEE 754's default: "
            + "; ".join(problems)
            + " (a library compiled with -ffast-math may have changed it)"
        )


def _problems() -> list[str]:
    found = []
    with np.errstate(all="ignore"):
        for dtype, normal_text, half_text in _PROBES:
            name = np.dtype(dtype).name
            normal = np.full(8, float.fromhex(normal_text), dtype)
            half = np.full(8, float.fromhex(half_text), dtype)
            one = np.ones(8, dtype)
            next_above = one + (half + half)
            integer = np.uint32 if dtype is np.float32 else np.uint64
            subnormal = np.ones(8, integer).view(dtype)
            if not (_nonzero_bits(normal * dtype(0.5), integer)):
                found.append(f"{name} results below the normal range are flushed to zero (FTZ)")
            if not (_nonzero_bits(subnormal + dtype(0), integer)):
                found.append(f"{name} subnormal operands are read as zero (DAZ)")
            nearest_even = (
                ((one + half) == one).all()
                and ((-one - half) == -one).all()
                and ((next_above + half) == one + 4 * half).all()
                and ((-next_above - half) == -one - 4 * half).all()
            )
            if not nearest_even:
                found.append(f"{name} additions are not rounded to nearest, ties to even")
    return found


def _nonzero_bits(x: Array, integer: Any) -> bool:
    return bool((x.view(integer) != 0).all())
