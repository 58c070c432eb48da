"""How much memory a run may take: sizes are checked before arrays are made (R606)."""

from __future__ import annotations

import os
from pathlib import Path

_FALLBACK = 8 << 30


def memory_limit() -> int:
    """Bytes a run may hold: GRADIR_MEMORY if set, else four fifths of what is available."""
    stated = os.environ.get("GRADIR_MEMORY", "")
    if stated.isdigit():
        return int(stated)
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024 * 4 // 5
    return _FALLBACK
