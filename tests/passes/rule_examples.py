"""For every simplification an example in which it applies, and cases in which it must not.

`{T}` is an element type, `{c}` and `{d}` are literals of it that run over all special values.
%x and %y are vectors that hold every pair of special values, %p is a bool vector, %i an index.
"""

from __future__ import annotations

# By the rule's name; each program ends in a value %r.
EXAMPLES: dict[str, str] = {
    # movement
    "movement that moves nothing is x": "%r = flip (permute %x axes=[0]) axes=[]",
    "reshape (reshape x) is reshape x": "%r = reshape (reshape %x shape=[1,-1]) shape=[-1,1]",
    "expand (expand x) is expand x": (
        "%a = expand (reshape %x shape=[{n},1,1]) shape=[{n},2,1]\n%r = expand %a shape=[{n},2,3]"
    ),
    "permute (permute x) is permute x": (
        "%a = expand (reshape %x shape=[1,{half},2]) shape=[3,{half},2]\n"
        "%r = permute (permute %a axes=[1,2,0]) axes=[1,0,2]"
    ),
    "flip (flip x) is flip x": (
        "%a = expand (reshape %x shape=[1,{n}]) shape=[2,{n}]\n"
        "%r = flip (flip %a axes=[0,1]) axes=[1]"
    ),
    "shrink (shrink x) is shrink x": (
        "%r = shrink (shrink %x lo=[1] shape=[{m}]) lo=[1] shape=[1]"
    ),
    "pad (pad x) is pad x, of one value": (
        "%r = pad (pad %x lo=[1] hi=[2] value={c}) lo=[2] hi=[1] value={c}"
    ),
    "shrink (pad x) is x, where it takes the margin away": (
        "%r = shrink (pad %x lo=[1] hi=[2] value={c}) lo=[1] shape=[{n}]"
    ),
    "movement of one repeated element is that element, repeated": (
        "%s = reshape (shrink %x lo=[3] shape=[1]) shape=[]\n"
        "%a = expand (reshape %s shape=[1,1]) shape=[2,3]\n%r = flip (permute %a axes=[1,0]) axes=0"
    ),
    "reshape (expand x) is expand (reshape x), where no joint axis is expanded in part": (
        "%a = expand (reshape %x shape=[1,1,{n}]) shape=[2,3,{n}]\n%r = reshape %a shape=[6,1,{n}]"
    ),
    "a permute that only moves axes of size 1 is a reshape": (
        "%r = permute (reshape %x shape=[1,{n},1]) axes=[1,2,0]"
    ),
    "f (expand a) (expand b) is expand (f a b)": (
        "%a = expand (reshape %x shape=[1,{n}]) shape=[2,{n}]\n"
        "%b = expand (reshape %y shape=[1,{n}]) shape=[2,{n}]\n%r = eq %a %b"
    ),
    "reduce over axes of size 1 is a reshape": (
        "%r = reduce (reshape %x shape=[{n},1]) op={fold} axes=[1]"
    ),
    "the greatest of equal elements is that element": (
        "%r = reduce (expand (reshape %x shape=[{n},1]) shape=[{n},3]) op=max axes=[1]"
    ),
    "matmul over one inner element is fma a b 0": (
        "%r = matmul (reshape %x shape=[{n},1]) (reshape %y shape=[1,{n}])"
    ),
    "matmul over no inner element is 0": (
        "%a = shrink (reshape %x shape=[{n},1]) lo=[0,0] shape=[2,0]\n"
        "%b = shrink (reshape %y shape=[1,{n}]) lo=[0,0] shape=[0,3]\n%r = matmul %a %b"
    ),
    # arithmetic
    "a + b is b + a": "%r = {commutative} {c} %x",
    "x * 1 is x": "%r = mul %x {one}",
    "x / 1 is x": "%r = div %x {one}",
    "x + -0.0 is x": "%r = add %x -0.0:{T}",
    "x + 0.0 is x, where x is never -0.0": "%r = add (mul %x %x) 0.0:{T}",
    "x + 0 is x, and so with `or`, `xor`": "%r = xor %x {zero}",
    "a shift by 0 is x": "%r = shr (shl %x 0:{T}) 0:{T}",
    "idiv x 1 is x": "%r = idiv %x {one}",
    "x and all ones is x": "%r = and %x {ones}",
    "x * 0 is 0": "%r = and %x {zero}",
    "x or all ones is all ones": "%r = or %x {ones}",
    "mod x 1 is 0": "%r = mod %x {one}",
    "x xor x is 0": "%r = xor %x %x",
    "x = x is true": "%r = eq %x %x",
    "x != x is false": "%r = ne %x %x",
    "x < x is false": "%r = lt %x %x",
    "max x x is x": "%r = {idempotent} %x %x",
    "(x * c) * -1 is x * -c": "%r = mul (mul %x {c}) {minus}",
    "(x * -1) * y is (x * y) * -1": "%r = mul (mul %x {minus}) %y",
    "(x + c) + d is x + (c + d)": "%r = {associative} ({associative} %x {c}) {d}",
    "x / 2^k is x * 2^-k": "%r = div %x {power}",
    "1 / (2 * sqrt x) is 0.5 / sqrt x": "%r = recip (mul (sqrt %x) {two})",
    "fma a b -0.0 is a * b": "%r = fma %x %y -0.0:{T}",
    "fma a 1 c is a + c": "%r = fma %x {one} %y",
    "where true a b is a": "%r = add (where true %x %y) (where false %x %y)",
    "where c a a is a": "%r = where %p %x %x",
    "where (xor c true) a b is where c b a": "%r = where (xor %p true) %x %y",
    "where c (where c a x) b is where c a b": ("%r = where %p (where %p %x {c}) (where %p {c} %y)"),
    "where c true false is c": "%r = xor (where %p true false) (where %p false true)",
    "detach x is x": "%r = detach %x",
    "a cast to the same type is x": "%r = cast %x dtype={T}",
    "cast (cast x) is cast x": "%r = cast (cast %x dtype={wide}) dtype={target}",
    # layout
    "reshape (f (reshape x)) is f x, where the reshapes cancel out": (
        "%a = reshape %x shape=[1,{n}]\n%b = where (eq %a {c}) %a (reshape %y shape=[1,{n}])\n"
        "%r = reshape %b shape=[{n}]"
    ),
    "the transpose of (matmul a b) is matmul of the transposes of b and a, if one was transposed": (
        "%a = reshape %x shape=[{half},2]\n%b = reshape %y shape=[{half},2]\n"
        "%r = permute (matmul (permute %a axes=[1,0]) %b) axes=[1,0]"
    ),
}

