"""Conformance files of the elementwise operations: each type, special values, shapes, refusals."""

from __future__ import annotations

from typing import Any

import conformance_oracle as oracle
from conformance_oracle import FLOATS, INF, INTEGERS, NAN, TYPES
from conformance_writer import Suite, expected, given, show

# Ids of the sentences on types and on values, and the types each operation takes.
BINARY = {
    "add": ("ADD-1", "ADD-2", "ADD-3", (*FLOATS, *INTEGERS)),
    "mul": ("MUL-1", "MUL-2", "MUL-3", (*FLOATS, *INTEGERS)),
    "max": ("MAX-11", "MAX-12", "MAX-12", (*FLOATS, *INTEGERS)),
    "div": ("DIV-1", "DIV-2", "", FLOATS),
    "idiv": ("IDIV-11", "", "IDIV-12", INTEGERS),
    "mod": ("MOD-11", "", "MOD-12", INTEGERS),
    "lt": ("LT-1", "LT-2", "LT-2", (*FLOATS, *INTEGERS)),
    "le": ("LE-1", "LE-2", "LE-2", (*FLOATS, *INTEGERS)),
    "eq": ("EQ-1", "EQ-2", "EQ-2", TYPES),
    "ne": ("NE-1", "NE-2", "NE-2", TYPES),
    "and": ("AND-1", "", "AND-2", (*INTEGERS, "bool")),
    "or": ("OR-1", "", "OR-2", (*INTEGERS, "bool")),
    "xor": ("XOR-1", "", "XOR-2", (*INTEGERS, "bool")),
    "shl": ("SHL-1", "", "SHL-2", INTEGERS),
    "shr": ("SHR-1", "", "SHR-2", INTEGERS),
}
MORE_IDS = {
    ("add", "f"): ", NUM-1, NUM-2, NUM-5",
    ("mul", "f"): ", NUM-1, NUM-2, NUM-5",
    ("div", "f"): ", NUM-1, NUM-2, NUM-5",
    ("max", "f"): ", MAX-1",
    ("max", "i"): ", MAX-1",
    ("add", "i"): ", NUM-7",
    ("mul", "i"): ", NUM-7",
    ("idiv", "i"): ", IDIV-1, IDIV-2",
    ("mod", "i"): ", MOD-1, MOD-2",
}
FUNCTIONS = ("exp2", "log2", "exp", "log", "sqrt", "sin", "cos", "tanh", "erf")
COMPARE = ("lt", "le", "eq", "ne")
ORDER = ("zero", "minus_zero", "one")

SPECIALS = {
    "f32": [0.0, -0.0, 1.0, -1.5, INF, -INF, NAN, 2.0**-149, -(2.0**-126), 2.0**128 - 2.0**104],
    "f64": [
        0.0,
        -0.0,
        1.0,
        -1.5,
        INF,
        -INF,
        NAN,
        2.0**-1074,
        -(2.0**-1022),
        1.7976931348623157e308,
    ],
    "i32": [0, 1, -1, 7, -7, 2, -2147483648, 2147483647, 65537],
    "i64": [0, 1, -1, 7, -7, 3, -(2**63), 2**63 - 1, 3037000500],
    "u32": [0, 1, 7, 3, 4294967295, 2147483648, 65537],
    "bool": [False, True],
}
COUNTS = {"i32": [0, 1, 31, 32, 33, -1], "i64": [0, 1, 63, 64, 65, -1], "u32": [0, 1, 31, 32, 33]}

