"""gradir: a tensor compiler you can read. `gradir.load("file.gir")` gives a program to run."""

from __future__ import annotations

from gradir.program import Program, Session
from gradir.text.diagnostics import Diagnostic, GirError

__version__ = "0.1.0"

load = Program.load
parse = Program.parse

__all__ = ["Diagnostic", "GirError", "Program", "Session", "__version__", "load", "parse"]
