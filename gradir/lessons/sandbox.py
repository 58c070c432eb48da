"""What a submission's process may not do, enforced by the kernel where it can be (Linux).

Limits of memory, time, file size and open files; no other process, no network, no signal to
others (seccomp); no file outside its folder but what Python itself is made of (Landlock). Where
the kernel offers less, `missing` says what, and Python's audit hook refuses what it can see.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

OPEN_FILES = 64
FILE_SIZE = 16 << 20

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2
_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_CLONE_THREAD = 0x00010000
_EPERM, _ENOSYS = 1, 38


def limit(memory: int, seconds: float) -> None:
    """Limits of this process; none can be raised again. `memory` is beyond what it has now."""
    memory += _size()
    for what, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, int(seconds) + 2),
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(what, (most, most))


def _size() -> int:
    """The address space of this process, in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 0


def enter(folder: str, *, everything_readable: bool) -> list[str]:
    """Shut this process in; what the kernel would not do is returned, in words."""
    if sys.platform != "linux":
        _no_processes()
        return ["files", "processes", "network"]
    libc = ctypes.CDLL(None, use_errno=True)
    lacking: list[str] = []
    if libc.unshare(_NEW_NET) != 0:
        libc.unshare(_NEW_USER | _NEW_NET)  # seccomp forbids sockets whatever comes of it
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    readable = ["/"] if everything_readable else python_files()
    if not _landlock(libc, folder, readable):
        lacking.append("files")
    if not _seccomp(libc):
        _no_processes()
        lacking += ["processes", "network"]
    return lacking


def _no_processes() -> None:
    """Without seccomp a fork bomb meets the user's own limit (which root does not have)."""
    most = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    most = 0 if most == resource.RLIM_INFINITY else min(most, 0)
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


# --- files --------------------------------------------------------------------------------

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE, _READ, _READ_DIR, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE


def _landlock(libc: Any, folder: str, readable: Iterable[str]) -> bool:
    """Whether files are shut off: all but `folder` and, to be read, `readable`."""
    abi = libc.syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if abi < 1:
        return False
    bits = 13 if abi < 2 else 14 if abi < 3 else 15 if abi < 5 else 16
    handled = (1 << bits) - 1
    fields = [handled, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0]
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    packed = struct.pack("=QQQ", *fields)
    rules = libc.syscall(_CREATE, packed, ctypes.c_size_t(size), ctypes.c_uint32(0))
    if rules < 0:
        return False
    for path, allowed in [
        (folder, handled),
        ("/dev/null", _READ | _WRITE),
        ("/dev/urandom", _READ),
        *((path, _READ | _READ_DIR) for path in readable),
    ]:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        if not os.path.isdir(path):
            allowed &= _OF_FILES
        rule = struct.pack("=Qi", allowed & handled, fd)
        libc.syscall(_ADD, ctypes.c_int(rules), ctypes.c_int(1), rule, ctypes.c_uint32(0))
        os.close(fd)
    done = libc.syscall(_RESTRICT, ctypes.c_int(rules), ctypes.c_uint32(0))
    os.close(rules)
    return bool(done == 0)


@cache
def python_files() -> tuple[str, ...]:
    """What Python and NumPy are made of, and nothing that lies beside them.

    The folder of installed packages is left out: the course with its solutions may be there.
    """
    library = Path(os.__file__).parent
    found = [
        str(entry)
        for entry in library.iterdir()
        if entry.name not in ("site-packages", "dist-packages")
    ]
    import numpy

    package = Path(numpy.__file__).parent
    found += [str(package), str(package.parent / "numpy.libs"), "/etc/ld.so.cache", "/lib64"]
    for base in ("/lib", "/usr/lib"):
        found += [str(path) for path in Path(base).glob("*-linux-*")]
    return tuple(found)


# --- system calls -------------------------------------------------------------------------

# Forbidden by name, with their numbers on x86_64 and on aarch64 (-1: there is none).
_FORBIDDEN: dict[str, tuple[int, int]] = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "fork": (57, -1),
    "vfork": (58, -1),
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "kill": (62, 129),
    "tkill": (200, 130),
    "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "chmod": (90, -1),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, -1),
    "fchown": (93, 55),
    "lchown": (94, -1),
    "fchownat": (260, 54),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "setrlimit": (160, 164),
    "setpriority": (141, 140),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "kexec_load": (246, 104),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "swapon": (167, 224),
    "sethostname": (170, 161),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "memfd_create": (319, 279),
}
_CLONE, _CLONE3 = (56, 220), (435, 435)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_LOAD, _EQUAL, _AND_SET, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_X32 = 0x40000000


def _seccomp(libc: Any) -> bool:
    """Whether the filter of system calls is in force."""
    known = _ARCHITECTURES.get(platform.machine())
    if known is None:
        return False
    column, audit = known
    code = filter_code(column, audit)
    instructions = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(instructions))
    return bool(libc.prctl(_PR_SET_SECCOMP, _FILTER, program, 0, 0) == 0)


def filter_code(column: int, audit: int) -> bytes:
    """The filter's instructions: each test returns at once, so no jump is long."""

    def step(code: int, operand: int, then: int = 0, otherwise: int = 0) -> bytes:
        return struct.pack("=HBBI", code, then, otherwise, operand)

    deny = step(_RETURN, _ERRNO | _EPERM)
    code = [step(_LOAD, 4), step(_EQUAL, audit, 1, 0), step(_RETURN, _KILL), step(_LOAD, 0)]
    if column == 0:
        code += [step(_AT_LEAST, _X32, 0, 1), step(_RETURN, _KILL)]
    code += [step(_EQUAL, _CLONE3[column], 0, 1), step(_RETURN, _ERRNO | _ENOSYS)]
    for numbers in _FORBIDDEN.values():
        if numbers[column] >= 0:
            code += [step(_EQUAL, numbers[column], 0, 1), deny]
    # a thread of this process is fine, a process is not
    code += [
        step(_EQUAL, _CLONE[column], 0, 3),
        step(_LOAD, 16),
        step(_AND_SET, _CLONE_THREAD, 1, 0),
        deny,
    ]
    return b"".join([*code, step(_RETURN, _ALLOW)])


# --- Python's own hook --------------------------------------------------------------------

_REFUSED_EVENTS = (
    "socket.",
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.kill",
    "os.killpg",
    "os.putenv",
    "ctypes.",
    "gc.",
    "shutil.",
    "os.remove",
    "os.rmdir",
    "os.rename",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
    "os.truncate",
    "pty.",
    "webbrowser.",
    "urllib.",
    "ftplib.",
    "http.",
    "smtplib.",
)


def watch(folder: str) -> None:
    """Refuse by name what an exercise has no use for; a student reads what was refused."""
    roots = (os.path.realpath(folder) + os.sep, *python_files())

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path = args[0]
            if not isinstance(path, str | bytes):
                return
            real = os.path.realpath(os.fsdecode(path))
            if not real.startswith(roots) and real not in ("/dev/null", "/dev/urandom"):
                raise PermissionError(f"an exercise may not open {os.fsdecode(path)[:200]}")
        elif event.startswith(_REFUSED_EVENTS):
            raise PermissionError(f"an exercise may not use {event}")

    sys.addaudithook(hook)
