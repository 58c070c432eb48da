"""Writes gradir/examples/map30_scalar.gir: example:map30 on single numbers.

Nothing in the written program is a tensor but the buffers: 20 samples of 900 products and 900
additions, 900 gradients, 900 Adam steps. `--size` and `--samples` make smaller programs of the
same kind, `--gradients` asks for fewer derivatives of the same loss, and `--no-adam` leaves the
weights as they are; tests and measurements of the builder use these.

    python tools/make_map30_scalar.py [-o FILE] [--size N] [--samples S] [--gradients K] [--no-adam]
"""

from __future__ import annotations

import argparse
from pathlib import Path

FILE = Path(__file__).parents[1] / "gradir" / "examples" / "map30_scalar.gir"

HEAD = """\
# The map of example:map30 learned on single numbers, with {weights} gradients of one loss.
#
# A sample takes {products} products and {products} additions, and as many again for its targets.
# tools/make_map30_scalar.py wrote this program.
#
#     gradir run example:map30_scalar --steps 3
#
# It gives the same bits as example:map30, for the additions have the same order. The shares of a
# weight are added in the order in which the backward walk meets them. `add new sum`, not `add sum
# new`, makes it meet the first sample first, as the sum over a tensor's axis does.
"""

ADAM = """\
macro @adam_at %w %g %m %v %t k=0 j=0 lr=0.05 {
  %n = cast (add %t 1) dtype=f64
  %c1 = sub 1.0:f64 (exp (mul %n (log 0.9:f64)))
  %c2 = sub 1.0:f64 (exp (mul %n (log 0.999:f64)))
  %dw = load %g $k $j
  %a1 = cast (sub 1.0:f64 0.9:f64) dtype=%dw
  %a2 = cast (sub 1.0:f64 0.999:f64) dtype=%dw
  %m1 = add (mul 0.9 (load %m $k $j)) (mul %a1 %dw)
  %v1 = add (mul 0.999 (load %v $k $j)) (mul %a2 (mul %dw %dw))
  store %m %m1 $k $j
  store %v %v1 $k $j
  %rate = div $lr (cast %c1 dtype=%dw)
  %root = mul (sqrt %v1) (cast (recip (sqrt %c2)) dtype=%dw)
  store %w (sub (load %w $k $j) (mul %rate (div %m1 (add %root 1e-8)))) $k $j
}
"""


def buffers(size: int, samples: int) -> list[str]:
    square = f"f32[{size},{size}]"
    return [
        f'%xb = buffer f32[{samples},{size}] name="x" init="normal:1:7"',
        f'%trueb = buffer {square} name="true" init="normal:1:8"',
        f'%wb = buffer {square} name="w" init="normal:0.1:9"',
        f'%gb = buffer {square} name="g"',
        f'%mb = buffer {square} name="m"',
        f'%vb = buffer {square} name="v"',
        '%nb = buffer i32 name="steps"',
        "%n = load %nb",
    ]


def dot(size: int) -> list[str]:
    """A macro: row s of x times column j of w, products and sums each rounded."""
    lines = ["macro @dot %x %w s=0 j=0 {", "  %p0 = 0.0"]
    for k in range(size):
        lines.append(f"  %p{k + 1} = add %p{k} (mul (load %x $s {k}) (load %w {k} $j))")
    return [*lines, f"  return %p{size}", "}"]


def sample(size: int) -> list[str]:
    """A macro: the squared errors of sample s, added up."""
    lines = ["macro @sample %x %w %true s=0 {", "  %l0 = 0.0"]
    for j in range(size):
        lines.append(f"  %e{j} = sub (@dot %x %w s=$s j={j}) (@dot %x %true s=$s j={j})")
        lines.append(f"  %l{j + 1} = add (mul %e{j} %e{j}) %l{j}")
    return [*lines, f"  return %l{size}", "}"]


def row(name: str, head: str, line: str, size: int) -> list[str]:
    """A macro that does `line` for every weight j of row k."""
    return [f"macro @{name} {head} k=0 {{", *(f"  {line.format(j=j)}" for j in range(size)), "}"]


def program(size: int, samples: int, gradients: int | None = None, adam: bool = True) -> str:
    """The text: forward, then all gradients into the buffer g, then Adam weight by weight."""
    count = size * size if gradients is None else gradients
    full, rest = divmod(count, size)
    head = HEAD.format(products=size * size, weights=count).splitlines()
    lines = [*head, "", *buffers(size, samples), "", *dot(size), "", *sample(size)]
    lines += ["", "%sum0 = 0.0"]
    for s in range(samples):
        lines.append(f"%sum{s + 1} = add (@sample %xb %wb %trueb s={s}) %sum{s}")
    lines += [f"%loss = div %sum{samples} {size * samples}.0", "output %loss", ""]
    gradient = "store %g (gradient %loss (load %w $k {j})) $k {j}"
    if full:
        lines += [*row("gradients", "%loss %w %g", gradient, size), ""]
    lines += [f"@gradients %loss %wb %gb k={k}" for k in range(full)]
    for j in range(rest):
        lines.append(f"store %gb (gradient %loss (load %wb {full} {j})) {full} {j}")
    if adam:
        update = "@adam_at %w %g %m %v %t k=$k j={j}"
        lines += ["", *ADAM.splitlines(), "", *row("step", "%w %g %m %v %t", update, size), ""]
        lines += [f"@step %wb %gb %mb %vb %n k={k}" for k in range(size)]
    return "\n".join([*lines, "store %nb (add %n 1)"]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes example:map30_scalar, or a part of it.")
    parser.add_argument("-o", "--output", type=Path, default=FILE)
    parser.add_argument("--size", type=int, default=30)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--gradients", type=int)
    parser.add_argument("--no-adam", action="store_true")
    args = parser.parse_args()
    text = program(args.size, args.samples, args.gradients, not args.no_adam)
    args.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
