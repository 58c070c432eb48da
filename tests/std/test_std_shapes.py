"""Shapes, pieces, joins, labels and einsum against NumPy, bit for bit."""

import numpy as np
import pytest
from std_helpers import check_gradients, codes, run, same, value

from gradir.text.diagnostics import GirError

NAN, INF = np.nan, np.inf
RNG = np.random.default_rng(9)
DTYPES = [np.float32, np.float64, np.int32, np.int64, np.uint32, np.bool_]
NAMES = ["f32", "f64", "i32", "i64", "u32", "bool"]


@pytest.mark.parametrize(("name", "dtype"), list(zip(NAMES, DTYPES, strict=True)), ids=NAMES)
@pytest.mark.parametrize("shape", [(), (1, 1), (2, 3), (0, 2)])
def test_fills(name, dtype, shape):
    type = f"{name}{list(shape)}" if shape else name
    x = np.zeros(shape, dtype)
    same(value(f"zeros {type}"), np.zeros(shape, dtype))
    same(value(f"ones {type}"), np.ones(shape, dtype))
    same(value("ones %x", x=x), np.ones(shape, dtype))
    literal = {"f": "7.5", "b": "true"}.get(np.dtype(dtype).kind, "7")
    filled = np.full(shape, {"7.5": 7.5, "true": True, "7": 7}[literal], dtype)
    same(value(f"full {type} {literal}"), filled)
    same(value(f"full %x {literal}", x=x), filled)
    same(value("full %x %v", x=x, v=np.array(filled.flat[0] if filled.size else 1, dtype)), filled)


def test_fills_refuse():
    head = "%x = stage f32[3]\n%v = stage f64\n"
    assert codes(head + "%y = full %x %v") == ["T301"]
    assert codes(head + "%y = full f32[2] %x") == ["T314"]
    assert codes(head + "%y = full f32[2] 1") == ["T305"]
    assert codes(head + "%y = full f32[2] 1.0:f64") == ["T301"]
    assert codes(head + "%y = full i32[2] 1.0") == ["T320"]
    assert codes(head + "%y = zeros 1.0") == ["T319"]
    assert codes(head + "%y = zeros f32[B]") == ["N206"]
    assert codes(head + "%y = zeros f32[2] 1.0") == ["T307"]
    assert codes(head + "%y = zeros") == ["T307"]


def test_full_in_a_macro_takes_an_attribute():
    text = "macro @filled %x v=2.0 {\n  return (full %x $v)\n}\n%x = stage f64[2]\n"
    same(run(text + "%y = @filled %x\noutput %y", x=np.zeros(2))["y"], np.full(2, 2.0))
    text += "%s = stage f64\n%y = @filled %x v=%s\noutput %y"
    same(run(text, x=np.zeros(2), s=np.float64(3.0))["y"], np.full(2, 3.0))


@pytest.mark.parametrize("axis", [-1, 0, 1, 2, -3])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_one_hot(axis, dtype):
    labels = RNG.integers(0, 5, (2, 3)).astype(dtype)
    expected = np.moveaxis(np.eye(5)[labels], -1, axis)
    same(value(f"one_hot %i size=5 axis={axis}", i=labels), expected.astype(np.float32))
    for name, type in zip(NAMES, DTYPES, strict=True):
        found = value(f"one_hot %i size=5 axis={axis} dtype={name}", i=labels)
        same(found, expected.astype(type))
    like = np.zeros(expected.shape)
    same(value(f"one_hot %i like=%x axis={axis} dtype=%x", i=labels, x=like), expected)


def test_one_hot_checks_its_labels():
    for label in (-1, 5):
        with pytest.raises(GirError) as refused:
            value("one_hot %i size=5", i=np.array([0, label], np.int32))
        assert refused.value.diagnostics[0].code == "R605"
    same(value("one_hot %i size=3", i=np.int32(1).reshape(())), np.array([0, 1, 0], np.float32))
    text = "dim C = 1..9\n%x = stage f32[C]\n%y = one_hot 1 size=C\noutput %y\n%s = sum %x"
    same(run(text + "\noutput %s", x=np.zeros(3, "f4"))["y"], np.array([0, 1, 0], np.float32))


