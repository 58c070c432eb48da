"""Programs built in Python, expression by expression (spec/table.md says what they become).

    B = gir.dim("B", 1, 64)
    x, w = gir.stage("x", gir.f32[B, 3]), gir.buffer("w", gir.f32[3, 2])
    loss = ((x @ w) ** 2).mean()
    step = gir.compile(outputs={"loss": loss}, stores={w: w - 0.1 * gir.gradient(loss, w)})

An expression is an operation of the language on others; its type is inferred, and what the
language refuses is refused, where it is written. `compile` builds the table from the operations
that are reached, in the order in which they were written: the program is the one whose text has
these statements. Any operation, sugar or macro of the library is a function here (`gir.softmax`)
and a method (`x.softmax(axis=1)`); words that Python keeps for itself take a `_` (`gir.and_`).
Loops and indexed stores are for texts: they are refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np

from gradir.api.build import (
    bounds_of,
    buffer_parameters,
    build_program,
    check_effect,
    flat,
    gives_no_value,
    here,
    infer,
    order,
)
from gradir.api.types import ELEMENT_TYPES, Bounds, ElementType, SizeLike, Type, merged, type_of
from gradir.ir.forms import FORMS
from gradir.ir.ops import OPS
from gradir.ir.stdlib import standard_library
from gradir.ir.sugar import SUGAR
from gradir.ir.types import DTYPES, TensorType, tensor_type
from gradir.runtime.arrays import as_array
from gradir.runtime.program import Program
from gradir.runtime.session import Session
from gradir.text.diagnostics import error
from gradir.text.source import Span

_REFUSED = {"stage", "buffer", "const", "load", "store", "range", "end", "call", "output"}


class Expr:
    """A value of a program that is being written. Two are equal only if they are one."""

    __slots__ = ("attrs", "bounds", "name", "number", "op", "operands", "plain", "span")

    # NumPy leaves `array * expr` to us
    __array_ufunc__ = None

    def __init__(
        self,
        op: str,
        operands: Sequence[Any],
        attrs: Mapping[str, Any],
        type: TensorType,
        bounds: Bounds,
        span: Span,
    ) -> None:
        self.op, self.operands, self.attrs = op, tuple(operands), dict(attrs)
        self.plain, self.bounds, self.span = type, bounds, span
        self.number = next(order)
        self.name: str | None = None

    def inner(self) -> list[Any]:
        """Operands and what the attributes hold."""
        return [*self.operands, *flat(self.attrs.values())]

    @property
    def type(self) -> Type:
        return Type(self.plain, self.bounds)

    @property
    def dtype(self) -> ElementType:
        return ELEMENT_TYPES[self.plain.dtype.name]

    @property
    def shape(self) -> tuple[SizeLike, ...]:
        return self.type.shape

    @property
    def T(self) -> Expr:
        """The axes in reverse."""
        return operation("transpose", self)

    def named(self, name: str) -> Expr:
        """This value, with a name in the program's text."""
        self.name = name
        return self

    def astype(self, dtype: ElementType) -> Expr:
        return operation("cast", self, dtype=dtype)

    def reshape(self, *shape: Any) -> Expr:
        """In another shape: `x.reshape(2, 3)` or `x.reshape((2, 3))`."""
        flat = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        return operation("reshape", self, shape=list(flat))

    def __getattr__(self, name: str) -> Callable[..., Expr]:
        if not name.startswith("_") and _plain_name(name) in operation_names():
            return partial(operation, _plain_name(name), self)
        raise AttributeError(f"no operation of the language is named {name}")

    def __repr__(self) -> str:
        return f"<{self.name or self.op}: {self.plain}>"

    def __bool__(self) -> bool:
        raise TypeError("a value of a program has no truth value before it is run: use `where`")

    def __add__(self, other: ExprLike) -> Expr:
        return operation("add", self, other)

    def __radd__(self, other: ExprLike) -> Expr:
        return operation("add", other, self)

    def __sub__(self, other: ExprLike) -> Expr:
        return operation("sub", self, other)

    def __rsub__(self, other: ExprLike) -> Expr:
        return operation("sub", other, self)

    def __mul__(self, other: ExprLike) -> Expr:
        return operation("mul", self, other)

    def __rmul__(self, other: ExprLike) -> Expr:
        return operation("mul", other, self)

    def __truediv__(self, other: ExprLike) -> Expr:
        return operation("div", self, other)

    def __rtruediv__(self, other: ExprLike) -> Expr:
        return operation("div", other, self)

    def __floordiv__(self, other: ExprLike) -> Expr:
        return operation("idiv", self, other)

    def __mod__(self, other: ExprLike) -> Expr:
        return operation("mod", self, other)

    def __matmul__(self, other: ExprLike) -> Expr:
        return operation("matmul", self, other)

    def __rmatmul__(self, other: ExprLike) -> Expr:
        return operation("matmul", other, self)

    def __pow__(self, exponent: float) -> Expr:
        return operation("pow", self, exponent=exponent)

    def __neg__(self) -> Expr:
        return operation("neg", self)

    def __abs__(self) -> Expr:
        return operation("abs", self)

    def __invert__(self) -> Expr:
        """`not` of a bool, all bits turned of an integer."""
        dtype = self.plain.dtype
        if not dtype.is_int:
            return operation("not", self)
        return operation("xor", self, -1 if dtype.int_range[0] < 0 else dtype.int_range[1])

    def __and__(self, other: ExprLike) -> Expr:
        return operation("and", self, other)

    def __or__(self, other: ExprLike) -> Expr:
        return operation("or", self, other)

    def __xor__(self, other: ExprLike) -> Expr:
        return operation("xor", self, other)

    def __lshift__(self, other: ExprLike) -> Expr:
        return operation("shl", self, other)

    def __rshift__(self, other: ExprLike) -> Expr:
        return operation("shr", self, other)

    def __lt__(self, other: Any) -> Expr:
        return operation("lt", self, other)

    def __le__(self, other: Any) -> Expr:
        return operation("le", self, other)

    def __gt__(self, other: Any) -> Expr:
        return operation("gt", self, other)

    def __ge__(self, other: Any) -> Expr:
        return operation("ge", self, other)


