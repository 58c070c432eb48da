"""From the syntax tree to the node table (spec/table.md).

`Build` knows names, scopes and places; `gradir.ir.builder` knows operations. A statement that is
refused is reported once, and the names it would have bound are poisoned, so that its users stay
quiet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradir.collector import collection_paused
from gradir.ir import lint, macros, values
from gradir.ir.builder import Builder, Operand
from gradir.ir.forms import FORMS
from gradir.ir.literals import Lit
from gradir.ir.ops import OPS
from gradir.ir.scope import Gradient, Scope
from gradir.ir.stdlib import Library, MacroDef, standard_library
from gradir.ir.sugar import SUGAR
from gradir.ir.table import PARAMETER, Function, Node, Origin, Table
from gradir.ir.types import DTYPES, MAX_SIZE, Dim, DType, TensorType
from gradir.ir.verify import Refusal, check_type
from gradir.text import tree
from gradir.text.diagnostics import Diagnostic, GirError, Note, Report, did_you_mean, error
from gradir.text.grammar import parse
from gradir.text.include import open_include
from gradir.text.source import Source, Span

POISON = -1
NO_VALUE = ("store", "end", "output")


@dataclass
class Built:
    """A table, and what is known of building it beside the table."""

    table: Table
    source: Source
    warnings: list[Diagnostic]
    builder: Builder
    gradients: list[Gradient]


def build(source: Source) -> Built:
    """Read a program and build its table; raises `GirError` with every error found."""
    report = Report()
    program, problems = parse(source)
    report.add(*problems)
    made = Build(source, report)
    made.poison(problems)
    with collection_paused():
        made.program(program)
    report.raise_errors()
    warnings = [d for d in report.diagnostics if d.severity != "error"]
    return Built(made.builder.table, source, warnings, made.builder, made.gradients)


class Build:
    """One program on its way into a table."""

    def __init__(self, source: Source, report: Report) -> None:
        self.source = source
        self.report = report
        self.builder = Builder()
        self.scope = Scope(top=True, keep_names=True)
        self.macros: dict[str, MacroDef] = {}
        self.defined: dict[str, Span] = {}  # functions, macros and dimensions
        self.library: Library = standard_library()
        self.expanded = 0
        self.expanding: list[MacroDef] = []
        self.defining: str | None = None  # the function whose body is being built
        self.outer_ranges = 0  # ranges open around the macro being expanded
        self.used: set[str] = set()  # macros and functions
        self.poisoned: set[str] = set()  # those whose definition was refused, with their @
        self.included: list[str] = [source.path] if source.path else []
        self.including: list[str] = list(self.included)
        self.gradients: list[Gradient] = []
        self.made: dict[int, int] = {}  # nodes of nested operations, by their form's identity

    def poison(self, problems: Sequence[Diagnostic]) -> None:
        """Names that statements the parser dropped would have bound make no further errors."""
        for problem in problems:
            if problem.binds is not None and problem.binds.startswith("@"):
                self.poisoned.add(problem.binds)
            elif problem.binds is not None:
                self.scope.values.setdefault(problem.binds, POISON)

    # --- statements ---------------------------------------------------------------------

    def program(self, program: tree.Program) -> None:
        for statement in program.statements:
            if self.report.full:
                return
            self.guarded(statement, self.scope)
        self.report.add(*lint.unused(self), *lint.dead_branches(self.builder))
        if self.builder.open_ranges and not self.report.errors:
            opened = self.builder.open_ranges[-1]
            name = self.builder.table.label(opened)
            self.report.add(
                Diagnostic(
                    "M406",
                    f"the range %{name} is not closed",
                    self.builder.table.span(opened),
                    help=f"write `end %{name}` behind the loop's body",
                )
            )

    def guarded(self, statement: tree.Statement, scope: Scope) -> None:
        """Build a statement; report what it is refused for and poison what it binds."""
        try:
            self.statement(statement, scope)
        except GirError as refused:
            self.report.add(*refused.diagnostics)
        except values.Poisoned:
            pass  # the cause has been reported
        else:
            return
        if isinstance(statement, tree.Macro | tree.Func):
            self.poisoned.add("@" + statement.name.name)
        if isinstance(statement, tree.Assign):
            scope.values[statement.target.name] = POISON  # of two bindings neither is meant
            scope.bound.setdefault(statement.target.name, statement.target.span)

    def statement(self, statement: tree.Statement, scope: Scope) -> None:
        if len(self.expanding) == 0:
            self.builder.origin = Origin(statement.span)
        match statement:
            case tree.Assign():
                self.assign(statement, scope)
            case tree.Effect():
                self.effect(statement, scope)
            case tree.Return():
                raise error("P112", "`return` outside a function or macro", statement.span)
            case _ if not scope.top:
                word = type(statement).__name__.lower()
                raise error("N213", f"`{word}` stands at top level only", statement.span)
            case tree.Dim():
                self.dim(statement)
            case tree.Include():
                self.include(statement)
            case tree.Macro():
                self.macro(statement)
            case tree.Func():
                self.func(statement)

    def assign(self, statement: tree.Assign, scope: Scope) -> None:
        name, span = statement.target
        if name in scope.bound:
            raise error(
                "N202",
                f"%{name} is bound twice",
                span,
                notes=[Note("it was bound here", scope.bound[name])],
                help="a value never changes: give the new one a name of its own",
            )
        id = self.statement_value(statement.value, scope, name)
        if statement.type is not None:
            stated = self.type(statement.type, scope)
            if self.builder.type(id) is not stated:
                raise error(
                    "T304",
                    f"%{name} is {self.builder.type(id)}, not {stated}",
                    statement.type.span,
                    help="the type behind a name is checked, it converts nothing",
                )
        scope.values[name] = id
        scope.bound[name] = span
        if scope.keep_names:
            self.builder.table.bind(name, id)

    def effect(self, statement: tree.Effect, scope: Scope) -> None:
        operation = statement.operation
        table = self.builder.table
        before, hints = len(table), len(table.hints)
        made = self.operation(operation, scope)
        acted = any(node.op.has_effect for node in table.nodes[before:]) or len(table.hints) > hints
        if made is not None and not acted and table[made].op is not OPS["output"]:
            raise error(
                "M413",
                f"the value of {operation.callee.name} is not used",
                statement.span,
                help="give it a name: `%y = …`",
            )

    def dim(self, statement: tree.Dim) -> None:
        name, lo, hi = statement.name.name, statement.lo, statement.hi
        self.define(name, statement.name.span)
        if name in DTYPES:
            raise error("N205", f"{name} is an element type", statement.name.span)
        if not 0 <= lo <= hi <= MAX_SIZE:
            raise error(
                "N215",
                f"bounds {lo}..{hi} of {name}",
                statement.span,
                help="0 <= lo <= hi < 2^31",
            )
        self.builder.table.dims[name] = (lo, hi)

    def define(self, name: str, span: Span) -> None:
        """Note a name of the program's own; a second definition is refused."""
        if name in self.defined:
            raise error(
                "N205",
                f"{name} is defined twice",
                span,
                notes=[Note("the first definition is here", self.defined[name])],
            )
        self.defined[name] = span

    def include(self, statement: tree.Include) -> None:
        source = open_include(statement.path, self.source, self.including, self.included)
        if source is None:
            return
        program, problems = parse(source)
        self.report.add(*problems)
        self.poison(problems)
        self.including.append(source.path or source.name)
        for inner in program.statements:
            if self.report.full:
                break
            self.guarded(inner, self.scope)
        self.including.pop()

    def macro(self, statement: tree.Macro) -> None:
        self.define("@" + statement.name.name, statement.name.span)
        defaults = {a.name: self.attribute(a.value, self.scope) for a in statement.attributes}
        for inner in statement.body:
            if isinstance(inner, tree.Dim | tree.Include | tree.Macro | tree.Func):
                self.statement(inner, Scope())  # refused: it stands at top level only
        visible = frozenset(self.macros)
        self.macros[statement.name.name] = MacroDef(statement, defaults, visible)

    def func(self, statement: tree.Func) -> None:
        name = statement.name.name
        self.define("@" + name, statement.name.span)
        if self.builder.open_ranges:
            raise error("M408", "func inside a loop", statement.name.span, help="put it before")
        outer = self.builder
        inner = Builder(Table(functions=dict(outer.table.functions)), inside_function=True)
        scope = Scope(keep_names=True)
        self.defining = name
        parameters: list[tuple[str, int]] = []
        errors = len(self.report.errors)
        types = [self.type(type, scope) for _, type in statement.parameters]
        shown = {s for type in types for e in type.shape if isinstance(e, Dim) for s in e.symbols}
        inner.table.dims = {s: b for s, b in outer.table.dims.items() if s in shown}
        self.builder = inner
        try:
            for (value, _), type in zip(statement.parameters, types, strict=True):
                inner.origin = Origin(value.span)
                node = Node(PARAMETER, (), (value.name,), type)
                if value.name in scope.bound:
                    raise error("N202", f"parameter %{value.name} appears twice", value.span)
                id = inner.table.add(node, inner.origin)
                scope.values[value.name] = id
                scope.bound[value.name] = value.span
                inner.table.bind(value.name, id)
                parameters.append((value.name, id))
            result = self.body(statement.body, scope, statement.span)
        finally:
            self.builder, self.defining = outer, None
        if len(self.report.errors) > errors:
            raise values.Poisoned
        self.report.add(*lint.dead_branches(inner))
        inner.table.functions = {}
        if result is None:
            raise error("P112", f"@{name} returns nothing", statement.name.span)
        outer.define(Function(name, tuple(parameters), inner.table, result, inner.call_depth))

    def body(self, body: Sequence[tree.Statement], scope: Scope, span: Span) -> int | None:
        """The statements of a block; the value of its `return`, which stands last."""
        for at, statement in enumerate(body):
            if isinstance(statement, tree.Return):
                if at != len(body) - 1:
                    raise error("P112", "`return` is not the last statement", statement.span)
                if not self.expanding:
                    self.builder.origin = Origin(statement.span)
                return self.statement_value(statement.value, scope, None)
            if self.expanding:
                self.statement(statement, scope)
            else:
                self.guarded(statement, scope)
        return None

    # --- values -------------------------------------------------------------------------

    def statement_value(self, form: tree.Operand, scope: Scope, target: str | None) -> int:
        """The node of what stands right of `=` or behind `return`."""
        if not isinstance(form, tree.Operation):
            return self.value(form, scope)
        made = self.operation(form, scope, target)
        if made is None or self.builder.table[made].op.name in NO_VALUE:
            raise error("M412", f"{form.callee.name} gives no value", form.span)
        return made

    def value(self, form: tree.Operand, scope: Scope) -> int:
        """The node of an operand; a literal gets the type of its suffix or kind."""
        operand = self.operand(form, scope)
        if isinstance(operand, Lit):
            with self.places(form.span, ()):
                return self.builder.literal(operand)
        return operand

    def lookup(self, value: tree.Value, scope: Scope) -> int:
        id = scope.values.get(value.name)
        if id is None:
            hint = did_you_mean(value.name, scope.values)
            raise error(
                "N201",
                f"unknown value %{value.name}",
                value.span,
                help=f"did you mean %{hint}?" if hint else "a value is bound before it is used",
            )
        if id == POISON:
            raise values.Poisoned
        return id

    def operand(self, form: tree.Operand, scope: Scope) -> Operand:
        """An operand that is a value: a node's id, or a literal still without a type."""
        match form:
            case tree.Value():
                return self.lookup(form, scope)
            case tree.Operation():
                return self.made.pop(id(form))
            case tree.Literal():
                return self.literal(form, scope)
            case _:
                shown = form.span.text[:40]
                help = None
                if isinstance(form, tree.Array):
                    help = "write an array as `const f32[2] [1.0, 2.0]`"
                elif isinstance(form, tree.Name) and form.name in scope.values:
                    help = f"did you mean %{form.name}?"
                raise error("T319", f"`{shown}` is not a value", form.span, help=help)

    def literal(self, form: tree.Literal, scope: Scope) -> Operand:
        """A literal, with `$name` replaced and its suffix looked up."""
        text, kind = form.text, form.kind
        dtype, borrowed = None, False
        if kind == "param":
            given = self.parameter(form.text, form.span, scope)
            if isinstance(given, values.Ref):
                return self.demand_type(given.id, form, scope)
            if not isinstance(given, Lit):
                raise error("T319", f"${form.text} is not a literal here", form.span)
            kind, text, dtype, borrowed = given
        stated = self.suffix(form, scope)
        if stated is not None:
            if dtype not in (None, stated):
                raise error("T320", f"${form.text} is already {dtype}, not {stated}", form.span)
            dtype, borrowed = stated, isinstance(form.suffix, tree.Value)
        return Lit(kind, text, dtype, borrowed)

    def suffix(self, form: tree.Literal, scope: Scope) -> DType | None:
        """The element type behind a literal's colon."""
        match form.suffix:
            case tree.Name(name, span):
                return values.dtype(name, span)
            case tree.Value() as value:
                return self.builder.type(self.lookup(value, scope)).dtype
        return None

    def demand_type(self, id: int, form: tree.Literal, scope: Scope) -> int:
        """A value given for `$name:suffix` must have the suffix's type already (MACRO-5)."""
        stated, dtype = self.suffix(form, scope), self.builder.type(id).dtype
        if stated not in (None, dtype):
            raise error("T301", f"${form.text} is {dtype}, not {stated}", form.span)
        return id

    def parameter(self, name: str, span: Span, scope: Scope) -> Any:
        if name not in scope.attributes:
            raise error(
                "N214",
                f"${name} is not an attribute of this macro",
                span,
                help="declare it in the macro's head: `macro @m %x name=1.0 { … }`",
            )
        return scope.attributes[name]

    def type(self, form: tree.TypeExpr, scope: Scope) -> TensorType:
        with self.places(form.span, ()):
            return check_type(
                values.tensor_type_of(form, scope, self.parameter), self.builder.table.dims
            )

    def attribute(self, form: tree.AttrValue, scope: Scope) -> Any:
        return values.attribute(form, scope, self)

    # --- operations ---------------------------------------------------------------------

    def operation(
        self, form: tree.Operation, scope: Scope, target: str | None = None
    ) -> int | None:
        """Build an operation; None where it gives no value.

        The operations among its operands are built first, innermost and leftmost first, and
        wait in `made` until `operand` fetches them.
        """
        nested: list[tree.Operation] = []
        stack = [form]
        while stack:
            inner = stack.pop()
            nested.append(inner)
            stack.extend(o for o in inner.operands if isinstance(o, tree.Operation))
        for inner in reversed(nested[1:]):
            made = self.dispatch(inner, scope, None)
            if made is None or self.builder.table[made].op.name in NO_VALUE:
                raise error("M412", f"{inner.callee.name} gives no value", inner.span)
            self.made[id(inner)] = made
        return self.dispatch(form, scope, target)

    def dispatch(self, form: tree.Operation, scope: Scope, target: str | None) -> int | None:
        name = form.callee.name
        if not self.expanding:
            self.builder.origin = Origin(form.span)
        if isinstance(form.callee, tree.At):
            macro = self.macros.get(name)
            if self.expanding and macro is not self.expanding[-1]:
                macro = macro if name in self.expanding[-1].visible else None
            if macro is None and "@" + name in self.poisoned:
                raise values.Poisoned
            if macro is None:
                raise self.unknown_macro(form.callee)
            return macros.expand(self, macro, form, scope)
        special = FORMS.get(name)
        if special is not None:
            with self.places(form.span, form.operands, form.attributes):
                return special(self, form, scope, target)
        if name in OPS or name in SUGAR:
            row = OPS[name] if name in OPS else SUGAR[name]
            operands = [self.operand(operand, scope) for operand in form.operands]
            attrs = self.attributes(form, scope)
            with self.places(form.span, form.operands, form.attributes):
                self.check_operands(operands)
                if name in OPS:
                    return self.builder.apply(name, *operands, **attrs)
                return row.apply(self.builder, operands, attrs)  # type: ignore[union-attr]
        if (macro := self.library.macro(name)) is not None:
            return macros.expand(self, macro, form, scope)
        known = [*OPS, *FORMS, *SUGAR, *self.library.names()]
        hint = did_you_mean(name, known)
        help = f"did you mean {hint}?" if hint else None
        if name in self.macros:
            help = f"a macro of the program is called with its @: `@{name}`"
        raise error("N203", f"unknown operation {name}", form.callee.span, help=help)

    def unknown_macro(self, callee: tree.At) -> GirError:
        name = callee.name
        if name in self.builder.table.functions:
            help = f"a function is called: `call @{name} …`"
        elif self.library.macro(name) is not None or name in SUGAR or name in OPS:
            help = f"an operation of the language has no @: `{name}`"
        else:
            hint = did_you_mean(name, self.macros)
            help = f"did you mean @{hint}?" if hint else "define it, or include the file that does"
        return error("N204", f"unknown macro @{name}", callee.span, help=help)

    def check_operands(self, operands: Sequence[Operand]) -> None:
        """A buffer is no value: it must be loaded."""
        table = self.builder.table
        for at, operand in enumerate(operands):
            if isinstance(operand, int) and table[operand].op is OPS["buffer"]:
                label = table.label(operand)
                raise Refusal(
                    "T319",
                    f"%{label} is a buffer, not a value",
                    operand=at,
                    help=f"`load %{label}` gives its contents",
                )

    def attributes(self, form: tree.Operation, scope: Scope) -> dict[str, Any]:
        """Attribute values in plain form; one given twice is refused."""
        result: dict[str, Any] = {}
        for attr in form.attributes:
            if attr.name in result:
                raise error("T310", f"attribute {attr.name} is given twice", attr.span)
            value = values.plain(self.attribute(attr.value, scope))
            if isinstance(value, values.Ref) and attr.name in ("dtype", "like"):
                type = self.builder.type(value.id)
                value = type.dtype if attr.name == "dtype" else type
            result[attr.name] = value
        return result

    def places(
        self,
        span: Span,
        operands: Sequence[tree.Operand],
        attributes: Sequence[tree.Attribute] = (),
    ) -> values.Places:
        return values.Places(self.builder.table, span, operands, attributes)
