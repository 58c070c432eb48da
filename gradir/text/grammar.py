"""The grammar, and `parse`: text in, syntax tree and diagnostics out.

The docstrings of the `p_` functions, one after the other, are the grammar of the specification
to the letter; a function receives the values of its alternative as `ebnf.py` says. The LALR
tables are PLY's (no other module knows PLY), made once a process, never written to disk.
Meaning is not looked at here: unknown names, types and shapes are the builder's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, cast

from ply import yacc

from gradir.collector import collection_paused
from gradir.text import ebnf, lexer, lr
from gradir.text.diagnostics import MAX_DIAGNOSTICS, Diagnostic, sort_by_place
from gradir.text.reading import check_size, read_source, source_of_bytes
from gradir.text.source import Source, Span
from gradir.text.tree import (
    Array,
    Assign,
    At,
    Attribute,
    AttrValue,
    Dim,
    Effect,
    Func,
    Include,
    ListAttr,
    Literal,
    Macro,
    Name,
    Operand,
    Operation,
    Parameter,
    Program,
    Return,
    Shaped,
    Size,
    Statement,
    String,
    TypeExpr,
    Value,
)

__all__ = ["GRAMMAR", "parse", "read_source", "source_of_bytes", "tables"]

Block = tuple[tuple[Statement, ...], Span]
Line = Statement | tuple[Span, Operand] | None


def p_program(lines: Sequence[Statement | None]) -> Program:
    """program   : { [statement] NEWLINE }"""
    return Program(tuple(s for s in lines if s is not None))


def p_dim(keyword: Span, name: Name, lo: Literal, hi: Literal) -> Dim:
    """statement : "dim" NAME "=" INT ".." INT"""
    return Dim(name, _integer(lo), _integer(hi), keyword.to(hi.span))


def p_include(keyword: Span, path: String) -> Include:
    """| "include" STRING"""
    return Include(path, keyword.to(path.span))


def p_macro(
    keyword: Span,
    name: At,
    parameters: Sequence[Value],
    attributes: Sequence[tuple[Name, AttrValue]],
    block: Block,
) -> Macro:
    """| "macro" AT {VALUE} {NAME "=" attribute} block"""
    body, span = block
    return Macro(name, tuple(parameters), _attributes(attributes), body, keyword.to(span))


def p_func(
    keyword: Span,
    name: At,
    opening: Span,
    parameters: tuple[Value, TypeExpr, Sequence[tuple[Value, TypeExpr]]] | None,
    closing: Span,
    block: Block,
) -> Func:
    """| "func" AT "(" [VALUE ":" type {"," VALUE ":" type}] ")" block"""
    body, span = block
    pairs = [(parameters[0], parameters[1]), *parameters[2]] if parameters else []
    return Func(name, tuple(pairs), body, keyword.to(span))


def p_assign(target: Value, type: TypeExpr | None, value: Operation | Value | Literal) -> Assign:
    """| VALUE [":" type] "=" (operation | VALUE | literal)"""
    start = target[1]
    return _new(Assign, (target, type, value, _new(Span, (start[0], start[1], value[-1][2]))))


def p_effect(operation: Operation) -> Effect:
    """| operation"""
    return Effect(operation, operation.span)


def p_block(
    opening: Span, lines: Sequence[Line], last: tuple[Span, Operand] | None, closing: Span
) -> Block:
    """
    block     : "{" { [statement | "return" operand] NEWLINE } ["return" operand] "}"
    """
    body: list[Statement] = []
    for line in (*lines, last):
        if type(line) is tuple:  # a plain tuple, unlike the tree's
            keyword, value = cast(tuple[Span, Operand], line)
            body.append(Return(value, keyword.to(value.span)))
        elif line is not None:
            body.append(cast(Statement, line))
    return tuple(body), opening.to(closing)


def p_operation(
    callee: Name | At, operands: Sequence[Operand], attributes: Sequence[tuple[Name, AttrValue]]
) -> Operation:
    """operation : (NAME | AT) {operand} {NAME "=" attribute}"""
    source, start, end = callee[1]
    written: tuple[Attribute, ...] = ()
    if operands:
        end = operands[-1][-1][2]
    if attributes:
        written = _attributes(attributes)
        end = written[-1].span.end
    return _new(Operation, (callee, tuple(operands), written, _new(Span, (source, start, end))))


def p_operand(value: Operand) -> Operand:
    """operand   : VALUE | literal | shaped | array"""
    return value


def p_nested(opening: Span, operation: Operation, closing: Span) -> Operation:
    """| "(" operation ")" """
    return operation._replace(span=opening.to(closing))


def p_plain(value: Name | At) -> Name | At:
    """| NAME | AT"""
    return value


def p_shaped(opening: Name, sizes: tuple[Size, Sequence[Size]] | None, closing: Span) -> Shaped:
    """shaped    : OPEN [size {"," size}] "]" """
    items = (sizes[0], *sizes[1]) if sizes else ()
    return Shaped(opening.name, items, opening.span.to(closing))


def p_type(value: TypeExpr) -> TypeExpr:
    """type      : NAME | shaped"""
    return value


def p_size(first: Term, others: Sequence[Term]) -> Size:
    """size      : term {"*" term}"""
    terms = (first, *others)
    span = first.span.to(terms[-1].span)
    return Size(tuple(_integer(t) if isinstance(t, Literal) else t for t in terms), span)


def p_term(value: Literal | Name) -> Literal | Name:
    """term : INT | NAME"""
    return value


def p_term_parameter(dollar: int, name: Name) -> Parameter:
    """| "$" NAME"""
    return Parameter(name.name, _after_dollar(dollar, name))


def p_attribute(value: AttrValue) -> AttrValue:
    """attribute : literal | STRING | NAME | shaped | product | VALUE"""
    return value


def p_list(
    opening: Span, items: tuple[AttrValue, Sequence[AttrValue]] | None, closing: Span
) -> ListAttr:
    """| "[" [attribute {"," attribute}] "]" """
    return ListAttr((items[0], *items[1]) if items else (), opening.to(closing))


def p_product(first: Term, second: Term, others: Sequence[Term]) -> Size:
    """product   : term "*" term {"*" term}"""
    return p_size(first, (second, *others))


def p_scalar(value: Literal) -> Literal:
    """scalar    : INT | FLOAT | "inf" | "-inf" | "nan" | "true" | "false" """
    return value


def p_literal(value: Literal, suffix: Name | Value | None) -> Literal:
    """literal   : scalar [":" (NAME | VALUE)]"""
    if suffix is None:
        return value
    return Literal(value.kind, value.text, suffix, value.span.to(suffix.span))


def p_literal_parameter(dollar: int, name: Name, suffix: Name | Value | None) -> Literal:
    """| "$" NAME [":" (NAME | VALUE)]"""
    return p_literal(Literal("param", name.name, None, _after_dollar(dollar, name)), suffix)


def p_array(
    opening: Span,
    items: tuple[Array | Literal, Sequence[Array | Literal]] | None,
    closing: Span,
) -> Array:
    """
    array     : "[" [(array | literal) {"," (array | literal)}] "]"
    """
    return Array((items[0], *items[1]) if items else (), opening.to(closing))


Term = Literal | Name | Parameter
_new: Callable[..., Any] = tuple.__new__

_RULES: tuple[Callable[..., Any], ...] = (
    p_program,
    *(p_dim, p_include, p_macro, p_func, p_assign, p_effect),
    p_block,
    p_operation,
    *(p_operand, p_nested, p_plain),
    p_shaped,
    p_type,
    p_size,
    *(p_term, p_term_parameter),
    *(p_attribute, p_list),
    p_product,
    p_scalar,
    *(p_literal, p_literal_parameter),
    p_array,
)
# These hand their one value on: the parser need not call them.
_UNITS = {p_operand, p_plain, p_type, p_term, p_attribute, p_scalar}

GRAMMAR = "\n".join(str(rule.__doc__).strip() for rule in _RULES) + "\n"


def _integer(literal: Literal) -> int:
    return int(literal.text, 16 if "x" in literal.text.lower() else 10)


def _after_dollar(dollar: int, name: Name) -> Span:
    return Span(name.span.source, dollar, name.span.end)


def _attributes(pairs: Iterable[tuple[Name, AttrValue]]) -> tuple[Attribute, ...]:
    return tuple(Attribute(name.name, value, name.span.to(value.span)) for name, value in pairs)


def _productions() -> list[ebnf.Production]:
    """The rules as plain productions; `action` counts in `_RULES`."""
    expander = ebnf.Expander(lexer.TERMINALS, lexer.SILENT)
    lhs = ""
    for index, rule in enumerate(_RULES):
        for name, alternatives in ebnf.rules(str(rule.__doc__)):
            lhs = name or lhs
            expander.rule(lhs, alternatives, index)
    return expander.productions


def _action(production: ebnf.Production) -> lr.Action | None:
    """The function over the value stack; compiled, for it runs several times a line."""
    if production.action >= 0:
        rule = _RULES[production.action]
        if rule in _UNITS and len(production.symbols) == 1:
            return None
        body = f"rule({production.arguments})"
    else:
        rule = _append
        body = f"[{production.arguments}]" if production.action == -1 else ""
        body = body or f"rule({production.arguments})"
    return eval(f"lambda v: {body}", {"rule": rule})


def _append(items: list[Any], item: Any) -> list[Any]:
    items.append(item)
    return items


@lru_cache(maxsize=1)
def tables(debuglog: Any = None, errorlog: Any = None) -> lr.Tables:
    """The LALR tables. With logs, PLY's remarks go there (the test of conflicts reads them)."""
    productions = _productions()

    def p_rules(p: Any) -> None:
        raise AssertionError("PLY makes the tables; it does not parse")

    p_rules.__doc__ = "\n".join(f"{p.lhs} : {' '.join(p.symbols)}" for p in productions)
    generated = yacc.yacc(
        module=SimpleNamespace(
            tokens=[*lexer.NAMED, *lexer.TERMINALS.values()],
            p_rules=p_rules,
            p_error=lambda p: None,
            __file__=__file__,
            __package__=__package__,
        ),
        start="program",
        debug=debuglog is not None,
        debuglog=debuglog,
        errorlog=errorlog or yacc.NullLogger(),
        write_tables=False,
        # Tables are looked for under this name: one of ours, lest a file of the working
        # folder be imported. It does not exist.
        tabmodule="gradir.text.no_table_file",
    )
    made = generated.productions
    states = len(generated.action)
    entered_by = ["$start"] * states
    for moves in (*generated.action.values(), *generated.goto.values()):
        for symbol, state in moves.items():
            if state > 0:
                entered_by[state] = symbol
    # PLY's production 0 is the start; the others are ours, in order.
    return lr.Tables(
        action=[generated.action[state] for state in range(states)],
        default=[generated.defaulted_states.get(state, 0) for state in range(states)],
        goto=[generated.goto.get(state, {}) for state in range(states)],
        productions=[
            (made[0].len, made[0].name, None),
            *(
                (len(ours.symbols), ours.lhs, _action(ours))
                for ours, theirs in zip(productions, made[1:], strict=True)
                if (ours.lhs, len(ours.symbols)) == (theirs.name, theirs.len)
            ),
        ],
        entered_by=entered_by,
    )


