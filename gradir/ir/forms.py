"""Operations whose operands are more than values: types, buffers, dimensions, functions.

Each form reads its operands from the tree and calls the builder. A form is given the name its
value will have (`target`), which stages, buffers and outputs take over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gradir.autodiff.expand import gradient
from gradir.ir import values
from gradir.ir.builder import Operand
from gradir.ir.initial import read_initial
from gradir.ir.literals import Lit, as_literal, literal_bits
from gradir.ir.ops import OPS
from gradir.ir.scope import Gradient
from gradir.ir.types import TensorType
from gradir.ir.verify import Refusal, canonical_axes, plain_attrs
from gradir.text import tree
from gradir.text.diagnostics import error

if TYPE_CHECKING:
    from gradir.ir.build import Build
    from gradir.ir.scope import Scope

Form = Callable[["Build", tree.Operation, "Scope", str | None], int | None]
FORMS: dict[str, Form] = {}


def _form(name: str) -> Callable[[Form], Form]:
    def register(form: Form) -> Form:
        FORMS[name] = form
        return form

    return register


def _arity(form: tree.Operation, least: int, most: int | None = None) -> None:
    most = least if most is None else most
    if not least <= len(form.operands) <= most:
        count = str(least) if least == most else f"{least} or more"
        plural = "s" * (count != "1")
        raise Refusal(
            "T307", f"{form.callee.name} takes {count} operand{plural}, not {len(form.operands)}"
        )


def type_operand(build: Build, form: tree.Operation, scope: Scope) -> TensorType:
    """The first operand, which must be a type."""
    if not form.operands or not isinstance(form.operands[0], tree.Name | tree.Shaped):
        raise Refusal(
            "T319",
            f"{form.callee.name} needs a type",
            operand=0 if form.operands else None,
            help=f"`{form.callee.name} f32[2,3] …`",
        )
    return build.type(form.operands[0], scope)


def _name(build: Build, attrs: dict[str, Any], target: str | None, what: str) -> str:
    name = attrs["name"] if attrs["name"] is not None else target
    if name is None or (attrs["name"] is None and name.isdigit()):
        raise Refusal("M403", f"{what} needs a name", help='write `name="x"`')
    if not all(part.replace("_", "a").isalnum() and part.isascii() for part in name.split(".")):
        raise Refusal(
            "T310",
            f'"{name}" is not a name',
            attr="name",
            help="letters, digits, `_`, and `.` between",
        )
    return name


def buffer_operand(build: Build, form: tree.Operation, scope: Scope) -> int:
    operand = build.operand(form.operands[0], scope)
    if isinstance(operand, Lit) or build.builder.table[operand].op is not OPS["buffer"]:
        raise Refusal(
            "M404",
            f"`{form.operands[0].span.text}` is not a buffer",
            operand=0,
            help="declare one: `%b = buffer f32[5]`",
        )
    return operand


def _values(build: Build, forms: Sequence[tree.Operand], scope: Scope) -> list[Operand]:
    return [build.operand(form, scope) for form in forms]


@_form("const")
def _const(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 2)
    plain_attrs("const", (), build.attributes(form, scope))
    type, given = type_operand(build, form, scope), form.operands[1]
    if not type.is_static:
        raise Refusal("T317", f"a constant of symbolic type {type}", operand=0)
    if isinstance(given, tree.Array):
        lits = _flatten(build, given, type, scope)
    elif isinstance(given, tree.Literal) and not type.shape:
        lits = [_literal(build, given, scope)]
    else:
        raise Refusal("T317", f"an array of shape {list(type.shape)} is needed", operand=1)
    pieces = []
    for lit, place in lits:
        if lit.dtype is not None and lit.dtype is not type.dtype:
            raise error("T301", f"{lit.dtype} in a constant of {type.dtype}", place.span)
        with build.places(place.span, ()):
            pieces.append(literal_bits(lit, type.dtype))
    return build.builder.const(type.dtype, type.shape, b"".join(pieces))


def _literal(build: Build, form: tree.Literal, scope: Scope) -> tuple[Lit, tree.Literal]:
    given = build.literal(form, scope)
    if isinstance(given, int):
        raise error("T320", "a value where a literal is needed", form.span)
    return given, form


def _flatten(
    build: Build, array: tree.Array, type: TensorType, scope: Scope
) -> list[tuple[Lit, tree.Literal]]:
    """The literals of an array in row-major order; its nesting must be the type's shape."""
    level: list[Any] = [array]
    for axis, size in enumerate(type.shape):
        inner: list[Any] = []
        for item in level:
            if not isinstance(item, tree.Array) or len(item.items) != size:
                found = len(item.items) if isinstance(item, tree.Array) else "no list"
                raise error(
                    "T317",
                    f"axis {axis} of {type} has {size} items, here are {found}",
                    item.span,
                )
            inner.extend(item.items)
        level = inner
    for item in level:
        if isinstance(item, tree.Array):
            raise error("T317", f"nested deeper than the rank of {type}", item.span)
    return [_literal(build, item, scope) for item in level]


