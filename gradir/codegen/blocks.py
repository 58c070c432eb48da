"""Rows of a few columns, in blocks: a vector's lanes are rows, and each row keeps its order.

Whatever is computed of a block's rows is a loop over the columns around one over the rows. What
lies in memory is copied into arrays where a column stands behind another; what is read again
waits in such arrays, and so do folds, which take the columns one by one. Longer rows than LONGEST
have folds of another order and are not done like this.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from gradir.codegen import expressions
from gradir.codegen.loops import BLOCK, Block, For, Let, Local, Put, Set, Statement
from gradir.codegen.places import Flat, Kept, Place, Rowed, Scope
from gradir.codegen.poly import Poly, extent, number, ravel, variable
from gradir.codegen.steps import Phase, Rows
from gradir.codegen.values import Values
from gradir.codegen.walk import REDUCE, At
from gradir.ir.types import Shape

_MEMORY = re.compile(r"\bm\d+\[")
LONGEST = 32  # columns of which a fold is one left fold
FEWEST = BLOCK  # rows; of fewer the arrays cost more than they save
MANY_PHASES = 4  # whose work is more than that of copying
WIDE = 128  # bytes of a row that fill vectors themselves


@dataclass
class _Inside:
    """The inside of the loop over blocks: `index` is that of a block's first row."""

    block: Block
    scope: Scope
    columns: int
    shape: Shape
    index: tuple[Poly, ...]
    place: Rowed | None = None  # in a loop over elements
    arrays: dict[str, Local] = field(default_factory=dict)


