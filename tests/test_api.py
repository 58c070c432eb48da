"""Programs built in Python: they are the texts one would write, and run like them."""

from __future__ import annotations

import threading
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradir as gir
from gradir import GirError, Program
from gradir.codegen.toolchain import find_compiler
from gradir.text.diagnostics import render

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="no C compiler")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def text_of(outputs: Any, stores: Any = None, effects: Any = ()) -> list[str]:
    return gir.build(outputs, stores, effects).text().splitlines()


def dump(text: str) -> list[str]:
    return Program.parse(text).text().splitlines()


def refusal(make: Callable[[], Any]) -> str:
    with pytest.raises(GirError) as caught:
        make()
    return caught.value.diagnostics[0].code


LINEAR = """dim B = 1..64
%x = stage f32[B,3]
%w = buffer f32[3,2]
%wv = load %w
%h = matmul %x %wv
%p = pow %h exponent=2
%loss = mean %p
%g = gradient %loss %wv
%s = mul 0.1 %g
%n = sub %wv %s
output %loss
store %w %n
"""


def linear() -> tuple[gir.Expr, gir.Buffer, gir.Expr]:
    b = gir.dim("B", 1, 64)
    x, w = gir.stage("x", gir.f32[b, 3]), gir.buffer("w", gir.f32[3, 2])
    return x, w, ((x @ w) ** 2).mean()


def test_the_program_is_the_text_one_would_write() -> None:
    _, w, loss = linear()
    made = gir.build({"loss": loss}, {w: w - 0.1 * gir.gradient(loss, w)})
    written = Program.parse(LINEAR).table
    assert made.table.nodes == written.nodes and made.table.dims == written.dims


@pytest.mark.parametrize("backend", ["numpy", pytest.param("c", marks=needs_compiler)])
def test_a_training_step(backend: str) -> None:
    """The linear model of noiseless data: its parameters are found."""
    rng = np.random.default_rng(7)
    true = np.array([[1.5, -2.0], [0.5, 1.0], [-1.0, 0.25]], np.float32)
    b = gir.dim("B", 1, 64)
    x, t = gir.stage("x", gir.f32[b, 3]), gir.stage("t", gir.f32[b, 2])
    w = gir.buffer("w", gir.f32[3, 2], init="normal:0.5:7")
    loss = ((x @ w - t) ** 2).mean()
    step = gir.compile({"loss": loss}, {w: w - 0.15 * gir.gradient(loss, w)}, backend=backend)
    assert step.backend == backend
    assert step.text().startswith("dim B = 1..64\n%x: f32[B,3] = stage")
    for size in (8, 16, 32) * 100:
        batch = rng.normal(size=(size, 3)).astype(np.float32)
        found = step(x=batch, t=batch @ true)
    assert list(found) == ["loss"] and found["loss"] < 1e-6
    assert np.abs(step.state["w"] - true).max() < 1e-3
    assert step.steps == 300