def test_one_hot_refuses():
    head = "%i = stage i32[3]\n%x = stage f32[3,4]\n%u = stage u32[3]\n"
    assert codes(head + "%y = one_hot %i") == ["T309"]
    assert codes(head + "%y = one_hot %i size=4 like=%x") == ["T309"]
    assert codes(head + "%y = one_hot %i like=%x axis=0") == ["T313"]
    assert codes(head + "%y = one_hot %i size=4 axis=2") == ["T311"]
    assert codes(head + "%y = one_hot %u size=4") == ["T302"]
    assert codes(head + "%y = one_hot %i size=-1") == ["T313"]
    assert codes(head + "%y = one_hot %i size=C") == ["N206"]
    assert codes(head + '%y = one_hot %i size="C"') == ["T310"]
    assert codes(head + "%y = one_hot %i like=4") == ["T310"]
    assert codes(head + "%y = one_hot %i size=1000000000 axis=0") == []
    assert codes(head + "%y = one_hot %i size=3000000000") == ["T316"]


def test_transpose_squeeze_unsqueeze():
    x = RNG.normal(size=(2, 3, 4))
    same(value("transpose %x", x=x), x.T)
    same(value("transpose %x axes=[1,0,2]", x=x), x.transpose(1, 0, 2))
    same(value("transpose %x", x=np.float64(1.0).reshape(())), np.float64(1.0))
    narrow = x.reshape(1, 2, 1, 12, 1)
    same(value("squeeze %x", x=narrow), x.reshape(2, 12))
    same(value("squeeze %x axes=[0,-1]", x=narrow), x.reshape(2, 1, 12))
    same(value("squeeze %x axes=2", x=narrow), x.reshape(1, 2, 12, 1))
    same(value("unsqueeze %x axes=1", x=x), x[:, None])
    same(value("unsqueeze %x axes=[-1,0]", x=x), x[None, ..., None])
    assert codes("%x = stage f32[2,1]\n%y = squeeze %x axes=0") == ["T313"]
    assert codes("dim B = 1..1\n%x = stage f32[B]\n%y = squeeze %x axes=0") == ["T313"]
    assert codes("%x = stage f32[2]\n%y = unsqueeze %x") == ["T309"]
    assert codes("%x = stage f32[2]\n%y = unsqueeze %x axes=2") == ["T311"]
    assert codes("%x = stage f32[2]\n%y = unsqueeze %x axes=[0,-3]") == ["T312"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_slices(dtype):
    x = RNG.integers(0, 2, (3, 7)).astype(dtype)
    for lo in (0, 1, 3, -2):
        for hi in (None, 3, 7, -1):
            for step in (1, 2, 3, 9):
                if (lo % 7 if lo < 0 else lo) > (7 if hi is None else hi % 8 if hi > 0 else 6):
                    continue
                tail = f"axis=1 lo={lo} step={step}" + (f" hi={hi}" if hi is not None else "")
                same(value(f"slice %x {tail}", x=x), x[:, lo:hi:step])


def test_slice_keeps_every_value():
    x = np.array([NAN, -0.0, INF, -INF, 1e-45, -0.0, 7.0], np.float32)
    for step in (1, 2, 4):
        same(value(f"slice %x step={step}", x=x), x[::step])
    same(value("slice %x lo=3 hi=3 step=2", x=x), x[3:3])


def test_slice_refuses():
    head = "dim B = 3..9\n%x = stage f32[4,B]\n%s = stage f32\n"
    assert codes(head + "%y = slice %x axis=1") == ["T315"]
    assert codes(head + "%y = slice %x lo=5") == ["T313"]
    assert codes(head + "%y = slice %x lo=-5") == ["T313"]
    assert codes(head + "%y = slice %x hi=5") == ["T313"]
    assert codes(head + "%y = slice %x lo=3 hi=2") == ["T313"]
    assert codes(head + "%y = slice %x step=0") == ["T310"]
    assert codes(head + "%y = slice %x step=-1") == ["T310"]
    assert codes(head + "%y = slice %x lo=1.0") == ["T310"]
    assert codes(head + "%y = slice %x axis=2") == ["T311"]
    assert codes(head + "%y = slice %s") == ["T311"]
    assert codes(head + "%y = slice %x lo=1") == []


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat_stack(dtype, axis):
    a = RNG.integers(0, 2, (2, 3)).astype(dtype)
    b = RNG.integers(0, 2, (2, 3)).astype(dtype)
    same(value(f"stack %a %b %a axis={axis}", a=a, b=b), np.stack([a, b, a], axis))
    same(value(f"stack %a axis={axis}", a=a), np.stack([a], axis))
    wide = np.concatenate([a, b], axis)
    same(value(f"concat %a %w %a axis={axis}", a=a, w=wide), np.concatenate([a, wide, a], axis))
    same(value(f"concat %a axis={axis}", a=a), a)


def test_joining_changes_no_bit():
    a = np.array([NAN, -0.0, 0.0, INF, -INF, 1e-45], np.float32)
    same(value("concat %a %a", a=a), np.concatenate([a, a]))
    same(value("stack %a %a axis=1", a=a), np.stack([a, a], 1))
    same(value("concat %a %e %a", a=a, e=a[:0]), np.concatenate([a, a]))
    s = np.array(-0.0)
    same(value("stack %s 2.0 %s", s=s), np.array([-0.0, 2.0, -0.0]))


def test_joins_refuse():
    head = "dim B = 1..4\n%a = stage f32[2,3]\n%b = stage f32[2,4]\n%i = stage i32[2,3]\n"
    head += "%v = stage f32[2]\n%s = stage f32\n%w = stage f32[B,3]\n"
    assert codes(head + "%y = concat %a %b") == ["T313"]
    assert codes(head + "%y = concat %a %b axis=1") == []
    assert codes(head + "%y = concat %a %i") == ["T301"]
    assert codes(head + "%y = concat %a %v") == ["T314"]
    assert codes(head + "%y = concat %s %s") == ["T314"]
    assert codes(head + "%y = concat %w %a") == ["T315"]
    assert codes(head + "%y = concat %w %w axis=1") == []
    assert codes(head + "%y = concat") == ["T307"]
    assert codes(head + "%y = concat %a axis=2") == ["T311"]
    assert codes(head + "%y = stack %a %b") == ["T313"]
    assert codes(head + "%y = stack %a %i") == ["T301"]
    assert codes(head + "%y = stack %a %a axis=3") == ["T311"]


def test_split():
    x = RNG.normal(size=(2, 6))
    parts = np.split(x, [1, 1, 4], 1)
    for part, expected in enumerate(parts):
        same(value(f"split %x sizes=[1,0,3,2] part={part} axis=1", x=x), expected)
    head = "dim B = 1..4\n%x = stage f32[B,4]\n"
    assert codes(head + "%y = split %x sizes=[1,2] part=0 axis=1") == ["T313"]
    assert codes(head + "%y = split %x sizes=[5,-1] part=0 axis=1") == ["T313"]
    assert codes(head + "%y = split %x sizes=[1,3] part=2 axis=1") == ["T310"]
    assert codes(head + "%y = split %x sizes=[1,3] part=-1 axis=1") == ["T310"]
    assert codes(head + "%y = split %x sizes=[1,3] axis=1") == ["T309"]
    assert codes(head + "%y = split %x sizes=[4] part=0") == ["T315"]


SPECS = ["ij,jk->ik", "ij,kj->ik", "ji,jk->ki", "bij,bjk->bik", "ij,ij->", "ij,ij->i", "ij,j->i"]
SPECS += ["i,j->ij", "i,i->i", "ij->ji", "ij->", "ij->j", "ijk->ki", "xij,jk->kx", ",i->i", ",->"]
SPECS += [
    "bhqd,bhkd->bhqk",
    "ij,jk,kl->il",
    "ij,jk,ik->",
    "a,b,c->cab",
    "ab,bc,cd->bd",
    "ijk,k->ij",
]
SPECS += ["abc,cbd->da", "aij,bij->ab", "Ai,iB->BA", "i->i", "ab,ac->abc", "ab,cd->"]
SIZES = dict(zip("abcdhijklqxAB", [2, 3, 4, 2, 3, 2, 3, 4, 5, 3, 2, 2, 3], strict=True))


def operands(spec: str, dtype: type) -> dict[str, np.ndarray]:
    groups = spec.partition("->")[0].split(",")
    shapes = [[SIZES[letter] for letter in group] for group in groups]
    arrays = [RNG.integers(-3, 4, shape).astype(dtype).reshape(shape) for shape in shapes]
    return {f"t{at}": array for at, array in enumerate(arrays)}


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_einsum(spec, dtype):
    given = operands(spec, dtype)
    names = " ".join(f"%{name}" for name in given)
    expected = np.einsum(spec, *given.values()) + dtype(0)  # no -0.0 of an empty sign
    found = value(f'einsum {names} spec="{spec}"', **given)
    same(found + dtype(0), np.asarray(expected, dtype))


def test_einsum_with_a_symbolic_size():
    text = "dim B = 0..9\n%x = stage f64[B,2,3]\n%w = stage f64[3,4]\n"
    text += '%y = einsum %x %w spec="bij,jk->bik"\noutput %y'
    x, w = RNG.integers(-3, 4, (5, 2, 3)) * 1.0, RNG.integers(-3, 4, (3, 4)) * 1.0
    same(run(text, x=x, w=w)["y"] + 0.0, x @ w + 0.0)
    same(run(text, x=x[:0], w=w)["y"], np.zeros((0, 2, 4)))


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("ij,jk", "T310"),
        ("ij->ij", "T310"),
        ("ii,jk->ik", "T310"),
        ("ij,jk->ii", "T310"),
        ("ij,jk->iz", "T310"),
        ("i1,jk->i", "T310"),
        ("ij,jk->ik->i", "T310"),
        ("...i,jk->ik", "T310"),
        ("é,jk->k", "T310"),
        ("ijk,jk->ik", "T314"),
        ("ij,ik->jk", "T313"),
    ],
)
def test_einsum_refuses(spec, code):
    head = "%a = stage f32[2,3]\n%b = stage f32[3,4]\n"
    assert codes(f'{head}%y = einsum %a %b spec="{spec}"') == [code]


