"""`--set`, `--npz`, `--dim` and `--state`: what a program is run on.

Text is rounded once, to the element type of the stage or buffer it is for. A value that does not
fit is shown as it was written on the command line. Files are read without pickle, their sizes
checked first.
"""

from __future__ import annotations

import argparse
import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from gradir.cli.console import flag_span
from gradir.ir.table import Table
from gradir.ir.types import TensorType, evaluate_extent, tensor_type
from gradir.reference.memory import memory_limit
from gradir.runtime.exchange import ExchangeError, read_array
from gradir.runtime.filling import Inputs, bound_dims, filled
from gradir.text.diagnostics import did_you_mean, error
from gradir.text.source import Span

_DESCRIPTION = re.compile(r"zeros|ones|(normal|uniform):.*")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The flags, for every command that runs a program."""
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="a stage or buffer: 1,2,3 | [[1,2],[3,4]] | f.npy | zeros | ones | normal:SCALE:SEED "
        "| uniform:LO:HI:SEED",
    )
    parser.add_argument(
        "--npz", metavar="FILE", help="stages and buffers by name, from a NumPy archive"
    )
    parser.add_argument(
        "--dim",
        metavar="NAME=SIZE",
        action="append",
        default=[],
        dest="dims",
        help="the value of a dimension that no input shows",
    )


def read_inputs(args: argparse.Namespace, table: Table) -> Inputs:
    """What the flags say, in the types of the program; `--set` goes before `--npz`."""
    inputs = Inputs(dims=dict(_dimension(text, table) for text in args.dims))
    if args.npz:
        for name, array in read_archive(args.npz).items():
            span = flag_span("--npz", args.npz)
            type = declared_type(table, name, span)
            _put(inputs, table, name, _checked(array, type, name, span))
    fills: list[tuple[str, str, Span, TensorType]] = []
    seen: set[str] = set()
    for text in args.settings:
        name, mark, value = text.partition("=")
        span = flag_span("--set", text)
        name = name.strip()
        if not mark or not name:
            raise error("U702", "--set takes NAME=VALUE", span, help="`--set x=1,2,3`")
        if name in seen:
            raise error("U702", f"{name} is set twice", span)
        seen.add(name)
        type = declared_type(table, name, flag_span("--set", text, name))
        if _DESCRIPTION.fullmatch(value.strip()):
            fills.append((name, value.strip(), span, type))
        elif value.strip().endswith(".npy"):
            array = read_npy(value.strip(), span)
            _put(inputs, table, name, _checked(array, type, name, span))
        else:
            _put(inputs, table, name, _parsed(value, type, name, span))
    for name, description, span, type in fills:
        shape = _known_shape(inputs, table, type, name, span)
        _put(inputs, table, name, filled(description, shape, what(table, name), span))
    return inputs


def what(table: Table, name: str) -> str:
    return f"stage {name}" if name in table.stages else f"buffer {name}"


def declared_type(table: Table, name: str, span: Span) -> TensorType:
    id = table.stages.get(name, table.buffers.get(name))
    if id is None:
        known = [*table.stages, *table.buffers]
        hint = did_you_mean(name, known)
        listed = ", ".join(known[:12]) + (" …" if len(known) > 12 else "")
        help = f"did you mean {hint}?" if hint else f"stages and buffers: {listed or 'none'}"
        raise error("R611", f"the program has no stage or buffer {name}", span, help=help)
    return table.type(id)


def _put(inputs: Inputs, table: Table, name: str, array: np.ndarray) -> None:
    (inputs.stages if name in table.stages else inputs.buffers)[name] = array


def _parsed(value: str, type: TensorType, name: str, span: Span) -> np.ndarray:
    try:
        return read_array(value, type, lenient=True)
    except ExchangeError as problem:
        raise error(problem.code, f"{name}: {problem.message}", span) from None


def _checked(array: np.ndarray, type: TensorType, name: str, span: Span) -> np.ndarray:
    dtype = np.dtype(type.dtype.numpy)
    if array.dtype.newbyteorder("=") != dtype:
        raise error("R602", f"{name} is {type.dtype}, the file holds {array.dtype}", span)
    if array.ndim != type.rank or any(
        isinstance(extent, int) and extent != size
        for extent, size in zip(type.shape, array.shape, strict=True)
    ):
        raise error("R603", f"{name} is {type}, the file's shape is {list(array.shape)}", span)
    return np.array(array, dtype, order="C")


def _dimension(text: str, table: Table) -> tuple[str, int]:
    name, mark, value = (part.strip() for part in text.partition("="))
    span = flag_span("--dim", text)
    if not mark or not re.fullmatch(r"[0-9]{1,10}", value):
        raise error("U702", "--dim takes NAME=SIZE", span, help="`--dim B=16`")
    if name not in table.dims:
        known = ", ".join(table.dims) or "none"
        raise error(
            "R604", f"the program has no dimension {name}", span, help=f"dimensions: {known}"
        )
    lo, hi = table.dims[name]
    if not lo <= int(value) <= hi:
        raise error("R604", f"{name} = {value} is outside its bounds {lo}..{hi}", span)
    return name, int(value)


def _known_shape(
    inputs: Inputs, table: Table, type: TensorType, name: str, span: Span
) -> TensorType:
    if type.is_static:
        return type
    dims = bound_dims(inputs, table)
    try:
        shape = tuple(evaluate_extent(extent, dims) for extent in type.shape)
    except KeyError as unbound:
        symbol = unbound.args[0]
        raise error(
            "R604",
            f"{name} is {type}: {symbol} has no value",
            span,
            help=f"state it: `--dim {symbol}=16`",
        ) from None
    return tensor_type(type.dtype, shape)


# --- files --------------------------------------------------------------------------------


def read_npy(path: str, span: Span | None = None) -> np.ndarray:
    """One array from a file, without pickle."""
    try:
        size = Path(path).stat().st_size
        if size > memory_limit():
            raise error("R606", f"{path} is larger than a run may take", span)
        with open(path, "rb") as file:
            array = np.load(file, allow_pickle=False)
    except OSError as problem:
        raise error("U701", f"cannot read {path}: {problem.strerror or problem}", span) from None
    except (ValueError, EOFError, SyntaxError) as problem:
        raise error("U701", f"{path} is no array file: {problem}", span) from None
    if not isinstance(array, np.ndarray):
        raise error("U701", f"{path} holds several arrays", span, help="use --npz")
    return array


def read_archive(path: str) -> dict[str, np.ndarray]:
    """The arrays of an .npz file by name, without pickle."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > memory_limit():
                raise error("R606", f"{path} unpacks to more than a run may take")
            found: dict[str, np.ndarray] = {}
            for member in members:
                with archive.open(member) as file:
                    found[member.filename.removesuffix(".npy")] = np.lib.format.read_array(
                        file, allow_pickle=False
                    )
            return found
    except OSError as problem:
        raise error("U701", f"cannot read {path}: {problem.strerror or problem}") from None
    except (zipfile.BadZipFile, ValueError, EOFError, SyntaxError, NotImplementedError) as problem:
        raise error("U701", f"{path} is no archive of arrays: {problem}") from None


def archive_bytes(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of an .npz file; the same arrays give the same bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            with archive.open(entry, "w", force_zip64=True) as file:
                np.lib.format.write_array(
                    file, np.ascontiguousarray(array).reshape(array.shape), allow_pickle=False
                )
    return stream.getvalue()


def read_state(path: str, table: Table) -> dict[str, np.ndarray]:
    """A state saved before; R608 where it is not of this program."""
    state = read_archive(path)
    for name, array in state.items():
        if name not in table.buffers:
            raise error("R608", f"{path}: the program has no buffer {name}")
        type = table.type(table.buffers[name])
        if array.dtype != np.dtype(type.dtype.numpy) or array.shape != type.shape:
            given = f"{array.dtype} of shape {list(array.shape)}"
            raise error(
                "R608",
                f"{path}: buffer {name} is {type}, the file holds {given}",
                help="the state was saved by another program; name another file, or remove it",
            )
    return state
