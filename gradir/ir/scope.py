"""What a body of statements sees, and what is noted of the gradients asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gradir.text.source import Span


@dataclass
class Scope:
    """The names a body sees: its own values and, in a macro, the attributes' values."""

    values: dict[str, int] = field(default_factory=dict)
    bound: dict[str, Span] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    top: bool = False
    keep_names: bool = False


class Gradient(NamedTuple):
    """One `gradient` statement: of what, by what, the result, and where it stands."""

    y: int
    x: int
    result: int
    span: Span
