"""Which kernels can be done in parts by several threads, and how much there is to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gradir.codegen.loops import (
    BLOCK,
    Block,
    ColumnFolds,
    Fold,
    For,
    Guard,
    Kernel,
    Let,
    MatmulCall,
    Statement,
)
from gradir.codegen.poly import Poly, number

FUNCTION_COST = 16  # operations that an elementary function counts for
FLAT_GRAIN = 1024  # elements; a thread's part ends on a line of the cache
COLUMNS_GRAIN = 64
ROWS_GRAIN = "GIR_ROWS_GRAIN"  # so that no part has tiles that the whole product has not
LEAST_ROWS = 32


class Work(NamedTuple):
    """A kernel's one loop: its length, the operations of an iteration, what a part is made of,
    and the length from which on two parts may pay."""

    length: Poly
    cost: Poly
    grain: int | str
    least: int


def divisible(kernel: Kernel) -> Work | None:
    """The loop that can be divided, where the body is one; index checks report in order, so a
    kernel that has any is done by one thread."""
    if len(kernel.body) != 1:
        return None
    (statement,) = kernel.body
    match statement:
        case For(_, count, body):
            if guarded(body):
                return None
            grain = 1 if any(isinstance(s, For | Block | Fold) for s in body) else FLAT_GRAIN
            return Work(count, _cost(body), grain, 2 * grain)
        case Block(_, count, body):
            return Work(count, _cost(body, statement), BLOCK, 2 * BLOCK)
        case MatmulCall(sizes=(rows, inner, columns)):
            if statement.count.constant() == 1:
                tiles = ROWS_GRAIN if statement.dtype.is_float else LEAST_ROWS // 2
                return Work(rows, inner * columns, tiles, LEAST_ROWS)
            return Work(statement.count, rows * inner * columns, 1, 2)
        case ColumnFolds(_, _, _, _, _, batch, count, columns):
            if batch.constant() == 1:
                return Work(columns, count, COLUMNS_GRAIN, 2 * COLUMNS_GRAIN)
            return Work(batch, count * columns, 1, 2)
    return None


def guarded(body: Sequence[Statement]) -> bool:
    return any(
        isinstance(s, Guard) or (isinstance(s, For | Fold) and guarded(s.body)) for s in body
    )


def fold_cost(fold: Fold, block: Block | None = None) -> Poly:
    """The operations for one term."""
    return _cost(fold.body, block) + number(1)


def _cost(body: Sequence[Statement], block: Block | None = None) -> Poly:
    """The operations of a body; of a block, those of one iteration."""
    total = number(0)
    for statement in body:
        match statement:
            case For(_, count, inner):
                once = block is not None and count in (block.length(), block.filled())
                total = total + (number(1) if once else count) * _cost(inner, block)
            case Block(_, count, inner):
                total = total + count * _cost(inner, statement)
            case Fold():
                total = total + statement.count * fold_cost(statement, block)
            case Let() if statement.function:
                total = total + number(FUNCTION_COST)
            case _:
                total = total + number(1)
    return total
