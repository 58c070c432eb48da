"""The C expression of every elementwise operation, by element type.

Integer arithmetic goes through functions of runtime.h, where it wraps; comparisons give 0 or 1,
which is what a bool is in memory.
"""

from __future__ import annotations

from gradir.ir.types import DType

C_TYPES = {
    "f32": "float",
    "f64": "double",
    "i32": "int32_t",
    "i64": "int64_t",
    "u32": "uint32_t",
    "bool": "uint8_t",
}

_INFIX = {"lt": "<", "le": "<=", "eq": "==", "ne": "!="}
_BITS = {"and": "&", "or": "|", "xor": "^"}
ELEMENTARY = frozenset(("exp", "exp2", "log", "log2", "sin", "cos", "tanh", "erf"))
# Of one f32 these have a form with a shorter chain of operations.
_ONE = frozenset(("exp_f32", "exp2_f32", "sin_f32", "cos_f32", "tanh_f32"))
_FUNCTIONS = frozenset(("max", "fma", "shl", "shr", "idiv", "mod"))


def elementwise(op: str, dtype: DType, operands: list[str]) -> str:
    """The expression of an op on operands of an element type (for `where`: of its branches)."""
    a = operands[0]
    if op in _FUNCTIONS:
        return f"gir_{op}_{dtype}({', '.join(operands)})"
    if op == "where":
        return f"({a} ? {operands[1]} : {operands[2]})"
    if op in _INFIX:
        return f"(uint8_t)({a} {_INFIX[op]} {operands[1]})"
    if op in _BITS:
        return f"({C_TYPES[dtype.name]})({a} {_BITS[op]} {operands[1]})"
    if op in ("add", "mul"):
        if dtype.is_float:
            return f"({a} {'+' if op == 'add' else '*'} {operands[1]})"
        return f"gir_{op}_{dtype}({a}, {operands[1]})"
    if op == "div":
        return f"({a} / {operands[1]})"
    if op == "recip":
        return f"({_one(dtype)} / {a})"
    if op == "sqrt":
        return f"__builtin_sqrt{'f' if dtype.name == 'f32' else ''}({a})"
    raise KeyError(op)


def of_one(function: str, argument: str) -> str:
    """An elementary function (`exp_f32`) of a single number."""
    return f"gir_{'one_' if function in _ONE else ''}{function}({argument})"


def identity(op: str, dtype: DType) -> str:
    """What a fold begins with (FOLD-6, FOLD-7)."""
    if op == "max":
        return f"(-GIR_INF_F{dtype.width})" if dtype.is_float else f"gir_least_{dtype}"
    one = {"add": 0, "mul": 1}[op]
    if dtype.is_float:
        return f"{one}.0f" if dtype.width == 32 else f"{one}.0"
    return literal(dtype, one.to_bytes(dtype.itemsize, "little"))


def _one(dtype: DType) -> str:
    return "1.0f" if dtype.name == "f32" else "1.0"


def cast(source: DType, target: DType, operand: str) -> str:
    """A conversion (CAST-…); the C language's own where it is defined and rounds once."""
    if source is target:
        return operand
    if target.kind == "bool":
        return f"(uint8_t)({operand} != 0)"
    if source.is_float and target.is_int:
        return f"gir_{source}_to_{target}({operand})"
    return f"({C_TYPES[target.name]}){operand}"


def bitcast(source: DType, target: DType, operand: str) -> str:
    return f"gir_bitcast_{source}_{target}({operand})"


def canonical(dtype: DType, operand: str) -> str:
    """What leaves the program: every NaN is the one NaN of its type."""
    return f"gir_canonical_{dtype}({operand})" if dtype.is_float else operand


def literal(dtype: DType, bits: bytes) -> str:
    """A constant; hexadecimal, so that no decimal text is rounded by the C compiler."""
    value = int.from_bytes(bits, "little")
    if dtype.name == "f32":
        return _float_text(value, 32)
    if dtype.name == "f64":
        return _float_text(value, 64)
    if dtype.kind == "bool":
        return str(min(value, 1))
    if dtype.name == "u32":
        return f"{value}u"
    signed = int.from_bytes(bits, "little", signed=True)
    if signed == dtype.int_range[0]:
        return f"(-{dtype.int_range[1]}{'' if dtype.width == 32 else 'LL'} - 1)"
    return f"{signed}{'' if dtype.width == 32 else 'LL'}"


def _float_text(bits: int, width: int) -> str:
    mantissa, bias, suffix = (23, 127, "f") if width == 32 else (52, 1023, "")
    sign = "-" if bits >> (width - 1) else ""
    exponent = bits >> mantissa & (2 * bias + 1)
    fraction = bits & ((1 << mantissa) - 1)
    if exponent == 2 * bias + 1:
        name = "NAN" if fraction else "INF"
        return f"({sign if not fraction else ''}GIR_{name}_F{width})"
    lead = 1 if exponent else 0
    power = (exponent or 1) - bias
    digits = f"{fraction << (-mantissa % 4):0{(mantissa + 3) // 4}x}".rstrip("0") or "0"
    text = f"0x{lead}.{digits}p{power}" if exponent or fraction else "0.0"
    return f"(-{text}{suffix})" if sign else f"{text}{suffix}"
