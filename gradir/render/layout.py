"""DOT text to SVG or PNG, by Graphviz's `dot`: the one program that gradir calls to draw.

Nothing of the program's text reaches a shell. Where `dot` is missing, or takes too long, that is
said (U704) with what to do instead.
"""

from __future__ import annotations

import shutil
import subprocess

from gradir.text.diagnostics import error

TIMEOUT = 300  # seconds
MAX_NODES = 6000  # beyond this a layout takes minutes and nobody can read it


def draw(text: str, form: str, nodes: int) -> bytes:
    """The picture in `form` ("svg" or "png"); GirError U704 where it cannot be had."""
    program = shutil.which("dot")
    if program is None:
        raise error(
            "U704",
            f"{form} needs Graphviz, and there is no `dot` on PATH",
            help="install Graphviz, or write DOT text with `-T dot` and lay it out elsewhere",
        )
    if nodes > MAX_NODES:
        raise error(
            "U704",
            f"{nodes} nodes are too many to lay out; the limit is {MAX_NODES}",
            help="draw a part with `--only NAME`, or write DOT text with `-T dot`",
        )
    try:
        done = subprocess.run(
            [program, f"-T{form}"],
            input=text.encode("utf-8"),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise error(
            "U704",
            f"`dot` has not laid out {nodes} nodes in {TIMEOUT} seconds",
            help="draw a part with `--only NAME`, or write DOT text with `-T dot`",
        ) from None
    except OSError as problem:
        raise error("U704", f"`dot` does not start: {problem.strerror or problem}") from None
    if done.returncode != 0 or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise error("U704", f"`dot` failed: {said[0] if said else f'code {done.returncode}'}")
    return done.stdout
