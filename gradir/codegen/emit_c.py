"""C text from kernels: deterministic, headed by the GIR that each kernel implements."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradir.codegen import parts, phases
from gradir.codegen.expressions import C_TYPES, literal
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
)
from gradir.codegen.poly import symbol, variable
from gradir.codegen.prelude import join
from gradir.ir.table import Table
from gradir.ir.types import DType
from gradir.text.printer import node_text

ENTRY = "gir_program"  # followed by the program's number, where a library holds several
MAX_COMMENT = 100
MAX_CALLS = 32  # of kernels in one function
SHORT = 32  # iterations; of a loop whose counting would cost as much as its work
MAX_RESTRICT = 24  # pointers; telling many apart costs the compiler more than it gains
SMALL = 65536  # operations that one thread does sooner than two: pool.h's GIR_WORTH
PART = "const gir_run *r, void *const *m, int64_t first, int64_t last"

_LOCAL = re.compile(r"\b(m|r|t|i|k|q|f|span|chunk)(\d+)((?:_\w+)?)\b")
_MEMORY = re.compile(r"\bm(\d+)\b")


@dataclass
class _Function:
    """The function of a kernel. Several that share it pass rows of memories of their own; the row
    of one alone is the run's."""

    name: str
    comment: list[str]
    types: list[str]  # of the pointers m0, m1, …
    body: str
    divisible: bool
    users: int = 0


def emit(table: Table, calls: Sequence[Call], memory: Mapping[int, int]) -> str:
    """The whole C text. `memory` numbers the memories, by node; what has none is not written."""
    return join([program_text(table, calls, memory)])


def program_text(
    table: Table, calls: Sequence[Call], memory: Mapping[int, int], suffix: str = ""
) -> str:
    """The functions of one program; its entry is ENTRY with the suffix."""
    functions, main = program_functions(table, calls, memory, suffix)
    return "".join([*functions, main])


def program_functions(
    table: Table, calls: Sequence[Call], memory: Mapping[int, int], suffix: str = ""
) -> tuple[list[str], str]:
    """The functions of a program's kernels, and those that call them."""
    return _Emitter(table, memory, suffix).program(calls)


