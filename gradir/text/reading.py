"""Files and bytes made into sources: the size is checked before the text is taken in."""

from __future__ import annotations

import os
from typing import AnyStr

from gradir.text.diagnostics import Diagnostic, error
from gradir.text.source import Source, Span

MAX_BYTES = 256 * 2**20
MAX_LINE = 64 * 2**20


def read_source(path: str, name: str | None = None) -> Source:
    """The source in the file `path`; GirError U701, P107 or P108 where it is none."""
    name = name or path
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                raise error("P107", _too_large(name, size))
            data = file.read(MAX_BYTES + 1)  # a pipe or a device has no size to check
    except OSError as problem:
        raise error("U701", f"cannot read {name}: {problem.strerror or problem}") from None
    except ValueError:
        raise error("U701", f"cannot read {name!r}: not a file's name") from None
    return source_of_bytes(name, data, path)


def source_of_bytes(name: str, data: bytes, path: str | None = None) -> Source:
    """The source with these bytes (UTF-8; a byte order mark is skipped)."""
    if len(data) > MAX_BYTES:
        raise error("P107", _too_large(name, len(data)))
    line = longest_line_over(data, b"\n")
    if line:
        raise error("P107", _long_line(name, line))
    try:
        return Source(name, data.decode("utf-8-sig"), path)
    except UnicodeDecodeError as problem:
        at = problem.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        source = Source(name, data.decode("utf-8", "replace"), path)
        start = len(data[:at].decode("utf-8", "replace"))
        raise error(
            "P108",
            f"byte 0x{data[at]:02x} is not UTF-8 text",
            Span(source, start, start + 1),
            help="save the file as UTF-8",
        ) from None


def check_size(source: Source) -> Diagnostic | None:
    """P107 for a text that did not come from a file and is larger than a file may be."""
    text = source.text
    if len(text) > MAX_BYTES:
        return Diagnostic("P107", _too_large(source.name, len(text)))
    line = longest_line_over(text, "\n")
    return Diagnostic("P107", _long_line(source.name, line)) if line else None


def longest_line_over(text: AnyStr, end: AnyStr) -> int:
    """The first line longer than a line may be, as its number; 0 where there is none."""
    number, start = 1, 0
    while len(text) - start > MAX_LINE:
        stop = text.find(end, start, start + MAX_LINE + 1)
        if stop < 0:
            return number
        number, start = number + 1, stop + 1
    return 0


def _too_large(name: str, size: int) -> str:
    return f"{name} is larger than {MAX_BYTES // 2**20} MiB ({size} bytes or more)"


def _long_line(name: str, number: int) -> str:
    return f"line {number} of {name} is longer than {MAX_LINE // 2**20} MiB"
