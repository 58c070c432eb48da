"""What a compiled program is found by: a hash of its node table, and one of the code that compiles.

Two tables have one hash exactly if they say the same, up to the names of values and the places
in the text, on which no code depends. The hash of gradir's own code is that of the files' contents:
what another version has compiled is never found. Refuses nothing.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

from gradir.ir.table import Table
from gradir.ir.types import TensorType

# Packages that a table goes through on its way to a library.
_PACKAGES = ("autodiff", "codegen", "ir", "numerics", "numerics/c", "passes", "reference")


@cache
def own_code() -> str:
    """The hash of the code that makes a library out of a table."""
    made = hashlib.sha256()
    for package in _PACKAGES:
        folder = resources.files("gradir").joinpath(package)
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.endswith((".py", ".h")):
                content = file.read_bytes()
                made.update(f"{package}/{file.name} {len(content)}\n".encode())
                made.update(content)
    return made.hexdigest()


def table_hash(table: Table) -> str:
    """The hash of all that a table says, names of values and places in the text left out."""
    made = hashlib.sha256()
    types: dict[TensorType, str] = {}
    lines: list[str] = []
    for node in table.nodes:
        type = types.get(node.type)
        if type is None:
            type = types[node.type] = str(node.type)
        attrs = node.attrs
        if attrs and isinstance(attrs[0], bytes):  # a constant's, which may be long
            content = attrs[0]
            attrs = (len(content), hashlib.sha256(content).digest(), *attrs[1:])
        lines.append(f"{node.op.name} {node.operands} {attrs} {type}")
    functions = [
        (name, function.parameters, function.result, table_hash(function.table))
        for name, function in table.functions.items()
    ]
    beside = (
        list(table.dims.items()),
        list(table.regions.items()),
        list(table.range_parents.items()),
        list(table.versions.items()),
        [tuple(hint) for hint in table.hints],
        sorted(table.late),
        functions,
    )
    made.update("\n".join(lines).encode())
    made.update(repr(beside).encode())
    return made.hexdigest()