# Pairs whose results round: half way, just off half way, into subnormals, to infinity.
ROUNDING = {
    ("add", "f32"): [("1", "0x1p-24"), ("0x1.000002p0", "0x1p-24"), ("1", "0x1.000002p-24"),
                     ("16777216", "1"), ("16777218", "1"), ("0x1p-126", "-0x1.fffffep-127"),
                     ("0x1.fffffep127", "0x1p103"), ("0x1.fffffep127", "0x1p102"), ("0.1", "0.2")],
    ("add", "f64"): [("1", "0x1p-53"), ("0x1.0000000000001p0", "0x1p-53"), ("0.1", "0.2"),
                     ("1", "0x1.0000000000001p-53"), ("0x1.fffffffffffffp1023", "0x1p970"),
                     ("0x1p-1022", "-0x1.fffffffffffffp-1023"), ("1e16", "1")],
    ("mul", "f32"): [("0.1", "0.1"), ("0x1p-75", "0x1p-75"), ("0x1.8p-75", "0x1p-75"),
                     ("0x1p-75", "0x1p-74"), ("0x1.fffffep-76", "0x1p-74"), ("0x1p64", "0x1p64"),
                     ("0x1.000002p0", "0x1.000002p0"), ("0x1p-149", "0.5"), ("0x1p-149", "1.5"),
                     ("0x1.fffffep63", "0x1.000002p64"), ("16777215", "16777215")],
    ("mul", "f64"): [("0.1", "0.1"), ("0x1p-538", "0x1p-537"), ("0x1.8p-538", "0x1p-537"),
                     ("0x1p-537", "0x1p-537"), ("0x1p512", "0x1p512"), ("3", "0.1"),
                     ("0x1.0000000000001p0", "0x1.0000000000001p0"), ("0x1p-1074", "1.5")],
    ("div", "f32"): [("1", "3"), ("2", "3"), ("1", "10"), ("5", "7"), ("0x1p-149", "2"),
                     ("0x1p-149", "0x1.fffffep0"), ("0x1.8p-149", "1"), ("0x1p127", "0.25"),
                     ("0x1.fffffep127", "0x1.fffffep-1"), ("1", "0x1p-149"), ("1e-20", "1e20")],
    ("div", "f64"): [("1", "3"), ("2", "3"), ("1", "10"), ("5", "7"), ("0x1p-1074", "2"),
                     ("0x1p-1074", "0x1.fffffffffffffp0"), ("0x1p1023", "0.25"),
                     ("1e-200", "1e200")],
}  # fmt: skip

FMA = [
    ("1", "1", "0"), ("0", "-1", "-0.0"), ("-0.0", "1", "-0.0"), ("-0.0", "1", "0"),
    ("1", "1", "-1"), ("-1", "1", "1"), ("inf", "0", "nan"), ("inf", "0", "1"),
    ("inf", "2", "-inf"),
    ("inf", "2", "inf"), ("inf", "-2", "1"), ("1", "1", "inf"), ("nan", "1", "1"),
    ("1", "nan", "1"),
    ("1", "1", "nan"), ("0.1", "0.1", "-0.01"), ("0.1", "10", "-1"), ("3", "0.3333333333", "-1"),
]  # fmt: skip
FMA_OF = {
    "f32": [("0x1.fffffep127", "0x1.fffffep127", "-inf"),
            ("0x1p127", "2", "-0x1.fffffep127"),
            ("0x1.000002p0", "0x1.000002p0", "-0x1.000004p0"), ("0x1p-75", "0x1p-75", "0x1p-149"),
            ("0x1.000002p0", "0x1.fffffcp-1", "-1"), ("0x1p-100", "0x1p-100", "1"),
            ("0x1.000002p0", "0x1.8p-24", "1"), ("0x1.8p-75", "0x1p-75", "0"),
            ("0x1.000002p-64", "0x1p-64", "0x1p-126"), ("0x1p-80", "-0x1p-80", "0x1.000002p0"),
            ("0x1.800002p0", "0x1p-24", "1"), ("0x1.8p0", "0x1p-24", "0x1.000002p0")],
    "f64": [("0x1.fffffffffffffp1023", "2", "-inf"), ("0x1.fffffffffffffp1023", "2", "-0x1p1023"),
            ("0x1.0000000000001p0", "0x1.0000000000001p0", "-0x1.0000000000002p0"),
            ("0x1p-600", "0x1p-600", "0x1p-1074"), ("0x1p-538", "0x1p-537", "0"),
            ("0x1.8p-538", "0x1p-537", "0"), ("0x1.0000000000001p0", "0x1.8p-53", "1"),
            ("0x1p-600", "-0x1p-600", "0x1.0000000000001p0")],
}  # fmt: skip