@_form("iota")
def _iota(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 1)
    attrs = plain_attrs("iota", OPS["iota"].attrs, build.attributes(form, scope))
    return build.builder.iota(type_operand(build, form, scope), attrs["axis"])


@_form("size")
def _size(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 1)
    attrs = build.attributes(form, scope)
    operand = form.operands[0]
    if isinstance(operand, tree.Name):
        plain_attrs("size", (), attrs)
        return build.builder.size(operand.name)
    if isinstance(operand, tree.Literal) and operand.kind == "param":
        given = values.plain(build.parameter(operand.text, operand.span, scope))
        if isinstance(given, values.Word):
            return build.builder.size(str(given))
    id = build.value(operand, scope)
    shape = build.builder.type(id).shape
    plain = plain_attrs("size", OPS["reduce"].attrs[1:2], attrs)
    axes = range(len(shape)) if plain["axes"] is None else plain["axes"]
    return build.builder.size_of([shape[a] for a in canonical_axes(list(axes), len(shape))])


@_form("stage")
def _stage(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 1)
    attrs = plain_attrs("stage", OPS["stage"].attrs, build.attributes(form, scope))
    type = type_operand(build, form, scope)
    return build.builder.stage(type, _name(build, attrs, target, "stage"))


@_form("buffer")
def _buffer(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 1)
    given = {
        a.name: build.attribute(a.value, scope)
        if a.name == "init"
        else values.plain(build.attribute(a.value, scope))
        for a in form.attributes
    }
    slot = given.pop("slot", None)
    attrs = plain_attrs("buffer", OPS["buffer"].attrs, given)
    if slot is not None and (isinstance(slot, bool) or not isinstance(slot, int)):
        raise Refusal("T310", "slot takes an integer", attr="slot")
    type = type_operand(build, form, scope)
    name = _name(build, attrs, target, "buffer")
    return build.builder.buffer(type, name, slot, _init(attrs["init"], type))


def _init(given: Any, type: TensorType) -> bytes | str | None:
    """An initial value: the bits of a scalar, or a string that running follows (RUN-10)."""
    if given is None:
        return None
    if isinstance(given, str) and not isinstance(given, values.Word):
        try:
            read_initial(given, type)
        except ValueError as reason:
            raise Refusal("M410", f'init="{given}": {reason}', attr="init") from None
        return given
    if isinstance(given, Lit) and given.dtype in (None, type.dtype):
        try:
            return literal_bits(given, type.dtype)
        except Refusal as refusal:
            refusal.attr = "init"
            raise
    raise Refusal(
        "M410",
        "init= takes a literal of the buffer's type, or a string",
        attr="init",
        help='`init=1.0`, `init="file.npy"`, `init="normal:0.5:7"`, `init="uniform:-1:1:7"`',
    )


@_form("load")
def _load(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 1, 32)
    plain_attrs("load", (), build.attributes(form, scope))
    build.builder.outside("load")
    buffer = buffer_operand(build, form, scope)
    indices = _values(build, form.operands[1:], scope)
    build.check_operands(indices)
    return build.builder.load(buffer, *indices)


@_form("store")
def _store(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 2, 33)
    plain_attrs("store", (), build.attributes(form, scope))
    build.builder.outside("store")
    buffer = buffer_operand(build, form, scope)
    rest = _values(build, form.operands[1:], scope)
    build.check_operands(rest)
    return build.builder.store(buffer, rest[0], *rest[1:])


@_form("range")
def _range(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 1)
    plain_attrs("range", (), build.attributes(form, scope))
    if target is None:
        raise Refusal("M413", "a range needs a name", help="`%i = range 5` … `end %i`")
    count = form.operands[0]
    if isinstance(count, tree.Name):
        return build.builder.range(build.builder.size(count.name))
    operand = build.operand(count, scope)
    build.check_operands([operand])
    return build.builder.range(operand)


@_form("end")
def _end(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 1)
    plain_attrs("end", (), build.attributes(form, scope))
    operand = build.operand(form.operands[0], scope)
    if isinstance(operand, Lit) or build.builder.table[operand].op is not OPS["range"]:
        raise Refusal("M407", "`end` names a range", operand=0, help="`%i = range 5` … `end %i`")
    if len(build.builder.open_ranges) <= build.outer_ranges:
        raise Refusal("M407", "`end` of a range that the macro did not open", operand=0)
    return build.builder.end(operand)


