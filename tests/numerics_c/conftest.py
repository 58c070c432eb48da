"""Tests that take `build` run once for every build of the C text this machine can make."""

from collections.abc import Iterator

import numerics_c_library
import pytest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "build" in metafunc.fixturenames:
        found = numerics_c_library.builds()
        marks = [] if found else [pytest.param("", marks=pytest.mark.skip("no C compiler"))]
        metafunc.parametrize("build", found or marks)


@pytest.fixture(autouse=True)
def nothing_undefined(
    request: pytest.FixtureRequest, capfd: pytest.CaptureFixture
) -> Iterator[None]:
    """Fails where the sanitizer of a watched build has something to say."""
    yield
    if "watched" in request.node.name:
        assert "runtime error" not in capfd.readouterr().err