class _Emitter:
    def __init__(self, table: Table, memory: Mapping[int, int], suffix: str) -> None:
        self.table, self.memory, self.suffix = table, memory, suffix
        self.lines: list[str] = []
        self.depth = 0
        self.counter = 0
        self.shared: dict[str, _Function] = {}  # by the text that several kernels would share
        self.uses: dict[int, tuple[_Function, list[int], parts.Work | None]] = {}  # by kernel

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def program(self, calls: Sequence[Call]) -> tuple[list[str], str]:
        self.collect(calls)
        functions = []
        for function, numbers in {f.name: (f, n) for f, n, _ in self.uses.values()}.values():
            self.function(function, numbers if function.users == 1 else [*range(len(numbers))])
            functions.append("\n".join([*self.lines, ""]))
            self.lines.clear()
        groups = [calls[at : at + MAX_CALLS] for at in range(0, len(calls), MAX_CALLS)]
        names = [f"gir_group{at + 1}{self.suffix}" for at in range(len(groups))]
        for name, group in zip(names, groups, strict=True):
            rows = all(
                isinstance(call, Kernel) and self.uses[id(call)][0].users > 1 for call in group
            )
            self.line(f"{'GIR_PLAIN ' * rows}static int {name}(const gir_run *r) {{")
            self.depth += 1
            self.dimensions()
            self.body_calls(group)
            self.line("return 0;")
            self.depth -= 1
            self.line("}")
        self.line(f"int {ENTRY}{self.suffix}(const gir_run *r) {{")
        self.lines += [f"    if ({name}(r)) return 1;" for name in names]
        self.lines += ["    return 0;", "}"]
        return functions, "\n".join([*self.lines, ""])

    def collect(self, calls: Sequence[Call]) -> None:
        for call in calls:
            if isinstance(call, LoopCall):
                self.collect(call.body)
            else:
                self.kernel(call)

    def body_calls(self, calls: Sequence[Call]) -> None:
        for call in calls:
            if isinstance(call, Kernel):
                self.line(f"if ({self.use(call)}) return 1;")
                continue
            self.line("{")
            self.depth += 1
            self.memories(call.reads, {call.range: self.table.type(call.range).dtype})
            self.line(f"const int32_t count = {call.count};")
            self.line("for (int32_t i = 0; i < count; i++) {")
            self.depth += 1
            if call.range in self.memory:
                self.line(f"m{call.range}[0] = i;")
            self.body_calls(call.body)
            for _ in range(2):
                self.depth -= 1
                self.line("}")

    def kernel(self, kernel: Kernel) -> None:
        """The function of a kernel, or the one that does the same to other memories.

        Where its body is one loop whose iterations are apart, the function does a part of it.
        """
        nodes = [node for node in sorted({**kernel.reads, **kernel.writes}) if node in self.memory]
        dtypes = {**kernel.reads, **kernel.writes}
        work = parts.divisible(kernel)
        outer, self.lines, self.depth = self.lines, [], 1
        self.dimensions()
        if work:
            self.part(kernel.body[0])
        else:
            self.statements(kernel.body)
        body, self.lines, self.depth = self.lines, outer, 0
        types = [
            f"{'' if node in kernel.writes else 'const '}{C_TYPES[dtypes[node].name]} *"
            for node in nodes
        ]
        names = [f"m{node}" for node in nodes]
        text = renamed("\n".join([" ".join([*map(str.__add__, types, names), ""]), *body]))
        function = self.shared.get(text)
        if function is None:
            name = f"gir_k{len(self.shared) + 1}{self.suffix}"
            function = _Function(
                name, self.comment(kernel), types, text.split("\n", 1)[1], work is not None
            )
            self.shared[text] = function
        function.users += 1
        self.uses[id(kernel)] = function, [self.memory[node] for node in nodes], work

    def function(self, function: _Function, numbers: list[int]) -> None:
        """A function whose memories stand at these places of its row."""
        body = function.body
        crowded = len(numbers) > MAX_RESTRICT and function.users == 1
        plain = "GIR_PLAIN " if crowded and "for (" not in body else ""
        kept = "GIR_KEPT " if function.divisible else ""
        self.lines += function.comment
        self.line(f"{plain}{kept}static int {function.name}({PART}) {{")
        self.line("    (void)r, (void)m, (void)first, (void)last;")
        if crowded:
            # looked up where used: as many pointers in variables cost the compiler its time
            places = zip(function.types, numbers, strict=True)
            found = [f"(({type})m[{number}])" for type, number in places]
            body = _MEMORY.sub(lambda match: found[int(match[1])], body)
        else:
            restrict = "restrict " if len(numbers) <= MAX_RESTRICT else ""
            for at, (type, number) in enumerate(zip(function.types, numbers, strict=True)):
                self.line(f"    {type}{restrict}m{at} = m[{number}];")
        self.lines += [body, "    return 0;", "}"]

    def use(self, kernel: Kernel) -> str:
        """The call of a kernel's function."""
        function, numbers, work = self.uses[id(kernel)]
        memory = "r->memory"
        if function.users > 1:
            listed = ", ".join(f"r->memory[{number}]" for number in numbers) or "0"
            memory = f"(void *const[]){{{listed}}}"
        if work is None:
            return f"{function.name}(r, {memory}, 0, 1)"
        count, operations = work.length.constant(), (work.length * work.cost).constant()
        sizes = f"{work.length}, {work.cost}, {work.grain}"
        small = operations is not None and operations < SMALL
        if small or (count is not None and count < 2 * work.grain):
            return f"gir_alone(r, {function.name}, {sizes}, {memory})"
        return f"gir_each(r, {function.name}, {memory}, {sizes})"

    def part(self, statement: Statement) -> None:
        """The iterations from `first` to below `last` of a kernel's one loop."""
        match statement:
            case For(name, _, body):
                if phases.wanted(statement):
                    self.phased(statement, "first", "last")
                    return
                self.independent(statement)
                self.line(f"for (int64_t {name} = first; {name} < last; {name}++) {{")
                self.block(body)
            case MatmulCall():
                self.matmul(statement, divided=True)
            case ColumnFolds(node, dtype, op, order, x, count, columns):
                kind = "left_columns" if order == "left" else "columns"
                call = f"gir_fold_{kind}_{op}_{dtype}"
                self.line(
                    f"{call}(m{node} + first, m{x} + first, {count}, last - first, {columns});"
                )
            case _:
                raise AssertionError(statement)

    def comment(self, kernel: Kernel) -> list[str]:
        listed = [node_text(self.table, node).replace("\\", "/") for node in kernel.nodes[:8]]
        lines = ["", *(f"// {text[:MAX_COMMENT]}" for text in listed)]
        if len(kernel.nodes) > 8:
            lines.append(f"// and {len(kernel.nodes) - 8} more")
        return lines

    def dimensions(self) -> None:
        for at, name in enumerate(self.table.dims):
            self.line(f"const int64_t {symbol(name)} = r->dims[{at}];")
            self.line(f"(void){symbol(name)};")

    def memories(self, reads: Mapping[int, DType], writes: Mapping[int, DType]) -> None:
        for node, dtype in sorted({**reads, **writes}.items()):
            if node not in self.memory:
                continue
            const = "" if node in writes else "const "
            c_type = C_TYPES[dtype.name]
            self.line(f"{const}{c_type} *restrict m{node} = r->memory[{self.memory[node]}];")

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
        sizes = (rows, columns, inner, b_column)
        if call.dtype.is_float and None not in [size.constant() for size in sizes]:
            self.line(f"gir_product_{call.dtype}({rows}, {columns}, {inner}, {b_column})")
        room = f", gir_room_{call.dtype}" if call.dtype.is_float else ""
        if divided and call.batch.constant() == 1:
            self.line(
                f"gir_matmul_{call.dtype}(last - first, {columns}, {inner}, "
                f"m{a} + first * ({a_row}), {a_row}, {a_column}, m{b}, {b_row}, {b_column}, "
                f"m{c} + first * ({columns}), {columns}{room});"
            )
            return
        start, stop = ("first", "last") if divided else ("0", str(call.batch))
        self.line(f"for (int64_t batch = {start}; batch < {stop}; batch++)")
        self.line(
            f"    gir_matmul_{call.dtype}({rows}, {columns}, {inner}, "
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


def renamed(text: str) -> str:
    """The text with its local names numbered anew, so that equal kernels are equal texts."""
    names: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        stem, _, rest = match.groups()
        return names.setdefault(match[1] + match[2], f"{stem}{len(names)}") + rest

    return _LOCAL.sub(rename, text)
