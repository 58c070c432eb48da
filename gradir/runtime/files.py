"""Files replaced in one step: a reader sees the old content or the new, never a part."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from gradir.text.diagnostics import error


def write_atomically(path: str, data: bytes) -> None:
    """All of the file or none of it: a temporary beside it takes its place. GirError U703."""
    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # a device or a pipe cannot be replaced
            target.write_bytes(data)
            return
        target = target.resolve()  # a link stays, the file it leads to is replaced
        mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, mode)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as problem:
        raise error("U703", f"cannot write {path}: {problem.strerror or problem}") from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