ORDINARY = [
    "0.5",
    "-0.5",
    "1",
    "-1",
    "2",
    "-3",
    "0.1",
    "-0.7",
    "10",
    "-20",
    "33.3",
    "1e-3",
    "-1e-6",
]
HARD = {  # bits of f32 arguments: exceptional cases, near ties, ends of the range
    "exp2": [0x3B429D37, 0xBCF3A937, 0x41F2739A >> 1, 0x43000000, 0x42FFFFFF, 0xC3160000,
             0xC3150000, 0xC3158000, 0xC2FE0000, 0x33800000, 0x00000001],
    "exp": [0x42B17218, 0x42B17217, 0xC2CFF1B5, 0xC2CFF1B4, 0xC2AEAC50, 0x33800000, 0x80000001],
    "log2": [0x00000001, 0x007FFFFF, 0x3F800001, 0x3F7FFFFF, 0x7F7FFFFF, 0x421C622D, 0x41000000],
    "log": [0x00000001, 0x007FFFFF, 0x3F800001, 0x3F7FFFFF, 0x7F7FFFFF, 0x402DF854, 0x3F000000],
    "sin": [0x46199998, 0x55CAFB2A, 0xC6199998, 0x40490FDB, 0x3FC90FDB, 0x4112E0B7, 0xC19F1FA9,
            0x7F7FFFFF, 0x00000001, 0x39800000, 0x4B000000, 0x5F000000],
    "cos": [0x3FC90FDB, 0x40490FDB, 0x40C90FDB, 0x4E5C4D59, 0x7F7FFFFF, 0x00000001, 0x39B504F3],
    "tanh": [0x00000001, 0x39000000, 0x41100000, 0x41102CB3, 0xC1200000, 0x3F0C9F54, 0x7F7FFFFF],
    "erf": [0x00000001, 0x40800000, 0x407AD447, 0x3F800000, 0xC0000000, 0x7F7FFFFF, 0x3E800000],
    "sqrt": [0x00000001, 0x007FFFFF, 0x7F7FFFFF, 0x3F800001, 0x40000000, 0x40400000, 0x3F7FFFFF],
}  # fmt: skip
DOUBLE = {
    "exp2": ["0x1.e8d0432fc5d8p+3", "-0x1.52756289f6f4cp+3", "1023.5", "1024", "-1074", "-1075",
             "-1074.5", "-1030.3", "0x1p-60"],
    "exp": ["709.78", "710", "-745.1", "-746", "-708.5", "0x1p-60", "88.7"],
    "log2": ["0x1.0a4a64414a57ap+5", "5e-324", "0x1.fffffffffffffp-1", "0x1.0000000000001p0",
             "1.7976931348623157e308", "0.6875", "1.375", "3"],
    "log": ["5e-324", "0x1.fffffffffffffp-1", "0x1.0000000000001p0", "1.7976931348623157e308",
            "0.6875", "1.375", "2.718281828459045"],
    "sin": ["3.141592653589793", "1.5707963267948966", "262143.9", "262144.1", "1e22", "5e-324",
            "1.7976931348623157e308", "6381956970095103.0", "0x1p800"],
    "cos": ["3.141592653589793", "1.5707963267948966", "262143.9", "262144.1", "1e22", "5e-324",
            "1.7976931348623157e308", "0x1p800"],
    "tanh": ["0.0625", "0.06249", "0.125", "0x1.0fffffffffffp0", "19.9", "20", "-20.5", "5e-324",
             "0x1p-30", "0.55"],
    "erf": ["0.25", "0.2499", "5.9", "6", "-6.5", "5e-324", "0x1p-30", "3.3125"],
    "sqrt": ["2", "3", "5e-324", "1.7976931348623157e308", "0x1.fffffffffffffp-1"],
}  # fmt: skip


def read(text: str, dtype: str) -> float:
    if "n" in text or text.endswith("0.0"):
        return float(text)
    return oracle.number(float.fromhex(text) if "0x" in text else text, dtype)


def binary(op: str, a: Any, b: Any, dtype: str) -> Any:
    if op in COMPARE:
        return {"lt": a < b, "le": a <= b, "eq": a == b, "ne": a != b}[op]
    if op == "max":
        return oracle.maximum(a, b, dtype)
    if dtype == "bool":
        return {"and": a and b, "or": a or b, "xor": a != b}[op]
    if dtype in INTEGERS:
        return oracle.integer(op, a, b, dtype)
    result: float = getattr(oracle, op)(a, b, dtype)
    return result


def result_type(op: str, dtype: str) -> str:
    return "bool" if op in COMPARE else dtype


def tables(suite: Suite) -> None:
    """Every special value against every other one, by broadcasting a column against a row."""
    for op, (typed, on_floats, on_others, dtypes) in BINARY.items():
        for dtype in dtypes:
            left = SPECIALS[dtype]
            right = COUNTS[dtype] if op in ("shl", "shr") else left
            values = [[binary(op, a, b, dtype) for b in right] for a in left]
            kind = "f" if dtype in FLOATS else "i"
            ids = (
                f"{typed}, {on_floats if kind == 'f' else on_others}{MORE_IDS.get((op, kind), '')}"
            )
            head = [
                *given("a", [[a] for a in left], dtype),
                *given("b", right, dtype),
                *expected("y", values, result_type(op, dtype)),
            ]
            program = [
                f"%a = stage {dtype}[{len(left)},1]",
                f"%b = stage {dtype}[{len(right)}]",
                f"%y: {result_type(op, dtype)}[{len(left)},{len(right)}] = {op} %a %b",
                "output %y",
            ]
            suite.put("ops", f"{op}_{dtype}_table", ids, head, program)


