"""Run-time errors at the place of their node, the same from every executor (R605, R606, R607)."""

from __future__ import annotations

from gradir.ir.table import Table
from gradir.text.diagnostics import Diagnostic, GirError, Note


class IndexOutOfRange(Exception):
    """An index outside its axis (R605): the index, where it stands, the axis's size."""

    def __init__(self, index: int, position: tuple[int, ...], size: int) -> None:
        super().__init__(index, position, size)
        self.index, self.position, self.size = index, position, size


def share_note(table: Table, forward: int) -> Note:
    """What an error at a gradient's node says of the forward node it belongs to."""
    return Note(f"in the gradient, a share of %{table.label(forward)}", table.span(forward))


class Failures:
    """Makes the errors of one table's nodes."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def make(self, id: int, code: str, message: str, help: str | None = None) -> GirError:
        """An error at the node's place; a gradient's node shows its forward node too."""
        origins = self.table.origins[id]
        forward = next((o.forward for o in origins if o.forward is not None), None)
        notes = []
        if forward is not None:
            notes.append(share_note(self.table, forward))
        notes += next((o.calls for o in origins if o.calls), ())
        return GirError(Diagnostic(code, message, self.table.span(id), notes, help))

    def bad_index(self, id: int, axis: int, outside: IndexOutOfRange) -> GirError:
        at = f" at position {list(outside.position)}" if outside.position else ""
        return self.make(
            id,
            "R605",
            f"{self.table[id].op.name}: index {outside.index}{at} is outside axis {axis} "
            f"of size {outside.size}",
            help="indices run from 0; a negative one does not count from the end",
        )
