"""Write the program with gradients in it, as a program.

    gradir grad net.gir --loss loss --wrt w,b
    gradir grad net.gir --loss loss --wrt w,b --descend 10 --lr 0.1

Without --descend: the program itself, with an output `grad_NAME` more for each target. With it:
N whole steps `w - lr * g`, unrolled, whose outputs are the final weights and the loss before each
step. A target is a stage, a loaded buffer, or any value by its name.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from gradir.autodiff.expand import gradient
from gradir.cli.console import (
    flag_span,
    load_program,
    output_argument,
    program_argument,
    write_result,
)
from gradir.ir.literals import Lit, literal_bits
from gradir.ir.ops import OPS
from gradir.ir.table import Origin, Table
from gradir.ir.verify import Refusal
from gradir.runtime.program import Program
from gradir.text.diagnostics import Diagnostic, GirError, Note, did_you_mean, error
from gradir.text.printer import print_table
from gradir.text.source import Source, Span


def arguments(parser: argparse.ArgumentParser) -> None:
    program_argument(parser)
    parser.add_argument("--loss", required=True, metavar="NAME", help="a float scalar")
    parser.add_argument("--wrt", required=True, metavar="NAME,NAME", help="the targets")
    parser.add_argument("--descend", type=int, metavar="N", help="write N descent steps")
    parser.add_argument("--lr", metavar="RATE", help="the learning rate of --descend")
    output_argument(parser)


def execute(args: argparse.Namespace) -> int:
    if (args.descend is None) != (args.lr is None):
        raise error("U702", "--descend and --lr belong together", help="`--descend 10 --lr 0.1`")
    program = load_program(args.file)
    table = program.table
    loss = value_named(table, args.loss, flag_span("--loss", args.loss))
    found: dict[str, tuple[int, int]] = {}
    for name, span in listed(args.wrt):
        if name in found:
            raise error("U702", f"{name} is a target twice", span)
        target = value_named(table, name, span)
        found[name] = target, derived(program, loss, target, name, span, args.loss)
    if not found:
        raise error("U702", "--wrt names no target", flag_span("--wrt", args.wrt))
    if args.descend is not None:
        write_result(print_table(descended(program, loss, found, args)), args.output)
        return 0
    builder = program.builder
    builder.origin = Origin(None)
    for name, (_, result) in found.items():
        if f"grad_{name}" in table.outputs:
            raise error("M402", f"there is an output grad_{name} already")
        if result not in table.node_names:
            table.bind(f"grad_{name}", result)
        builder.output(result, f"grad_{name}")
    write_result(print_table(table), args.output)
    return 0


def listed(text: str) -> Iterator[tuple[str, Span]]:
    """The names of `--wrt`, each with its place in the flag."""
    source = Source("--wrt", text)
    for match in re.finditer(r"[^,\s]+", text):
        yield match[0].removeprefix("%"), Span(source, match.start(), match.end())


def value_named(table: Table, name: str, span: Span) -> int:
    """A value, stage or output by its name; a buffer stands for its one load."""
    name = name.strip().removeprefix("%")
    for known in (table.names, table.stages, table.buffers):
        if name in known:
            id = known[name]
            return loaded(table, id, name, span) if table[id].op is OPS["buffer"] else id
    if name in table.outputs:
        return table[table.outputs[name]].operands[0]
    known_names = [*table.names, *table.stages, *table.buffers, *table.outputs]
    hint = did_you_mean(name, known_names)
    help = f"did you mean {hint}?" if hint else "give a value its name with `%name = …`"
    raise error("U702", f"nothing is named {name}", span, help=help)


def loaded(table: Table, buffer: int, name: str, span: Span) -> int:
    loads = [id for id in table.of_op("load") if table[id].operands == (buffer,)]
    if len(loads) != 1:
        times = "never" if not loads else f"{len(loads)} times, between stores,"
        help = f"name the load: `%w = load %{name}`"
        raise error("U702", f"buffer {name} is {times} loaded", span, help=help)
    return loads[0]


def derived(program: Program, loss: int, target: int, name: str, span: Span, loss_name: str) -> int:
    """The gradient's node; a target that the loss does not depend on is refused."""
    table, builder = program.table, program.builder
    builder.origin = Origin(None)
    try:
        result = gradient(builder, loss, target)
    except Refusal as refusal:
        if refusal.operand == 0:
            span = flag_span("--loss", loss_name)
        notes = [Note(message, table.span(id)) for message, id in refusal.nodes]
        raise GirError(
            Diagnostic(refusal.code, refusal.message, span, notes, refusal.help)
        ) from None
    if target not in builder.walks[loss].users:
        raise error(
            "U702",
            f"{loss_name} does not depend on {name}: its gradient is zero everywhere",
            span,
            help="no share flows through detach, comparisons and integers",
        )
    return result


def descended(
    program: Program,
    loss: int,
    found: dict[str, tuple[int, int]],
    args: argparse.Namespace,
) -> Table:
    from gradir.passes.copying import closure
    from gradir.passes.descend import MAX_NODES, Descent, descend

    table = program.table
    if args.descend < 1:
        raise error(
            "U702", "--descend takes a number of steps", flag_span("--descend", str(args.descend))
        )
    needed = closure(table, [loss, *(result for _, result in found.values())])
    if args.descend * len(needed) > MAX_NODES:
        raise error(
            "U702",
            f"{args.descend} steps of {len(needed)} nodes are more than {MAX_NODES:,} nodes",
            flag_span("--descend", str(args.descend)),
            help="store the weights in buffers, and run one step with `gradir run --steps`",
        )
    for id in needed:
        if table[id].op is OPS["load"] and table[id].attr("version") != 0:
            raise error(
                "U702",
                f"{args.loss} reads %{table.label(table[id].operands[0])} after it was stored to",
                table.span(id),
                help="descend a loss that depends on what was there before",
            )
    for name, (id, _) in found.items():
        if any(other in needed and _above(table, id, other) for other, _ in found.values()):
            raise error("U702", f"--wrt: {name} is computed from another target")
    text = args.lr if re.search(r"[.eEpn]", args.lr) else f"{args.lr}.0"
    rate = Lit("float", text)
    try:
        for id, _ in found.values():
            literal_bits(rate, table.type(id).dtype)
    except (Refusal, ValueError):
        raise error("U702", "--lr takes a float", flag_span("--lr", args.lr)) from None
    return descend(table, Descent(loss, found, rate, args.descend), args.loss.removeprefix("%"))


def _above(table: Table, id: int, other: int) -> bool:
    """Whether `id` is computed from `other`."""
    from gradir.passes.copying import closure

    return id != other and other in closure(table, [id])
