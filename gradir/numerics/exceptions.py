"""Arguments for which rounding the f64 value of f32.py does not round the exact value.

Found among all 2^32 arguments by tools/fit_exceptions.py.  Pairs (bits of the argument, bits
of the correctly rounded value); for a function in ODD the sign goes from argument to value.
"""

ODD = frozenset({"sin", "tanh", "erf"})

EXCEPTIONS = {
    "exp": (),
    "exp2": ((0x3B429D37, 0x3F804385), (0xBCF3A937, 0x3F7AC6B1)),
    "log": (),
    "log2": (),
    "sin": ((0x46199998, 0xBEB1FA5D), (0x55CAFB2A, 0xBF7E7A17)),
    "cos": (),
    "tanh": (),
    "erf": (),
}
