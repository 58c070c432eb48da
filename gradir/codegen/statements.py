"""C text from the statements of a kernel's body: loops, folds, products, elementary functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradir.codegen import phases
from gradir.codegen.expressions import C_TYPES, identity, of_one
from gradir.codegen.loops import (
    BLOCK,
    VECTOR,
    Block,
    ColumnFolds,
    Fold,
    For,
    Guard,
    Index,
    Let,
    Local,
    MatmulCall,
    Matrices,
    Put,
    Set,
    Statement,
)
from gradir.codegen.phases import in_a_run
from gradir.codegen.poly import Poly, number, variable
from gradir.ir.types import DType

STREAMED = 1 << 25  # bytes; of a memory that outlives its values in any cache
LEAST_STREAM = 1024  # iterations; of a loop that is worth it
CHUNK = 4096  # terms of a fold that have a result of their own: FOLD-4
SHORT = 32  # iterations; of a loop whose counting would cost as much as its work


class Statements:
    """Lines of C text; `memory` numbers the memories, and what has none is not written; `large`
    are those of STREAMED bytes and more."""

    def __init__(self, memory: Mapping[int, int], large: Mapping[int, DType]) -> None:
        self.memory, self.large = memory, large
        self.lines: list[str] = []
        self.depth = 0
        self.counter = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def statements(self, body: Sequence[Statement]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let(dtype, name, expression, function):
                value = of_one(function, expression) if function else expression
                self.line(f"const {C_TYPES[dtype.name]} {name} = {value};")
            case Set(target, expression):
                self.line(f"{target} = {expression};")
            case Local(dtype, name, count, zero):
                self.line(f"{C_TYPES[dtype.name]} {name}[{count}]{' = {0}' * zero};")
            case Index(name, expression):
                self.line(f"const int64_t {name} = {expression};")
            case For():
                if not self.idle(statement):
                    self.loop(statement)
            case Block(_, count, _):
                self.blocks(statement, "0", str(count))
            case Put(node, _, expression):
                if node in self.memory:
                    self.line(f"{statement.element} = {expression};")
            case Guard(node, axis, index, size, position):
                self.line(f"if ({index} < 0 || {index} >= {size}) {{")
                self.depth += 1
                self.line(
                    f"*r->error = (gir_error){{{node}, {axis}, {index}, {position}, {size}}};"
                )
                self.line("return 1;")
                self.depth -= 1
                self.line("}")
            case MatmulCall():
                self.matmul(statement)
            case ColumnFolds():
                self.column_folds(statement)
            case Fold():
                self.fold(statement)

    def loop(self, loop: For, start: str = "0", stop: str | None = None) -> None:
        """A loop, or the iterations from `start` to below `stop`."""
        name, stop = loop.name, stop or str(loop.count)
        row = phases.row_of(loop)
        if row or phases.wanted(loop):
            self.phased(row or loop, start, stop, loop if row else None)
        elif self.streamed(loop):
            self.streams(loop, start, stop)
        else:
            self.independent(loop)
            self.line(f"for (int64_t {name} = {start}; {name} < {stop}; {name}++) {{")
            self.block(loop.body)

    def blocks(self, block: Block, start: str, stop: str) -> None:
        name, n = block.name, block.length()
        self.line(f"for (int64_t {name} = {start}; {name} < {stop}; {name} += {BLOCK}) {{")
        rest = f"{stop} - {name}"
        self.line(f"    const int64_t {n} = {rest} < {BLOCK} ? {rest} : {BLOCK};")
        self.line(f"    const int64_t {block.filled()} = ({n} + {VECTOR - 1}) & -{VECTOR};")
        self.block(block.body)

    def idle(self, statement: Statement) -> bool:
        """Whether all that a statement does is write what has no memory."""
        match statement:
            case For(_, _, body):
                return all(map(self.idle, body))
            case Put(node, _, _):
                return node not in self.memory
        return False

    def independent(self, loop: For) -> None:
        """Tell the compiler that an innermost loop's iterations are apart, which it cannot see
        where a memory is written and read again."""
        if loop.apart and not any(isinstance(s, For | Fold) for s in loop.body):
            count = loop.count.constant()
            self.line("GIR_APART" if count is None or count > SHORT else "GIR_APART_SHORT")
        elif loop.apart and (loop.count.constant() or 9) <= 4 and len(loop.body) == 1:
            self.line("GIR_UNROLL")

    def block(self, body: Sequence[Statement]) -> None:
        self.depth += 1
        self.statements(body)
        self.depth -= 1
        self.line("}")

    def matmul(self, call: MatmulCall, divided: bool = False) -> None:
        """A product for each of the batch; `divided`, some rows of one or some of the batch."""
        rows, inner, columns = call.sizes
        single = call.count.constant() == 1
        form, room = "", ""
        if call.dtype.is_float:
            sizes = (rows, columns, inner, call.a.row, call.b.column)
            stated = ", ".join(map(str, sizes))
            form = f"gir_form_{call.dtype}({stated}), "
            room = f", gir_room_{call.dtype}"
            if None not in [size.constant() for size in sizes]:
                self.line(f"gir_product_{call.dtype}({stated})")
        a, b, c = (place(matrices, call.batch) for matrices in (call.a, call.b, call.c))
        height = str(rows)
        if divided and single:
            height = "last - first"
            a, c = f"{a} + first * ({call.a.row})", f"{c} + first * ({call.c.row})"
        if not single:
            start, stop = ("first", "last") if divided else ("0", str(call.count))
            self.line(f"for (int64_t batch = {start}; batch < {stop}; batch++)")
        indent = "" if single else "    "
        self.line(
            f"{indent}gir_matmul_{call.dtype}({form}{height}, {columns}, {inner}, "
            f"{a}, {call.a.row}, {call.a.column}, {b}, {call.b.row}, {call.b.column}, "
            f"{c}, {call.c.row}{room});"
        )

    def column_folds(self, folds: ColumnFolds, divided: bool = False) -> None:
        """The folds of each matrix's columns; `divided`, some columns of one or some of many."""
        out, x, n, columns = f"m{folds.node}", f"m{folds.x}", folds.count, folds.columns
        kind = "left_columns" if folds.order == "left" else "columns"
        call = f"gir_fold_{kind}_{folds.op}_{folds.dtype}"
        if folds.batch.constant() == 1:
            width = str(columns)
            if divided:
                out, x, width = f"{out} + first", f"{x} + first", "last - first"
            self.line(f"{call}({out}, {x}, {n}, {width}, {columns});")
            return
        start, stop = ("first", "last") if divided else ("0", str(folds.batch))
        self.line(f"for (int64_t batch = {start}; batch < {stop}; batch++)")
        out, x = f"{out} + batch * ({columns})", f"{x} + batch * ({n * columns})"
        self.line(f"    {call}({out}, {x}, {n}, {columns}, {columns});")

    # --- memories that no cache holds -----------------------------------------------------------

    def streamed(self, loop: For) -> list[Put]:
        """What a loop writes that is better written past the caches: large and in one run."""
        count = loop.count.constant()
        if not loop.apart or (count is not None and count < LEAST_STREAM):
            return []
        if not all(isinstance(s, Let | Index | Set | Put) for s in loop.body):
            return []
        puts = (s for s in loop.body if isinstance(s, Put))
        return [s for s in puts if s.node in self.large and in_a_run(s.element, loop.name)]

    def streams(self, loop: For, start: str, stop: str) -> None:
        """A loop in spans: their values are made in the first cache, then written as whole lines,
        while what the next spans read is on its way."""
        span, k = self.fresh("span"), loop.name
        puts = self.streamed(loop)
        head = f"int64_t {span} = {start}, {span}_n; {span} < {stop}; {span} += {span}_n"
        self.line(f"for ({head}) {{")
        self.depth += 1
        to = phases.first(puts[0].element, {k: span})
        self.line(f"{span}_n = gir_span({to}, sizeof *{to}, {stop} - {span});")
        for put in puts:
            c_type = C_TYPES[self.large[put.node].name]
            self.line(f"{c_type} m{put.node}_s[GIR_STREAM] GIR_LINES;")
        self.line("GIR_APART")
        self.line(f"for (int64_t l = 0; l < {span}_n; l++) {{")
        self.depth += 1
        self.line(f"const int64_t {k} = {span} + l;")
        for statement in loop.body:
            if isinstance(statement, Put) and statement in puts:
                self.line(f"m{statement.node}_s[l] = {statement.expression};")
            else:
                self.statement(statement)
        self.depth -= 1
        self.line("}")
        for element in phases.elements(loop):
            if int(element[1 : element.index("[")]) in self.large:
                self.line(f"gir_ahead({phases.first(element, {k: span})}, GIR_STREAM);")
        for put in puts:
            to = phases.first(put.element, {k: span})
            self.line(f"gir_stream({to}, m{put.node}_s, {span}_n * sizeof *m{put.node}_s);")
        self.depth -= 1
        self.line("}")
        self.line("gir_streamed();")

    # --- elementary functions ---------------------------------------------------------------

    def phased(self, loop: For, start: str, stop: str, rows: For | None = None) -> None:
        """A loop in spans: what a function needs for a whole span, the function, what follows.
        With `rows`, a span is some of those, and the loop runs over each."""
        cut = phases.cut(For(loop.name, loop.count, self.kept(loop.body), loop.apart), rows)
        span, most, length = self.fresh("span"), "GIR_SPAN", ""
        begin = {(rows or loop).name: span}
        if rows:
            columns = loop.count.constant()
            assert columns is not None
            begin[loop.name], most = "0", str(phases.ENOUGH // columns)
            length = f" * {columns}"
        if not rows and cut.whole(loop):
            self.line("{")
            self.depth += 1
            whole = stop if start == "0" else f"{stop} - {start}"
            self.line(f"const int64_t {span} = {start}, {span}_n = {whole};")
        else:
            self.line(f"for (int64_t {span} = {start}; {span} < {stop}; {span} += {most}) {{")
            self.depth += 1
            rest = f"{stop} - {span}"
            self.line(f"const int64_t {span}_n = {rest} < {most} ? {rest} : {most};")
        for name in cut.arrays:
            self.line(f"{C_TYPES[cut.dtypes[name].name]} {name}_s[{most}{length}];")
        for phase in cut.phases:
            if not cut.idle(phase):
                self.phase(phase, cut, loop, span, rows)
            for call in phase.calls:
                home = cut.homes[call.name]
                source = cut.sources.get(call.name, home)
                out, x = phases.first(home, begin), phases.first(source, begin)
                assert call.function is not None
                function = cut.form(call.function, loop)
                self.line(f"{function}({out}, {x}, {span}_n{length});")
        self.depth -= 1
        self.line("}")

    def kept(self, body: Sequence[Statement]) -> list[Statement]:
        """The statements without those that write what has no memory."""
        return [s for s in body if not isinstance(s, Put) or s.node in self.memory]

    def phase(
        self, phase: phases.Phase, cut: phases.Cut, loop: For, span: str, rows: For | None
    ) -> None:
        """The loop of one phase over a span, or over each of its rows."""
        depth, variable = self.depth, (rows or loop).name
        if rows:
            self.line(f"for (int64_t l = 0; l < {span}_n; l++) {{")
            self.depth += 1
            self.line(f"const int64_t {variable} = {span} + l;")
            self.statements(rows.body[:-1])
        if loop.apart:
            self.line("GIR_APART")
        name, count = (loop.name, str(loop.count)) if rows else ("l", f"{span}_n")
        self.line(f"for (int64_t {name} = 0; {name} < {count}; {name}++) {{")
        self.depth += 1
        if not rows:
            self.line(f"const int64_t {variable} = {span} + l;")
        for name in phase.uses:
            self.line(f"const {C_TYPES[cut.dtypes[name].name]} {name} = {cut.homes[name]};")
        for statement in phase.body:
            if isinstance(statement, Let) and statement.function:
                if statement.name not in cut.sources:
                    self.line(f"{cut.homes[statement.name]} = {statement.expression};")
                continue
            self.statement(statement)
            if isinstance(statement, Let | Index) and statement.name in cut.homes:
                self.line(f"{cut.homes[statement.name]} = {statement.name};")
        while self.depth > depth:
            self.depth -= 1
            self.line("}")

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    # --- folds --------------------------------------------------------------------------

    def fold(self, fold: Fold) -> None:
        """The three rules of the order; of a known count only those that apply are written."""
        c_type, count = C_TYPES[fold.dtype.name], fold.count.constant()
        self.line(f"{c_type} {fold.name};")
        self.line("{")
        self.depth += 1
        short = count is not None and count <= 32 and fold.op != "max"
        if fold.source is not None and fold.dtype.is_float and not short:
            self.fold_of_memory(fold)
        elif fold.order != "lanes" or short:
            self.left(fold)
        else:
            self.chunks(fold)
        self.depth -= 1
        self.line("}")

    def fold_of_memory(self, fold: Fold) -> None:
        """Terms that lie in memory in equal steps: a function of the numerics."""
        assert fold.source is not None
        array, first, step = fold.source
        terms = f"{array} + {first}, {fold.count}"
        if fold.op == "max":
            call = f"gir_reduce_max_{fold.dtype}({terms}, {step})"
        elif fold.order == "left":
            call = f"gir_fold_left_{fold.op}_{fold.dtype}({terms}, {step})"
        elif step.constant() == 1:
            call = f"gir_fold_{fold.op}_{fold.dtype}({terms})"
        else:
            call = f"gir_fold_strided_{fold.op}_{fold.dtype}({terms}, {step})"
        self.line(f"{fold.name} = {call};")

    def combine(self, fold: Fold, a: str, b: str) -> str:
        dtype = fold.dtype
        if fold.op == "max" or dtype.is_int:
            return f"gir_{fold.op}_{dtype}({a}, {b})"
        return f"{a} {'+' if fold.op == 'add' else '*'} {b}"

    def left(self, fold: Fold) -> None:
        """One fold from the identity, in order."""
        k, into = fold.variable, fold.name
        self.line(f"{into} = {identity(fold.op, fold.dtype)};")
        self.line("GIR_UNROLL")
        self.line(f"for (int64_t {k} = 0; {k} < {fold.count}; {k}++) {{")
        self.depth += 1
        self.statements(fold.body)
        self.line(f"{into} = {self.combine(fold, into, fold.term)};")
        self.depth -= 1
        self.line("}")

    def chunks(self, fold: Fold) -> None:
        """A chunk's terms into an array, and folded; the chunks' results by the same rules."""
        kind, c_type = f"{fold.op}_{fold.dtype}", C_TYPES[fold.dtype.name]
        count, chunk, k = fold.count, self.fresh("chunk"), fold.variable
        known = count.constant()
        if known is not None and known <= CHUNK:
            part = f"{chunk}_part"
            self.line(f"{c_type} {part}[{known}];")
            fill = For(k, count, [*fold.body, Set(f"{part}[{k}]", fold.term)])
            self.statement(fill)
            self.line(f"{fold.name} = {self.folded_chunk(fold, part, str(count))};")
            return
        self.line(f"gir_levels_{kind} levels;")
        self.line(f"gir_levels_start_{kind}(&levels, ({count} + 4095) / 4096);")
        self.line(f"{fold.name} = {identity(fold.op, fold.dtype)};")
        self.line(f"for (int64_t {chunk} = 0; {chunk} < {count}; {chunk} += 4096) {{")
        self.depth += 1
        rest = f"{count} - {chunk}"
        self.line(f"const int64_t {chunk}_n = {rest} < 4096 ? {rest} : 4096;")
        folded = self.folded_chunk(fold, self.filled_chunk(fold, chunk), f"{chunk}_n")
        self.line(f"if ({count} <= 4096) {fold.name} = {folded};")
        self.line(f"else gir_levels_take_{kind}(&levels, {folded}, &{fold.name});")
        self.depth -= 1
        self.line("}")

    def filled_chunk(self, fold: Fold, chunk: str) -> str:
        """An array of the terms of the chunk that begins at `chunk`."""
        part, at = f"{chunk}_part", f"{chunk}_at"
        self.line(f"{C_TYPES[fold.dtype.name]} {part}[{CHUNK}];")
        body = [
            Index(fold.variable, f"{chunk} + {at}"),
            *fold.body,
            Set(f"{part}[{at}]", fold.term),
        ]
        self.statement(For(at, variable(f"{chunk}_n"), body))
        return part

    def folded_chunk(self, fold: Fold, terms: str, count: str) -> str:
        """The fold of up to CHUNK terms that lie in a run."""
        if fold.op == "max":
            return f"gir_reduce_max_{fold.dtype}({terms}, {count}, 1)"
        return f"gir_fold_chunk_{fold.op}_{fold.dtype}({terms}, {count})"


def place(matrices: Matrices, sizes: Sequence[Poly]) -> str:
    """Where the matrices of number `batch` begin, counted over axes of these sizes."""
    inner, terms = number(1), []
    for at, size in reversed([*enumerate(sizes)]):
        index = "batch" if inner == number(1) else f"batch / ({inner})"
        if matrices.batch[at].terms:
            terms.append(f"{index}{f' % ({size})' * (at > 0)} * ({matrices.batch[at]})")
        inner = inner * size
    if matrices.first.terms:
        terms.append(str(matrices.first))
    return " + ".join([f"m{matrices.node}", *reversed(terms)])
