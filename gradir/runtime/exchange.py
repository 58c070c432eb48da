"""Arrays as text and as JSON, exact in every bit (spec/running.md, spec/conformance.md).

Reads `[[1.0, -0.0], [inf, nan]]`, as a flag or a conformance file gives it, and writes the
objects `{"type", "shape", "values", "bits"}`. A number is rounded once, from its text to the
element type. Brackets are counted, never recursed into. Anything else is an `ExchangeError`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradir.ir.types import DTYPES, DType, TensorType
from gradir.text.literals import float_bits, format_float

MAX_NUMBER = 1024  # characters

_TOKEN = re.compile(r"\s*([\[\],]|[^\s\[\],]+)")
_INTEGER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|[0-9]+)")
_FLOAT = re.compile(
    r"-?(?:inf|nan|[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+"
    r"|0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]+)?[pP][-+]?[0-9]+)"
)


class ExchangeError(ValueError):
    """What cannot be read, with the code of the diagnostic that it becomes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


# --- from text ----------------------------------------------------------------------------


def read_array(text: str, type: TensorType, *, lenient: bool) -> np.ndarray:
    """The array that a text stands for, of the type's element type and shape.

    Symbolic sizes take any size. `lenient` is for flags: integers count as floats, and the
    outermost brackets of a list may be left out.
    """
    if lenient:
        bare = text.strip()
        if not bare.startswith("[") and ("," in bare or type.rank == 1):
            text = f"[{text}]"
    numbers, shape = nested_list(text)
    shape = _with_empty_axes(shape, type)
    if len(shape) != type.rank or any(
        isinstance(extent, int) and extent != size
        for extent, size in zip(type.shape, shape, strict=True)
    ):
        raise ExchangeError("R603", f"{type} is needed, the value has shape {list(shape)}")
    return numbers_of(numbers, type.dtype, lenient=lenient).reshape(shape)


def nested_list(text: str) -> tuple[list[str], tuple[int, ...]]:
    """The numbers of a nested list, and its shape; a ragged one is refused."""
    numbers: list[str] = []
    counts: list[int] = []  # items so far in each open list
    sizes: dict[int, int] = {}  # of a closed list at each depth
    deepest = -1
    expect_item, closed = True, False
    for token in _tokens(text):
        if closed:
            raise ExchangeError("R603", f"`{token[:20]}` behind the value")
        if token == ",":
            if expect_item or not counts:
                raise ExchangeError("R603", "a comma without an item before it")
            expect_item = True
            continue
        if token == "]":
            if not counts or (expect_item and counts[-1]):
                raise ExchangeError("R603", "a `]` that closes nothing, or an item is missing")
            depth, size = len(counts), counts.pop()
            if sizes.setdefault(depth, size) != size:
                raise ExchangeError("R603", f"lists of {sizes[depth]} and of {size} items mixed")
            expect_item, closed = False, not counts
            continue
        if not expect_item:
            raise ExchangeError("R603", f"a comma is missing before `{token[:20]}`")
        if counts:
            counts[-1] += 1
        if token == "[":
            counts.append(0)
            if len(counts) > 64 or (0 <= deepest < len(counts)):
                raise ExchangeError("R603", "nested too deeply, or numbers and lists mixed")
            continue
        if deepest not in (-1, len(counts)):
            raise ExchangeError("R603", "numbers and lists mixed")
        deepest = len(counts)
        numbers.append(token)
        expect_item, closed = False, not counts
    if not closed:
        raise ExchangeError("R603", "a `[` is not closed" if counts else "the value is missing")
    shape = tuple(sizes[depth] for depth in sorted(sizes))
    if deepest >= 0 and len(shape) != deepest:
        raise ExchangeError("R603", "numbers and empty lists mixed")
    return numbers, shape


def _tokens(text: str) -> Iterator[str]:
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        assert match is not None  # any character is a token of its own
        at = match.end()
        yield match[1]


def _with_empty_axes(shape: tuple[int, ...], type: TensorType) -> tuple[int, ...]:
    """`[]` stands for every shape that is empty from there on, as in a program's print."""
    rest = type.shape[len(shape) :]
    if shape and shape[-1] == 0 and all(isinstance(extent, int) for extent in rest):
        return shape + tuple(int(extent) for extent in rest)  # type: ignore[arg-type]
    return shape


def numbers_of(texts: Sequence[str], dtype: DType, *, lenient: bool) -> np.ndarray:
    """Texts as a flat array, each rounded once; R602 where one does not fit."""
    if dtype.is_float:
        bits = [_float_bits(text, dtype, lenient) for text in texts]
        return np.array(bits, np.uint32 if dtype.width == 32 else np.uint64).view(dtype.numpy)
    if dtype.kind == "bool":
        known = {"true": True, "false": False}
        for text in texts:
            if text not in known:
                raise ExchangeError("R602", f"bool is needed, `{text[:20]}` is not true or false")
        return np.array([known[text] for text in texts], np.bool_)
    return np.array([_integer(text, dtype) for text in texts], dtype.numpy)


