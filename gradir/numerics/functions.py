"""The elementary functions of the language, on f32 and f64 arrays of any shape.

f32 results are correctly rounded (FUNC-1); f64 results are those of the specification's
algorithms (FUNC-2).  Any other dtype is refused.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gradir.numerics import f32, f64
from gradir.numerics.exact import in_blocks


def _define(name: str, text: str) -> Callable[[np.ndarray], np.ndarray]:
    double = getattr(f64, name)

    def single(x: np.ndarray) -> np.ndarray:
        return f32.rounded(name, x)

    def function(x: np.ndarray) -> np.ndarray:
        x = np.asarray(x)
        if x.dtype == np.float32:
            return in_blocks(single, x)
        if x.dtype == np.float64:
            return in_blocks(double, x)
        raise TypeError(f"{name} takes float32 or float64, not {x.dtype}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


exp = _define("exp", "e to the power x.")
exp2 = _define("exp2", "2 to the power x.")
log = _define("log", "The natural logarithm; -inf at 0, NaN below.")
log2 = _define("log2", "The logarithm to base 2; -inf at 0, NaN below.")
sin = _define("sin", "The sine of x in radians; NaN at infinities.")
cos = _define("cos", "The cosine of x in radians; NaN at infinities.")
tanh = _define("tanh", "The hyperbolic tangent.")
erf = _define("erf", "The error function.")

FUNCTIONS = {
    "exp": exp,
    "exp2": exp2,
    "log": log,
    "log2": log2,
    "sin": sin,
    "cos": cos,
    "tanh": tanh,
    "erf": erf,
}
