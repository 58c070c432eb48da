"""The entry of a library: steps of a program in one call, and how Python calls it.

A job is a row of 64-bit words; `_FIELDS` is the one description from which the C struct, the
words' places and the number that a library is asked for when it is opened are made. A library
of another interface is refused. The types are plain, so cffi's parser of C is not needed, which
takes longer to import than a small program takes to compile.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import _cffi_backend as cffi  # type: ignore[import-untyped]
import numpy as np

from gradir.codegen.emit_c import ENTRY
from gradir.codegen.prelude import SIGNATURE
from gradir.numerics import ctext
from gradir.text.diagnostics import error

DRIVER = "gir_run_steps"
# Workers of a library's pool sleep in its code: once loaded it stays.
_KEEP = cffi.RTLD_NOW | getattr(cffi, "RTLD_NODELETE", 0x1000)
_ASK = "gir_interface"

# name, C type, words
_FIELDS = (
    ("memory", "void **", 1),
    ("dims", "const int64_t *", 1),
    ("slots", "const gir_slot *", 1),  # rows of SLOT_WORDS
    ("slot_count", "int64_t ", 1),
    ("steps", "int64_t ", 1),
    ("done", "int64_t *", 1),  # counted up, a step that ends well at a time
    ("error", "gir_error ", 5),
    ("threads", "int64_t ", 1),  # that a kernel may use
    ("busy", "int64_t ", 1),  # 1 while a thread is at it
)
BUSY = 2  # what the driver gives to any other thread
PLACES = {
    name: sum(words for _, _, words in _FIELDS[:at]) for at, (name, _, _) in enumerate(_FIELDS)
}
JOB_WORDS = sum(words for _, _, words in _FIELDS)
SLOT_WORDS = 3

_STRUCTS = f"""/* A slot that a step gives new contents: the memories of the old and of the new ones
 * change places behind it. What is written by index starts from a copy: then `bytes` is its
 * size, and they change places before the step, and back again if it fails. */
typedef struct {{
    int64_t now, next, bytes;
}} gir_slot;
typedef struct {{
{chr(10).join(f"    {c_type}{name};" for name, c_type, _ in _FIELDS)}
}} gir_job;
_Static_assert(sizeof(void *) == 8 && sizeof(gir_job) == {8 * JOB_WORDS}, "words of 64 bits");
"""

INTERFACE = zlib.crc32((SIGNATURE + _STRUCTS).encode())

_TEXT = f"""
{_STRUCTS}
static void gir_exchange(void **memory, const gir_slot *slot) {{
    void *now = memory[slot->now];
    memory[slot->now] = memory[slot->next];
    memory[slot->next] = now;
}}

__attribute__((visibility("default"))) int64_t {_ASK}(void *unused) {{
    (void)unused;
    return {INTERFACE};
}}

__attribute__((visibility("default"))) int {DRIVER}(gir_job *job) {{
    const gir_run run = {{job->memory, job->dims, &job->error, job->threads}};
    const gir_slot *end = job->slots + job->slot_count;
    uint64_t mode;
    int failed = 0;
    if (__atomic_exchange_n(&job->busy, 1, __ATOMIC_ACQUIRE)) return {BUSY};
    gir_mode_enter(&mode);
    for (int64_t step = 0; step < job->steps && !failed; step++) {{
        for (const gir_slot *slot = job->slots; slot < end; slot++) {{
            if (!slot->bytes) continue;
            gir_exchange(job->memory, slot);
            __builtin_memcpy(job->memory[slot->now], job->memory[slot->next], slot->bytes);
        }}
        failed = {ENTRY}(&run);
        for (const gir_slot *slot = job->slots; slot < end; slot++)
            if (failed ? slot->bytes != 0 : slot->bytes == 0) gir_exchange(job->memory, slot);
        if (!failed) __atomic_fetch_add(job->done, 1, __ATOMIC_RELAXED);
    }}
    gir_mode_leave(mode);
    __atomic_store_n(&job->busy, 0, __ATOMIC_RELEASE);
    return failed;
}}
"""

ALIGNMENT = 64

_POINTER = cffi.new_pointer_type(cffi.new_void_type())
_RUN = cffi.new_function_type((_POINTER,), cffi.new_primitive_type("int"), False)
_NUMBER = cffi.new_function_type((_POINTER,), cffi.new_primitive_type("int64_t"), False)
_BYTES = cffi.new_array_type(cffi.new_pointer_type(cffi.new_primitive_type("char")), None)
_ADDRESS = cffi.new_primitive_type("uintptr_t")

Entry = Callable[[Any], int]


def driver_text() -> str:
    """What stands behind a program's own text in its library."""
    return ctext.piece("guard") + _TEXT


def pointer(address: int) -> Any:
    """An address as the entry takes it."""
    return cffi.cast(_POINTER, address)


def address(array: np.ndarray) -> int:
    """Where a contiguous array's elements lie; a third of the time of NumPy's own answers."""
    return int(cffi.cast(_ADDRESS, cffi.from_buffer(_BYTES, array)))


def aligned(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """A new array on a cache line of its own, its contents not set."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.empty(size + ALIGNMENT, np.uint8)
    start = -address(room) % ALIGNMENT
    return room[start : start + size].view(dtype).reshape(shape)


def open_library(path: Path) -> tuple[Entry, Any]:
    """The entry of a library, and the library, which must be kept. GirError U704."""
    try:
        opened = cffi.load_library(str(path), _KEEP)
        interface = opened.load_function(_NUMBER, _ASK)(pointer(0))
        entry = opened.load_function(_RUN, DRIVER)
    except (OSError, AttributeError) as problem:
        raise error("U704", f"cannot open a compiled program: {problem}") from None
    if interface != INTERFACE:
        raise error("U704", "a compiled program has another interface than this gradir")
    return entry, opened
