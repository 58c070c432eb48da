"""Conformance files of the folds: orders of sums, products by blocks, gradients of both.

Long inputs are made by the program itself from an iota, so that the files stay short; the
oracle makes the same numbers.
"""

from __future__ import annotations

import random

import conformance_oracle as oracle
from conformance_oracle import FLOATS, INTEGERS
from conformance_writer import Suite, expected, given

SIZES = (0, 1, 2, 31, 32, 33, 63, 64, 100, 1000, 4095, 4096, 4097, 5000, 8192, 12289)
SIZE_IDS = {0: "FOLD-6, REDUCE-4", 32: "FOLD-2", 4096: "FOLD-3"}
LONG = 132000  # 33 chunks: the chunks' results go to lanes themselves
INNER = (0, 1, 2, 3, 511, 512, 513, 1024, 1025, 1600)


def sequence(n: int, dtype: str, factor: int, scale: str) -> list[float]:
    """((i * factor) mod 2003 - 1001) * scale: exact integers, one rounded product each."""
    step = oracle.number(scale, dtype)
    return [oracle.quick("mul", float(i * factor % 2003 - 1001), step, dtype) for i in range(n)]


def strict(op: str, items: list[float], dtype: str) -> float:
    """FOLD-5."""
    start = 0.0 if op == "add" else 1.0
    return oracle.left_fold(lambda a, b: oracle.quick(op, a, b, dtype), start, items)


def quick_is_exact() -> None:
    """The host's arithmetic against the rational one, on the numbers that the folds use."""
    source = random.Random(1)
    for dtype in FLOATS:
        for _ in range(2000):
            a, b = (oracle.number(source.gauss(0, 1) * 10 ** source.randint(-40, 30), dtype)
                    for _ in range(2))  # fmt: skip
            assert oracle.quick("add", a, b, dtype) == oracle.add(a, b, dtype)
            assert oracle.quick("mul", a, b, dtype) == oracle.mul(a, b, dtype)


def sequence_text(n: int, dtype: str, factor: int, scale: str) -> str:
    whole = f"add (mod (mul (iota i32[{n}]) {factor}) 2003) -1001"
    return f"mul (cast ({whole}) dtype={dtype}) {scale}"


def sums(suite: Suite) -> None:
    for dtype in FLOATS:
        for n in (*SIZES, LONG):
            x = sequence(n, dtype, 7919, "0.1")
            ids = next((i for limit, i in SIZE_IDS.items() if n <= limit), "FOLD-4")
            left = strict("add", x, dtype)
            suite.put(
                "numerics",
                f"reduce_add_{dtype}_of_{n}",
                f"REDUCE-3, REDUCE-6, FOLD-1, {ids}, FOLD-5",
                [
                    *expected("lanes", oracle.lanes("add", x, dtype), dtype),
                    *expected("left", left, dtype),
                ],
                [
                    f"%x = {sequence_text(n, dtype, 7919, '0.1')}",
                    "%lanes = reduce %x op=add",
                    "%left = reduce %x op=add order=left",
                    "output %lanes",
                    "output %left",
                ],
            )
        for n in (0, 1, 32, 33, 100, 4097):
            x = [oracle.add(v, 1.0, dtype) for v in sequence(n, dtype, 7919, "0.0001")]
            ids = next((i for limit, i in SIZE_IDS.items() if n <= limit), "FOLD-4")
            left = strict("mul", x, dtype)
            suite.put(
                "numerics",
                f"reduce_mul_{dtype}_of_{n}",
                f"REDUCE-3, REDUCE-6, FOLD-1, {ids}, FOLD-5",
                [
                    *expected("lanes", oracle.lanes("mul", x, dtype), dtype),
                    *expected("left", left, dtype),
                ],
                [
                    f"%x = add ({sequence_text(n, dtype, 7919, '0.0001')}) 1.0",
                    "%lanes = reduce %x op=mul",
                    "%left = reduce %x op=mul order=left",
                    "output %lanes",
                    "output %left",
                ],
            )


