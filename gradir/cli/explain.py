"""Explain a diagnostic code: what it means, a smallest bad program, the fix.

Without a code: all codes and their titles.
"""

from __future__ import annotations

import argparse
import sys

from gradir.text.codes import CODES
from gradir.text.diagnostics import did_you_mean, error


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", metavar="CODE", nargs="?", help="a code, like G107")


def execute(args: argparse.Namespace) -> int:
    from gradir.text.explain import explain

    if args.code is None:
        sys.stdout.write("".join(f"{code}  {title}\n" for code, title in CODES.items()))
        return 0
    code = args.code.strip().upper().removeprefix("ERROR[").removesuffix("]")
    if code not in CODES:
        hint = did_you_mean(code, CODES)
        help = f"did you mean {hint}?" if hint else "`gradir explain` lists all codes"
        raise error("U702", f"there is no diagnostic {args.code}", help=help)
    sys.stdout.write(explain(code).rstrip("\n") + "\n")
    return 0