class Buffer(Expr):
    """A buffer; as a value it is the contents from before the step."""

    __slots__ = ("loaded",)

    def __init__(self, attrs: Mapping[str, Any], type: Type, span: Span) -> None:
        super().__init__("buffer", [type], attrs, type.plain, type.bounds, span)
        self.loaded = Expr("load", [self], {}, type.plain, type.bounds, span)


class Effect:
    """A statement that gives no value: it stores. `compile(effects=[…])` takes it."""

    __slots__ = ("attrs", "op", "operands", "span")

    def __init__(
        self, op: str, operands: Sequence[Any], attrs: Mapping[str, Any], span: Span
    ) -> None:
        self.op, self.operands, self.attrs, self.span = op, tuple(operands), dict(attrs), span

    def inner(self) -> list[Any]:
        return [*self.operands, *flat(self.attrs.values())]

    def __repr__(self) -> str:
        return f"<{self.op}>"


ExprLike: TypeAlias = Expr | np.ndarray | float | int | bool


def stage(name: str, type: Type | ElementType) -> Expr:
    """An input of the program, given by name at each step (spec/ops-sources.md)."""
    wanted = type_of(type)
    return _expr("stage", [wanted], {"name": name}, here()).named(name)


def buffer(
    name: str, type: Type | ElementType, init: float | str | None = None, slot: int | None = None
) -> Buffer:
    """Contents that stay from step to step: `stores=` gives them new ones (spec/memory.md).

    `init` is a number, or what a text may say: "file.npy", "normal:SCALE:SEED",
    "uniform:LO:HI:SEED"; without one they are zeros. `state=` of `compile` goes before it.
    """
    wanted, span = type_of(type), here()
    if init is not None and not isinstance(init, str) and wanted.plain.dtype.is_float:
        init = float(init)
    attrs = {"name": name, "init": init, "slot": slot}
    _expr("buffer", [wanted], attrs, span)
    made = Buffer(attrs, wanted, span)
    made.name = name
    return made


def const(value: Any, dtype: ElementType | None = None) -> Expr:
    """A constant. Without a `dtype` an array keeps its own; Python floats are f32, ints i32."""
    array = np.asarray(value)
    if dtype is None and isinstance(value, np.ndarray | np.generic):
        known = {np.dtype(t.numpy): t for t in DTYPES.values()}
        plain = known.get(array.dtype.newbyteorder("="))
    else:
        kinds = {"f": "f32", "i": "i32", "u": "i32", "b": "bool"}
        plain = dtype.plain if dtype is not None else DTYPES.get(kinds.get(array.dtype.kind, ""))
    if plain is None:
        raise error("T318", f"no element type for a constant of {array.dtype}", here())
    type = tensor_type(plain, array.shape)
    return Expr("const", [as_array(value, type, "the constant")], {}, type, {}, here())