def axes(suite: Suite) -> None:
    """Which axis runs fastest, and that two reductions are not one."""
    for dtype in FLOATS:
        shape = (3, 50, 7)
        flat = sequence(3 * 50 * 7, dtype, 7919, "0.1")

        def at(i: int, j: int, k: int, flat: list[float] = flat) -> float:
            return flat[(i * 50 + j) * 7 + k]

        def fold(items: list[float], dtype: str = dtype) -> float:
            return oracle.lanes("add", items, dtype)

        a, b, c = (range(size) for size in shape)
        results = {
            "all": fold(flat),
            "first": [fold([at(i, 0, k) for i in a]) for k in c],
            "middle": [[fold([at(i, j, k) for j in b]) for k in c] for i in a],
            "last": [fold([at(0, j, k) for k in c]) for j in range(5)],
            "outer_two": [fold([at(i, j, k) for i in a for j in b]) for k in c],
            "outer_and_last": [fold([at(i, j, k) for i in a for k in c]) for j in b][:5],
            "inner_two": [fold([at(i, j, k) for j in b for k in c]) for i in a],
            "one_after_the_other": fold([fold([at(i, j, k) for j in b for k in c]) for i in a]),
        }
        head = [line for name, value in results.items() for line in expected(name, value, dtype)]
        suite.put(
            "numerics",
            f"reduce_add_{dtype}_over_axes_in_row_major_order",
            "FOLD-1, REDUCE-3, REDUCE-9",
            head,
            [
                f"%x = reshape ({sequence_text(1050, dtype, 7919, '0.1')}) shape=[3,50,7]",
                'output (reduce %x op=add) name="all"',
                'output (take (reduce %x op=add axes=0) 0) name="first"',
                'output (reduce %x op=add axes=1) name="middle"',
                "%l = reduce %x op=add axes=2",
                'output (shrink (take %l 0) lo=0 hi=5) name="last"',
                'output (reduce %x op=add axes=[0,1]) name="outer_two"',
                "%o = reduce %x op=add axes=[2,0]",
                'output (shrink %o lo=0 hi=5) name="outer_and_last"',
                'output (reduce %x op=add axes=[-1,-2]) name="inner_two"',
                'output (reduce (reduce %x op=add axes=[1,2]) op=add) name="one_after_the_other"',
            ],
        )


def integers(suite: Suite) -> None:
    for dtype in INTEGERS:
        low, high = oracle.limits(dtype)
        x = [high, 1, high - 1, low, 7, 3, 12345]
        product = 1
        for item in x[:1] + x[4:]:
            product *= item
        suite.put(
            "ops",
            f"reduce_{dtype}_wraps",
            "REDUCE-1, REDUCE-8, FOLD-8, FOLD-7, NUM-7",
            [
                *given("x", x, dtype),
                *given("z", x[:1] + x[4:], dtype),
                *expected("sum", oracle.wrap(sum(x), dtype), dtype),
                *expected("product", oracle.wrap(product, dtype), dtype),
                *expected("largest", high, dtype),
                *expected("sum_of_none", 0, dtype),
                *expected("product_of_none", 1, dtype),
                *expected("largest_of_none", low, dtype),
            ],
            [
                f"%x = stage {dtype}[7]",
                f"%z = stage {dtype}[4]",
                "%none = shrink %x lo=3 hi=3",
                'output (reduce %x op=add) name="sum"',
                'output (reduce %z op=mul) name="product"',
                'output (reduce %x op=max) name="largest"',
                'output (reduce %none op=add) name="sum_of_none"',
                'output (reduce %none op=mul) name="product_of_none"',
                'output (reduce %none op=max) name="largest_of_none"',
            ],
        )
        a = [[high, 2, 65537], [low, 3, 7]]
        b = [[65537, 1], [high, 5], [3, low]]
        product_of = [
            [oracle.wrap(sum(r[k] * b[k][j] for k in range(3)), dtype) for j in range(2)] for r in a
        ]
        suite.put(
            "ops",
            f"matmul_{dtype}_wraps",
            "MATMUL-11, MATMUL-15, MATMUL-5",
            [*given("a", a, dtype), *given("b", b, dtype), *expected("y", product_of, dtype)],
            [
                f"%a = stage {dtype}[2,3]",
                f"%b = stage {dtype}[3,2]",
                "%y = matmul %a %b",
                "output %y",
            ],
        )