class Blocks(Values):
    inside: _Inside | None = None

    @abstractmethod
    def root(self, id: int, here: Place, scope: Scope) -> None:
        """Compute a root at a place."""

    def blocked(self, step: Rows, shape: Shape) -> bool:
        """Whether rows with an index of this shape are done in blocks along its last axis."""
        columns, along = step.columns, shape[-1]
        many = not isinstance(along, int) or along >= FEWEST
        if not isinstance(columns, int) or columns > LONGEST or not many:
            return False
        full = [root for phase in step.phases if phase.full for root in phase.roots]
        if any(columns * self.table.type(r).dtype.itemsize >= WIDE for r in full):
            return False
        return len(step.phases) >= MANY_PHASES or any(
            self.table[id].op.name in expressions.ELEMENTARY
            for phase in step.phases
            for root in phase.roots
            for id in self.schedule.walk.inside(root)
        )

    def blocks(self, step: Rows, shape: Shape, index: tuple[Poly, ...], around: Scope) -> None:
        """The loop along the last axis of the rows' index; `index` is that of the others."""
        block = Block(self.fresh("i"), extent(shape[-1]))
        scope = around.inner(block.body, block.name, hoist=bool(index))
        assert isinstance(step.columns, int)
        index = (*index, variable(block.name))
        inside = self.inside = _Inside(block, scope, step.columns, shape, index)
        early = self.early(step.phases)
        done = {fold for folds in early.values() for fold in folds}
        for at, phase in enumerate(step.phases):
            if phase.full:
                for root in phase.roots:
                    self.keep(root, inside.columns, inside)
                self.elements(phase.roots, early.get(at, []), inside)
                for root in phase.roots:
                    self.copy_out(root, inside)
            else:
                self.once(phase.roots, done, inside)
        self.inside = None
        around.body.append(block)

    def early(self, phases: Sequence[Phase]) -> dict[int, list[int]]:
        """The folds that are done along with the elements of a phase, by its number: the first
        one behind which all is known that they take."""
        place = {root: at for at, phase in enumerate(phases) for root in phase.roots}
        found: dict[int, list[int]] = {}
        for last, phase in enumerate(phases):
            for root in () if phase.full else phase.roots:
                for fold in self.folds(root):
                    known = max((place.get(r, -1) for r in self.read_by(fold)), default=-1)
                    full = (p for p in range(max(known, 0), last) if phases[p].full)
                    at = next(full, None)
                    if known >= 0 and at is not None:
                        found.setdefault(at, []).append(fold)
        return found

    def read_by(self, id: int) -> set[int]:
        """The roots that a node reads."""
        found, stack = set(), [id]
        while stack:
            for operand in self.schedule.walk.operands(stack.pop()):
                if operand in self.schedule.roots:
                    found.add(operand)
                else:
                    stack.append(operand)
        return found

    def folds(self, root: int) -> list[int]:
        """The folds over columns inside a root that is computed once a row."""
        walk, found, stack = self.schedule.walk, [], [root]
        while stack:
            id = stack.pop()
            below = walk.below(id, At.ROW)
            if self.table[id].op is REDUCE and below is At.ALL:
                found.append(id)
            elif below is At.ROW:
                stack.extend(o for o in walk.operands(id) if o not in self.schedule.roots)
        return found

    def elements(self, roots: Sequence[int], folds: Sequence[int], inside: _Inside) -> None:
        """Roots at every element of the rows, and left folds of what is known of each."""
        arrays = [self.keep(fold, 1, inside) for fold in folds]
        kinds = [(self.table[fold].attrs[0], self.table.type(fold).dtype) for fold in folds]
        if folds:
            with self.each_row(inside, inside.scope) as (row, scope):
                for array, kind in zip(arrays, kinds, strict=True):
                    scope.body.append(Set(array.at(Flat(row)), expressions.identity(*kind)))
        with self.each_element(inside) as (place, scope):
            for root in roots:
                self.root(root, place, scope)
            for fold, array, kind in zip(folds, arrays, kinds, strict=True):
                term = self.value(self.table[fold].operands[0], place, scope)
                own = array.at(Flat(place.row))
                scope.body.append(Set(own, expressions.elementwise(*kind, [own, term])))

    def once(self, roots: Sequence[int], done: Collection[int], inside: _Inside) -> None:
        """Roots once a row, behind the folds that they take."""
        ready: list[int] = []
        for root in roots:
            folds = [fold for fold in self.folds(root) if fold not in done]
            if folds:
                self.each(ready, inside)
                self.elements((), folds, inside)
                ready = []
            ready.append(root)
        self.each(ready, inside)

    def each(self, roots: Sequence[int], inside: _Inside) -> None:
        """Roots once a row, whose folds are known."""
        if not roots:
            return
        for root in roots:
            if root not in inside.scope.kept:
                self.keep(root, 1, inside)
        with self.each_row(inside, inside.scope) as (row, scope):
            for root in roots:
                self.root(root, Flat(row), scope)
        for root in roots:
            with self.each_row(inside, inside.scope) as (row, scope):
                scope.body.append(Put(root, row, inside.scope.kept[root].at(Flat(row))))

    def keep(self, id: int, columns: int, inside: _Inside) -> Kept:
        """Room for a node's values of a block."""
        array = Local(self.table.type(id).dtype, self.fresh("r"), columns * BLOCK)
        inside.scope.body.append(array)
        inside.arrays[array.name] = array
        kept = Kept(array.name, ravel(inside.index, inside.shape), BLOCK)
        inside.scope.kept[id] = kept
        return kept

    def loaded(self, id: int, place: Place, scope: Scope) -> str:
        inside = self.inside
        if inside is None or place != inside.place or not isinstance(place, Rowed):
            return super().loaded(id, place, scope)
        kept = self.keep(id, inside.columns, inside)
        self.copy_in(id, kept, inside)
        return kept.at(place)

    def copy_in(self, id: int, kept: Kept, inside: _Inside) -> None:
        """A row after another; vectors are filled with the last one."""
        n, rows = inside.block.length(), For(self.fresh("i"), inside.block.filled())
        around = inside.scope.inner(rows.body, rows.name)
        at = variable(self.integer(f"{rows.name} < {n} ? {rows.name} : {n} - 1", around))
        columns = For(self.fresh("k"), number(inside.columns))
        scope = around.inner(columns.body, columns.name)
        column = variable(columns.name)
        value = super().loaded(id, Rowed(kept.first + at, column), scope)
        target = kept.at(Rowed(kept.first + variable(rows.name), column))
        scope.body.append(Set(target, value))
        around.body.append(columns)
        inside.scope.body.append(rows)

    def copy_out(self, id: int, inside: _Inside) -> None:
        with self.each_row(inside, inside.scope) as (row, around):
            loop = For(self.fresh("k"), number(inside.columns))
            at = Rowed(row, variable(loop.name))
            value = inside.scope.kept[id].at(at)
            loop.body.append(Put(id, self.offset(at, self.table.type(id).shape), value))
            around.body.append(loop)

    # --- loops --------------------------------------------------------------------------

    @contextmanager
    def each_element(self, inside: _Inside) -> Iterator[tuple[Rowed, Scope]]:
        """A column of all rows after another."""
        loop = For(self.fresh("k"), number(inside.columns))
        columns = inside.scope.inner(loop.body, loop.name)
        with self.each_row(inside, columns) as (row, scope):
            inside.place = Rowed(row, variable(loop.name))
            yield inside.place, scope
            inside.place = None
        inside.scope.body.append(loop)

    @contextmanager
    def each_row(self, inside: _Inside, around: Scope) -> Iterator[tuple[Poly, Scope]]:
        loop = For(self.fresh("i"), inside.block.length(), apart=True)
        scope = around.inner(loop.body, loop.name)
        index = (*inside.index[:-1], inside.index[-1] + variable(loop.name))
        row = ravel(index, inside.shape)
        scope.split[row, inside.shape] = index
        yield row, scope
        around.body.append(loop)
        if all(map(_in_arrays, loop.body)):
            loop.count = inside.block.filled()
        for statement in loop.body:
            if isinstance(statement, Set) and loop.count == inside.block.length():
                inside.arrays[statement.target.partition("[")[0]].zero = True


def _in_arrays(statement: Statement) -> bool:
    """Whether a statement touches no memory."""
    return isinstance(statement, Let | Set) and not _MEMORY.search(statement.expression)
