"""The first contents of buffers: zeros, a literal, a file, or the language's random numbers."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np

from gradir.ir.builder import Builder
from gradir.ir.expr import Expr
from gradir.ir.initial import File, Random, read_initial
from gradir.ir.literals import Lit
from gradir.ir.sugar import SUGAR
from gradir.ir.table import Table
from gradir.ir.types import MAX_SIZE, U32, Dim, DType, TensorType, tensor_type
from gradir.ir.verify import Refusal
from gradir.reference.interpreter import evaluate
from gradir.reference.memory import memory_limit
from gradir.reference.plan import Plan, make_plan
from gradir.text.diagnostics import error
from gradir.text.source import Span


def initial_value(table: Table, id: int, folder: Path) -> np.ndarray:
    """The contents a buffer starts with (RUN-10). Files lie in the program's folder.

    Raises GirError R606 (memory) or R609 (a file that is missing, damaged or different).
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
    """`file.npy`, `normal:SCALE:SEED` or `uniform:LO:HI:SEED` as an array of a static type."""
    try:
        meant = read_initial(text, type)
    except ValueError as reason:
        raise error("R609", f'{what}: cannot follow "{text}": {reason}', span) from None
    if isinstance(meant, File):
        return read_npy(meant.path, type, folder, what, span)
    return random_value(meant, type)


def read_npy(
    text: str, type: TensorType, folder: Path, what: str, span: Span | None = None
) -> np.ndarray:
    """An .npy file inside `folder`, without pickle; its type and shape must be the type's."""
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
        raise error("R609", f"{what} is {type.dtype}, {text} holds {array.dtype}", span)
    if array.shape != static_shape(type):
        raise error("R609", f"{what} is {type}, {text} has shape {list(array.shape)}", span)
    return np.array(array, type.dtype.numpy, order="C")


def random_value(meant: Random, type: TensorType) -> np.ndarray:
    """The language's own random numbers, by running the nodes that RUN-10 states."""
    literals = Builder()
    try:
        numbers = [literals.literal(Lit("float", n), type.dtype) for n in meant.numbers]
    except Refusal as refusal:
        raise error("R609", f"{meant.word}: {refusal.message}") from None
    inputs = {
        f"number{at}": np.frombuffer(literals.table[id].attrs[0], type.dtype.numpy)[0]
        for at, id in enumerate(numbers)
    }
    inputs["key"] = np.array([meant.seed & 0xFFFFFFFF, meant.seed >> 32], np.uint32)
    shape = static_shape(type)
    table, id, plan = _random_program(meant.word, type.dtype)
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    made = evaluate(table, inputs=arrays, dims={"N": math.prod(shape)}, roots=[id], plan=plan)
    return np.asarray(made.values[id]).reshape(shape)


@cache
def _random_program(word: str, dtype: DType) -> tuple[Table, int, Plan]:
    """A table that draws N numbers, and its node; a number depends on its place alone, which
    row-major order keeps."""
    builder = Builder()
    builder.table.dims["N"] = (1, MAX_SIZE)
    key = builder.stage(tensor_type(U32, (2,)), "key")
    counter = builder.literal(Lit("int", "0"), U32)
    attrs = {"shape": [Dim(1, ("N",))], "dtype": dtype}
    drawn = Expr(builder, SUGAR[f"random_{word}"].apply(builder, [key, counter], attrs))
    first = Expr(builder, builder.stage(tensor_type(dtype), "number0"))
    if word == "normal":
        value = drawn * first
    else:
        second = Expr(builder, builder.stage(tensor_type(dtype), "number1"))
        value = drawn * (second + first * -1.0) + first
    return builder.table, value.id, make_plan(builder.table, [value.id])
