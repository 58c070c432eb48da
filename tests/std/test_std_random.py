"""Random numbers: Random123's known answers, an independent threefry, and the distributions."""

import numpy as np
import pytest
from std_helpers import codes, gradients, run, same, value

from gradir.runtime.program import Program

RNG = np.random.default_rng(11)
MASK = 2**32 - 1


def threefry(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """threefry2x32-20 on Python integers."""
    words = [key[0], key[1], 0x1BD11BDA ^ key[0] ^ key[1]]
    a, b = (counter[0] + words[0]) & MASK, (counter[1] + words[1]) & MASK
    for turn in range(20):
        by = (13, 15, 26, 6, 17, 29, 16, 24)[turn % 8]
        a = (a + b) & MASK
        b = ((b << by | b >> 32 - by) & MASK) ^ a
        if turn % 4 == 3:
            at = turn // 4 + 1
            a = (a + words[at % 3]) & MASK
            b = (b + words[(at + 1) % 3] + at) & MASK
    return a, b


ANSWERS = [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((MASK, MASK), (MASK, MASK), (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
]


@pytest.mark.parametrize(("key", "counter", "words"), ANSWERS)
def test_the_oracle_gives_the_known_answers(key, counter, words):
    assert threefry(key, counter) == words


@pytest.mark.parametrize(("key", "counter", "words"), ANSWERS)
def test_the_library_gives_the_known_answers(key, counter, words):
    """The same nodes with the block's position in place of the iota's first element."""
    from gradir.ir.builder import Builder
    from gradir.ir.expr import Expr
    from gradir.ir.sugar_random import words as words_of
    from gradir.ir.types import U32, tensor_type
    from gradir.reference.interpreter import evaluate

    builder = Builder()
    k = Expr(builder, builder.stage(tensor_type(U32, (2,)), "key"))
    c = Expr(builder, builder.stage(tensor_type(U32), "counter"))
    outputs = words_of(k, c, (1,))
    (position,) = builder.table.of_op("iota")
    outcome = evaluate(
        builder.table,
        inputs={"key": np.array(key, np.uint32), "counter": np.array(counter[1], np.uint32)},
        roots=[word.id for word in outputs],
        overrides={position: np.array([counter[0]], np.uint32)},
    )
    assert tuple(int(outcome.values[word.id][0]) for word in outputs) == words


def bits_of(key: np.ndarray, counter: int, count: int) -> np.ndarray:
    pairs = [threefry((int(key[0]), int(key[1])), (j, counter)) for j in range(count)]
    return np.array(pairs, np.uint32).reshape(count, 2)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3), (0,), (2, 0), (1, 1)])
@pytest.mark.parametrize("counter", [0, 1, 2**32 - 1])
def test_bits(shape, counter):
    key = RNG.integers(0, 2**32, 2, dtype=np.uint32)
    expected = bits_of(key, counter, int(np.prod(shape)))[:, 0].reshape(shape)
    c = np.array(counter, np.uint32)
    same(value(f"random_bits %k %c shape={list(shape)}", k=key, c=c), expected)
    same(value("random_bits %k %c like=%x", k=key, c=c, x=np.zeros(shape)), expected)


KEY, COUNTER = np.array([1234, 5], np.uint32), np.array(77, np.uint32)


def test_uniform_is_exact():
    w = bits_of(KEY, 77, 60).astype(np.uint64)
    expected = (w[:, 0] >> np.uint64(8)).astype(np.float64) * 2.0**-24
    found = value("random_uniform %k %c shape=[3,20]", k=KEY, c=COUNTER)
    same(found, expected.astype(np.float32).reshape(3, 20))
    whole = (w[:, 0] >> np.uint64(5)) * np.uint64(2**26) + (w[:, 1] >> np.uint64(6))
    found = value("random_uniform %k %c shape=[60] dtype=f64", k=KEY, c=COUNTER)
    same(found, whole.astype(np.float64) * 2.0**-53)
    found = value("random_uniform %k %c like=%x dtype=%x", k=KEY, c=COUNTER, x=np.zeros(60))
    same(found, whole.astype(np.float64) * 2.0**-53)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_normal(dtype):
    w = bits_of(KEY, 77, 200).astype(np.float64)
    if dtype == np.float32:
        p = (np.floor(w[:, 0] / 256) * 2.0**-24 + 2.0**-25).astype(np.float32).astype(float)
        q = np.floor(w[:, 1] / 256) * 2.0**-24
    else:
        p, q = w[:, 0] * 2.0**-32 + 2.0**-33, w[:, 1] * 2.0**-32
    expected = np.sqrt(-2 * np.log(p)) * np.cos(2 * np.pi * q)
    name = "f32" if dtype == np.float32 else "f64"
    found = value(f"random_normal %k %c shape=[200] dtype={name}", k=KEY, c=COUNTER)
    assert found.dtype == dtype
    tolerance = 2e-6 if dtype == np.float32 else 4e-15
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def test_moments():
    """A fixed key: these are bounds on one fixed sample, not a chance."""
    uniform = value("random_uniform %k %c shape=[40000]", k=KEY, c=COUNTER).astype(float)
    assert uniform.min() >= 0.0 and uniform.max() < 1.0
    assert abs(uniform.mean() - 0.5) < 0.006 and abs(uniform.var() - 1 / 12) < 0.002
    normal = value("random_normal %k %c shape=[40000]", k=KEY, c=COUNTER).astype(float)
    assert abs(normal.mean()) < 0.02 and abs(normal.var() - 1) < 0.03
    assert abs((normal**4).mean() - 3) < 0.2