# Expressions beside the statements that they stand for; %x and %y are f32[2,3], %i and %j i32[4].
STATEMENTS: list[tuple[Callable[..., Any], str]] = [
    (lambda x, y, i, j: x + y, "%r = add %x %y"),
    (lambda x, y, i, j: x - y, "%r = sub %x %y"),
    (lambda x, y, i, j: x * y, "%r = mul %x %y"),
    (lambda x, y, i, j: x / y, "%r = div %x %y"),
    (lambda x, y, i, j: -x, "%r = neg %x"),
    (lambda x, y, i, j: abs(x), "%r = abs %x"),
    (lambda x, y, i, j: x**3, "%r = pow %x exponent=3"),
    (lambda x, y, i, j: x + 1.5, "%r = add %x 1.5"),
    (lambda x, y, i, j: 1.5 - x, "%r = sub 1.5 %x"),
    (lambda x, y, i, j: 1 / x, "%r = div 1.0 %x"),
    (lambda x, y, i, j: 2 * x, "%r = mul 2.0 %x"),
    (lambda x, y, i, j: np.float64(2.5) * x, "%r = mul 2.5 %x"),
    (lambda x, y, i, j: x * np.float32(2.5), "%r = mul %x 2.5"),
    (lambda x, y, i, j: i + 1, "%r = add %i 1"),
    (lambda x, y, i, j: i // j, "%r = idiv %i %j"),
    (lambda x, y, i, j: i % 3, "%r = mod %i 3"),
    (lambda x, y, i, j: (i & j) | ~i, "%r = or (and %i %j) (xor %i -1)"),
    (lambda x, y, i, j: ~(x < y), "%r = not (lt %x %y)"),
    (lambda x, y, i, j: i ^ j, "%r = xor %i %j"),
    (lambda x, y, i, j: (i << 2) >> j, "%r = shr (shl %i 2) %j"),
    (lambda x, y, i, j: x < y, "%r = lt %x %y"),
    (lambda x, y, i, j: x <= 0, "%r = le %x 0.0"),
    (lambda x, y, i, j: x > y, "%r = gt %x %y"),
    (lambda x, y, i, j: x >= y, "%r = ge %x %y"),
    (lambda x, y, i, j: gir.eq(i, j), "%r = eq %i %j"),
    (lambda x, y, i, j: gir.where(x < 0, 0, x), "%r = where (lt %x 0.0) 0.0 %x"),
    (lambda x, y, i, j: x @ y.T, "%r = matmul %x (transpose %y)"),
    (lambda x, y, i, j: x.reshape(3, 2), "%r = reshape %x shape=[3,2]"),
    (lambda x, y, i, j: x.reshape((6,)), "%r = reshape %x shape=[6]"),
    (lambda x, y, i, j: x.astype(gir.f64), "%r = cast %x dtype=f64"),
    (lambda x, y, i, j: gir.exp(x), "%r = exp %x"),
    (lambda x, y, i, j: gir.softmax(x, axis=1), "%r = softmax %x axis=1"),
    (lambda x, y, i, j: x.softmax(axis=0), "%r = softmax %x axis=0"),
    (lambda x, y, i, j: x.sum(axes=[1], keep=True), "%r = sum %x axes=[1] keep=true"),
    (lambda x, y, i, j: x.sum(axes=1), "%r = sum %x axes=1"),
    (lambda x, y, i, j: x.mean(), "%r = mean %x"),
    (lambda x, y, i, j: x.reduce(op="max", axes=[0]), "%r = reduce %x op=max axes=[0]"),
    (lambda x, y, i, j: gir.take(x, 1, axis=0), "%r = take %x 1 axis=0"),
    (lambda x, y, i, j: gir.take(x, i % 2, axis=0), "%r = take %x (mod %i 2) axis=0"),
    (lambda x, y, i, j: gir.clamp(x, 0, 6), "%r = clamp %x 0.0 6.0"),
    (lambda x, y, i, j: gir.concat(x, y, axis=1), "%r = concat %x %y axis=1"),
    (lambda x, y, i, j: gir.pad(x, lo=[0, 1], hi=[0, 1]), "%r = pad %x lo=[0,1] hi=[0,1]"),
    (lambda x, y, i, j: gir.einsum(x, y, spec="ij,kj->ik"), '%r = einsum %x %y spec="ij,kj->ik"'),
    (lambda x, y, i, j: gir.zeros(gir.f32[2]), "%r = zeros f32[2]"),
    (lambda x, y, i, j: gir.full(gir.f64[2], 0.1), "%r = full f64[2] 0.1"),
    (lambda x, y, i, j: gir.iota(gir.i32[4]) + i, "%r = add (iota i32[4]) %i"),
    (lambda x, y, i, j: gir.layer_norm(x, eps=1e-3), "%r = layer_norm %x eps=0.001"),
    (lambda x, y, i, j: x.detach() * y, "%r = mul (detach %x) %y"),
    (lambda x, y, i, j: gir.and_(i, j), "%r = and %i %j"),
    (lambda x, y, i, j: gir.gradient((x * y).sum(), x), "%r = gradient (sum (mul %x %y)) %x"),
    (
        lambda x, y, i, j: x + np.array([1, 2, 3], np.float32),
        "%c = const f32[3] [1.0, 2.0, 3.0]\n%r = add %x %c",
    ),
    (
        lambda x, y, i, j: np.array([1, 2, 3], np.float32) * x,
        "%c = const f32[3] [1.0, 2.0, 3.0]\n%r = mul %c %x",
    ),
]


@pytest.mark.parametrize(("make", "statement"), STATEMENTS, ids=lambda v: v if str(v) == v else "")
def test_every_expression_is_its_statement(make: Callable[..., Any], statement: str) -> None:
    x, y = (gir.stage(name, gir.f32[2, 3]) for name in "xy")
    i, j = (gir.stage(name, gir.i32[4]) for name in "ij")
    result = make(x, y, i, j)
    head = ""
    for name, type in (("x", "f32[2,3]"), ("y", "f32[2,3]"), ("i", "i32[4]"), ("j", "i32[4]")):
        if f"%{name}" in statement:
            head += f"%{name} = stage {type}\n"
    written = Program.parse(f'{head}{statement}\noutput %r name="r"')
    made = gir.build({"r": result}).table
    assert made.nodes == written.table.nodes
    assert result.type.plain is written.table.type(written.table.outputs["r"])


def test_sizes_types_and_names() -> None:
    b, c = gir.dim("B", 1, 64), gir.dim("C", 2, 8)
    x = gir.stage("x", gir.f32[b, 3, c])
    assert x.shape == (b, 3, c) and x.dtype is gir.f32 and str(x.type) == "f32[B,3,C]"
    y = x.reshape(3 * b * c)
    assert str(y.type) == "f32[3*B*C]" and y.shape == (c * b * 3,)
    assert str(2 * b * gir.dim("B", 1, 64)) == "2*B*B"
    n = gir.size(x.sum(axes=[1, 2]))
    lines = text_of({"y": (y * 2).named("twice"), "n": n})
    assert lines[:2] == ["dim B = 1..64", "dim C = 2..8"]
    assert any(line.startswith("%twice: f32[3*B*C] = mul") for line in lines)
    assert repr(y) == "<reshape: f32[3*B*C]>" and repr(x) == "<x: f32[B,3,C]>"
    assert gir.stage("s", gir.f64).shape == () and str(gir.size(b).type) == "i32"


def test_two_programs_may_both_have_a_b() -> None:
    small, large = gir.dim("B", 1, 2), gir.dim("B", 1, 2000)
    x, y = gir.stage("x", gir.f32[small]), gir.stage("x", gir.f32[large])
    assert text_of({"s": x.sum()})[0] == "dim B = 1..2"
    assert text_of({"s": y.sum()})[0] == "dim B = 1..2000"
    assert refusal(lambda: x + y) == "N205"


def test_only_what_is_reached_and_once() -> None:
    x = gir.stage("x", gir.f32)
    unused = gir.stage("unused", gir.f32) * 2
    lines = text_of({"a": x * x + x * x, "b": x * x})
    assert sum(" mul " in line for line in lines) == 1
    assert not any("unused" in line for line in lines) and unused.shape == ()


def test_constants() -> None:
    values = np.array([1.5, -0.0, np.inf], np.float32)
    x = gir.stage("x", gir.f32[3])
    for given in (values, values.astype(">f4"), values[::-1][::-1]):
        lines = text_of({"y": x * gir.const(given)})
        assert lines[1] == "%1 = const f32[3] [1.5, -0.0, inf]"
    assert text_of({"y": gir.const([1, 2])})[0] == "%0 = const i32[2] [1, 2]"
    assert text_of({"y": gir.const(0.5, gir.f64)})[0] == "%0 = const f64 0.5"
    assert text_of({"y": gir.const(True)})[0] == "%0 = const bool true"
    assert refusal(lambda: gir.const(np.zeros(2, np.float16))) == "T318"
    assert refusal(lambda: gir.const([0.5], gir.i32)) == "R602"
    assert refusal(lambda: x * gir.const(np.ones(3))) == "T301"


def test_buffers_hold_what_they_held_before_the_step() -> None:
    a, b = (gir.buffer(name, gir.f32, init=value) for name, value in (("a", 1), ("b", 2)))
    step = gir.compile({"sum": a + b}, {a: b, b: a}, backend="numpy")
    assert step()["sum"] == 3.0
    assert (step.state["a"], step.state["b"]) == (2.0, 1.0)
    step = gir.compile({"a": a}, {a: a * 0.5}, backend="numpy", state={"a": 8.0})
    assert [float(step()["a"]) for _ in range(3)] == [8.0, 4.0, 2.0]


def test_optimisers_are_effects() -> None:
    x, w, loss = linear()
    m, v = (gir.buffer(name, gir.f32[3, 2]) for name in "mv")
    t = gir.buffer("t", gir.i32)
    update = gir.adam(w, gir.gradient(loss, w), m, v, t, lr=0.01)
    lines = text_of({"loss": loss}, {t: t + 1}, [update])
    assert next(line for line in lines if line.startswith("store")).startswith("store %t")
    written = dump(
        LINEAR.split("%s =")[0].replace(
            "%g",
            "%m = buffer f32[3,2]\n%v = buffer f32[3,2]\n%t = buffer i32\n%tv = load %t\n%g",
            1,
        )
        + "output %loss\nstore %t (add %tv 1)\nadam %w %g %m %v %tv lr=0.01\n"
    )
    operations = [line.split("= ")[-1].split(" ")[0] for line in written]
    assert sorted(line.split("= ")[-1].split(" ")[0] for line in lines) == sorted(operations)
    assert refusal(lambda: gir.adam(w, x, m, v, t)) in ("T303", "M405")
    assert refusal(lambda: gir.sgd(w.loaded, w)) == "M404"
    assert refusal(lambda: gir.adam(w, w, m, v, t, speed=1)) == "T308"


# --- refusals -----------------------------------------------------------------------------


def test_the_line_of_python_is_shown() -> None:
    x = gir.stage("x", gir.f32[4, 3])
    with pytest.raises(GirError) as caught:
        x @ gir.stage("y", gir.f32[2, 2])
    shown = render(caught.value.diagnostics)
    line = test_the_line_of_python_is_shown.__code__.co_firstlineno + 3
    assert f"test_api.py:{line}:9: error[T313]: matmul of [4,3] and [2,2]" in shown
    assert '        x @ gir.stage("y", gir.f32[2, 2])\n' in shown


def test_a_line_that_has_no_file() -> None:
    scope: dict[str, Any] = {"gir": gir}
    code = "gir.stage('x', gir.f32[2]) + gir.stage('y', gir.f32[3])"
    assert refusal(lambda: eval(code, scope)) == "T303"


def test_run_time_errors_show_python_too() -> None:
    x, i = gir.stage("x", gir.f32[3]), gir.stage("i", gir.i32)
    y = gir.take(x, i)
    step = gir.compile({"y": y}, backend="numpy")
    with pytest.raises(GirError) as caught:
        step(x=[1, 2, 3], i=3)
    span = caught.value.diagnostics[0].span
    assert span is not None and span.text == "y = gir.take(x, i)"


def test_what_the_language_refuses() -> None:
    x, i = gir.stage("x", gir.f32[3]), gir.stage("i", gir.i32)
    w = gir.buffer("w", gir.f32[3])
    b = gir.dim("B", 1, 4)
    cases: list[tuple[str, Callable[[], Any]]] = [
        ("T301", lambda: x + i),
        ("T302", lambda: gir.exp(i)),
        ("T308", lambda: gir.softmax(x, axes=1)),
        ("T307", lambda: gir.exp(x, x)),
        ("T311", lambda: gir.softmax(x, axis=1)),
        ("T319", lambda: x + "1"),
        ("T319", lambda: x + None),
        ("T306", lambda: i + 2**31),
        ("T301", lambda: i + 0.5),
        ("T318", lambda: gir.stage("s", "f32")),  # type: ignore[arg-type]
        ("T310", lambda: gir.stage("a b", gir.f32)),
        ("T310", lambda: gir.dim("a b", 1, 2)),
        ("N205", lambda: gir.dim("f32", 1, 2)),
        ("N215", lambda: gir.dim("B", 3, 2)),
        ("T315", lambda: b + 1),
        ("T315", lambda: gir.f32[b, 1.5]),
        ("M411", lambda: gir.buffer("w", gir.f32[b])),
        ("T320", lambda: gir.buffer("w", gir.i32, init=0.5)),
        ("M410", lambda: gir.buffer("w", gir.f32, init="zeros")),
        ("G101", lambda: gir.gradient(x, x)),
        ("G102", lambda: gir.gradient(x.sum(), i)),
        ("G107", lambda: gir.gradient(x.sum(), 1.0)),  # type: ignore[arg-type]
        ("M404", lambda: gir.build({}, {x: x})),
        ("M405", lambda: gir.build({}, {w: i})),
        ("M402", lambda: gir.build({"y": x + gir.stage("x", gir.f32)})),
        ("M401", lambda: gir.build({"y": w + gir.buffer("v", gir.f32, slot=0)})),
        ("U702", lambda: gir.compile({"y": x}, threads=0)),
        ("U702", lambda: gir.compile({"y": x}, backend="gpu")),
        ("R608", lambda: gir.compile({"y": x}, state={"w": 1.0})),
    ]
    for at, (code, make) in enumerate(cases):
        assert refusal(make) == code, at


def test_what_python_refuses() -> None:
    x = gir.stage("x", gir.f32[3])
    with pytest.raises(AttributeError, match="exponential"):
        gir.exponential(x)
    with pytest.raises(AttributeError, match="exponential"):
        x.exponential()
    with pytest.raises(AttributeError, match="load"):
        x.load()
    with pytest.raises(TypeError, match="truth value"):
        bool(x < 1)
    with pytest.raises(TypeError):
        x[0]  # type: ignore[index]
    assert "softmax" in dir(gir) and "exp" in dir(gir) and "store" not in dir(gir)


def test_a_long_chain() -> None:
    x = gir.stage("x", gir.f64)
    y = x
    for _ in range(5000):
        y = y + 1.0
    step = gir.compile({"y": y, "g": gir.gradient(y, x)}, backend="numpy")
    found = step(x=0.0)
    assert (found["y"], found["g"]) == (5000.0, 1.0)


# --- running ------------------------------------------------------------------------------


@needs_compiler
def test_loaded_programs_are_the_same_kind_of_object() -> None:
    step = gir.load("example:worked").compile(threads=1)
    assert step.backend == "c"
    found = step(x=[[0.5, -1], [2, 1]], w=[[1, 2], [3, 4]])
    assert found["loss"] == 26.0
    assert found["dw"].tolist() == [[4, 4], [2, 2]] and found["dx"].tolist() == [[0, 0], [6, 14]]
    assert step.text() == gir.load("example:worked").text()


@needs_compiler
def test_a_bound_call_takes_microseconds() -> None:
    """Checked against a call that checks its arguments each time, on the same machine."""
    x = np.ones(4, np.float32)
    step = gir.compile({"y": gir.stage("x", gir.f32[4]) + 1.0}, backend="c")
    bound = step.bind(x=x)
    assert bound()["y"].tolist() == [2.0] * 4

    def best(call: Callable[[], Any]) -> float:
        return min(timeit.repeat(call, number=2000, repeat=7)) / 2000

    assert best(bound) < best(lambda: step(x=x)) / 2
    assert best(bound) < 20e-6  # about 0.6e-6 on an idle machine


@needs_compiler
def test_eight_threads_write_compile_and_run() -> None:
    data = np.random.default_rng(5).normal(size=(16, 3)).astype(np.float32)
    gate, found = threading.Barrier(8), [b""] * 8

    def work(number: int) -> None:
        gate.wait()
        for _ in range(3):
            _, w, loss = linear()
            step = gir.compile(
                {"loss": loss}, {w: w - 0.1 * gir.gradient(loss, w)}, state={"w": data[:3, :2]}
            )
            losses = [step(x=data)["loss"] for _ in range(20)]
            found[number] += np.array(losses).tobytes() + step.state["w"].tobytes()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found[0]) == 3 * (20 * 4 + 6 * 4)