def _float_bits(text: str, dtype: DType, lenient: bool) -> int:
    body = text
    if lenient:
        body = body.removeprefix("+")
        if re.fullmatch(r"-?[0-9]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?", body) and "." in body:
            head, _, tail = body.partition(".")
            fraction, mark, exponent = tail.lower().partition("e")
            if head.lstrip("-") or fraction:  # `.5` and `5.` have a digit at least
                sign = "-" if head.startswith("-") else ""
                body = f"{sign}{head.lstrip('-') or '0'}.{fraction or '0'}{mark}{exponent}"
        elif _INTEGER.fullmatch(body):
            body = str(_int(body)) + ".0"
    if len(body) > MAX_NUMBER or not _FLOAT.fullmatch(body):
        hint = f"; write `{body}.0`" if re.fullmatch(r"-?[0-9]{1,20}", body) else ""
        raise ExchangeError("R602", f"{dtype} is needed, `{text[:20]}` is no float{hint}")
    try:
        return float_bits(body, dtype.width)
    except ValueError as problem:
        raise ExchangeError("R602", f"`{text[:20]}`: {problem}") from None


def _int(text: str) -> int:
    if len(text) > MAX_NUMBER:
        raise ExchangeError("R602", f"a number of {len(text)} characters")
    return int(text, 16 if "x" in text.lower() else 10)


def _integer(text: str, dtype: DType) -> int:
    if not _INTEGER.fullmatch(text):
        raise ExchangeError("R602", f"{dtype} is needed, `{text[:20]}` is no integer")
    value, (lo, hi) = _int(text), dtype.int_range
    if not lo <= value <= hi:
        raise ExchangeError("R602", f"{text[:24]} is out of range for {dtype} ({lo} to {hi})")
    return value


# --- to text ------------------------------------------------------------------------------


def dtype_of(array: np.ndarray) -> DType:
    return next(t for t in DTYPES.values() if np.dtype(t.numpy) == array.dtype)


def bits_of(array: np.ndarray) -> list[int]:
    """The bits of each element, in row-major order."""
    width = array.dtype.itemsize
    flat = np.ascontiguousarray(array).reshape(-1).view(f"<u{width}")
    result: list[int] = flat.tolist()
    return result


def element_texts(array: np.ndarray) -> list[str]:
    """Each element as the language writes it: the shortest that reads back to the same bits."""
    dtype = dtype_of(array)
    if dtype.is_float:
        return [format_float(bits, dtype.width) for bits in bits_of(array)]
    if dtype.kind == "bool":
        return ["true" if value else "false" for value in array.reshape(-1).tolist()]
    return [str(value) for value in array.reshape(-1).tolist()]


def bit_texts(array: np.ndarray) -> list[str]:
    digits = array.dtype.itemsize * 2
    return [f"0x{bits:0{digits}x}" for bits in bits_of(array)]


def nest(texts: Sequence[str], shape: Sequence[int]) -> str:
    """Texts in nested brackets, from the inside out."""
    texts = list(texts)
    count = len(texts)
    for at in range(len(shape) - 1, -1, -1):
        size = shape[at]
        count = 1
        for outer in shape[:at]:
            count *= outer
        texts = [f"[{', '.join(texts[k * size : (k + 1) * size])}]" for k in range(count)]
    return texts[0]


def json_object(array: np.ndarray, *, values: bool = True) -> str:
    """`{"type", "shape", "values", "bits"}` as JSON text (RUN-19, RUN-20)."""
    shape = list(array.shape)
    parts = [f'"type": "{dtype_of(array)}"', f'"shape": {json.dumps(shape)}']
    if values:
        texts = [
            f'"{text}"' if text in ("nan", "inf", "-inf") else text for text in element_texts(array)
        ]
        parts.append(f'"values": {nest(texts, shape)}')
    parts.append(
        f'"bits": {nest([f"{chr(34)}{text}{chr(34)}" for text in bit_texts(array)], shape)}'
    )
    return "{" + ", ".join(parts) + "}"


def from_json(given: Any) -> np.ndarray:
    """The array of such an object, from its bits; ExchangeError where it is none."""
    try:
        dtype = DTYPES[given["type"]]
        shape = tuple(int(size) for size in given["shape"])
        level: list[Any] = [given["bits"]]
        for size in shape:
            inner = []
            for item in level:
                if not isinstance(item, list) or len(item) != size:
                    raise ExchangeError("R603", "`bits` is not nested as `shape` says")
                inner.extend(item)
            level = inner
        bits = [int(text, 16) for text in level]
        found = np.array(bits, f"<u{dtype.itemsize}").view(np.dtype(dtype.numpy).newbyteorder("<"))
    except ExchangeError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as problem:
        raise ExchangeError("R602", f"no array: {problem!r}") from None
    return found.astype(dtype.numpy).reshape(shape)