@_form("output")
def _output(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 1)
    attrs = plain_attrs("output", OPS["output"].attrs, build.attributes(form, scope))
    operand = form.operands[0]
    own = operand.name if isinstance(operand, tree.Value) else None
    named = None if own and own.isdigit() else own
    name = _name(build, attrs, named, "the output of an expression")
    value = build.operand(operand, scope)
    build.check_operands([value])
    return build.builder.output(value, name)


@_form("call")
def _call(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    if not form.operands or not isinstance(form.operands[0], tree.At):
        raise Refusal("T319", "call needs a function: `call @f %x`")
    plain_attrs("call", (), build.attributes(form, scope))
    callee = form.operands[0]
    if callee.name == build.defining:
        raise error("N207", f"function @{callee.name} calls itself", callee.span)
    if "@" + callee.name in build.poisoned:
        raise values.Poisoned
    if callee.name not in build.builder.table.functions:
        raise error(
            "N204",
            f"unknown function @{callee.name}",
            callee.span,
            help="a macro is used like an operation, without `call`"
            if callee.name in build.macros
            else "define it above: `func @f(%a: f32[3]) { … }`",
        )
    operands = _values(build, form.operands[1:], scope)
    build.check_operands(operands)
    build.used.add(callee.name)
    try:
        return build.builder.call(callee.name, operands)
    except Refusal as refusal:
        if refusal.operand is not None:
            refusal.operand += 1
        raise


@_form("gradient")
def _gradient(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 2)
    operands = [build.operand(operand, scope) for operand in form.operands]
    y, x = operands
    if isinstance(x, Lit):
        help = "stage it or load it from a buffer: `%lr = stage f32`"
        raise Refusal("G107", "gradient with respect to a literal", operand=1, help=help)
    if isinstance(y, Lit):
        (y, _) = build.builder.literals([y, x], ["value", "value"])
    kept = None
    for attr in form.attributes:
        if attr.name != "checkpoint":
            raise Refusal(
                "T308",
                f"gradient has no attribute {attr.name}",
                attr=attr.name,
                help="it takes checkpoint=[…]",
            )
        listed = build.attribute(attr.value, scope)
        items = listed if isinstance(listed, list) else [listed]
        if not all(isinstance(item, values.Ref) for item in items):
            raise Refusal("T310", "checkpoint= takes values", attr="checkpoint")
        kept = [item.id for item in items]
    result = gradient(build.builder, y, x, kept)
    if build.defining is None:  # a function's ids belong to its own table
        build.gradients.append(Gradient(y, x, result, form.span))
    return result


def _filled_type(build: Build, form: tree.Operation, scope: Scope) -> TensorType:
    """The type to fill: written, or that of a value."""
    first = form.operands[0]
    if isinstance(first, tree.Name | tree.Shaped):
        return type_operand(build, form, scope)
    operand = build.operand(first, scope)
    if isinstance(operand, Lit):
        raise Refusal(
            "T319",
            f"{form.callee.name} needs a type or a value",
            operand=0,
            help=f"`{form.callee.name} f32[2,3]`, or `{form.callee.name} %x` for the type of %x",
        )
    return build.builder.type(operand)


def _number(build: Build, form: tree.Operation, scope: Scope, number: int) -> int:
    """zeros and ones: the 0 or 1 of the element type."""
    _arity(form, 1)
    plain_attrs(form.callee.name, (), build.attributes(form, scope))
    type = _filled_type(build, form, scope)
    if type.dtype.kind == "bool":
        return build.builder.full(as_literal(bool(number)), type)
    return build.builder.full(Lit("int", str(number), None, True), type)


@_form("zeros")
def _zeros(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    return _number(build, form, scope, 0)


@_form("ones")
def _ones(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    return _number(build, form, scope, 1)


@_form("full")
def _full(build: Build, form: tree.Operation, scope: Scope, target: str | None) -> int:
    _arity(form, 2)
    plain_attrs("full", (), build.attributes(form, scope))
    type = _filled_type(build, form, scope)
    value = build.operand(form.operands[1], scope)
    try:
        if isinstance(value, Lit):
            if value.dtype in (None, type.dtype):
                return build.builder.full(value, type)
            raise Refusal("T301", f"{value.dtype} in a tensor of {type.dtype}")
        build.check_operands([value])
        given = build.builder.type(value)
        if given.dtype is not type.dtype:
            raise Refusal("T301", f"{given.dtype} in a tensor of {type.dtype}")
        if given.rank:
            raise Refusal("T314", f"full needs a scalar, not {given}")
    except Refusal as refusal:
        refusal.operand = 1
        raise
    return build.builder.broadcast(value, type.shape)
