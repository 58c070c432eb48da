"""Host values as arrays of a program's types (RUN-3 to RUN-5): checked, copied where they must be.

Refuses what has another element type (R602) or shape (R603); nothing is converted but plain
Python numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradir.ir.types import TensorType, evaluate_extent
from gradir.text.diagnostics import error


def as_array(value: Any, type: TensorType, what: str, *, copy: bool = True) -> np.ndarray:
    """A host value as an array of a type: native byte order, C order, aligned.

    Arrays must have the type's dtype; Python numbers and nested lists of them may be integers
    where floats are wanted. Symbolic sizes take any size. With `copy=False` an array that is as
    it must be is returned itself. Raises GirError R602 or R603.
    """
    if isinstance(value, np.ndarray | np.generic):
        array = _from_numpy(np.asarray(value), type, what, copy)
    else:
        array = _from_python(value, type, what)
    shape = array.shape
    if shape != type.shape and (
        len(shape) != type.rank
        or any(
            isinstance(extent, int) and extent != size
            for extent, size in zip(type.shape, shape, strict=True)
        )
    ):
        raise error("R603", f"{what} has type {type}, the value given has shape {list(shape)}")
    return array


def _from_numpy(array: np.ndarray, type: TensorType, what: str, copy: bool) -> np.ndarray:
    wanted = np.dtype(type.dtype.numpy)
    if array.dtype.newbyteorder("=") != wanted:
        raise error(
            "R602",
            f"{what} is {type.dtype}, the array given is {array.dtype}",
            help=f"convert it first: `.astype(numpy.{type.dtype.numpy})`",
        )
    if wanted.kind == "b":
        return whole_bools(array)
    if copy or not as_it_must_be(array, wanted):
        return np.array(array, wanted, order="C")
    return array


def as_it_must_be(array: np.ndarray, dtype: np.dtype) -> bool:
    """Whether compiled code can read the array's memory as it lies there."""
    flags = array.flags
    return array.dtype == dtype and flags.c_contiguous and flags.aligned


def whole_bools(array: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """A copy in which every byte is 0 or 1: any other counts as true (RUN-3)."""
    made = np.empty(array.shape, np.bool_) if out is None else out
    np.not_equal(array.view(np.uint8), 0, out=made)
    return made


def _from_python(value: Any, type: TensorType, what: str) -> np.ndarray:
    dtype = np.dtype(type.dtype.numpy)
    try:
        found = np.asarray(value)
    except (ValueError, OverflowError) as problem:
        raise error("R603", f"{what}: {problem}") from None
    if found.size == 0:
        return np.zeros(found.shape, dtype)
    kinds = {"float": "fiu", "int": "iu", "bool": "b"}[type.dtype.kind]
    if found.dtype.kind not in kinds:
        shown = {"f": "floats", "b": "booleans", "O": "numbers out of range or objects"}
        given = shown.get(found.dtype.kind, "no numbers")
        raise error("R602", f"{what} is {type.dtype}, the value given is {given}")
    if type.dtype.is_int:
        lo, hi = type.dtype.int_range
        if int(found.min()) < lo or int(found.max()) > hi:
            raise error("R602", f"{what}: a value is out of range for {type.dtype}")
        return found.astype(dtype)
    with np.errstate(all="ignore"):
        return found.astype(dtype)


def concrete_shape(type: TensorType, dims: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of a type when every symbol has a value."""
    return tuple(evaluate_extent(extent, dims) for extent in type.shape)


def check_result_array(
    array: Any, type: TensorType, shape: tuple[int, ...], what: str
) -> np.ndarray:
    """An array that a result may be written into; GirError U702 where it cannot be."""
    wanted = np.dtype(type.dtype.numpy)
    fits = (
        isinstance(array, np.ndarray)
        and array.shape == shape
        and as_it_must_be(array, wanted)
        and array.flags.writeable
    )
    if not fits:
        raise error(
            "U702",
            f"{what} cannot be written there: it takes a writable {wanted} array of shape "
            f"{list(shape)} in C order",
        )
    result: np.ndarray = array
    return result
