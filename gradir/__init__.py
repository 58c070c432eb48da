"""gradir: a tensor compiler you can read. `gradir.load("file.gir")` gives a program to run.

`gradir.compile(outputs=…, stores=…)` makes one from expressions of Python (`gradir.api`); every
operation of the language is a function here too, such as `gradir.softmax(x, axis=1)`.
"""

from __future__ import annotations

from typing import Any

from gradir.api import (
    Buffer,
    Effect,
    Expr,
    buffer,
    build,
    compile,
    const,
    function,
    gradient,
    operation_names,
    stage,
)
from gradir.api.types import ELEMENT_TYPES, ElementType, Size, Type, dim
from gradir.runtime.program import Program
from gradir.runtime.session import Bound, Session
from gradir.text.diagnostics import Diagnostic, GirError

__version__ = "0.1.0"

load = Program.load
parse = Program.parse

f32, f64 = ELEMENT_TYPES["f32"], ELEMENT_TYPES["f64"]
i32, i64, u32 = ELEMENT_TYPES["i32"], ELEMENT_TYPES["i64"], ELEMENT_TYPES["u32"]
bool_ = ELEMENT_TYPES["bool"]

__all__ = [
    "Bound",
    "Buffer",
    "Diagnostic",
    "Effect",
    "ElementType",
    "Expr",
    "GirError",
    "Program",
    "Session",
    "Size",
    "Type",
    "__version__",
    "bool_",
    "buffer",
    "build",
    "compile",
    "const",
    "dim",
    "f32",
    "f64",
    "gradient",
    "i32",
    "i64",
    "load",
    "parse",
    "stage",
    "u32",
]


def __getattr__(name: str) -> Any:
    """Operations of the language by name."""
    if name.startswith("__"):
        raise AttributeError(f"module gradir has no attribute {name}")
    return function(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in operation_names() if name.isidentifier())})
