"""What is wrong with a value: the arrays side by side, a likely cause, the first node at fault.

A cause is named only where the numbers bear it out; where none fits, none is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradir.lessons.causes import likely_cause
from gradir.runtime.exchange import dtype_of
from gradir.runtime.filling import Inputs
from gradir.runtime.gradcheck import numeric_gradient
from gradir.runtime.program import Program
from gradir.runtime.showing import array_text, brief
from gradir.text.diagnostics import GirError
from gradir.text.printer import operation_text

if TYPE_CHECKING:
    from gradir.lessons.cases import Ran, Wanted

SHOWN = 64  # elements of an array in a message; of a larger one the extent
MOST_NODES = 4000
DIGITS = 4  # to which two values count as the same while a node at fault is looked for


class Difference(NamedTuple):
    message: str
    lines: list[str]


def difference(what: str, expected: np.ndarray, found: np.ndarray) -> Difference:
    """In one line, and at length."""
    if dtype_of(expected) is not dtype_of(found) or expected.shape != found.shape:
        message = f"{what} is {type_text(found)}, expected {type_text(expected)}"
        cause = likely_cause(expected, found)
        lines = [f"likely cause: {cause}"] if cause else []
        return Difference(message, lines + _arrays(expected, found, None))
    worst = worst_index(expected, found)
    a, b = expected[worst], found[worst]
    place = f"[{','.join(map(str, worst))}]" if worst else ""
    message = f"{what}{place} is {_one(b)}, expected {_one(a)}"
    wrong = int((_bits(expected) != _bits(found)).sum())
    if expected.size > 1:
        message += f" ({wrong} of {expected.size} elements differ)"
    cause = likely_cause(expected, found)
    lines = [f"likely cause: {cause}"] if cause else []
    return Difference(message, lines + _arrays(expected, found, _distance(expected, found)))


def type_text(array: np.ndarray) -> str:
    shape = f"[{','.join(map(str, array.shape))}]" if array.ndim else ""
    return f"{dtype_of(array)}{shape}"


def _one(value: np.generic) -> str:
    return array_text("", np.asarray(value)).split("= ", 1)[1].strip()


def _bits(array: np.ndarray) -> np.ndarray:
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(f"u{array.dtype.itemsize}")


def _distance(expected: np.ndarray, found: np.ndarray) -> np.ndarray | None:
    if expected.dtype.kind == "b":
        return None
    with np.errstate(all="ignore"):
        if expected.dtype.kind == "f":
            same = _bits(expected).reshape(expected.shape) == _bits(found).reshape(found.shape)
            apart = np.where(same, 0, found - expected)
            return np.asarray(apart, expected.dtype)
        return found.astype(np.int64) - expected.astype(np.int64)


def worst_index(expected: np.ndarray, found: np.ndarray) -> tuple[int, ...]:
    """Where two arrays of one type are farthest apart; a NaN on one side counts as farthest."""
    differs = (_bits(expected) != _bits(found)).reshape(expected.shape)
    with np.errstate(all="ignore"):
        apart = np.abs(found.astype(np.float64) - expected.astype(np.float64))
    apart = np.where(np.isnan(apart), np.inf, apart)
    apart = np.where(differs, apart, -1.0)
    at = np.unravel_index(int(np.argmax(apart)), expected.shape) if expected.size else ()
    return tuple(int(i) for i in at)


def _arrays(expected: np.ndarray, found: np.ndarray, apart: np.ndarray | None) -> list[str]:
    lines: list[str] = []
    for title, array in (("expected", expected), ("yours", found), ("difference", apart)):
        if array is None or (title == "difference" and array.size < 2):
            continue
        lines += shown(title, np.asarray(array))
    return lines


def shown(title: str, array: np.ndarray) -> list[str]:
    """An array as lines; of a large one its extent."""
    if array.size > SHOWN:
        return [f"{title}: {type_text(array)}: {brief(array)}"]
    return array_text(title, array).rstrip("\n").split("\n")


# --- nodes --------------------------------------------------------------------------------


def first_node(
    yours: Program,
    solution: Program,
    ran: Ran,
    inputs: tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray], Mapping[str, int]],
    item: Wanted,
) -> list[str]:
    """The first node of a submission whose value the solution does not have.

    A value of the same name in both is compared first. Otherwise: the first node on the way to
    the wrong result whose operands' values all occur in the solution, and whose own does not.
    """
    if len(yours.table) > MOST_NODES or len(solution.table) > MOST_NODES:
        return []
    mine = _traced(yours, ran.inputs, ran.buffers, ran.session.stated_dims)
    stages, buffers, dims = inputs
    theirs = _traced(solution, stages, buffers, dims)
    table = yours.table
    for name, id in sorted(table.names.items(), key=lambda pair: pair[1]):
        other = solution.table.names.get(name)
        if other is None or id not in mine or other not in theirs or not _named_by_user(name):
            continue
        if _key(mine[id]) != _key(theirs[other]):
            head = f"the first node that differs is %{name}"
            return [
                f"{head}: {place(yours, id)}",
                *_pair(theirs[other], mine[id], f"%{name}"),
            ]
    known = {_key(value) for value in theirs.values()}
    root = _root(yours, item)
    if root is None:
        return []
    constants: set[int] = set()  # and what is made of nothing else: another way to say a number
    for id in sorted(_ancestors(yours, root)):
        operands = [o for o in table[id].operands if o in mine and o not in constants]
        if table[id].op.name in ("const", "iota") or (table[id].operands and not operands):
            constants.add(id)
            continue
        if id not in mine or _key(mine[id]) in known:
            continue
        if all(_key(mine[o]) in known for o in operands):
            line = f"the first value that the solution does not have is {_label(yours, id)}"
            return [f"{line}: {place(yours, id)}", *shown("  it is", np.asarray(mine[id]))]
    return []


def _named_by_user(name: str) -> bool:
    return not name.isdigit()


def _label(program: Program, id: int) -> str:
    names = program.table.node_names.get(id)
    return f"%{names[0]}" if names else "an inner value"


def _pair(expected: np.ndarray, found: np.ndarray, name: str) -> list[str]:
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return [f"  {name} is {type_text(found)}; in the solution {type_text(expected)}"]
    return [*shown("  yours", found), *shown("  the solution's", expected)]


def place(program: Program, id: int) -> str:
    """A node's line as it stands in the text, or its operation."""
    table = program.table
    span = table.span(id)
    if span is None:
        return operation_text(table, table[id])[:100]
    return f"line {span.line}: {span.source.line(span.line).strip()[:120]}"


