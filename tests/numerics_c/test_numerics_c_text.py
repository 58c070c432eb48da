"""The pieces of C text and how they are put together."""

import subprocess
import sys

import numpy as np
import pytest
from numerics_c_library import HERE, call, library

from gradir.numerics import ctext

ROOT = HERE.parent.parent


def test_every_piece_stands_behind_what_it_needs():
    order = ctext.ordered(reversed(ctext.names()))
    assert sorted(order) == ctext.names()
    for name in order:
        assert all(order.index(other) < order.index(name) for other in ctext.needs(name))


def test_assembled_text_holds_each_piece_once_and_includes_only_standard_headers():
    text = ctext.assemble(["f32_exp", "f32_tanh", "fold"])
    assert text.count("#define GIR_BASE_H") == 1
    included = {line for line in text.splitlines() if line.startswith("#include")}
    assert included == {"#include <stddef.h>", "#include <stdint.h>"}
    assert "gir_log_f32" not in text


def test_text_for_kinds_is_written_out():
    text = ctext.assemble(["elementwise"])
    assert "gir_idiv_i32(int32_t a, int32_t b)" in text
    assert "gir_idiv_u32(uint32_t a, uint32_t b)" in text
    assert "@for" not in text and "_f64(integer" not in text


def test_unknown_piece_is_refused():
    with pytest.raises(KeyError, match="no piece of C text named 'sine'"):
        ctext.assemble(["sine"])


@pytest.mark.parametrize("name", ctext.names())
def test_piece_names_what_it_needs(name):
    """Each piece compiles with no more than that before it."""
    done = subprocess.run(
        ["gcc", "-std=gnu99", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-xc", "-"],
        input=ctext.assemble([name]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_watched_builds_notice_an_overflow_in_a_vector(build, capfd):
    if not build.endswith("watched"):
        pytest.skip("not watched")
    out, x = np.empty(16, np.int32), np.full(16, 3, np.int32)
    call(library(build).doubled_signed, out, x)
    assert "runtime error" not in capfd.readouterr().err
    x[2] = 2**31 - 1
    call(library(build).doubled_signed, out, x)
    assert "signed integer overflow: 2147483647 + 2147483647" in capfd.readouterr().err


def test_lines_are_short():
    for path in [*(ROOT / "gradir" / "numerics" / "c").iterdir(), *HERE.glob("*.c")]:
        for line in path.read_text().splitlines():
            assert len(line) <= 100, f"{path.name}: {line}"


def test_tables_are_what_the_fit_gives():
    command = [sys.executable, str(ROOT / "tools" / "fit_c_tables.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
