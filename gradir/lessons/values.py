"""Values of tests.toml as arrays, and arrays as such values, exact in every bit.

A value is a number, a text (`"0x1.8p+1"`, `"nan"`, `"-inf"`), nested lists of these, or a
description: `normal:SCALE:SEED`, `uniform:LO:HI:SEED` (the language's own random numbers),
`ints:LO:HI:SEED` (HI exclusive), `zeros`, `ones`. In a description `{seed}` is the case's seed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gradir.ir.binding import BindingConflict, bind_shapes
from gradir.ir.table import Table
from gradir.ir.types import DType, TensorType, evaluate_extent, tensor_type
from gradir.runtime.exchange import ExchangeError, element_texts, numbers_of
from gradir.runtime.filling import filled

_DESCRIPTION = re.compile(r"(normal|uniform|ints):.*|zeros|ones")
_SIZES = (3, 5, 2, 7, 4, 6, 1)  # of free dimensions: distinct, so that a swapped axis shows


class BadValue(Exception):
    """A value of a case that does not fit the program."""


def is_description(value: Any) -> bool:
    return isinstance(value, str) and _DESCRIPTION.fullmatch(value) is not None


def read_value(value: Any, type: TensorType) -> np.ndarray:
    """A number or nested lists as an array; each number is rounded once, from its text."""
    texts: list[str] = []
    shape = _flatten(value, texts)
    if 0 in shape and len(shape) < type.rank:
        shape += tuple(int(e) if isinstance(e, int) else 0 for e in type.shape[len(shape) :])
    if len(shape) != type.rank or any(
        isinstance(extent, int) and extent != size
        for extent, size in zip(type.shape, shape, strict=True)
    ):
        raise BadValue(f"{type} is needed, the value has shape {list(shape)}")
    try:
        return numbers_of(texts, type.dtype, lenient=True).reshape(shape)
    except ExchangeError as problem:
        raise BadValue(problem.message) from None


def _flatten(value: Any, texts: list[str]) -> tuple[int, ...]:
    """The shape; the elements' texts in row-major order are appended."""
    if not isinstance(value, list):
        texts.append(_element(value))
        return ()
    shapes = {_flatten(item, texts) for item in value}
    if len(shapes) > 1:
        raise BadValue("the lists are not of one shape")
    return (len(value), *(shapes.pop() if shapes else ()))


def _element(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return value.strip()
    raise BadValue(f"{value!r} is no number")


def toml_value(array: np.ndarray) -> Any:
    """An array as nested lists: floats as hexadecimal texts, the others plain."""
    if array.dtype.kind == "f":
        plain = element_texts(array)
        texts = [
            text if text in ("nan", "inf", "-inf") else hex_text(float(number))
            for text, number in zip(plain, array.reshape(-1).tolist(), strict=True)
        ]
        return np.array(texts, object).reshape(array.shape).tolist() if array.ndim else texts[0]
    return array.tolist()


def hex_text(number: float) -> str:
    """`0x1.8p+1`: the exact value, without the zeros that `float.hex` adds."""
    mantissa, _, exponent = number.hex().partition("p")
    mantissa = mantissa.rstrip("0") if "." in mantissa else mantissa
    return f"{mantissa}{'0' if mantissa.endswith('.') else ''}p{exponent}"


# --- a case's inputs ----------------------------------------------------------------------


def given_arrays(
    table: Table, given: Mapping[str, Any], dims: Mapping[str, int], seed: int
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, int]]:
    """Stages, buffers and stated dimensions of a case, in a program's types. BadValue."""
    stages: dict[str, np.ndarray] = {}
    buffers: dict[str, np.ndarray] = {}
    described: list[str] = []
    for name, value in given.items():
        if name not in table.stages and name not in table.buffers:
            raise BadValue(missing_name(table, name))
        if is_description(value):
            described.append(name)
            continue
        type = declared(table, name)
        try:
            array = read_value(value, type)
        except BadValue as problem:
            raise BadValue(f"{name}: {problem}; your program has {name}: {type}") from None
        (stages if name in table.stages else buffers)[name] = array
    stated = {symbol: size for symbol, size in dims.items() if symbol in table.dims}
    pairs = [(table.type(table.stages[name]), array.shape) for name, array in stages.items()]
    try:
        sizes = bind_shapes(pairs, stated)
    except BindingConflict as conflict:
        raise BadValue(str(conflict)) from None
    for name in described:
        type = declared(table, name)
        try:
            shape = tuple(evaluate_extent(extent, sizes) for extent in type.shape)
        except KeyError as unbound:
            raise BadValue(f"{name} is {type}: {unbound.args[0]} has no value") from None
        array = described_array(given[name], tensor_type(type.dtype, shape), name, seed)
        (stages if name in table.stages else buffers)[name] = array
    return stages, buffers, stated


def declared(table: Table, name: str) -> TensorType:
    return table.type(table.stages[name] if name in table.stages else table.buffers[name])


def missing_name(table: Table, name: str) -> str:
    known = ", ".join([*table.stages, *table.buffers]) or "none"
    return (
        f"your program has no stage or buffer named {name}, which this case sets (it has: {known})"
    )


def described_array(text: str, type: TensorType, name: str, seed: int) -> np.ndarray:
    text = text.replace("{seed}", str(seed))
    if text.startswith("ints:"):
        lo, hi, number = (int(part) for part in text.split(":")[1:])
        return random_ints(type, lo, hi, number)
    try:
        return filled(text, type, name, None)
    except ValueError as problem:
        raise BadValue(f"{name}: {problem}") from None


def random_ints(type: TensorType, lo: int, hi: int, seed: int) -> np.ndarray:
    shape = tuple(int(extent) for extent in type.shape)  # type: ignore[arg-type]
    drawn = np.random.Generator(np.random.PCG64(seed)).integers(lo, hi, shape)
    return np.asarray(drawn).astype(type.dtype.numpy).reshape(shape)


def random_fill(table: Table, given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Descriptions for what a case leaves open: all stages, and float buffers without `init=`.

    Each name gets random numbers of its own.
    """
    filled_in: dict[str, Any] = {}
    names = [*table.stages, *_open_buffers(table)]
    for at, name in enumerate(sorted(names)):
        if name not in given:
            filled_in[name] = _fill(declared(table, name).dtype, seed * 1000 + at)
    return filled_in


def _open_buffers(table: Table) -> Iterator[str]:
    for name, id in table.buffers.items():
        if table[id].attr("init") is None and table.type(id).dtype.is_float:
            yield name


def _fill(dtype: DType, seed: int) -> str:
    if dtype.is_float:
        return f"normal:1.0:{seed}"
    return f"ints:0:{2 if dtype.kind == 'bool' else 3}:{seed}"


def free_dims(table: Table, dims: Mapping[str, int], seed: int) -> dict[str, int]:
    """A size for each symbol the case leaves open: distinct where the bounds allow."""
    found = dict(dims)
    for symbol, (lo, hi) in sorted(table.dims.items()):
        if symbol in found:
            continue
        at = seed % 3
        sizes = [*_SIZES[at:], *_SIZES[:at], *range(lo, min(hi, lo + 16) + 1)]
        fits = [size for size in sizes if lo <= size <= hi]
        found[symbol] = next((s for s in fits if s not in found.values()), fits[0])
    return found