def test_einsum_refuses_types():
    assert codes('%a = stage bool[2]\n%y = einsum %a spec="i->"') == ["T302"]
    text = '%a = stage f32[2]\n%b = stage f64[2]\n%y = einsum %a %b spec="i,i->i"'
    assert codes(text) == ["T301"]
    assert codes("%a = stage f32[2]\n%y = einsum %a") == ["T309"]
    assert codes("%a = stage f32[2]\n%y = einsum %a spec=3") == ["T310"]


A = RNG.normal(size=(3, 4))
MOVES = ["transpose %a", "squeeze (unsqueeze %a axes=1)", "slice %a axis=1 lo=1 step=2"]
MOVES += ["concat %a (mul %a %a) axis=1", "stack %a (mul %a %a) %a axis=1", "full %a 2.0"]
MOVES += ["split %a sizes=[1,3] part=1 axis=1", 'einsum %a %a spec="ij,kj->ik"', "slice %a lo=-2"]


@pytest.mark.parametrize("expression", MOVES)
def test_gradients(expression):
    check_gradients(expression, a=A)


@pytest.mark.parametrize("spec", ["ij,jk,kl->il", "bhqd,bhkd->bhqk", "i,j->ij", "ij,ij->i"])
def test_gradients_of_einsum(spec):
    given = {k: v + RNG.normal(size=v.shape) for k, v in operands(spec, np.float64).items()}
    names = " ".join(f"%{name}" for name in given)
    check_gradients(f'einsum {names} spec="{spec}"', **given)
