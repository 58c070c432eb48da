"""The staging backend: from the node table to C, and from C to a library that is called.

schedule → lower (loops) → emit_c → toolchain → executable. Bits are those of the interpreter.
"""
