"""Lowering: each step of a schedule becomes a kernel in the loop language.

`value(id, index)` gives the C expression of a node at an index: its local name, a load from its
memory, or the expression of its operands at the index that its operation asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from gradir.codegen import expressions
from gradir.codegen.loops import (
    Call,
    ColumnFolds,
    Fold,
    For,
    Guard,
    Index,
    Kernel,
    Let,
    Local,
    LoopCall,
    MatmulCall,
    Put,
    Set,
    Statement,
    Strided,
)
from gradir.codegen.memory import live_calls
from gradir.codegen.poly import Poly, elements, extent, number, ravel, symbol, variable
from gradir.codegen.rows import At
from gradir.codegen.schedule import Schedule, only_ones, swaps
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
from gradir.ir.table import Node
from gradir.ir.types import I32, DType, Shape, product


class Flat(NamedTuple):
    """An index into a tensor's elements in row-major order."""

    offset: Poly


class Rowed(NamedTuple):
    """An index of a row, counted over all axes but the last, and the index in it."""

    row: Poly
    column: Poly


Place: TypeAlias = tuple[Poly, ...] | Flat | Rowed


def lower(schedule: Schedule) -> list[Call]:
    """The kernels of a schedule in the order of their calls."""
    calls = _Lowering(schedule).calls(schedule.steps)
    return live_calls(schedule.table, calls, schedule.cells)


@dataclass
class _Scope:
    """Where statements go, and what has a name there."""

    kernel: Kernel
    body: list[Statement]
    names: dict[tuple[int, Place], str] = field(default_factory=dict)
    local: dict[int, Place] = field(default_factory=dict)  # roots that have a name, and where
    rows: dict[int, Local] = field(default_factory=dict)  # roots with an array of a row's values
    split: dict[tuple[Poly, Shape], tuple[Poly, ...]] = field(default_factory=dict)

    own: set[str] = field(default_factory=set)  # indices that have a value only in here
    outer: _Scope | None = None  # where what is the same in the whole loop is computed

    def inner(self, body: list[Statement], variable: str, hoist: bool = True) -> _Scope:
        """The scope of a loop that stands behind all that this scope will hold."""
        local, split, names = dict(self.local), dict(self.split), dict(self.names)
        outer = self if hoist else None
        return _Scope(self.kernel, body, names, local, self.rows, split, {variable}, outer)

    def varies(self, place: Place) -> bool:
        """Whether a place is another one in each iteration of the loop."""
        return any(self.own & index.names() for index in place)


