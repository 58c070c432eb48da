"""The float mode check, in this process as it is and with flush-to-zero turned on."""

import ctypes
import shutil
import subprocess

import pytest

from gradir.numerics import FloatModeError, float_mode_ok, require_float_mode

MODE_C = """
#include <stdint.h>
#if defined(__x86_64__)
static uint64_t get(void) { uint32_t m; __asm__ volatile("stmxcsr %0" : "=m"(m)); return m; }
void put(uint64_t v) { uint32_t m = v; __asm__ volatile("ldmxcsr %0" : : "m"(m)); }
uint64_t flush(void) { uint64_t old = get(); put(old | 0x8000); return old; }
uint64_t zero(void) { uint64_t old = get(); put(old | 0x0040); return old; }
uint64_t upward(void) { uint64_t old = get(); put(old | 0x4000); return old; }
#endif
"""


def test_the_mode_here_is_the_right_one():
    assert float_mode_ok()
    require_float_mode()


@pytest.fixture(scope="module")
def mode(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler to change the mode with")
    folder = tmp_path_factory.mktemp("mode")
    source, library = folder / "mode.c", folder / "mode.so"
    source.write_text(MODE_C)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    loaded = ctypes.CDLL(str(library))
    if not hasattr(loaded, "flush"):
        pytest.skip("the mode register is known for x86-64 only")
    loaded.put.argtypes = [ctypes.c_uint64]
    return loaded


@pytest.mark.parametrize(
    ("change", "word"), [("flush", "FTZ"), ("zero", "DAZ"), ("upward", "nearest")]
)
def test_a_changed_mode_is_noticed(mode, change, word):
    message = None
    old = getattr(mode, change)()
    try:
        ok = float_mode_ok()
        try:
            require_float_mode()
        except FloatModeError as error:
            message = str(error)
    finally:
        mode.put(old)
    assert not ok
    assert word in message
    assert float_mode_ok()
