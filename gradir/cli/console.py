"""What all commands share: reading programs, writing results, messages and colour."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from gradir.runtime.files import write_atomically
from gradir.text.diagnostics import Diagnostic, GirError, render
from gradir.text.source import Source, Span

if TYPE_CHECKING:
    from gradir.runtime.program import Program

STDIN = "-"


class Trouble(GirError):
    """A refusal that a command counts as trouble, whatever the code: exit code 2."""


def exit_code(refused: GirError) -> int:
    """2 for usage and files, 1 for the program and what it is run on."""
    if isinstance(refused, Trouble):
        return 2
    return 2 if refused.diagnostics and refused.diagnostics[0].code.startswith("U") else 1


def color_of(stream: TextIO) -> bool:
    """Whether to paint: on a terminal that can, unless NO_COLOR says no."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def say(text: str) -> None:
    """A message, on standard error; where nobody can read it, it is not an error of its own."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (BrokenPipeError, ValueError):
        return


def warn(diagnostics: Iterable[Diagnostic]) -> None:
    listed = list(diagnostics)
    if listed:
        say(render(listed, color=color_of(sys.stderr)))


def flush_output() -> None:
    sys.stdout.flush()


def read_program_source(argument: str) -> Source:
    """The text of a FILE, of `-`, or of `example:NAME`."""
    from gradir.runtime.program import EXAMPLE, example_source
    from gradir.text.reading import MAX_BYTES, read_source, source_of_bytes

    if argument == STDIN:
        return source_of_bytes("<stdin>", sys.stdin.buffer.read(MAX_BYTES + 1))
    if argument.startswith(EXAMPLE):
        return example_source(argument.removeprefix(EXAMPLE))
    return read_source(argument)


def load_program(argument: str, *, warnings: bool = True) -> Program:
    """The program of an argument; its warnings are shown."""
    from gradir.ir.build import build
    from gradir.runtime.program import Program

    program = Program(build(read_program_source(argument)))
    if warnings:
        warn(program.warnings)
    return program


def flag_span(flag: str, text: str, part: str | None = None) -> Span:
    """A place in a flag's value, shown like a place in a program."""
    source = Source(flag, text)
    start = text.find(part) if part else 0
    start = max(start, 0)
    return Span(source, start, start + len(part) if part else len(text))


def program_argument(parser: argparse.ArgumentParser, *, many: bool = False) -> None:
    text = "a program: a file, `-` for standard input, or example:NAME"
    if many:
        parser.add_argument("files", metavar="FILE", nargs="+", help=text)
    else:
        parser.add_argument("file", metavar="FILE", help=text)


def output_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help="write here, not to standard output")


def write_result(data: str | bytes, path: str | None) -> None:
    """To the file, replaced in one step, or to standard output."""
    if path is not None and path != STDIN:
        write_atomically(path, data.encode("utf-8") if isinstance(data, str) else data)
    elif isinstance(data, bytes):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        sys.stdout.write(data)
