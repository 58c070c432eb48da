"""List the examples, or copy one, with its data, to start from.

gradir example list
gradir example copy NAME [FILE]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gradir.cli.console import STDIN, load_program, write_result
from gradir.runtime.files import write_atomically
from gradir.runtime.program import EXAMPLE, example_names, example_source
from gradir.text.diagnostics import error


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "copy"))
    parser.add_argument("name", metavar="NAME", nargs="?", help="the example to copy")
    parser.add_argument(
        "target", metavar="FILE", nargs="?", help="default: NAME.gir here; `-`: standard output"
    )
    parser.add_argument("--force", action="store_true", help="replace a file that exists")


def execute(args: argparse.Namespace) -> int:
    if args.action == "list":
        names = example_names()
        width = max(map(len, names), default=0)
        for name in names:
            sys.stdout.write(f"{name:{width}}  {title(example_source(name).text)}\n")
        return 0
    if args.name is None:
        raise error("U702", "which example?", help="`gradir example list` shows them all")
    name = args.name.removeprefix(EXAMPLE)
    source = example_source(name)
    target = args.target or f"{name}.gir"
    if target == STDIN:
        write_result(source.text, target)
        return 0
    if Path(target).is_dir():
        target = str(Path(target) / f"{name}.gir")
    copies = {target: source.text.encode("utf-8"), **data_files(name, Path(target).parent)}
    for path in copies:
        if Path(path).exists() and not args.force:
            raise error("U703", f"{path} exists", help="--force replaces it")
    for path, data in copies.items():
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise error("U703", f"cannot make {Path(path).parent}: {problem.strerror}") from None
        write_atomically(path, data)
        sys.stdout.write(f"{path}\n")
    return 0


def data_files(name: str, folder: Path) -> dict[str, bytes]:
    """The array files that the example's buffers start from, by where they are copied to."""
    program = load_program(f"{EXAMPLE}{name}", warnings=False)
    table = program.table
    inits = (table[id].attr("init") for id in table.buffers.values())
    return {
        str(folder / init): (program.folder / init).read_bytes()
        for init in inits
        if isinstance(init, str) and init.endswith(".npy")
    }


def title(text: str) -> str:
    """The first line of the opening comment."""
    first = text.lstrip().partition("\n")[0]
    return first.lstrip("# ").rstrip() if first.startswith("#") else ""
