"""The first contents of buffers: zeros, a literal, a file, or the language's random numbers."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from gradir.ir.build import build
from gradir.ir.table import Table
from gradir.ir.types import TensorType
from gradir.reference.interpreter import evaluate
from gradir.reference.memory import memory_limit
from gradir.text.diagnostics import GirError, error
from gradir.text.source import Source, Span

RANDOM = {"normal": ("SCALE", "SEED"), "uniform": ("LO", "HI", "SEED")}


def initial_value(table: Table, id: int, folder: Path) -> np.ndarray:
    """The contents a buffer starts with (RUN-…). Files lie in the program's folder.

    Raises GirError R606 (memory) or R609 (the string cannot be followed).
    """
    node = table[id]
    type, init, name = node.type, node.attr("init"), node.attr("name")
    shape = static_shape(type)
    if math.prod(shape) * type.dtype.itemsize > memory_limit():
        raise error("R606", f"buffer {name}: {type} is more than a run may take", table.span(id))
    if init is None:
        return np.zeros(shape, type.dtype.numpy)
    if isinstance(init, bytes):
        return np.full(shape, np.frombuffer(init, type.dtype.numpy)[0], type.dtype.numpy)
    return from_description(init, type, folder, f"buffer {name}", table.span(id))


def static_shape(type: TensorType) -> tuple[int, ...]:
    return tuple(int(extent) for extent in type.shape)  # type: ignore[arg-type]


def from_description(
    text: str, type: TensorType, folder: Path, what: str, span: Span | None = None
) -> np.ndarray:
    """`file.npy`, `normal:SCALE:SEED`, `uniform:LO:HI:SEED`, `zeros` or `ones`, as an array."""
    word, *numbers = text.split(":")
    if word in ("zeros", "ones") and not numbers:
        return np.full(static_shape(type), word == "ones", type.dtype.numpy)
    if word in RANDOM and len(numbers) == len(RANDOM[word]):
        return _random(word, numbers, type, what, span)
    if text.endswith(".npy"):
        return read_npy(text, type, folder, what, span)
    forms = '"file.npy", "normal:SCALE:SEED", "uniform:LO:HI:SEED"'
    raise error("R609", f'{what}: cannot read "{text}"', span, help=f"it is one of {forms}")


def read_npy(
    text: str, type: TensorType, folder: Path, what: str, span: Span | None = None
) -> np.ndarray:
    """An .npy file inside `folder`, without pickle; its type and shape must be the buffer's."""
    path = (folder / text).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise error("R609", f"{what}: {text} lies outside the program's folder", span)
    try:
        with open(path, "rb") as file:
            if path.stat().st_size > memory_limit():
                raise error("R606", f"{what}: {text} is more than a run may take", span)
            array = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError, SyntaxError) as problem:
        raise error("R609", f"{what}: cannot read {text}: {problem}", span) from None
    if not isinstance(array, np.ndarray):
        raise error("R609", f"{what}: {text} holds several arrays; one .npy is needed", span)
    if array.dtype.newbyteorder("=") != np.dtype(type.dtype.numpy):
        raise error("R602", f"{what} is {type.dtype}, {text} holds {array.dtype}", span)
    if array.shape != static_shape(type):
        raise error("R603", f"{what} is {type}, {text} has shape {list(array.shape)}", span)
    return np.array(array, type.dtype.numpy, order="C")


def _random(
    word: str, numbers: list[str], type: TensorType, what: str, span: Span | None
) -> np.ndarray:
    """The language's own random numbers, by running a program that makes them."""
    try:
        *scale, seed = [*(float(n) for n in numbers[:-1]), int(numbers[-1], 0)]
    except ValueError:
        raise error(
            "R609",
            f"{what}: {word}:{':'.join(numbers)} needs numbers",
            span,
            help=f"{word}:{':'.join(RANDOM[word])}",
        ) from None
    if not type.dtype.is_float or not 0 <= int(seed) < 2**64 or not all(map(math.isfinite, scale)):
        raise error("R609", f"{what}: {word} needs a float type, a seed below 2^64", span)
    low, high = int(seed) & 0xFFFFFFFF, int(seed) >> 32
    shape = ",".join(map(str, static_shape(type)))
    suffix = type.dtype.name
    draw = f"random_{word} %k 0:u32 shape=[{shape}] dtype={suffix}"
    if word == "normal":
        result = f"mul %r {float(scale[0]).hex()}:{suffix}"
    else:
        lo, width = float(scale[0]), float(scale[1]) - float(scale[0])
        result = f"add (mul %r {width.hex()}:{suffix}) {lo.hex()}:{suffix}"
    text = f"%k = const u32[2] [{low}, {high}]\n%r = {draw}\n%v = {result}\noutput %v\n"
    try:
        made = build(Source("<init>", text))
    except GirError as refused:
        raise AssertionError(f"the initial value's program: {refused}") from refused
    return evaluate(made.table).outputs["v"]
