"""Print the version of gradir and of what it runs on."""

from __future__ import annotations

import argparse
import platform
import sys


def described() -> str:
    import numpy

    from gradir import __version__

    return (
        f"gradir {__version__}, Python {platform.python_version()}, NumPy {numpy.__version__}, "
        f"{platform.system()} {platform.machine()}"
    )


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults()


def execute(args: argparse.Namespace) -> int:
    sys.stdout.write(described() + "\n")
    return 0
