"""Draw the node table: forward and backward side by side, constants and effects told apart.

DOT text needs nothing; svg, png and html need Graphviz' `dot`. The backward half is drawn upward,
beside the forward nodes that its nodes belong to. Scalar constants are written into the labels of
their uses; --full draws them and the movement that broadcasts them as nodes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gradir.cli import inputs
from gradir.cli.console import (
    flag_span,
    load_program,
    output_argument,
    program_argument,
    write_result,
)
from gradir.ir.ops import OPS
from gradir.ir.table import Table
from gradir.reference.interpreter import evaluate
from gradir.reference.plan import effects, make_plan
from gradir.runtime.program import Program
from gradir.runtime.showing import brief
from gradir.text.diagnostics import GirError, did_you_mean, error

_NO_VALUE = frozenset(OPS[name] for name in ("buffer", "store", "output", "range", "end"))

FORMS = ("dot", "svg", "png", "html")


def arguments(parser: argparse.ArgumentParser) -> None:
    program_argument(parser)
    parser.add_argument("-T", dest="form", choices=FORMS, help="default: by the file, else dot")
    output_argument(parser)
    parser.add_argument("--values", action="store_true", help="run, and write values in the nodes")
    parser.add_argument(
        "--only", metavar="NAME", nargs="+", action="extend", help="what these are computed from"
    )
    parser.add_argument("--group", action="store_true", help="frame each statement's nodes")
    parser.add_argument("--full", action="store_true", help="fold no constants")
    parser.add_argument("--no-legend", action="store_true", help="no explanation of the shapes")
    inputs.arguments(parser)


def execute(args: argparse.Namespace) -> int:
    from gradir.render.dot import dot_text
    from gradir.render.layout import draw
    from gradir.render.page import page
    from gradir.render.picture import picture

    form = args.form or _form_of(args.output)
    program = load_program(args.file)
    only = [named(program.table, name) for name in args.only] if args.only else None
    values = node_values(program, args) if args.values else None
    drawn = picture(program.table, only=only, fold=not args.full, value_of=values)
    text = dot_text(drawn, group=args.group, legend=not args.no_legend)
    if form == "dot":
        write_result(text, args.output)
    elif form == "html":
        svg = draw(text, "svg", len(drawn.boxes)).decode("utf-8")
        write_result(page(program.source.name, svg), args.output)
    else:
        write_result(draw(text, form, len(drawn.boxes)), args.output)
    return 0


def _form_of(output: str | None) -> str:
    suffix = Path(output).suffix[1:].lower() if output else ""
    form = {"gv": "dot", "htm": "html", "": "dot"}.get(suffix, suffix)
    if form not in FORMS:
        raise error("U702", f"cannot tell the form from {output}", help="name it: -T svg")
    return form


def named(table: Table, name: str) -> int:
    """The node of a value, an output, a stage or a buffer, in this order."""
    for known in (table.names, table.outputs, table.stages, table.buffers):
        if name in known:
            return known[name]
    known_names = [*table.names, *table.outputs, *table.stages, *table.buffers]
    hint = did_you_mean(name, known_names)
    help = f"did you mean {hint}?" if hint else None
    raise error("U702", f"nothing is named {name}", flag_span("--only", name), help=help)


def node_values(program: Program, args: argparse.Namespace) -> Callable[[int], str]:
    """A run that keeps a line about every node's value: the last one, where a loop makes many.

    Nodes that no effect needs are run too, unless that would fail where the program does not.
    """
    table = program.table
    given = inputs.read_inputs(args, table)
    needed = list(effects(table))
    absent = {id for name, id in table.stages.items() if name not in given.stages}
    free = list(needed)
    for id, node in enumerate(table.nodes):
        if any(operand in absent for operand in node.operands):
            absent.add(id)
        elif id not in absent and id not in table.regions and node.op not in _NO_VALUE:
            free.append(id)
    try:
        seen = traced(program, given, free)
    except GirError:
        seen = traced(program, given, needed)
    return lambda id: seen.get(id, "")


def traced(program: Program, given: inputs.Inputs, roots: list[int]) -> dict[int, str]:
    """Run what the roots need; a line about the value of each node that was run."""
    table = program.table
    session = program.session(dims=given.dims, state=given.buffers)
    session.plan = make_plan(table, roots)
    arrays = session.arguments(given.stages)
    seen: dict[int, str] = {}
    evaluate(
        table,
        inputs=arrays,
        dims=session.dimensions(arrays),
        buffers=session.state,
        plan=session.plan,
        trace=lambda id, value: seen.update({id: brief(np.asarray(value))}),
    )
    return seen
