"""Lowering: each step of a schedule becomes a kernel in the loop language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from gradir.codegen import expressions, strides
from gradir.codegen.blocks import Blocks
from gradir.codegen.loops import (
    Call,
    ColumnFolds,
    For,
    Guard,
    Kernel,
    Let,
    Local,
    LoopCall,
    MatmulCall,
    Matrices,
    Put,
    Set,
)
from gradir.codegen.memory import live_calls
from gradir.codegen.places import Flat, Kept, Place, Rowed, Scope
from gradir.codegen.poly import Poly, elements, extent, number, ravel, variable
from gradir.codegen.schedule import Schedule
from gradir.codegen.steps import (
    Access,
    Check,
    Columns,
    Matmul,
    Nest,
    Phase,
    Repeat,
    Rows,
    ScatterAdd,
    Work,
)
from gradir.codegen.walk import At
from gradir.ir.types import Shape, product

MAX_PARTS = 4  # of a nest's columns


def lower(schedule: Schedule) -> list[Call]:
    """The kernels of a schedule in the order of their calls."""
    calls = _Lowering(schedule).calls(schedule.steps)
    return live_calls(schedule.table, calls, schedule.cells)


class _Lowering(Blocks):
    def __init__(self, schedule: Schedule) -> None:
        super().__init__(schedule)
        self.walk = schedule.walk
        self.kernels = 0

    def calls(self, steps: Sequence[Work]) -> list[Call]:
        made: list[Call] = []
        for step in steps:
            if isinstance(step, Repeat):
                scope = self.scope([])
                (count,) = self.table[step.range].operands
                text = self.value(count, (), scope)
                made.append(LoopCall(step.range, text, scope.kernel.reads, self.calls(step.steps)))
            else:
                made.append(self.kernel(step))
        return made

    def kernel(self, step: Work) -> Kernel:
        match step:
            case Nest():
                return self.nest(step)
            case Rows():
                return self.rows(step)
            case Matmul(node):
                return self.matmul(node)
            case Columns(node):
                return self.columns(node)
            case ScatterAdd(node):
                return self.scatter_add(node)
            case Check(node):
                return self.check(node)
            case Access(node):
                return self.access(node)
            case _:
                raise AssertionError(step)

    def scope(self, nodes: list[int]) -> Scope:
        self.kernels += 1
        kernel = Kernel(f"gir_k{self.kernels}", nodes)
        return Scope(kernel, kernel.body)

    # --- kernels ------------------------------------------------------------------------

    def nest(self, nest: Nest) -> Kernel:
        scope = self.scope(nest.roots)
        flat = all(self.is_flat(root, nest.shape, set(nest.roots)) for root in nest.roots)
        if not nest.shape:
            for root in nest.roots:
                self.root(root, (), scope)
        elif flat:
            with self.opened(scope, (product(nest.shape),)) as (inner, (index,)):
                for root in nest.roots:
                    self.root(root, Flat(index), inner)
        elif len(nest.shape) > 1 and self.unrolled(nest.shape[-1], nest.roots):
            assert isinstance(nest.shape[-1], int)
            with self.opened(scope, nest.shape[:-1]) as (inner, row):
                for column in range(nest.shape[-1]):
                    for root in nest.roots:
                        self.root(root, (*row, number(column)), inner)
        elif len(columns := self.columns_of_pads(nest)) > 1:
            with self.opened(scope, nest.shape[:-1]) as (outer, above):
                for part in columns:
                    with self.opened(outer, (len(part),), hoist=True) as (inner, (at,)):
                        for root in nest.roots:
                            self.root(root, (*above, at + number(part.start)), inner)
        else:
            with self.opened(scope, nest.shape) as (inner, here):
                for root in nest.roots:
                    self.root(root, here, inner)
        return scope.kernel

    def columns_of_pads(self, nest: Nest) -> list[range]:
        """The columns of a nest in parts, in each of which a pad is all fill or none; one part
        if that is none of it, or too much text. One axis alone is left to threads."""
        columns = nest.shape[-1]
        if not isinstance(columns, int) or len(nest.shape) == 1:
            return []
        cuts = {0, columns}
        for id in (id for root in nest.roots for id in self.walk.inside(root)):
            node = self.table[id]
            if node.op.name == "pad" and node.type.shape[-1] == columns:
                lo, size = node.attrs[0][-1], self.table.type(node.operands[0]).shape[-1]
                cuts |= {lo, lo + size} if isinstance(size, int) else {0}
        parts = [range(start, stop) for start, stop in pairwise(sorted(cuts))]
        return parts if len(parts) <= MAX_PARTS else []

    @contextmanager
    def opened(
        self, scope: Scope, shape: Shape, hoist: bool = False
    ) -> Iterator[tuple[Scope, tuple[Poly, ...]]]:
        """Loops over a shape whose iterations are apart, and the index inside them all. What is
        the same in a whole loop is computed before it, but nothing before the outermost one
        unless `hoist`."""
        loops = [For(self.fresh("i"), extent(size), apart=True) for size in shape]
        scopes = [scope]
        for loop in loops:
            before = hoist or len(scopes) > 1
            scopes.append(scopes[-1].inner(loop.body, loop.name, before, loop.count))
        yield scopes[-1], tuple(variable(loop.name) for loop in loops)
        for around, loop in reversed(list(zip(scopes, loops, strict=False))):
            around.body.append(loop)

    def rows(self, step: Rows) -> Kernel:
        """A loop over rows, of one index where no other is asked for, and the phases in it."""
        scope = self.scope([root for phase in step.phases for root in phase.roots])
        asked = {self.leading(root, phase) for phase in step.phases for root in phase.roots}
        asked.discard(None)
        shape = asked.pop() if len(asked) == 1 else None
        shape = shape or (step.rows,)
        if not self.unrolled(step.columns, scope.kernel.nodes) and self.blocked(step, shape):
            with self.opened(scope, shape[:-1]) as (inner, index):
                self.blocks(step, shape, index, inner)
            return scope.kernel
        with self.opened(scope, shape) as (inner, index):
            row = ravel(index, shape)
            inner.split[row, shape] = index
            for phase in step.phases:
                self.phase(phase, step, row, inner)
        return scope.kernel

    def phase(self, phase: Phase, step: Rows, row: Poly, scope: Scope) -> None:
        if not phase.full:
            for root in phase.roots:
                self.root(root, Flat(row), scope)
            return
        assert isinstance(step.columns, int)
        if self.unrolled(step.columns, [r for p in step.phases for r in p.roots]):
            for column in range(step.columns):
                for root in phase.roots:
                    self.root(root, Rowed(row, number(column)), scope)
            return
        for root in phase.roots:
            if root in step.local:
                dtype = self.table[root].type.dtype
                name = self.fresh("r")
                scope.body.append(Local(dtype, name, step.columns))
                scope.kept[root] = Kept(name, row, 1)
        loop = For(self.fresh("i"), number(step.columns), apart=True)
        inner = scope.inner(loop.body, loop.name)
        for root in phase.roots:
            self.root(root, Rowed(row, variable(loop.name)), inner)
        scope.body.append(loop)

    def leading(self, root: int, phase: Phase) -> Shape | None:
        """The axes whose index it takes to compute a root; None if the row's number will do."""
        if self.walk.simple(root, At.ELEMENT if phase.full else At.ROW):
            return None
        shape = self.table.type(root).shape
        return shape[:-1] if phase.full or shape[-1] == 1 else shape

    def loops(self, scope: Scope, shape: Shape) -> tuple[Poly, ...]:
        """Open a loop an axis; the index inside them all."""
        index = []
        for size in shape:
            loop = For(self.fresh("i"), extent(size))
            scope.body.append(loop)
            scope.body = loop.body
            index.append(variable(loop.name))
        return tuple(index)

    def root(self, id: int, here: Place, scope: Scope) -> None:
        """Compute a root at the nest's index; what goes to memory is decided by who reads it."""
        node = self.table[id]
        if node.op.name in ("output", "store"):
            value = self.value(node.operands[-1], here, scope)
            expression = expressions.canonical(node.type.dtype, value)
        else:
            expression, function = self.compute(id, here, scope)
            name = self.fresh("r")
            scope.body.append(Let(node.type.dtype, name, expression, function))
            scope.names[id, here] = name
            expression = name
        scope.kernel.writes[id] = node.type.dtype
        if id in scope.kept:
            assert isinstance(here, Flat | Rowed)
            scope.body.append(Set(scope.kept[id].at(here), expression))
        if self.inside is None:  # or it is copied out of the array
            scope.body.append(Put(id, self.offset(here, node.type.shape), expression))

    def matmul(self, id: int) -> Kernel:
        """A product, or what a product is moved to: then it is written there."""
        nodes = self.schedule.products.get(id, [id])
        scope = self.scope(nodes[::-1])
        node = self.table[nodes[-1]]
        c = strides.result(self.table, nodes)
        assert c is not None
        a, b = (self.matrices(operand, scope) for operand in node.operands)
        scope.kernel.writes[id] = node.type.dtype
        *batch, rows, columns = node.type.shape
        inner = self.table.type(node.operands[0]).shape[-1]
        if c.column != number(1):  # a swapped product is the product of what is swapped
            a, b, c, rows, columns = b.swapped(), a.swapped(), c.swapped(), columns, rows
        sizes = (extent(rows), extent(inner), extent(columns))
        joint, apart = strides.joined(tuple(batch), (a.batch, b.batch, c.batch))
        a, b, c = (m._replace(batch=s) for m, s in zip((a, b, c), apart, strict=True))
        scope.body.append(MatmulCall(node.type.dtype, a, b, c, joint, sizes))
        return scope.kernel

    def matrices(self, id: int, scope: Scope) -> Matrices:
        """What a product reads: where it lies in the memory that it is a view of."""
        nodes = strides.path(self.table, id, self.needed.source, self.schedule.roots)
        self.load(nodes[-1], number(0), scope)
        return strides.operand(self.table, nodes)

    def memory_of(self, id: int, scope: Scope) -> int:
        """The node in whose memory a value lies: itself, or what it is a reshape of."""
        id = self.needed.source(id)
        while id not in self.schedule.roots and self.table[id].op.name == "reshape":
            id = self.needed.source(self.table[id].operands[0])
        self.load(id, number(0), scope)
        return id

    def columns(self, id: int) -> Kernel:
        scope = self.scope([id])
        node = self.table[id]
        op, axes, order = node.attrs
        x = self.memory_of(node.operands[0], scope)
        scope.kernel.writes[id] = node.type.dtype
        shape, first, behind = self.table.type(node.operands[0]).shape, axes[0], axes[-1] + 1
        sizes = (elements(part) for part in (shape[:first], shape[first:behind], shape[behind:]))
        scope.body.append(ColumnFolds(id, node.type.dtype, op, order, x, *sizes))
        return scope.kernel

    def scatter_add(self, id: int) -> Kernel:
        """x copied, then the values added one by one in row-major order of the indices."""
        scope = self.scope([id])
        node = self.table[id]
        x, indices, values = node.operands
        (axis,) = node.attrs
        dtype, shape = node.type.dtype, node.type.shape
        scope.kernel.writes[id] = dtype
        outer = scope.body
        place = self.loops(scope, shape)
        scope.body.append(Put(id, ravel(place, shape), self.value(x, place, scope)))
        scope.body, scope.names = outer, {}
        at = self.loops(scope, self.table.type(indices).shape)
        rest = self.loops(scope, (*shape[:axis], *shape[axis + 1 :]))
        index = self.integer(self.value(indices, at, scope), scope)
        target = ravel((*rest[:axis], variable(index), *rest[axis:]), shape)
        added = self.value(values, (*rest[:axis], *at, *rest[axis:]), scope)
        before = f"m{id}[{target}]"
        scope.body.append(Put(id, target, expressions.elementwise("add", dtype, [before, added])))
        return scope.kernel

    def check(self, id: int) -> Kernel:
        scope = self.scope([id])
        node = self.table[id]
        x, indices = node.operands[:2]
        axis = node.attrs[0]
        shape = self.table.type(indices).shape
        at = self.loops(scope, shape)
        index = self.integer(self.value(indices, at, scope), scope)
        size = extent(self.table.type(x).shape[axis])
        scope.body.append(Guard(id, axis, index, size, ravel(at, shape)))
        return scope.kernel

    def access(self, id: int) -> Kernel:
        """A load or store by index, or of the whole of a cell."""
        scope = self.scope([id])
        node = self.table[id]
        buffer, dtype = node.operands[0], node.type.dtype
        loading = node.op.name == "load"
        whole = self.table.type(buffer).shape
        leading = []
        for axis, operand in enumerate(node.operands[1 if loading else 2 :]):
            index = self.integer(self.value(operand, (), scope), scope)
            scope.body.append(Guard(id, axis, index, extent(whole[axis]), number(0)))
            leading.append(variable(index))
        place = self.loops(scope, node.type.shape)
        inside = ravel((*leading, *place), whole)
        if loading:
            memory = buffer
            if buffer not in self.schedule.cells:
                memory = self.needed.contents(node)
            scope.kernel.writes[id] = dtype
            self.put(scope, id, ravel(place, node.type.shape), self.load(memory, inside, scope))
        else:
            value = expressions.canonical(dtype, self.value(node.operands[1], place, scope))
            scope.kernel.writes[buffer] = dtype
            self.put(scope, buffer, inside, value)
        return scope.kernel

    def put(self, scope: Scope, node: int, offset: Poly, expression: str) -> None:
        scope.body.append(Put(node, offset, expression))
