"""The expression of a node at a place: what a kernel's statements are made of.

`value(id, place)` is the node's local name, a load from its memory, or the expression of its
operands at the places that its operation asks for. What is the same in a whole loop is computed
before it.
"""

from __future__ import annotations

from collections.abc import Iterable

from gradir.codegen import expressions
from gradir.codegen.loops import Fold, Index, Let, Strided
from gradir.codegen.places import Counted, Flat, Place, Rowed, Scope
from gradir.codegen.poly import Poly, elements, extent, number, ravel, symbol, variable
from gradir.codegen.roots import VIEWS, counts_up, only_ones
from gradir.codegen.schedule import Schedule
from gradir.ir.table import Node
from gradir.ir.types import I32, U32, DType, Extent, Shape

MAX_UNROLLED = 4  # iterations
MAX_STATEMENTS = 256  # of a loop that is written out


class Values:
    def __init__(self, schedule: Schedule) -> None:
        self.schedule, self.table, self.needed = schedule, schedule.table, schedule.needed
        self.counter = 0

    def fresh(self, stem: str = "t") -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def offset(self, place: Place, shape: Shape) -> Poly:
        if isinstance(place, Flat):
            return place.offset
        if isinstance(place, Rowed):
            return place.row * extent(shape[-1]) + place.column
        return ravel(place, shape)

    def integer(self, expression: str, scope: Scope) -> str:
        name = self.fresh("q")
        scope.body.append(Index(name, expression))
        scope.own.add(name)
        return name

    def value(self, id: int, place: Place, scope: Scope) -> str:
        """The expression of a node at an index; statements it needs go to the scope's body."""
        id = self.needed.source(id)
        node = self.table[id]
        name = node.op.name
        if isinstance(place, Rowed) and node.type.shape[-1] == 1:
            place = Flat(place.row)
        if id in self.schedule.roots and (id, place) in scope.names:
            return scope.names[id, place]
        if scope.outer and not scope.varies(place):
            return self.hoisted(id, place, scope.outer)
        if id in scope.kept:
            assert isinstance(place, Flat | Rowed)
            return scope.kept[id].at(place)
        if id in self.schedule.roots or name in ("stage", "buffer"):
            return self.loaded(id, place, scope)
        if name == "const":
            if not node.type.shape:
                text = expressions.literal(node.type.dtype, node.attrs[0])
                if not node.type.dtype.is_int:
                    return text
                signed = node.type.dtype is not U32
                value = int.from_bytes(node.attrs[0], "little", signed=signed)
                return Counted.of(text, number(value)) if abs(value) < 2**62 else text
            return self.load(id, self.offset(place, node.type.shape), scope)
        if name == "range":
            return self.load(id, number(0), scope)
        if name == "size":
            return f"(int32_t){symbol(node.attrs[0])}"
        known = scope.names.get((id, place))
        if known is None:
            expression, function = self.compute(id, place, scope)
            if name in VIEWS and "[" not in expression:
                return expression
            known = self.fresh()
            scope.body.append(Let(node.type.dtype, known, expression, function))
            scope.names[id, place] = known
        return known

    def hoisted(self, id: int, place: Place, scope: Scope) -> str:
        """A node's value before a loop, with a name: the loop does not read it from memory."""
        expression = self.value(id, place, scope)
        if "[" not in expression:
            return expression
        known = scope.names.get((id, place))
        if known is None:
            known = scope.names[id, place] = self.fresh()
            scope.body.append(Let(memory_dtype(self.table[id]), known, expression))
        return known

    def loaded(self, id: int, place: Place, scope: Scope) -> str:
        """A node's value from its memory."""
        return self.load(id, self.offset(place, self.table.type(id).shape), scope)

    def load(self, id: int, offset: Poly, scope: Scope) -> str:
        scope.kernel.reads[id] = self.table.type(id).dtype
        return f"m{id}[{offset}]"

    def compute(self, id: int, place: Place, scope: Scope) -> tuple[str, str | None]:
        """The expression of a node from its operands; of an elementary function the argument,
        and the function."""
        node = self.table[id]
        op = node.op
        if op.elementwise:
            operands = [self.value(o, place, scope) for o in node.operands]
            dtype = self.table.type(node.operands[-1]).dtype
            if op.name in expressions.ELEMENTARY:
                return operands[0], f"{op.name}_{dtype}"
            counted = [o.poly for o in operands if isinstance(o, Counted)]
            if len(counted) == len(operands) and op.result == "bool":
                operands = [f"({poly})" for poly in counted]  # no index overflows 64 bits
            return expressions.elementwise(op.name, dtype, operands), None
        if op.name in ("cast", "bitcast"):
            x = self.value(node.operands[0], place, scope)
            convert = expressions.cast if op.name == "cast" else expressions.bitcast
            return convert(self.table.type(node.operands[0]).dtype, node.type.dtype, x), None
        if op.name == "reduce" and id in scope.kept:
            assert isinstance(place, Flat)
            return scope.kept[id].at(place), None
        if op.name == "reduce":
            return self.reduce(id, place, scope), None
        if op.name == "matmul":
            return self.thin_product(node, place, scope), None
        return self.view(node, place, scope), None

    def thin_product(self, node: Node, place: Place, scope: Scope) -> str:
        """An element of a product of few terms, in the order that all products have."""
        *batch, row, column = self.kept_index(place, node.type.shape, scope)
        a, b = node.operands
        total = expressions.literal(node.type.dtype, bytes(node.type.dtype.itemsize))
        for k in range(self.table.type(a).shape[-1]):  # type: ignore[arg-type]
            x = self.value(a, (*batch, row, number(k)), scope)
            y = self.value(b, (*batch, number(k), column), scope)
            total = expressions.elementwise("fma", node.type.dtype, [x, y, total])
        return total

    def view(self, node: Node, place: Place, scope: Scope) -> str:
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
            return self.counted(node, place[node.attrs[0]])
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
        if x not in self.schedule.roots and counts_up(self.table[x]):
            return expressions.cast(self.table.type(rest[0]).dtype, node.type.dtype, inner)
        index = variable(self.integer(inner, scope))
        return self.value(x, (*place[:axis], index, *place[axis + rank :]), scope)

    def counted(self, node: Node, index: Poly) -> Counted:
        return Counted.of(f"({expressions.C_TYPES[node.type.dtype.name]})({index})", index)

    def row_view(self, node: Node, place: Flat | Rowed, scope: Scope) -> str | None:
        """A movement of a place in a row or in row-major order; None if it needs every index."""
        shape = node.type.shape
        if node.op.name == "iota":
            if isinstance(place, Rowed) and node.attrs[0] == len(shape) - 1:
                return self.counted(node, place.column)
            if len(shape) == 1:
                return self.counted(node, self.offset(place, shape))
            return None
        if node.op.name not in ("reshape", "expand"):
            return None
        (x,) = node.operands
        inner = self.table.type(x).shape
        if inner == shape or (node.op.name == "reshape" and isinstance(place, Flat)):
            return self.value(x, place, scope)  # of one element, too: it may lie in a row
        if elements(inner).constant() == 1:
            return self.value(x, (number(0),) * len(inner), scope)
        if node.op.name == "reshape":
            return self.value(x, place, scope) if inner and inner[-1] == shape[-1] else None
        if isinstance(place, Flat):
            return None
        column = place.column if inner[-1] == shape[-1] else number(0)
        if inner[:-1] == shape[:-1]:
            return self.value(x, Rowed(place.row, column), scope)
        if elements(inner[:-1]).constant() == 1:
            return self.value(x, Rowed(number(0), column), scope)
        return None

    def full_index(self, place: Flat | Rowed, shape: Shape, scope: Scope) -> tuple[Poly, ...]:
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

    def reshape(self, x: int, node: Node, place: tuple[Poly, ...], scope: Scope) -> str:
        shape = self.table.type(x).shape
        if only_ones(shape, node.type.shape):
            longer = [at for at, size in zip(place, node.type.shape, strict=True) if size != 1]
            moved = tuple(number(0) if size == 1 else longer.pop(0) for size in shape)
            return self.value(x, moved, scope)
        return self.value(x, Flat(ravel(place, node.type.shape)), scope)

    def pad(self, node: Node, place: tuple[Poly, ...], scope: Scope) -> str:
        lo, _, fill = node.attrs
        shape = self.table.type(node.operands[0]).shape
        value = expressions.literal(node.type.dtype, fill)
        inside, moved = [], []
        for at, start, size in zip(place, lo, shape, strict=True):
            position = at - number(start)
            moved.append(position)
            known, whole = position.bounds(scope.ranges), extent(size).constant()
            if known is not None and whole is not None:
                if known[0] >= whole or known[-1] < 0:
                    return value
                if known[0] >= 0 and known[-1] < whole:
                    continue
            inside.append(f"(uint64_t)({position}) < (uint64_t)({extent(size)})")
        # Read behind the condition: its place varies in every loop that the pad's own varies in.
        x = self.value(node.operands[0], tuple(moved), scope)
        return f"({' && '.join(inside)} ? {x} : {value})" if inside else x

    def reduce(self, id: int, place: Place, scope: Scope) -> str:
        """A fold at the index of the axes that stay."""
        node = self.table[id]
        axes = node.attrs[1]
        (x,) = node.operands
        source = self.table.type(x)
        name, k = self.fresh("f"), self.fresh("k")
        count = elements(tuple(source.shape[a] for a in axes))
        if len(axes) == 1 and self.unrolled(source.shape[axes[0]], [x]):
            return self.chain(id, place, scope)
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

    def unrolled(self, count: Extent | None, nodes: Iterable[int]) -> bool:
        """Whether a loop is so short that its iterations are written one behind the other."""
        if not isinstance(count, int) or not 0 < count <= MAX_UNROLLED:
            return False
        walk = self.schedule.walk
        return count * sum(1 for node in nodes for _ in walk.inside(node)) <= MAX_STATEMENTS

    def chain(self, id: int, place: Place, scope: Scope) -> str:
        """A fold of one short axis, term by term: one left fold is its order."""
        node = self.table[id]
        op, (axis,), _ = node.attrs
        (x,) = node.operands
        shape = self.table.type(x).shape
        kept: tuple[Poly, ...] | None = None
        if not (isinstance(place, Flat) and axis == len(shape) - 1):
            kept = self.kept_index(place, node.type.shape, scope)
        value = expressions.identity(op, node.type.dtype)
        assert isinstance(shape[axis], int)
        for at in range(shape[axis]):
            where: Place
            if kept is None:
                where = Rowed(place[0], number(at))
            else:
                where = (*kept[:axis], number(at), *kept[axis:])
            term = self.value(x, where, scope)
            value = expressions.elementwise(op, node.type.dtype, [value, term])
            name = self.fresh()
            scope.body.append(Let(node.type.dtype, name, value))
            value = name
        return value

    def strided(self, x: int, where: Place, k: str, scope: Scope) -> Strided | None:
        """Where the terms of a fold lie, if they are a memory's or a row's in equal steps."""
        x = self.needed.source(x)
        shape = self.table.type(x).shape
        if x in scope.kept:
            array, first, apart = scope.kept[x]
            if apart != 1 or not isinstance(where, Rowed):
                return None  # of a block's rows each is a lane: no row is folded alone
            offset = where.column + where.row - first
        elif x in self.schedule.roots or self.table[x].op.name in ("stage", "buffer"):
            array, offset = f"m{x}", self.offset(where, shape)
        else:
            return None
        step, first = offset.split(k)
        return None if step is None else Strided(array, first, step)

    def fold(
        self,
        id: int,
        x: int,
        where: Place,
        name: str,
        k: str,
        count: Poly,
        inner: Scope,
        scope: Scope,
    ) -> str:
        op, _, order = self.table[id].attrs
        dtype = self.table[id].type.dtype
        term = self.value(x, where, inner)
        terms = self.strided(x, where, k, inner) if not inner.body else None
        fold = Fold(dtype, name, op, order, k, count, inner.body, term, terms)
        scope.body.append(fold)
        return name

    def kept_index(self, place: Place, shape: Shape, scope: Scope) -> tuple[Poly, ...]:
        if isinstance(place, Flat | Rowed):
            return self.full_index(place, shape, scope)
        return place

    def unravel(self, k: str, sizes: list[object], scope: Scope) -> tuple[Poly, ...]:
        return self.unravel_poly(variable(k), sizes, scope)

    def unravel_poly(self, offset: Poly, sizes: list[object], scope: Scope) -> tuple[Poly, ...]:
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
            at = self.needed.source(at)
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