def place_lines(program: Program, id: int) -> list[str]:
    span = program.table.span(id)
    if span is None:
        return []
    number = span.line
    return [f"line {number}: {span.source.line(number).strip()}"]


def _root(program: Program, item: Wanted) -> int | None:
    table = program.table
    if not item.slot:
        return table.outputs.get(item.name)
    buffer = table.buffers.get(item.name)
    stores = [id for id in table.of_op("store") if table[id].operands[0] == buffer]
    return stores[-1] if stores else None


def _ancestors(program: Program, root: int) -> set[int]:
    found, stack = {root}, [root]
    while stack:
        for operand in program.table[stack.pop()].operands:
            if operand not in found:
                found.add(operand)
                stack.append(operand)
    return found


def _traced(
    program: Program,
    stages: Mapping[str, np.ndarray],
    buffers: Mapping[str, np.ndarray],
    dims: Mapping[str, int],
) -> dict[int, np.ndarray]:
    """The value of every node of the first step; inside loops, of the last turn."""
    values: dict[int, np.ndarray] = {}
    session = program.session(dims=dims, state=buffers, backend="numpy")

    def keep(id: int, value: np.ndarray) -> None:
        values[id] = np.array(value)

    session.run(stages, trace=keep)
    return values


def _key(value: np.ndarray) -> tuple[str, tuple[int, ...], bytes]:
    """A value up to rounding: two that agree to DIGITS digits mostly have one key."""
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return (array.dtype.str, array.shape, array.tobytes())
    with np.errstate(all="ignore"):
        wide = array.astype(np.float64)
        size = np.abs(wide)
        exponent = np.floor(np.log10(np.where((size > 0) & np.isfinite(size), size, 1.0)))
        unit = 10.0 ** (exponent - DIGITS + 1)
        rounded = np.where(np.isfinite(wide), np.round(wide / unit) * unit, wide)
        rounded = np.where(size < 1e-30, 0.0, rounded)
    return (array.dtype.str, array.shape, np.round(rounded, 12).tobytes())


# --- gradients ----------------------------------------------------------------------------


def differences_beside(program: Program, output: str, inputs: Inputs) -> list[str]:
    """Finite differences of the gradient that an output shows, where it shows one."""
    table = program.table
    id = table.outputs.get(output)
    if id is None:
        return []
    shown_id = table[id].operands[0]
    gradient = next((g for g in program.gradients if g.result == shown_id), None)
    if gradient is None:
        return []
    try:
        numeric = numeric_gradient(program, inputs, gradient)
    except (GirError, ArithmeticError):
        return []
    if numeric is None:
        return []
    label = f"%{table.label(gradient.y)} by %{table.label(gradient.x)}"
    title = f"finite differences of your {label}, in f64"
    return shown(title, numeric.astype(np.float32).astype(np.float64).round(6))
