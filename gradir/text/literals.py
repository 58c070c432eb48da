"""Float texts and float bits (spec/literals.md): both ways exact.

`float_bits` rounds once, to nearest even, from the text to the width asked for: a detour over
binary64 would round 3.4028235677973366e38 to infinity as an f32. `format_float` gives the
shortest decimal that `float_bits` reads back to the same bits. NaN has one bit pattern a width.
"""

from __future__ import annotations

import re
from fractions import Fraction
from struct import Struct

_F32, _U32 = Struct("<f"), Struct("<I")
_F64, _U64 = Struct("<d"), Struct("<Q")

NAN_BITS = {32: 0x7FC00000, 64: 0x7FF8000000000000}
INF_BITS = {32: 0x7F800000, 64: 0x7FF0000000000000}
_LARGEST = {32: "3.4028235e38", 64: "1.7976931348623157e308"}
_SIGN_BIT = {32: 1 << 31, 64: 1 << 63}

# Where a decimal of this size is written out; the same window as Python's `repr`.
_POSITIONAL = range(-4, 16)


def float_bits(text: str, width: int) -> int:
    """The bits of a literal's text as a float of 32 or 64 bits.

    ValueError where the text is no number, or finite and infinite in that width.
    """
    body = text.lstrip("-")
    sign = _SIGN_BIT[width] if len(body) < len(text) else 0
    if body == "nan":
        return NAN_BITS[width]
    if body == "inf":
        return sign | INF_BITS[width]
    wide = _binary64(body)
    bits = _bits64(wide) if width == 64 else _narrow(body, wide)
    if bits >= INF_BITS[width]:
        raise ValueError(f"too large for f{width}: the largest is {_LARGEST[width]}")
    return sign | bits


def _binary64(body: str) -> float:
    """The binary64 nearest to a text without sign; infinity where it is too large."""
    if body[:2] in ("0x", "0X"):
        try:
            return float.fromhex(body)
        except OverflowError:
            return float("inf")
    return float(body)


def _bits64(value: float) -> int:
    bits: int = _U64.unpack(_F64.pack(value))[0]
    return bits


def _narrow(body: str, wide: float) -> int:
    """The binary32 nearest to `body`, whose nearest binary64 is `wide`.

    Every midpoint between two binary32 is a binary64, so `wide` lies on the same side of it as
    the text's value, unless it *is* the midpoint: then the value itself decides.
    """
    low = _toward_zero(wide)
    if low >= INF_BITS[32]:
        return INF_BITS[32]
    below = _value32(low)
    # The step above the largest finite is taken as if the exponent went on.
    middle = 2.0**128 - 2.0**103 if low == 0x7F7FFFFF else (below + _value32(low + 1)) / 2
    if wide != middle:
        return low + (wide > middle)
    value = _exact(body)
    tie = Fraction(middle)
    return low + (value > tie or (value == tie and low % 2 == 1))


def _toward_zero(wide: float) -> int:
    """The bits of the largest binary32 that is not above a binary64 >= 0."""
    try:
        bits: int = _U32.unpack(_F32.pack(wide))[0]
    except OverflowError:  # rounds to infinity; not so when it is cut
        return 0x7F7FFFFF if wide < 2.0**128 else INF_BITS[32]
    return bits - (_value32(bits) > wide)


def _value32(bits: int) -> float:
    value: float = _F32.unpack(_U32.pack(bits))[0]
    return value


def _exact(body: str) -> Fraction:
    """The value of a text. Called for texts near a binary32 only, so the exponent is small."""
    match = re.fullmatch(r"0[xX]([0-9a-fA-F]+)(?:\.([0-9a-fA-F]*))?(?:[pP]([-+]?[0-9]+))?", body)
    if match is None:
        return Fraction(body)
    fraction = match[2] or ""
    scale = int(match[3] or 0) - 4 * len(fraction)
    digits = int(match[1] + fraction, 16)
    return Fraction(digits) * (Fraction(2) ** scale)


def format_float(bits: int, width: int) -> str:
    """The shortest decimal that reads back to these bits; `inf`, `-inf`, `nan`, `-0.0`."""
    sign = "-" if bits & _SIGN_BIT[width] else ""
    magnitude = bits & ~_SIGN_BIT[width]
    if magnitude >= INF_BITS[width]:
        return sign + "inf" if magnitude == INF_BITS[width] else "nan"
    if magnitude == 0:
        return sign + "0.0"
    if width == 64:
        return sign + _layout(repr(_F64.unpack(_U64.pack(magnitude))[0]))
    exact = repr(_value32(magnitude))
    if len(exact) <= 7 and "e" not in exact:  # at most six digits: see _shortest32
        return sign + exact
    return sign + _layout(_shortest32(magnitude))


def _shortest32(bits: int) -> str:
    """The shortest decimal of a finite binary32 > 0, the nearest one of that length.

    For a normal number at most one decimal of six digits lies in the interval that rounds to
    it, so no shorter one is missed by starting there.
    """
    value = _value32(bits)
    for digits in range(5 if bits >= 0x00800000 else 0, 9):
        text = f"{value:.{digits}e}"
        if float_bits(text, 32) == bits:
            return text
        if bits & 0x7FFFFF == 0:  # a power of two: the interval is wider above
            mantissa, exponent = text.split("e")
            step = int(mantissa.replace(".", "")) + 1
            text = f"{step}e{int(exponent) - digits}"
            if float_bits(text, 32) == bits:
                return text
    raise AssertionError("nine digits tell all binary32 apart")


def _layout(text: str) -> str:
    """A positive decimal in the language's form: digits on both sides of a dot, or an exponent."""
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The number is 0.DIGITS times ten to the power of `point`.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if point - 1 not in _POSITIONAL:
        rest = "." + digits[1:] if len(digits) > 1 else ""
        return f"{digits[0]}{rest}e{point - 1}"
    if point <= 0:
        return "0." + "0" * -point + digits
    return digits[:point].ljust(point, "0") + "." + (digits[point:] or "0")
