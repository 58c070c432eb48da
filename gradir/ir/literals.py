"""Literals and their types (spec/literals.md): from a text to the bits of a type, rounded once.

A literal has no type of its own until it stands somewhere; `Builder.literals` gives it one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from gradir.ir.types import BOOL, F32, I32, DType
from gradir.ir.verify import Refusal
from gradir.text.literals import float_bits


class Lit(NamedTuple):
    """A literal as written. `kind` is "int", "float" or "bool".

    `dtype` is the type a suffix names; `borrowed` says that the suffix was a value (`-1:%b`),
    where an integer may become a float.
    """

    kind: str
    text: str
    dtype: DType | None = None
    borrowed: bool = False


Scalar: TypeAlias = Lit | int | float | bool


def as_literal(value: Scalar) -> Lit:
    """A Python scalar as a literal; a float is exact, to be rounded to its place's type."""
    if isinstance(value, Lit):
        return value
    if isinstance(value, bool | np.bool_):
        return Lit("bool", "true" if value else "false")
    if isinstance(value, int | np.integer):
        return Lit("int", str(int(value)))
    value = float(value)
    if value != value or value in (float("inf"), float("-inf")):
        return Lit("float", "nan" if value != value else ("inf" if value > 0 else "-inf"))
    return Lit("float", value.hex())


def literal_value(lit: Lit) -> int:
    """The integer an "int" literal stands for."""
    text = lit.text.lower()
    return int(text, 16) if "0x" in text else int(text)


@lru_cache(maxsize=4096)
def literal_bits(lit: Lit, dtype: DType) -> bytes:
    """The little-endian bits of a literal in a type; refuses what the type cannot hold."""
    if lit.kind == "bool" and dtype is BOOL:
        return b"\x01" if lit.text == "true" else b"\x00"
    if lit.kind == "int" and dtype.is_int:
        value, (lo, hi) = literal_value(lit), dtype.int_range
        if lit.borrowed and lo == 0 and -(hi + 1) // 2 <= value < 0:
            value += hi + 1  # `-1:%b` wraps where %b is unsigned
        if not lo <= value <= hi:
            raise Refusal("T306", f"{lit.text} is out of range for {dtype} ({lo} to {hi})")
        return value.to_bytes(dtype.itemsize, "little", signed=lo < 0)
    if dtype.is_float and (lit.kind == "float" or (lit.kind == "int" and lit.borrowed)):
        text = str(literal_value(lit)) + ".0" if lit.kind == "int" else lit.text
        try:
            bits = float_bits(text, dtype.width)
        except (ValueError, OverflowError):
            raise Refusal(
                "T306",
                f"{lit.text} is too large for {dtype}",
                help="write `inf` if infinity is meant",
            ) from None
        return bits.to_bytes(dtype.itemsize, "little")
    if lit.kind == "int" and dtype.is_float:
        raise Refusal(
            "T305", f"the integer {lit.text} where {dtype} is needed", help=f"write `{lit.text}.0`"
        )
    raise Refusal("T320", f"the {lit.kind} literal {lit.text} where {dtype} is needed")


DEFAULT_TYPES = {"float": F32, "int": I32, "bool": BOOL}
