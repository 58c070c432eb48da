"""The package keeps to operations whose bits do not depend on the processor."""

import ast
import pathlib
import subprocess
import sys

import pytest

import gradir.numerics

PACKAGE = pathlib.Path(gradir.numerics.__file__).parent
ROOT = PACKAGE.parent.parent
MODULES = sorted(PACKAGE.glob("*.py"))

TYPES = {"bool_", "dtype", "errstate", "finfo", "float32", "float64", "generic", "iinfo"}
TYPES |= {"int32", "int64", "ndarray", "uint32", "uint64", "ufunc", "nan", "inf"}
ARRAYS = {"array", "asarray", "ascontiguousarray", "arange", "broadcast_arrays", "concatenate"}
ARRAYS |= {"copyto", "empty", "empty_like", "full", "moveaxis", "ndindex", "nonzero", "ones"}
ARRAYS |= {"ones_like", "shape", "where", "zeros"}
# One IEEE operation, or exact: the same bits everywhere.
EXACT = {"abs", "add", "copysign", "divide", "isfinite", "multiply", "negative", "signbit"}
EXACT |= {"sqrt", "subtract", "trunc"}
# `maximum` stands for maximum.reduce on integers.
INTEGER = {"bitwise_and", "floor_divide", "left_shift", "maximum", "remainder", "right_shift"}
METHODS_TO_AVOID = {"sum", "prod", "mean", "dot", "cumsum", "cumprod", "clip", "round"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_only_known_numpy_names_are_used(path):
    tree = ast.parse(path.read_text())
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "np"
    }
    assert used <= TYPES | ARRAYS | EXACT | INTEGER
    methods = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) != "math"
    }
    assert not methods & METHODS_TO_AVOID
    assert not any(
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) for node in ast.walk(tree)
    )


def test_the_tables_are_what_the_fit_gives():
    pytest.importorskip("mpmath")
    script = ROOT / "tools" / "fit_coefficients.py"
    if not script.exists():
        pytest.skip("the tools are not part of an installed package")
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