class _Lowering:
    def __init__(self, schedule: Schedule) -> None:
        self.schedule, self.table, self.walk = schedule, schedule.table, schedule.walk
        self.counter = 0
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

    def scope(self, nodes: list[int]) -> _Scope:
        self.kernels += 1
        kernel = Kernel(f"gir_k{self.kernels}", nodes)
        return _Scope(kernel, kernel.body)

    def fresh(self, stem: str = "t") -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

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
        else:
            with self.opened(scope, nest.shape) as (inner, here):
                for root in nest.roots:
                    self.root(root, here, inner)
        return scope.kernel

    @contextmanager
    def opened(self, scope: _Scope, shape: Shape) -> Iterator[tuple[_Scope, tuple[Poly, ...]]]:
        """Loops over a shape whose iterations are apart, and the index inside them all. What is
        the same in a whole loop is computed before it, but nothing before the outermost one."""
        loops = [For(self.fresh("i"), extent(size), apart=True) for size in shape]
        scopes = [scope]
        for loop in loops:
            scopes.append(scopes[-1].inner(loop.body, loop.name, hoist=len(scopes) > 1))
        yield scopes[-1], tuple(variable(loop.name) for loop in loops)
        for around, loop in reversed(list(zip(scopes, loops, strict=False))):
            around.body.append(loop)

    def rows(self, step: Rows) -> Kernel:
        """A loop over rows, of one index where no other is asked for, and the phases in it."""
        scope = self.scope([root for phase in step.phases for root in phase.roots])
        asked = {self.leading(root, phase) for phase in step.phases for root in phase.roots}
        asked.discard(None)
        shape = asked.pop() if len(asked) == 1 else None
        with self.opened(scope, shape or (step.rows,)) as (inner, index):
            row = ravel(index, shape or (step.rows,))
            if shape:
                inner.split[row, shape] = index
            for phase in step.phases:
                self.phase(phase, step, row, inner)
        return scope.kernel

    def phase(self, phase: Phase, step: Rows, row: Poly, scope: _Scope) -> None:
        if not phase.full:
            for root in phase.roots:
                self.root(root, Flat(row), scope)
            return
        assert isinstance(step.columns, int)
        for root in phase.roots:
            if root in step.local:
                dtype = self.table[root].type.dtype
                scope.rows[root] = Local(dtype, f"r{root}_row", step.columns)
                scope.body.append(scope.rows[root])
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

    def loops(self, scope: _Scope, shape: Shape) -> tuple[Poly, ...]:
        """Open a loop an axis; the index inside them all."""
        index = []
        for size in shape:
            loop = For(self.fresh("i"), extent(size))
            scope.body.append(loop)
            scope.body = loop.body
            index.append(variable(loop.name))
        return tuple(index)

    def root(self, id: int, here: Place, scope: _Scope) -> None:
        """Compute a root at the nest's index; what goes to memory is decided by who reads it."""
        node = self.table[id]
        if node.op.name in ("output", "store"):
            value = self.value(node.operands[-1], here, scope)
            expression = expressions.canonical(node.type.dtype, value)
        else:
            expression, function = self.compute(id, here, scope)
            name = f"r{id}"
            scope.body.append(Let(node.type.dtype, name, expression, function))
            scope.local[id] = here
            expression = name
        scope.kernel.writes[id] = node.type.dtype
        if id in scope.rows:
            assert isinstance(here, Rowed)
            scope.body.append(Set(f"{scope.rows[id].name}[{here.column}]", expression))
        else:
            scope.body.append(Put(id, self.offset(here, node.type.shape), expression))

    def offset(self, place: Place, shape: Shape) -> Poly:
        if isinstance(place, Flat):
            return place.offset
        if isinstance(place, Rowed):
            return place.row * extent(shape[-1]) + place.column
        return ravel(place, shape)

    def matmul(self, id: int) -> Kernel:
        scope = self.scope([id])
        node = self.table[id]
        a, b = (self.matrix(o, scope) for o in node.operands)
        scope.kernel.writes[id] = node.type.dtype
        *batch, rows, columns = node.type.shape
        inner = self.table.type(node.operands[0]).shape[-1]
        sizes = (extent(rows), extent(inner), extent(columns))
        scope.body.append(MatmulCall(id, node.type.dtype, a, b, elements(tuple(batch)), sizes))
        return scope.kernel

    def matrix(self, id: int, scope: _Scope) -> tuple[int, tuple[Poly, Poly, Poly]]:
        """The memory of a matrix and its strides; a swap of the last axes swaps the strides."""
        id = self.schedule_source(id)
        swapped = id not in self.schedule.roots and swaps(self.table[id])
        if swapped:
            id = self.schedule_source(self.table[id].operands[0])
        rows, columns = (extent(size) for size in self.table.type(id).shape[-2:])
        id = self.memory_of(id, scope)
        if swapped:
            return id, (rows * columns, number(1), columns)
        return id, (rows * columns, columns, number(1))

    def memory_of(self, id: int, scope: _Scope) -> int:
        """The node in whose memory a value lies: itself, or what it is a reshape of."""
        id = self.schedule_source(id)
        while id not in self.schedule.roots and self.table[id].op.name == "reshape":
            id = self.schedule_source(self.table[id].operands[0])
        self.load(id, number(0), scope)
        return id

    def columns(self, id: int) -> Kernel:
        scope = self.scope([id])
        node = self.table[id]
        op, axes, order = node.attrs
        x = self.memory_of(node.operands[0], scope)
        scope.kernel.writes[id] = node.type.dtype
        count = elements(self.table.type(node.operands[0]).shape[: len(axes)])
        columns = elements(node.type.shape)
        scope.body.append(ColumnFolds(id, node.type.dtype, op, order, x, count, columns))
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

    def integer(self, expression: str, scope: _Scope) -> str:
        name = self.fresh("q")
        scope.body.append(Index(name, expression))
        scope.own.add(name)
        return name

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
                memory = self.contents(node)
            scope.kernel.writes[id] = dtype
            self.put(scope, id, ravel(place, node.type.shape), self.load(memory, inside, scope))
        else:
            value = expressions.canonical(dtype, self.value(node.operands[1], place, scope))
            scope.kernel.writes[buffer] = dtype
            self.put(scope, buffer, inside, value)
        return scope.kernel

    def put(self, scope: _Scope, node: int, offset: Poly, expression: str) -> None:
        scope.body.append(Put(node, offset, expression))

    def contents(self, load: Node) -> int:
        versions = self.table.versions[load.operands[0]]
        for at in range(load.attr("version"), -1, -1):
            made = self.table[versions[at]]
            if made.op.name == "store":
                return self.schedule_source(made.operands[1])
            if made.op.name == "buffer":
                return versions[at]
        raise AssertionError("a buffer's first version is the buffer")

    # --- values -------------------------------------------------------------------------

    def schedule_source(self, id: int) -> int:
        """The node itself, or the one whose value it has: loads of a stored value, detach."""
        while True:
            if id in self.schedule.alias:
                id = self.schedule.alias[id]
            elif self.table[id].op.name == "detach":
                id = self.table[id].operands[0]
            else:
                return id

    def value(self, id: int, place: Place, scope: _Scope) -> str:
        """The expression of a node at an index; statements it needs go to the scope's body."""
        id = self.schedule_source(id)
        node = self.table[id]
        name = node.op.name
        if isinstance(place, Rowed) and node.type.shape[-1] == 1:
            place = Flat(place.row)
        if scope.local.get(id) == place:
            return f"r{id}"
        if scope.outer and not scope.varies(place):
            return self.hoisted(id, place, scope.outer)
        if id in scope.rows:
            assert isinstance(place, Rowed)
            return f"{scope.rows[id].name}[{place.column}]"
        if id in self.schedule.roots or name in ("stage", "buffer"):
            return self.load(id, self.offset(place, node.type.shape), scope)
        if name == "const":
            if not node.type.shape:
                return expressions.literal(node.type.dtype, node.attrs[0])
            return self.load(id, self.offset(place, node.type.shape), scope)
        if name == "range":
            return self.load(id, number(0), scope)
        if name == "size":
            return f"(int32_t){symbol(node.attrs[0])}"
        known = scope.names.get((id, place))
        if known is None:
            expression, function = self.compute(id, place, scope)
            known = self.fresh()
            scope.body.append(Let(node.type.dtype, known, expression, function))
            scope.names[id, place] = known
        return known

    def hoisted(self, id: int, place: Place, scope: _Scope) -> str:
        """A node's value before a loop, with a name: the loop does not read it from memory."""
        expression = self.value(id, place, scope)
        if "[" not in expression:
            return expression
        known = scope.names.get((id, place))
        if known is None:
            known = scope.names[id, place] = self.fresh()
            scope.body.append(Let(memory_dtype(self.table[id]), known, expression))
        return known

    def load(self, id: int, offset: Poly, scope: _Scope) -> str:
        scope.kernel.reads[id] = self.table.type(id).dtype
        return f"m{id}[{offset}]"

    def compute(self, id: int, place: Place, scope: _Scope) -> tuple[str, str | None]:
        """The expression of a node from its operands; of an elementary function the argument,
        and the function."""
        node = self.table[id]
        op = node.op
        if op.elementwise:
            operands = [self.value(o, place, scope) for o in node.operands]
            dtype = self.table.type(node.operands[-1]).dtype
            if op.name in expressions.ELEMENTARY:
                return operands[0], f"{op.name}_{dtype}"
            return expressions.elementwise(op.name, dtype, operands), None
        if op.name in ("cast", "bitcast"):
            x = self.value(node.operands[0], place, scope)
            convert = expressions.cast if op.name == "cast" else expressions.bitcast
            return convert(self.table.type(node.operands[0]).dtype, node.type.dtype, x), None
        if op.name == "reduce":
            return self.reduce(id, place, scope), None
        return self.view(node, place, scope), None

    def view(self, node: Node, place: Place, scope: _Scope) -> str:
        """A movement: the operand at another index."""
        name = node.op.name
        (x, *rest) = node.operands or (0,)
        shape = self.table.type(x).shape if node.operands else node.type.shape
        if not isinstance(place, tuple) or isinstance(place, Flat | Rowed):
            moved_on = self.row_view(node, place, scope)
            if moved_on is not None:
                return moved_on
            place = self.full_index(place, node.type.shape, scope)
        if name == "iota":
            return f"({expressions.C_TYPES[node.type.dtype.name]})({place[node.attrs[0]]})"
        if name == "expand":
            moved = tuple(
                at if old == new else number(0)
                for at, old, new in zip(place, shape, node.type.shape, strict=True)
            )
            return self.value(x, moved, scope)
        if name == "reshape":
            return self.reshape(x, node, place, scope)
        if name == "permute":
            axes = node.attrs[0]
            return self.value(x, tuple(place[axes.index(a)] for a in range(len(axes))), scope)
        if name == "flip":
            moved = tuple(
                extent(size) - number(1) - at if axis in node.attrs[0] else at
                for axis, (at, size) in enumerate(zip(place, shape, strict=True))
            )
            return self.value(x, moved, scope)
        if name == "shrink":
            lo = node.attrs[0]
            moved = tuple(at + number(start) for at, start in zip(place, lo, strict=True))
            return self.value(x, moved, scope)
        if name == "pad":
            return self.pad(node, place, scope)
        assert name == "take"
        axis, rank = node.attrs[0], len(self.table.type(rest[0]).shape)
        inner = self.value(rest[0], place[axis : axis + rank], scope)
        index = variable(self.integer(inner, scope))
        return self.value(x, (*place[:axis], index, *place[axis + rank :]), scope)

    def row_view(self, node: Node, place: Flat | Rowed, scope: _Scope) -> str | None:
        """A movement of a place in a row or in row-major order; None if it needs every index."""
        shape = node.type.shape
        if node.op.name == "iota":
            if isinstance(place, Rowed) and node.attrs[0] == len(shape) - 1:
                return f"({expressions.C_TYPES[node.type.dtype.name]})({place.column})"
            if len(shape) == 1:
                offset = self.offset(place, shape)
                return f"({expressions.C_TYPES[node.type.dtype.name]})({offset})"
            return None
        if node.op.name not in ("reshape", "expand"):
            return None
        (x,) = node.operands
        inner = self.table.type(x).shape
        if elements(inner).constant() == 1:
            return self.value(x, (number(0),) * len(inner), scope)
        if node.op.name == "reshape":
            if isinstance(place, Flat):
                return self.value(x, place, scope)
            return self.value(x, place, scope) if inner and inner[-1] == shape[-1] else None
        if inner == shape:
            return self.value(x, place, scope)
        if isinstance(place, Flat):
            return None
        column = place.column if inner[-1] == shape[-1] else number(0)
        if inner[:-1] == shape[:-1]:
            return self.value(x, Rowed(place.row, column), scope)
        if elements(inner[:-1]).constant() == 1:
            return self.value(x, Rowed(number(0), column), scope)
        return None

    def full_index(self, place: Flat | Rowed, shape: Shape, scope: _Scope) -> tuple[Poly, ...]:
        """The index on every axis; divisions where no loop counts them."""
        if isinstance(place, Rowed):
            return (*self.full_index(Flat(place.row), shape[:-1], scope), place.column)
        while shape and shape[-1] == 1:
            return (*self.full_index(place, shape[:-1], scope), number(0))
        if scope.outer and not scope.varies(place):
            return self.full_index(place, shape, scope.outer)
        known = scope.split.get((place.offset, shape))
        if known is None:
            known = self.unravel_poly(place.offset, list(shape), scope)
            scope.split[place.offset, shape] = known
        return known

    def reshape(self, x: int, node: Node, place: tuple[Poly, ...], scope: _Scope) -> str:
        shape = self.table.type(x).shape
        if only_ones(shape, node.type.shape):
            longer = [at for at, size in zip(place, node.type.shape, strict=True) if size != 1]
            moved = tuple(number(0) if size == 1 else longer.pop(0) for size in shape)
            return self.value(x, moved, scope)
        return self.value(x, Flat(ravel(place, node.type.shape)), scope)

    def pad(self, node: Node, place: tuple[Poly, ...], scope: _Scope) -> str:
        lo, _, fill = node.attrs
        shape = self.table.type(node.operands[0]).shape
        inside, moved = [], []
        for at, start, size in zip(place, lo, shape, strict=True):
            position = at - number(start)
            inside.append(f"(uint64_t)({position}) < (uint64_t)({extent(size)})")
            moved.append(position)
        # Outside the condition it must not be read: there may be no such element.
        x = self.value(node.operands[0], tuple(moved), replace(scope, outer=None))
        return (
            f"({' && '.join(inside) or '1'} ? {x} : {expressions.literal(node.type.dtype, fill)})"
        )

    def reduce(self, id: int, place: Place, scope: _Scope) -> str:
        """A fold at the index of the axes that stay."""
        node = self.table[id]
        axes = node.attrs[1]
        (x,) = node.operands
        source = self.table.type(x)
        name, k = self.fresh("f"), self.fresh("k")
        count = elements(tuple(source.shape[a] for a in axes))
        inner = scope.inner([], k)
        trailing = axes == tuple(range(source.rank - len(axes), source.rank))
        where: Place
        if isinstance(place, Flat) and trailing and len(axes) == 1:
            where = Rowed(place.offset, variable(k))
            return self.fold(id, x, where, name, k, count, inner, scope)
        kept = self.kept_index(place, node.type.shape, scope)
        if trailing and len(axes) != 1 and self.is_flat(x, source.shape, set()):
            where = Flat(ravel(kept, node.type.shape) * count + variable(k))
        else:
            reduced = self.unravel(k, [source.shape[a] for a in axes], inner)
            stay = iter(kept)
            where = tuple(
                reduced[axes.index(a)] if a in axes else next(stay) for a in range(source.rank)
            )
        return self.fold(id, x, where, name, k, count, inner, scope)

    def strided(self, x: int, where: Place, k: str, scope: _Scope) -> Strided | None:
        """Where the terms of a fold lie, if they are a node's memory in equal steps."""
        x = self.schedule_source(x)
        shape = self.table.type(x).shape
        if x in scope.rows:
            return None
        if x not in self.schedule.roots and self.table[x].op.name not in ("stage", "buffer"):
            return None
        step, first = self.offset(where, shape).split(k)
        return None if step is None else Strided(x, first, step)

    def fold(
        self,
        id: int,
        x: int,
        where: Place,
        name: str,
        k: str,
        count: Poly,
        inner: _Scope,
        scope: _Scope,
    ) -> str:
        op, _, order = self.table[id].attrs
        dtype = self.table[id].type.dtype
        term = self.value(x, where, inner)
        terms = self.strided(x, where, k, inner) if not inner.body else None
        fold = Fold(dtype, name, op, order, k, count, inner.body, term, terms)
        scope.body.append(fold)
        return name

    def kept_index(self, place: Place, shape: Shape, scope: _Scope) -> tuple[Poly, ...]:
        if isinstance(place, Flat | Rowed):
            return self.full_index(place, shape, scope)
        return place

    def unravel(self, k: str, sizes: list[object], scope: _Scope) -> tuple[Poly, ...]:
        return self.unravel_poly(variable(k), sizes, scope)

    def unravel_poly(self, offset: Poly, sizes: list[object], scope: _Scope) -> tuple[Poly, ...]:
        """The index of an offset in row-major order; of one axis it is the offset itself."""
        if len(sizes) <= 1:
            return (offset,) * len(sizes)
        found: list[Poly] = []
        rest = f"({offset})"
        for size in reversed(sizes[1:]):
            whole = f"({extent(size)})"  # type: ignore[arg-type]
            found.append(variable(self.integer(f"{rest} % {whole}", scope)))
            rest = self.integer(f"{rest} / {whole}", scope)
        return (variable(rest), *reversed(found))

    def is_flat(self, id: int, shape: Shape, joint: set[int]) -> bool:
        """Whether a tree can be computed element by element in row-major order of its shape."""
        stack = [(id, True)]
        while stack:
            at, top = stack.pop()
            at = self.schedule_source(at)
            node = self.table[at]
            name = node.op.name
            memory = at in self.schedule.roots or name in ("stage", "buffer", "const")
            if memory and not (top and at == id):
                continue
            if name in ("output", "store"):
                stack.append((node.operands[-1], False))
            elif node.op.elementwise or name in ("cast", "bitcast", "reshape"):
                stack.extend((operand, False) for operand in node.operands)
            elif name == "expand":
                if elements(self.table.type(node.operands[0]).shape).constant() != 1:
                    return False
            elif name == "iota":
                if len(node.type.shape) != 1:
                    return False
            elif name != "size" and name != "range":
                return False
        return True


def memory_dtype(node: Node) -> DType:
    return I32 if node.op.name == "range" else node.type.dtype