def test_symbolic_shape():
    text = "dim B = 0..9\n%x = stage f32[B,3]\n%k = const u32[2] [1234, 5]\n"
    text += "%r = random_bits %k 77 like=%x\n%s = random_bits %k 77 shape=[3,B]\n"
    text += "output %r\noutput %s\n"
    found = run(text, x=np.zeros((4, 3), np.float32))
    same(found["r"], bits_of(KEY, 77, 12)[:, 0].reshape(4, 3))
    same(found["s"], bits_of(KEY, 77, 12)[:, 0].reshape(3, 4))


def test_two_uses_share_their_nodes():
    head = "%k = stage u32[2]\n%c = stage u32\n%u = random_uniform %k %c shape=[4]\n"
    alone, both = (
        len(Program.parse(text).table) for text in (head, head + "%b = random_bits %k %c shape=[4]")
    )
    assert both == alone


def test_dropout():
    x = RNG.normal(size=(50, 4))
    uniform = value("random_uniform %k %c like=%x", k=KEY, c=COUNTER, x=x)
    for rate in (0.0, 0.3, 0.5):
        kept = uniform >= np.float32(rate)
        scale = 1.0 / (1.0 - rate)
        found = value(f"dropout %x %k %c rate={rate}", k=KEY, c=COUNTER, x=x)
        same(found, np.where(kept, x * scale, 0.0))
        slope = gradients(f"dropout %x %k %c rate={rate}", x=x, k=KEY, c=COUNTER)["x"]
        assert ((slope != 0) == kept).all()
    single = value("dropout %x %k %c", k=KEY, c=COUNTER, x=x.astype(np.float32))
    same(single, np.where(uniform >= 0.5, x.astype(np.float32) * 2, 0).astype(np.float32))


def test_refusals():
    head = "%k = stage u32[2]\n%c = stage u32\n%x = stage f32[3]\n%i = stage i32[2]\n"
    assert codes(head + "%y = random_bits %k %c") == ["T309"]
    assert codes(head + "%y = random_bits %k %c shape=[3] like=%x") == ["T309"]
    assert codes(head + "%y = random_bits %x %c shape=[3]") == ["T301"]
    assert codes(head + "%y = random_bits %i %c shape=[3]") == ["T301"]
    assert codes(head + "%y = random_bits %c %c shape=[3]") == ["T313"]
    assert codes(head + "%y = random_bits %k %k shape=[3]") == ["T314"]
    assert codes(head + "%y = random_bits %k %c shape=[-1]") == ["T313"]
    assert codes(head + "%y = random_bits %k %c shape=[-1,-1]") == ["T313"]
    assert codes(head + "%y = random_bits %k %c shape=[70000,70000]") == ["T316"]
    assert codes(head + "%y = random_bits %k %c shape=[B]") == ["N206"]
    assert codes(head + "%y = random_uniform %k %c shape=[3] dtype=i32") == ["T302"]
    assert codes(head + "%y = random_normal %k %c shape=[3] dtype=bool") == ["T302"]
    assert codes(head + "%y = random_bits %k 7 shape=[3]") == []
    assert codes(head + "%y = random_bits %k 0x1ffffffff shape=[3]") == ["T306"]
    assert codes(head + "%y = random_bits %k 1.0 shape=[3]") == ["T301"]
    assert codes(head + "%y = random_bits %x 1 shape=[3]") == ["T301"]
