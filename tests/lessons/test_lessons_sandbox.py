"""The kernel's walls by themselves, without Python's audit hook before them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are Linux's")

PROBE = """
import json, os, signal, socket, sys, threading
from gradir.lessons import sandbox

inside, outside, readable = sys.argv[1], sys.argv[2], sys.argv[3] == "all"
lacking = sandbox.enter(inside, everything_readable=readable)

def tried(what):
    try:
        what()
        return "done"
    except OSError as problem:
        return type(problem).__name__

def thread():
    started = threading.Thread(target=lambda: None)
    started.start()
    started.join()

found = {
    "fork": tried(os.fork),
    "spawn": tried(lambda: os.posix_spawn("/bin/true", ["true"], {})),
    "exec": tried(lambda: os.execv("/bin/true", ["true"])),
    "socket": tried(socket.socket),
    "kill": tried(lambda: os.kill(os.getppid(), 0)),
    "read outside": tried(lambda: open(outside).read()),
    "write outside": tried(lambda: open(outside, "w")),
    "remove outside": tried(lambda: os.unlink(outside)),
    "mode outside": tried(lambda: os.chmod(outside, 0)),
    "list outside": tried(lambda: os.listdir(os.path.dirname(outside))),
    "link outside": tried(lambda: os.link(outside, inside + "/l")),
    "write inside": tried(lambda: open(inside + "/f", "w").write("x")),
    "read inside": tried(lambda: open(inside + "/f").read()),
    "remove inside": tried(lambda: os.unlink(inside + "/f")),
    "thread": tried(thread),
}
import colorsys  # a module of the library that nothing has read yet
print(json.dumps([lacking, found]))
"""


@pytest.mark.parametrize("readable", ["all", "python"])
def test_walls(readable: str, tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    kept = outside / "kept"
    kept.write_text("kept")
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(inside), str(kept), readable],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    lacking, found = json.loads(done.stdout)
    if lacking:
        pytest.skip(f"this kernel offers no walls for {', '.join(lacking)}")
    refused = {name for name, came in found.items() if came == "PermissionError"}
    allowed = {name for name, came in found.items() if came == "done"}
    seen = {"read outside", "list outside"} if readable == "all" else set()
    assert allowed == {"write inside", "read inside", "remove inside", "thread"} | seen
    # a link from one side of a wall to the other is refused as one between two disks is
    assert refused | {"link outside"} == set(found) - allowed
    assert kept.read_text() == "kept"