def gradient(y: Expr, x: Expr, checkpoint: Sequence[Expr] | None = None) -> Expr:
    """The gradient of a float scalar by a value, of the value's type (spec/gradient.md)."""
    attrs = {} if checkpoint is None else {"checkpoint": list(checkpoint)}
    return operation("gradient", y, x, **attrs)


def operation(name: str, /, *operands: Any, **attrs: Any) -> Any:
    """Any operation of the language by its name, on expressions, numbers and arrays: an Expr.

    A Python integer beside floats counts as a float; attributes that are None are left out. What
    only stores, such as `sgd`, is an Effect. Raises GirError where the language refuses it, at
    the line that asked for it.
    """
    span = here()
    if name in _REFUSED:
        raise error("M409", f"{name} cannot be written in Python", span, help="write a .gir text")
    raw = buffer_parameters(name)
    values = [o if at in raw else _value(o) for at, o in enumerate(operands)]
    given = {key: _value(item) for key, item in attrs.items() if item is not None}
    if gives_no_value(name):
        check_effect(name, values, given, span)
        return Effect(name, values, given, span)
    return _expr(name, values, given, span)


def _expr(op: str, operands: Sequence[Any], attrs: Mapping[str, Any], span: Span) -> Expr:
    # what is kept for a gradient is no part of its type
    plain = infer(op, operands, {} if op == "gradient" else attrs, span)
    bounds = merged(*map(bounds_of, [*operands, *flat(attrs.values())]))
    return Expr(op, operands, attrs, plain, bounds, span)


@cache
def operation_names() -> frozenset[str]:
    """What `gir.NAME` and `x.NAME` know."""
    listed = {*OPS, *SUGAR, *FORMS, *standard_library().names()}
    return frozenset(listed - _REFUSED)


def _plain_name(name: str) -> str:
    return name.removesuffix("_")


def function(name: str) -> Callable[..., Expr]:
    """The operation of a name as a function; AttributeError where there is none."""
    plain = _plain_name(name)
    if plain not in operation_names():
        raise AttributeError(f"module gradir has no attribute {name}")
    made = partial(operation, plain)
    made.__doc__ = f"`{plain}` of the language: see its section in the specification."
    return made


def _value(given: Any) -> Any:
    """What stands for an operand: a buffer's contents, an array as a constant."""
    if isinstance(given, Buffer):
        return given.loaded
    if isinstance(given, np.ndarray):
        return const(given)
    if isinstance(given, np.generic):
        return given.item()
    if isinstance(given, list | tuple):
        return [_value(item) for item in given]
    return given


# --- compiling ----------------------------------------------------------------------------


def build(
    outputs: Mapping[str, Expr] | None = None,
    stores: Mapping[Expr, ExprLike] | None = None,
    effects: Sequence[Effect] = (),
) -> Program:
    """The program with these outputs, and these new contents of buffers behind each step.

    `effects` are statements that only store, such as `gir.adam(w, g, m, v, t)`.
    """
    span = here()
    results = {name: _value(value) for name, value in (outputs or {}).items()}
    contents = {slot: _value(value) for slot, value in (stores or {}).items()}
    for slot in contents:
        if not isinstance(slot, Buffer):
            raise error("M404", f"{slot!r} is not a buffer", span, help="`gir.buffer(…)`")
    return build_program(results, contents, effects, span)


def compile(
    outputs: Mapping[str, Expr] | None = None,
    stores: Mapping[Expr, ExprLike] | None = None,
    effects: Sequence[Effect] = (),
    *,
    threads: int = 1,
    backend: str = "auto",
    dims: Mapping[str, int] | None = None,
    state: Mapping[str, Any] | None = None,
) -> Session:
    """A step that gives `outputs` by name and puts `stores` into their buffers behind it.

    `step(x=batch)["loss"]` runs it, `step.state["w"]` is a buffer's contents, `step.text()` the
    program. The other arguments, and what the result can do, are those of `Program.compile`.
    """
    made = build(outputs, stores, effects)
    return made.compile(threads=threads, backend=backend, dims=dims, state=state)
