"""The types and bits of literals (spec/literals.md)."""

from __future__ import annotations

import pytest
from helpers import bits, refused, run

from gradir import Program


def type_of(text: str, name: str = "y") -> str:
    table = Program.parse(text).table
    return str(table.type(table.names[name]))


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("%x = stage f64\n%y = mul 2.0 %x", "f64"),
        ("%x = stage i64\n%y = add %x 1", "i64"),
        ("%x = stage u32\n%y = shl %x 3", "u32"),
        ("%c = stage bool\n%y = where %c 1.0 2.0", "f32"),
        ("%c = stage bool\n%x = stage f64\n%y = where %c 1.0 %x", "f64"),
        ("%c = stage bool\n%y = where %c 1 2", "i32"),
        ("%y = 0.1", "f32"),
        ("%y = 7", "i32"),
        ("%y = true", "bool"),
        ("%y = 7:i64", "i64"),
        ("%y = 2.0:f64", "f64"),
        ("%x = stage f64\n%y = add %x -1:%x", "f64"),
        ("%x = stage f32[4]\n%y = take %x 3", "f32"),
        ("%x = stage f64[2]\n%y = pad %x lo=[1] hi=[1] value=9.0", "f64[4]"),
    ],
)
def test_types(text: str, type: str) -> None:
    assert type_of(text) == type


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("1e-40", 0x000116C2),
        ("0x1p-149", 1),
        ("7e-46", 0),
        ("3.4028235e38", 0x7F7FFFFF),
        ("3.4028235677973366e38", 0x7F7FFFFF),
        ("7.1e-46", 1),
        ("3.14159265358979323846", 0x40490FDB),
        ("-0.0", 0x80000000),
        ("inf", 0x7F800000),
        ("-inf", 0xFF800000),
        ("nan", 0x7FC00000),
    ],
)
def test_f32_literals_are_rounded_once(text: str, pattern: int) -> None:
    assert bits(run(f"%y = {text}\noutput %y")["y"]) == [pattern]


def test_an_unsigned_minus_one_wraps_where_it_is_borrowed() -> None:
    assert run("%x = stage u32\n%y = mul %x -1:%x\noutput %y", {"x": 1})["y"] == 2**32 - 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("%y = 1e39", "T306"),
        ("%y = 2147483648", "T306"),
        ("%y = -1:u32", "T306"),
        ("%x = stage f32\n%y = mul 2 %x", "T305"),
        ("%y = sqrt 2", "T305"),
        ("%x = stage f64\n%y = mul %x (mul 2.0 3.0)", "T301"),
        ("%y = const i32 1.5", "T320"),
        ("%y = const bool 2", "T320"),
        ("%y = const i32 true", "T320"),
        ("%b = buffer i32\nstore %b 2.0", "T320"),
        ("%b = buffer f32\nstore %b 2", "T305"),
        ("%y = 2:f32", "T305"),
        ("%i = stage i32\n%y = add %i 1.0", "T301"),
    ],
)
def test_refusals(text: str, code: str) -> None:
    assert refused(text)[0][0] == code


def test_integers_fold_in_their_own_width() -> None:
    text = """%a = add (add 16777216.0 1.0) 1.0
%b = add 2147483647 1
%c = mul 65536 65537
%d = mul 4611686018427387904:i64 4:i64
output %a
output %b
output %c
output %d
"""
    outputs = run(text)
    assert bits(outputs["a"]) == [0x4B800000]
    assert [int(outputs[n]) for n in "bcd"] == [-(2**31), 65536, 0]