def parse(source: Source) -> tuple[Program, list[Diagnostic]]:
    """The statements that are well formed, and what is wrong with the others, by place.

    Never raises on bad text. Reading stops at the twentieth error.
    """
    too_large = check_size(source)
    if too_large:
        return Program(()), [too_large]
    parser = lr.Parser(tables(), source)
    with collection_paused():
        program = parser.run()
    diagnostics = parser.diagnostics or _misplaced_returns(program)
    return program, sort_by_place(diagnostics)[:MAX_DIAGNOSTICS]


def _misplaced_returns(program: Program) -> list[Diagnostic]:
    """P112 for blocks: `return` is the last statement, and a function has one."""
    found = []
    waiting = [s for s in program.statements if isinstance(s, Macro | Func)]
    while waiting:
        block = waiting.pop()
        waiting += [s for s in block.body if isinstance(s, Macro | Func)]
        for statement in block.body[:-1]:
            if isinstance(statement, Return):
                message = "`return` is not the last statement of its block"
                found.append(Diagnostic("P112", message, statement.span))
        if isinstance(block, Func) and not any(isinstance(s, Return) for s in block.body):
            message = f"function `@{block.name.name}` returns nothing"
            help = "end its block with `return %value`"
            found.append(Diagnostic("P112", message, block.name.span, help=help))
    return found
