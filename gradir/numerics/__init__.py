"""The numbers of the language: pure functions on NumPy arrays whose every bit is specified.

Only IEEE basic operations, integer operations and exact conversions are used, so the results do
not depend on the processor or on NumPy's own elementary functions.  spec/numerics.md is the
specification.
"""

from gradir.numerics.elementwise import (
    add,
    bitcast,
    canonical_nan,
    cast,
    div,
    maximum,
    mul,
    recip,
    sqrt,
)
from gradir.numerics.fma import fma
from gradir.numerics.folds import reduce_add, reduce_max, reduce_mul
from gradir.numerics.functions import (
    FUNCTIONS,
    cos,
    erf,
    exp,
    exp2,
    log,
    log2,
    sin,
    tanh,
)
from gradir.numerics.guard import FloatModeError, float_mode_ok, require_float_mode
from gradir.numerics.integer import idiv, mod, shl, shr
from gradir.numerics.matmul import matmul

__all__ = [
    "FUNCTIONS",
    "FloatModeError",
    "add",
    "bitcast",
    "canonical_nan",
    "cast",
    "cos",
    "div",
    "erf",
    "exp",
    "exp2",
    "float_mode_ok",
    "fma",
    "idiv",
    "log",
    "log2",
    "matmul",
    "maximum",
    "mod",
    "mul",
    "recip",
    "reduce_add",
    "reduce_max",
    "reduce_mul",
    "require_float_mode",
    "shl",
    "shr",
    "sin",
    "sqrt",
    "tanh",
]