def products(suite: Suite) -> None:
    for dtype in FLOATS:
        for k in INNER:
            a, b = sequence(2 * k, dtype, 7919, "0.1"), sequence(k * 2, dtype, 6007, "0.01")
            rows = [a[:k], a[k:]]
            columns = [b[0::2], b[1::2]]
            result = [[oracle.inner(row, column, dtype) for column in columns] for row in rows]
            suite.put(
                "numerics",
                f"matmul_{dtype}_inner_size_{k}",
                "MATMUL-15, MATMUL-1, MATMUL-2, "
                + ("MATMUL-4, MATMUL-16" if k == 0 else "MATMUL-3" if k > 512 else "NUM-3"),
                expected("y", result, dtype),
                [
                    f"%a = reshape ({sequence_text(2 * k, dtype, 7919, '0.1')}) shape=[2,{k}]",
                    f"%b = reshape ({sequence_text(2 * k, dtype, 6007, '0.01')}) shape=[{k},2]",
                    "%y: " + dtype + "[2,2] = matmul %a %b",
                    "output %y",
                ],
            )
        a, b = sequence(600, dtype, 7919, "0.1"), sequence(600, dtype, 6007, "0.01")
        terms = [oracle.mul(x, y, dtype) for x, y in zip(a, b, strict=True)]
        suite.put(
            "numerics",
            f"matmul_{dtype}_is_not_a_reduce_of_products",
            "MATMUL-17, NUM-3, NUM-4",
            [
                *expected("p", [[oracle.inner(a, b, dtype)]], dtype),
                *expected("r", oracle.lanes("add", terms, dtype), dtype),
            ],
            [
                f"%a = {sequence_text(600, dtype, 7919, '0.1')}",
                f"%b = {sequence_text(600, dtype, 6007, '0.01')}",
                "%p = matmul (reshape %a shape=[1,600]) (reshape %b shape=[600,1])",
                "%r = reduce (mul %a %b) op=add",
                "output %p",
                "output %r",
            ],
        )
        batched(suite, dtype)


def batched(suite: Suite, dtype: str) -> None:
    source = random.Random(7)
    a = [[[oracle.number(source.uniform(-2, 2), dtype) for _ in range(3)] for _ in range(2)]
         for _ in range(2)]  # fmt: skip
    b = [[oracle.number(source.uniform(-2, 2), dtype) for _ in range(2)] for _ in range(3)]

    def times(left: list[list[float]], right: list[list[float]]) -> list[list[float]]:
        return [
            [oracle.inner(row, list(column), dtype) for column in zip(*right, strict=True)]
            for row in left
        ]

    head = [*given("a", a, dtype), *given("b", b, dtype)]
    stages = [f"%a = stage {dtype}[2,2,3]", f"%b = stage {dtype}[3,2]"]
    suite.put(
        "ops",
        f"matmul_{dtype}_of_a_batch_and_a_matrix",
        "MATMUL-12, MATMUL-13",
        [*head, *expected("y", [times(m, b) for m in a], dtype), "# nodes: 6"],
        [
            *stages,
            f"%y: {dtype}[2,2,2] = matmul %a %b",
            "output %y",
            "%1 = reshape (matmul (reshape %a shape=[4,3]) %b) shape=[2,2,2]",
        ],
    )
    turned = [[list(row) for row in zip(*m, strict=True)] for m in a]  # [2,3,2]
    left = a[0]
    suite.put(
        "ops",
        f"matmul_{dtype}_of_a_matrix_and_a_batch",
        "MATMUL-12, MATMUL-14",
        [
            *given("a", left, dtype),
            *given("b", turned, dtype),
            *expected("y", [times(left, m) for m in turned], dtype),
            "# nodes: 6",
        ],
        [
            f"%a = stage {dtype}[2,3]",
            f"%b = stage {dtype}[2,3,2]",
            f"%y: {dtype}[2,2,2] = matmul %a %b",
            "output %y",
            "%1 = matmul (expand (reshape %a shape=[1,2,3]) shape=[2,2,3]) %b",
        ],
    )


def maxima(suite: Suite) -> None:
    for dtype in FLOATS:
        rows = [
            [-0.0, -0.0, -0.0], [-0.0, 0.0, -0.0], [1.0, float("nan"), 2.0], [1.0, 3.0, 2.0],
            [float("-inf")] * 3, [-3.0, -2.0, float("-inf")], [1.0, float("inf"), -1.0],
        ]  # fmt: skip
        results = []
        for row in rows:
            best = float("-inf")
            for item in row:
                best = oracle.maximum(best, item, dtype)
            results.append(best)
        suite.put(
            "ops",
            f"reduce_max_{dtype}_values",
            "REDUCE-3, REDUCE-8, FOLD-7, MAX-1",
            [*given("x", rows, dtype), *expected("y", results, dtype), "# expect: none = -inf"],
            [
                f"%x = stage {dtype}[7,3]",
                "%y = reduce %x op=max axes=1",
                "output %y",
                "%none = reduce (shrink %x lo=[0,0] shape=[7,0]) op=max",
                "output %none",
            ],
        )


def fold_families(suite: Suite) -> None:
    quick_is_exact()
    for family in (sums, axes, integers, products, maxima):
        family(suite)
