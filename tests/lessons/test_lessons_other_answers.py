"""Right answers other than the solution's: other formulas, other operations, full points.

Each row replaces lines of a solution, named by how they begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from gradir.lessons.course import load_lesson
from gradir.lessons.grade import Grader

COURSE = Path(__file__).parents[2] / "lessons"

ANSWERS: list[tuple[str, Mapping[str, str]]] = [
    (
        "06-autodiff/03-automatic-differentiation",
        {"%y =": "%y = mul (recip (fma %x %x (ones %x))) %x"},
    ),
    (
        "06-autodiff/05-elementary-rules",
        {
            "output (cos %z)": 'output (sin (add %z 1.5707963267948966)) name="d_sin"',
            "output (recip (mul %u_sqrt": 'output (div 0.5 (sqrt %z)) name="d_sqrt"',
            "output (sub 1.0 (mul %u_tanh": "%cosh = mul 0.5 (add (exp %z) (exp (neg %z)))\n"
            'output (recip (square %cosh)) name="d_tanh"',
        },
    ),
    (
        "06-autodiff/06-un-broadcasting",
        {
            "output (reduce (mul %gh": 'output (einsum %gh %x spec="bi,bi->i") name="ds"',
            "output (reduce (mul %g %h": '%r1 = einsum %g %h spec="bi,bi->b"\n'
            'output (unsqueeze %r1 axes=1) name="dr"',
        },
    ),
    (
        "06-autodiff/08-matmul-and-indexing",
        {
            "%dy =": "%dy = matmul (one_hot %group size=3) %g",
            "output (matmul (transpose": 'output (einsum %e %dy spec="ni,no->io") name="dw"',
        },
    ),
    (
        "06-autodiff/09-detach",
        {
            "%q =": "%q = add (detach (sub %r %w)) %w",
            "%loss =": "%loss = div (sum (square %e)) 4.0",
        },
    ),
    (
        "06-autodiff/11-ties",
        {
            "%first =": "%at = expand (unsqueeze (argmax %x) axes=1) shape=[B, 4]\n"
            "%first = eq %at (iota i32[B,4] axis=1)",
            "%pooled =": "%pooled = reduce (where %first %x -inf) op=max axes=1",
        },
    ),
    (
        "06-autodiff/12-dead-branch",
        {
            "%root =": "%safe = where (unsqueeze %c axes=1) %x 1.0\n"
            "%root = sqrt (reduce (mul %safe %safe) op=add axes=1)"
        },
    ),
    (
        "06-autodiff/13-stable-softmax",
        {
            "%p =": "%lp = sub %s (log %total)\n%p = exp %lp",
            "%logp =": "%logp = sum (mul (cast %hit dtype=f32) %lp) axes=1",
        },
    ),
    (
        "06-autodiff/14-gradient-of-a-gradient",
        {
            "%f =": "%f = sub (mul (pow %x exponent=4) 0.25) (mul %x %a)",
            "store": "store %xb (sub %x (mul %d1 (recip %d2)))",
        },
    ),
    (
        "06-autodiff/15-project-gradient-check",
        {
            "%difference =": "%difference = mul (sub %up %down) 50000.0",
            "%d32 =": "%d32 = cast (div (sub %down32 %up32) -2e-5) dtype=f64",
        },
    ),
    (
        "08-compiler/03-reading-the-generated-c",
        {
            "%t =": "%t = max (flip (mul %x (reshape %s shape=[4, 1])) axes=1) 0.0",
            "output (sum": 'output (reduce (exp %t) op=add axes=1 order=left) name="total"',
        },
    ),
    (
        "09-transformer/02-attention",
        {
            "%s =": '%s = div (einsum %qh %kh spec="bhid,bhjd->bhij") 2.0',
            "%weights =": "%weights = softmax (add %s (where %past 0.0:f64 -1e9:f64))",
        },
    ),
    (
        "09-transformer/03-layer-norm",
        {
            "%d =": "%d = sub %x (div (sum %x axes=1 keep=true) 6.0)",
            "%moved =": "%moved = div (sum %dn axes=1 keep=true) 6.0",
        },
    ),
    (
        "09-transformer/04-project-transformer",
        {
            "%a =": "%z = where %past %s -inf\n%ez = exp (sub %z (amax %z axes=-1 keep=true))\n"
            "%a = div %ez (sum %ez axes=-1 keep=true)",
            "%loss =": "%sc = matmul %n3 %Wy\n%hit = one_hot %next size=5 dtype=bool\n"
            "%loss = mean (sub (logsumexp %sc) (sum (where %hit %sc 0.0) axes=-1))",
        },
    ),
]


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader() as opened:
        yield opened


@pytest.mark.parametrize(("name", "lines"), ANSWERS, ids=[name for name, _ in ANSWERS])
def test_full_points(name: str, lines: Mapping[str, str], grader: Grader) -> None:
    lesson = load_lesson(COURSE / name)
    written = lesson.solution.read_text(encoding="utf-8").splitlines()
    for start, new in lines.items():
        (at,) = [k for k, line in enumerate(written) if line.startswith(start)]
        written[at] = new
    result = grader.grade_text(lesson, "\n".join(written) + "\n")
    assert [case.message for case in result.cases if not case.passed] == []
