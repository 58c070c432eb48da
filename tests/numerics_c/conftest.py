"""Tests that take `build` run once for every build of the C text this machine can make."""

import numerics_c_library
import pytest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "build" in metafunc.fixturenames:
        found = numerics_c_library.builds()
        marks = [] if found else [pytest.param("", marks=pytest.mark.skip("no C compiler"))]
        metafunc.parametrize("build", found or marks)
