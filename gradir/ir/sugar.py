"""Sugar that needs shape, type or arity: builder functions, one a row (spec/sugar.md).

What a macro can say stands in gradir/std/*.gir instead. The rows stand by family in the
`sugar_…` modules; importing this one registers them all.
"""

from __future__ import annotations

from gradir.ir import sugar_einsum, sugar_numbers, sugar_random, sugar_shapes
from gradir.ir.sugar_rows import SUGAR, Misuse, Sugar, sugar

FAMILIES = (sugar_numbers, sugar_shapes, sugar_einsum, sugar_random)

__all__ = ["FAMILIES", "SUGAR", "Misuse", "Sugar", "sugar"]
