"""What `init="…"` of a buffer may say (BUFFER-3, RUN-10): a file, or random numbers."""

from __future__ import annotations

import re
from typing import NamedTuple

from gradir.ir.types import TensorType

_NUMBER = re.compile(
    r"[+-]?(\d+\.\d+([eE][+-]?\d+)?|\d+([eE][+-]?\d+)?|0[xX][0-9a-fA-F.]+[pP]-?\d+)"
)
_WORDS = {"normal": ("SCALE", "SEED"), "uniform": ("LO", "HI", "SEED")}
FORMS = '"file.npy", "normal:SCALE:SEED" or "uniform:LO:HI:SEED"'


class File(NamedTuple):
    """An .npy file, relative to the program's folder."""

    path: str


class Random(NamedTuple):
    """`normal` with (SCALE,) or `uniform` with (LO, HI); the numbers as literals' texts."""

    word: str
    numbers: tuple[str, ...]
    seed: int


def read_initial(text: str, type: TensorType) -> File | Random:
    """What the string says for a buffer of this type; ValueError with the reason if nothing."""
    word, *parts = text.split(":")
    if word in _WORDS and parts:
        if not type.dtype.is_float:
            raise ValueError(f"{word} makes floats, not {type.dtype}")
        if len(parts) != len(_WORDS[word]):
            raise ValueError(f"it is {word}:{':'.join(_WORDS[word])}")
        *numbers, seed = parts
        if not seed.isdecimal() or int(seed) >= 2**64:
            raise ValueError("the seed is an integer from 0 to 2^64 - 1")
        return Random(word, tuple(_as_float(n) for n in numbers), int(seed))
    if text.endswith(".npy"):
        return File(text)
    raise ValueError(f"it is {FORMS}")


def _as_float(text: str) -> str:
    """A number as the text of a float literal."""
    if len(text) > 100 or not _NUMBER.fullmatch(text):
        raise ValueError(f"{text[:20]} is not a number")
    text = text.removeprefix("+")
    if "x" in text.lower() or "." in text:
        return text
    mantissa, mark, exponent = text.lower().partition("e")
    return f"{mantissa}.0{mark}{exponent}"