def roundings(suite: Suite) -> None:
    for (op, dtype), pairs in ROUNDING.items():
        left = [read(a, dtype) for a, _ in pairs]
        right = [read(b, dtype) for _, b in pairs]
        values = [binary(op, a, b, dtype) for a, b in zip(left, right, strict=True)]
        head = [*given("a", left, dtype), *given("b", right, dtype), *expected("y", values, dtype)]
        program = [f"%{n} = stage {dtype}[{len(pairs)}]" for n in "ab"]
        ids = f"{BINARY[op][1]}, NUM-1, NUM-2"
        suite.put("ops", f"{op}_{dtype}_rounds_once_to_even", ids, head,
                  [*program, f"%y = {op} %a %b", "output %y"])  # fmt: skip
    for dtype in FLOATS:
        triples = [[read(t, dtype) for t in row] for row in [*FMA, *FMA_OF[dtype]]]
        columns = list(map(list, zip(*triples, strict=True)))
        values = [oracle.fma(*row, dtype) for row in triples]
        head = [line for n, c in zip("abc", columns, strict=True) for line in given(n, c, dtype)]
        program = [f"%{n} = stage {dtype}[{len(triples)}]" for n in "abc"]
        suite.put("ops", f"fma_{dtype}_rounds_once", "FMA-11, FMA-12, FMA-1, FMA-2, FMA-3",
                  [*head, *expected("y", values, dtype)],
                  [*program, "%y = fma %a %b %c", "output %y"])  # fmt: skip
        values = [oracle.recip(a, dtype) for a in SPECIALS[dtype] + [3.0, 10.0, -7.0]]
        head = [
            *given("a", SPECIALS[dtype] + [3.0, 10.0, -7.0], dtype),
            *expected("y", values, dtype),
        ]
        suite.put("ops", f"recip_{dtype}_values", "RECIP-1, RECIP-2, NUM-1, NUM-5", head,
                  [f"%a = stage {dtype}[{len(values)}]", "%y = recip %a", "output %y"])  # fmt: skip


def functions(suite: Suite) -> None:
    for op in FUNCTIONS:
        name = op.upper()
        for dtype in FLOATS:
            special = SPECIALS[dtype]
            ordinary = [read(t, dtype) for t in ORDINARY]
            hard = (
                [oracle.from_bits(bits, "f32") for bits in HARD[op]]
                if dtype == "f32"
                else [read(t, "f64") for t in DOUBLE[op]]
            )
            steps = {"exp": "EXP-1, EXP-2, EXP-3", "exp2": "EXP2-1, EXP-2, EXP-3"}
            steps |= {"log": "LOG-1, LOG-2, LOG-3", "log2": "LOG-1, LOG-2, LOG2-1"}
            steps |= {"sin": "SIN-1, SIN-2, SIN-3, SIN-4", "cos": "COS-1, SIN-2, SIN-3, SIN-4"}
            steps |= {"tanh": "TANH-1, TANH-2, TANH-3, TANH-4", "erf": "ERF-1, ERF-2, ERF-3, ERF-4"}
            how = (
                "NUM-1"
                if op == "sqrt"
                else "FUNC-1"
                if dtype == "f32"
                else f"{steps[op]}, FUNC-2, FUNC-3, FUNC-4, FUNC-5, FUNC-6"
            )
            for what, values, ids in (
                ("special_values", special, f"{name}-11, {name}-13"),
                ("ordinary_values", ordinary, f"{name}-12, {how}"),
                ("hard_values", hard, f"{name}-12, {how}"),
            ):
                results = [oracle.any_function(op, x, dtype) for x in values]
                suite.put(
                    "numerics" if what == "hard_values" else "ops",
                    f"{op}_{dtype}_{what}",
                    ids,
                    [*given("x", values, dtype), *expected("y", results, dtype)],
                    [f"%x = stage {dtype}[{len(values)}]", f"%y = {op} %x", "output %y"],
                )


