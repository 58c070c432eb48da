"""The cache of compiled programs: `gradir cache clear` empties it, `gradir cache path` names it."""

from __future__ import annotations

import argparse
import sys

from gradir.codegen.toolchain import cache_folder, clear_cache


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("clear", "path"))


def execute(args: argparse.Namespace) -> int:
    if args.what == "path":
        sys.stdout.write(f"{cache_folder()}\n")
        return 0
    count = clear_cache()
    sys.stdout.write(f"{count} compiled program{'s' * (count != 1)} removed\n")
    return 0
