"""C text from the statements of a kernel's body: loops, folds, products, elementary functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradir.codegen import phases
from gradir.codegen.expressions import C_TYPES, literal
from gradir.codegen.loops import (
    ColumnFolds,
    Fold,
    For,
    Guard,
    Index,
    Let,
    Local,
    MatmulCall,
    Put,
    Set,
    Statement,
)
from gradir.codegen.poly import variable

SHORT = 32  # iterations; of a loop whose counting would cost as much as its work


class Statements:
    """Lines of C text; `memory` numbers the memories, and what has none is not written."""

    def __init__(self, memory: Mapping[int, int]) -> None:
        self.memory = memory
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
                value = f"gir_{function}({expression})" if function else expression
                self.line(f"const {C_TYPES[dtype.name]} {name} = {value};")
            case Set(target, expression):
                self.line(f"{target} = {expression};")
            case Local(dtype, name, count):
                self.line(f"{C_TYPES[dtype.name]} {name}[{count}];")
            case Index(name, expression):
                self.line(f"const int64_t {name} = {expression};")
            case For(name, count, body):
                if phases.wanted(statement):
                    self.phased(statement)
                    return
                self.independent(statement)
                self.line(f"for (int64_t {name} = 0; {name} < {count}; {name}++) {{")
                self.block(body)
            case Put(node, offset, expression):
                if node in self.memory:
                    self.line(f"m{node}[{offset}] = {expression};")
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
            case ColumnFolds(node, dtype, op, order, x, count, columns):
                kind = "left_columns" if order == "left" else "columns"
                self.line(
                    f"gir_fold_{kind}_{op}_{dtype}(m{node}, m{x}, {count}, {columns}, {columns});"
                )
            case Fold():
                self.fold(statement)

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
        (a, (a_batch, a_row, a_column)), (b, (b_batch, b_row, b_column)) = call.a, call.b
        rows, inner, columns = call.sizes
        c = call.node
        form, room = "", ""
        if call.dtype.is_float:
            form = f"gir_across_{call.dtype}({rows}, {columns}, {inner}, {a_row}), "
            room = f", gir_room_{call.dtype}"
            sizes = (rows, columns, inner, a_row, b_column)
            if None not in [size.constant() for size in sizes]:
                stated = ", ".join(map(str, sizes))
                self.line(f"gir_product_{call.dtype}({stated})")
        if divided and call.batch.constant() == 1:
            self.line(
                f"gir_matmul_{call.dtype}({form}last - first, {columns}, {inner}, "
                f"m{a} + first * ({a_row}), {a_row}, {a_column}, m{b}, {b_row}, {b_column}, "
                f"m{c} + first * ({columns}), {columns}{room});"
            )
            return
        start, stop = ("first", "last") if divided else ("0", str(call.batch))
        self.line(f"for (int64_t batch = {start}; batch < {stop}; batch++)")
        self.line(
            f"    gir_matmul_{call.dtype}({form}{rows}, {columns}, {inner}, "
            f"m{a} + batch * ({a_batch}), {a_row}, {a_column}, "
            f"m{b} + batch * ({b_batch}), {b_row}, {b_column}, "
            f"m{c} + batch * ({rows * columns}), {columns}{room});"
        )

    # --- elementary functions ---------------------------------------------------------------

    def phased(self, loop: For, start: str = "0", stop: str | None = None) -> None:
        """A loop in spans: what a function needs for a whole span, the function, what follows."""
        cut = phases.cut(loop)
        span, k = self.fresh("span"), loop.name
        stop = stop or str(loop.count)
        self.line(f"for (int64_t {span} = {start}; {span} < {stop}; {span} += GIR_SPAN) {{")
        self.depth += 1
        rest = f"{stop} - {span}"
        self.line(f"const int64_t {span}_n = {rest} < GIR_SPAN ? {rest} : GIR_SPAN;")
        for name, dtype in cut.arrays.items():
            self.line(f"{C_TYPES[dtype.name]} {name}_s[GIR_SPAN];")
        for phase in cut.phases:
            if loop.apart:
                self.line("GIR_APART")
            self.line(f"for (int64_t l = 0; l < {span}_n; l++) {{")
            self.depth += 1
            self.line(f"const int64_t {k} = {span} + l;")
            for name in phase.uses:
                self.line(f"const {C_TYPES[cut.arrays[name].name]} {name} = {name}_s[l];")
            for statement in phase.body:
                if isinstance(statement, Let) and statement.function:
                    self.line(f"{statement.name}_s[l] = {statement.expression};")
                    continue
                self.statement(statement)
                if isinstance(statement, Let | Index) and statement.name in cut.arrays:
                    self.line(f"{statement.name}_s[l] = {statement.name};")
            self.depth -= 1
            self.line("}")
            for call in phase.calls:
                self.line(f"gir_map_{call.function}({call.name}_s, {span}_n);")
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
        node, first, step = fold.source or (0, fold.count, fold.count)
        terms = f"m{node} + {first}, {fold.count}"
        if fold.op == "max":
            call = f"gir_reduce_max_{fold.dtype}({terms}, {step})"
        elif fold.order == "left":
            call = f"gir_fold_left_{fold.op}_{fold.dtype}({terms}, {step})"
        elif step.constant() == 1:
            call = f"gir_fold_{fold.op}_{fold.dtype}({terms})"
        else:
            call = f"gir_fold_strided_{fold.op}_{fold.dtype}({terms}, {step})"
        self.line(f"{fold.name} = {call};")

    def identity(self, fold: Fold) -> str:
        dtype = fold.dtype
        if fold.op == "max":
            return f"-GIR_INF_F{dtype.width}" if dtype.is_float else f"gir_least_{dtype}"
        one = {"add": 0, "mul": 1}[fold.op]
        if dtype.is_float:
            return f"{one}.0f" if dtype.width == 32 else f"{one}.0"
        return literal(dtype, one.to_bytes(dtype.itemsize, "little"))

    def combine(self, fold: Fold, a: str, b: str) -> str:
        dtype = fold.dtype
        if fold.op == "max" or dtype.is_int:
            return f"gir_{fold.op}_{dtype}({a}, {b})"
        return f"{a} {'+' if fold.op == 'add' else '*'} {b}"

    def left(self, fold: Fold) -> None:
        """One fold from the identity, in order."""
        k, into = fold.variable, fold.name
        self.line(f"{into} = {self.identity(fold)};")
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
        whole = known is not None and known <= 4096
        part, at = f"{chunk}_part", f"{chunk}_at"
        self.line(f"{c_type} {part}[{known if whole else 4096}];")
        if whole:
            fill = For(k, count, [*fold.body, Set(f"{part}[{k}]", fold.term)])
            self.statement(fill)
            self.line(f"{fold.name} = gir_fold_chunk_{kind}({part}, {count});")
            return
        self.line(f"gir_levels_{kind} levels;")
        self.line(f"gir_levels_start_{kind}(&levels, ({count} + 4095) / 4096);")
        self.line(f"{fold.name} = {self.identity(fold)};")
        self.line(f"for (int64_t {chunk} = 0; {chunk} < {count}; {chunk} += 4096) {{")
        self.depth += 1
        rest = f"{count} - {chunk}"
        self.line(f"const int64_t {chunk}_n = {rest} < 4096 ? {rest} : 4096;")
        body = [Index(k, f"{chunk} + {at}"), *fold.body, Set(f"{part}[{at}]", fold.term)]
        self.statement(For(at, variable(f"{chunk}_n"), body))
        folded = f"gir_fold_chunk_{kind}({part}, {chunk}_n)"
        self.line(f"if ({count} <= 4096) {fold.name} = {folded};")
        self.line(f"else gir_levels_take_{kind}(&levels, {folded}, &{fold.name});")
        self.depth -= 1
        self.line("}")
