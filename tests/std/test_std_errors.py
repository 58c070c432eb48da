"""The table of largest errors in spec/sugar.md, held by a thin part of every sweep."""

import importlib.util
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def load_tool():
    place = ROOT / "tools" / "measure_macros.py"
    spec = importlib.util.spec_from_file_location("measure_macros", place)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


TOOL = load_tool()
TEXT = (ROOT / "spec" / "sugar.md").read_text(encoding="utf-8")
CELLS = re.findall(r"^\| (`.*?) \| ([\d.]+) \| ([\d.]+) \|", TEXT[TEXT.index("## Largest") :], re.M)
LIMITS = {name.replace("`", ""): (float(f32), float(f64)) for name, f32, f64 in CELLS}


def rows_of(cell: str) -> list:
    """The measured rows that a row of the table speaks of: its own, and those without one."""
    return [
        row
        for row in TOOL.ROWS
        if row.name == cell or (row.name not in LIMITS and row.name.partition(",")[0] == cell)
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("cell", LIMITS)
def test_no_larger_error_than_the_table_says(cell, dtype):
    limit = LIMITS[cell][dtype is np.float64]
    largest = 0.0
    for row in rows_of(cell):
        thin = 8 if "rows" in row.points.__qualname__ else 256 if dtype is np.float32 else 32
        worst, place = TOOL.measure(row, dtype, thin)
        assert worst <= limit, f"{row.name} at {place}"
        largest = max(largest, worst)
    assert largest > limit / 10  # a limit far above what is seen says nothing


def test_every_measured_row_is_in_the_table():
    found = [row.name for cell in LIMITS for row in rows_of(cell)]
    assert sorted(found) == sorted(row.name for row in TOOL.ROWS)


def test_a_wrong_result_would_show():
    """The measure sees one unit: rsqrt against a reference one unit off."""
    row = next(row for row in TOOL.ROWS if row.name == "rsqrt")
    off = replace(row, exact=lambda f, x: row.exact(f, x) * (1 + f.number(2) ** -22))
    worst, _ = TOOL.measure(off, np.float32, thin=1024)
    assert worst > LIMITS["rsqrt"][0]