# Programs that look like one of the above, with the rule that must leave them alone.
NEAR: list[tuple[str, str]] = [
    ("x * 1 is x", "%r = mul %x 1.0000001:f32"),
    ("x + 0.0 is x, where x is never -0.0", "%r = add %x 0.0"),
    ("x + 0.0 is x, where x is never -0.0", "%r = add (mul %x %y) 0.0"),
    ("x + 0.0 is x, where x is never -0.0", "%r = add (mul (mul %x %x) -1.0) 0.0"),
    ("x + 0.0 is x, where x is never -0.0", "%r = add (max %x -0.0) 0.0"),
    ("x + 0.0 is x, where x is never -0.0", "%r = add (cast (cast %x dtype=f64) dtype=f32) 0.0"),
    ("x + -0.0 is x", "%r = add %x 0.0"),
    ("x * 0 is 0", "%r = mul %x 0.0"),
    ("x = x is true", "%r = eq %x %x"),
    ("x != x is false", "%r = ne %x %x"),
    ("(x * c) * -1 is x * -c", "%r = mul (mul %x 2.0) 0.5"),
    ("(x * -1) * y is (x * y) * -1", "%r = mul (mul %x -2.0) %y"),
    ("(x * -1) * y is (x * y) * -1", "%m = mul %x -1.0\n%r = add (mul %m %y) %m"),
    ("(x + c) + d is x + (c + d)", "%r = add (add %x 1.0) 1.0"),
    ("x / 2^k is x * 2^-k", "%r = div %x 3.0"),
    ("x / 2^k is x * 2^-k", "%r = div %x 0x1p-149"),
    ("x / 2^k is x * 2^-k", "%r = div %x inf"),
    ("1 / (2 * sqrt x) is 0.5 / sqrt x", "%r = recip (mul %x 2.0)"),
    ("fma a b -0.0 is a * b", "%r = fma %x %y 0.0"),
    ("fma a 1 c is a + c", "%r = fma %x -1.0 %y"),
    ("cast (cast x) is cast x", "%r = cast (cast %x dtype=i32) dtype=i64"),
    ("cast (cast x) is cast x", "%r = cast (cast (cast %x dtype=i32) dtype=f64) dtype=u32"),
    ("cast (cast x) is cast x", "%r = cast (cast (cast %x dtype=i64) dtype=f64) dtype=i64"),
    (
        "cast (cast x) is cast x",
        "%r = cast (cast (cast %x dtype=i64) dtype=f64) dtype=f32",
    ),
    ("where c a a is a", "%r = where %p 0.0 -0.0"),
    (
        "reshape (expand x) is expand (reshape x), where no joint axis is expanded in part",
        "%r = reshape (expand (reshape %x shape=[1,{n}]) shape=[2,{n}]) shape=[-1]",
    ),
    (
        "a permute that only moves axes of size 1 is a reshape",
        "%r = permute (reshape %x shape=[{half},2]) axes=[1,0]",
    ),
    (
        "shrink (pad x) is x, where it takes the margin away",
        "%r = shrink (pad %x lo=[1] hi=[2]) lo=[2] shape=[{n}]",
    ),
    (
        "pad (pad x) is pad x, of one value",
        "%r = pad (pad %x lo=[1] hi=[2] value=0.0) lo=[2] hi=[1] value=-0.0",
    ),
]