CAST_VALUES: dict[str, list[Any]] = {
    "f32": [NAN, INF, -INF, 3e9, -3e9, 2147483648.0, 4294967296.0, -0.9, 2.9, -2.9, 0.5, -0.0,
            2.0**-149, -1.0, 16777217.0 - 1, 2.0**63, -(2.0**63), 2.0**100, -2147483648.0],
    "f64": [NAN, INF, -INF, 2147483647.0, 2147483647.5, -2147483648.9, 2147483648.0, 4294967295.5,
            -0.9, 2.9, -0.0, 5e-324, 2.0**53 + 2, 2.0**63, 9223372036854774784.0, 1e300, 0.1,
            2.0**128 - 2.0**103, 2.0**128 - 2.0**102, 2.0**-150, 2.0**-150 * 1.5, 1.0 + 2.0**-24],
    "i32": [0, 1, -1, 2147483647, -2147483648, 16777217, 16777219, -16777217],
    "i64": [0, 1, -1, 2**63 - 1, -(2**63), 4294967296, 2**53 + 1, 2**53 + 3, 16777217,
            2**60 + 2**36, 2**60 + 2**36 + 1, 9007199791611905, -4294967297],
    "u32": [0, 1, 2147483648, 4294967295, 16777217, 4294967168],
    "bool": [False, True],
}  # fmt: skip
CAST_IDS = {
    "float": "CAST-1, CAST-2", "truncate": "CAST-3", "wrap": "CAST-4", "bool": "CAST-5",
    "from_bool": "CAST-6",
}  # fmt: skip


def conversions(suite: Suite) -> None:
    for source in TYPES:
        for target in TYPES:
            if target == "bool":
                ids = "CAST-5"
            elif source == "bool":
                ids = "CAST-6"
            elif target in FLOATS:
                ids = "CAST-2" if (source, target) == ("f32", "f64") else "CAST-1"
            else:
                ids = "CAST-3" if source in FLOATS else "CAST-4"
            same = ", CAST-13" if source == target else ""
            values = CAST_VALUES[source]
            if source in FLOATS:
                values = [oracle.number(v, source) for v in values]
            results = [oracle.cast(v, source, target) for v in values]
            suite.put(
                "ops",
                f"cast_{source}_to_{target}",
                f"CAST-11, CAST-12, {ids}{same}",
                [*given("x", values, source), *expected("y", results, target)],
                [
                    f"%x = stage {source}[{len(values)}]",
                    f"%y = cast %x dtype={target}",
                    "output %y",
                ],
            )
    for width in (32, 64):
        names = [t for t in TYPES if oracle.WIDTH.get(t) == width]
        for source in names:
            values = SPECIALS[source]
            head, program = (
                list(given("x", values, source)),
                [f"%x = stage {source}[{len(values)}]"],
            )
            for target in names:
                results = [oracle.from_bits(oracle.to_bits(v, source), target) for v in values]
                head += expected(target, results, target)
                program.append(f'output (bitcast %x dtype={target}) name="{target}"')
            suite.put("ops", f"bitcast_of_{source}", "BITCAST-1, BITCAST-2, NUM-6", head, program)
    nans = [0x7FC00000, 0x7F800001, 0xFFC12345, 0x7F800000, 0xFFFFFFFF]
    back = [oracle.to_bits(oracle.from_bits(b, "f32"), "f32") for b in nans]
    suite.put("ops", "bitcast_makes_every_nan_the_one_nan", "BITCAST-2, NUM-6, OP-8",
              [*given("x", nans, "u32"), *expected("y", back, "u32")],
              ["%x = stage u32[5]", "%y = bitcast (bitcast %x dtype=f32) dtype=u32",
               "output %y"])  # fmt: skip


def choices(suite: Suite) -> None:
    for dtype in TYPES:
        values = SPECIALS[dtype]
        flags = [at % 2 == 0 for at in range(len(values))]
        other = values[::-1]
        results = [a if c else b for c, a, b in zip(flags, values, other, strict=True)]
        head = [*given("c", flags, "bool"), *given("a", values, dtype), *given("b", other, dtype)]
        n = len(values)
        suite.put("ops", f"where_{dtype}_passes_on_unchanged", "WHERE-1, WHERE-2",
                  [*head, *expected("y", results, dtype)],
                  [f"%c = stage bool[{n}]", f"%a = stage {dtype}[{n}]", f"%b = stage {dtype}[{n}]",
                   "%y = where %c %a %b", "output %y"])  # fmt: skip


