"""What is asked of a peer's process, and what it answers: both travel as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.measure import Measured


@dataclass
class Request:
    """What a worker is to do."""

    peer: str
    threads: int
    workloads: list[str]  # without forms: all forms of each are measured
    nets: list[str]  # whose gradients' bits are to be compared
    budget: float


@dataclass
class Answer:
    """What one process found."""

    versions: dict[str, str] = field(default_factory=dict)
    measured: dict[str, Measured] = field(default_factory=dict)
    bits: dict[str, list[str]] = field(default_factory=dict)  # a digest a call
    errors: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def load(cls, path: Path) -> Answer:
        found = json.loads(path.read_text(encoding="utf-8"))
        measured = {name: Measured(**value) for name, value in found.pop("measured").items()}
        return cls(measured=measured, **found)


Answers = Mapping[tuple[str, int], Answer]  # by peer and threads
