"""The command line: finds the command, runs it, and turns whatever happens into an exit code.

0 fine, 1 the program is wrong, 2 wrong usage or a file that cannot be read or written, 3 a bug of
ours. Results go to standard output, messages to standard error. Each command is a module beside
this one, imported when it is called.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from gradir.cli.console import color_of, exit_code, flush_output, say
from gradir.text.diagnostics import Diagnostic, GirError, did_you_mean, error, render

COMMANDS = {
    "run": "run a program",
    "check": "read programs and check them; --grad: gradients against finite differences",
    "fmt": "format programs in place",
    "dump": "write the node table as a program",
    "grad": "write the program with gradients, or whole descent steps, in it",
    "render": "draw the node table",
    "diff": "compare two programs' node tables, up to names",
    "example": "list or copy the examples",
    "lessons": "the course: exercises, checked here",
    "conform": "run the conformance suite",
    "explain": "explain a diagnostic code",
    "cache": "empty the cache of compiled programs",
    "version": "print the version",
}

_BUG = """\
bug in gradir: {what}
This is not your program's fault. Please report it with the command, the program, and the text
that GRADIR_TRACEBACK=1 adds ({version}).
"""


class Parser(argparse.ArgumentParser):
    """Wrong usage becomes a diagnostic like any other."""

    def error(self, message: str) -> NoReturn:
        usage = " ".join(self.format_usage().split())
        raise error("U702", message, help=usage)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        code = dispatch(arguments)
        flush_output()
        return code
    except GirError as refused:
        say(render(refused.diagnostics, color=color_of(sys.stderr)))
        return exit_code(refused)
    except BrokenPipeError:
        return closed_pipe()
    except KeyboardInterrupt:
        say("interrupted\n")
        return 130
    except MemoryError:
        say(render([Diagnostic("R606", "out of memory")], color=color_of(sys.stderr)))
        return 1
    except SystemExit as ended:  # argparse, after --help
        return ended.code if isinstance(ended.code, int) else 2
    except OSError as problem:
        what = f"{problem.filename}: " if problem.filename else ""
        said = Diagnostic("U703", f"{what}{problem.strerror or problem}")
        say(render([said], color=color_of(sys.stderr)))
        return 2
    except Exception as crash:  # whatever is left is a bug, and is said to be one
        return bug(crash)


def dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        sys.stdout.write(overview())
        return 0 if arguments else 2
    name, *rest = arguments
    if name == "--version":
        name = "version"
    if name not in COMMANDS:
        hint = did_you_mean(name, COMMANDS)
        known = f"did you mean `gradir {hint}`?" if hint else "commands: " + ", ".join(COMMANDS)
        raise error("U702", f"there is no command {name}", help=known)
    command = import_module(f"gradir.cli.{name}")
    parser = Parser(
        prog=f"gradir {name}",
        description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.arguments(parser)
    code: int = command.execute(parser.parse_intermixed_args(rest))
    return code


def overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {what}" for name, what in COMMANDS.items()]
    return (
        "usage: gradir COMMAND …      (gradir COMMAND --help tells more)\n\n"
        + "\n".join(lines)
        + "\n\nA program is a FILE, `-` for standard input, or `example:NAME`.\n"
    )


def closed_pipe() -> int:
    """The reader has had enough: nothing is wrong, and the interpreter's last flush is quiet."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        return 0  # standard output is no file: it has no flush to fail
    finally:
        os.close(nowhere)
    return 0


def bug(crash: Exception) -> int:
    if os.environ.get("GRADIR_TRACEBACK"):
        traceback.print_exception(crash, file=sys.stderr)
    from gradir.cli.version import described

    said = f"{type(crash).__name__}: {crash}".splitlines()[0][:200]
    say(_BUG.format(what=said, version=described()))
    return 3


def entry() -> None:
    """The console script."""
    sys.exit(main())