def refusals(suite: Suite) -> None:
    """Types an operation is not defined on, mixed types, counts of operands, attributes."""
    arity = dict.fromkeys(BINARY, 2) | dict.fromkeys((*FUNCTIONS, "recip"), 1) | {"fma": 3}
    allowed = {op: row[3] for op, row in BINARY.items()}
    allowed |= dict.fromkeys((*FUNCTIONS, "recip", "fma"), FLOATS)
    for op, count in arity.items():
        typed = BINARY[op][0] if op in BINARY else f"{op.upper()}-1" + "1" * (op != "recip")
        stages = [f"%{t} = stage {t}[3]" for t in TYPES]
        refused = [t for t in TYPES if t not in allowed[op]]
        lines = [f"%y_{t} = {op} {' '.join([f'%{t}'] * count)}   # T302" for t in refused]
        if lines:
            suite.put("ops", f"{op}_on_other_types", f"{typed}, OP-3", [], [*stages, *lines])
        a, b = ("i32", "i64") if "f32" not in allowed[op] else ("f32", "f64")
        if count > 1:
            rest = " %b" * (count - 2)
            mixed = [f"%a = stage {a}", f"%b = stage {b}", f"%y = {op} %a %b{rest}   # T301"]
            suite.put("ops", f"{op}_of_two_types", f"{typed}, OP-3, TYPE-2", [], mixed)
            shapes = [f"%a = stage {a}[2]", f"%b = stage {a}[3]", f"%y = {op} %a %b{rest}   # T303"]
            suite.put(
                "ops", f"{op}_of_shapes_that_do_not_broadcast", "OP-7, BROADCAST-1", [], shapes
            )
        operands = " ".join(["%a"] * count)
        wrong = [f"%a = stage {a}[2]", f"%few = {op} {' '.join(['%a'] * (count - 1))}   # T307",
                 f"%many = {op} {operands} %a   # T307",
                 f"%unknown = {op} {operands} axis=0   # T308",
                 f"%type = {op} {' '.join(['%a'] * (count - 1))} {a}   # T319"]  # fmt: skip
        suite.put("ops", f"{op}_of_wrong_operands", "OP-1, OP-2", [], wrong)


def shapes(suite: Suite) -> None:
    """Size 0, size 1 and scalars for every elementwise operation, from one element's value."""
    arity = dict.fromkeys(BINARY, 2) | dict.fromkeys((*FUNCTIONS, "recip"), 1) | {"fma": 3}
    for op, count in arity.items():
        dtype = "i64" if op in BINARY and "f32" not in BINARY[op][3] else "f64"
        a, b = (7, 3) if dtype == "i64" else (1.0, 4.0)
        if op in BINARY:
            value = binary(op, a, b, dtype)
        elif op == "fma":
            value = oracle.fma(a, b, b, dtype)
        else:
            value = oracle.recip(a, dtype) if op == "recip" else oracle.any_function(op, a, dtype)
        result = result_type(op, dtype)
        text = show(value, result)
        more = " %b1" * (count - 1)
        head = [f"# expect: scalar = {text}", f"# expect: one = [{text}]", "# expect: none = []",
                f"# expect: deep = [[[{text}], [{text}]]]"]  # fmt: skip
        head = [f"# set: a0 = {show(a, dtype)}", f"# set: b0 = {show(b, dtype)}", *head]
        scalar = f"{op} %a0" + " %b0" * (count - 1)
        program = [
            f"%a0 = stage {dtype}", f"%b0 = stage {dtype}",
            "%a1 = reshape %a0 shape=[1]", "%b1 = reshape %b0 shape=[1]",
            "%a2 = expand (reshape %a0 shape=[1,1,1]) shape=[1,2,1]",
            f"%scalar: {result} = {scalar}",
            f"%one: {result}[1] = {op} %a1{more}",
            f"%none: {result}[0] = {op} (shrink %a1 lo=1 hi=1){more}",
            f"%deep: {result}[1,2,1] = {op} %a2{more}",
            "output %scalar", "output %one", "output %none", "output %deep",
        ]  # fmt: skip
        if count == 1:
            program = [line for line in program if "%b" not in line]
            head = [line for line in head if "b0" not in line]
        suite.put("ops", f"{op}_of_any_shape", "OP-7, BROADCAST-1, BROADCAST-2", head, program)


def elementwise_families(suite: Suite) -> None:
    for family in (tables, roundings, functions, conversions, choices, refusals, shapes):
        family(suite)
