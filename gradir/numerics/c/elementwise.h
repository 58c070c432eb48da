/* @needs base vec
 *
 * Elementwise operations that C leaves open: max, casts of floats to integers, integer division,
 * shifts (MAX-1, CAST-1 … CAST-6, IDIV-1, IDIV-2, MOD-1, MOD-2 and the shifts of spec/).
 * Nothing here traps or is undefined for any operands.
 */
#ifndef GIR_ELEMENTWISE_H
#define GIR_ELEMENTWISE_H

/* MAX-1: NaN where an operand is NaN; max of -0.0 and +0.0 is +0.0. */
GIR_FUNCTION float gir_max_f32(float a, float b) {
    float larger = a > b ? a : b; /* b where one is NaN */
    float both = gir_f32_of(gir_bits_f32(a) & gir_bits_f32(b));
    larger = a == b ? both : larger;
    return a == a ? larger : a;
}
GIR_FUNCTION double gir_max_f64(double a, double b) {
    double larger = a > b ? a : b;
    double both = gir_f64_of(gir_bits_f64(a) & gir_bits_f64(b));
    larger = a == b ? both : larger;
    return a == a ? larger : a;
}
GIR_FUNCTION gir_vf gir_max_f32v(gir_vf a, gir_vf b) {
    gir_vi more = a > b, equal = a == b, nan = a != a, x = (gir_vi)a, y = (gir_vi)b;
    gir_vi larger = (x & more) | (y & ~more);
    larger = (x & y & equal) | (larger & ~equal);
    return (gir_vf)((x & nan) | (larger & ~nan));
}
GIR_FUNCTION gir_vd gir_max_f64v(gir_vd a, gir_vd b) {
    gir_vl more = a > b, equal = a == b, nan = a != a, x = (gir_vl)a, y = (gir_vl)b;
    gir_vl larger = (x & more) | (y & ~more);
    larger = (x & y & equal) | (larger & ~equal);
    return (gir_vd)((x & nan) | (larger & ~nan));
}
/* a where a > b, else b: what one instruction does.  It loses a NaN of a's, and the sign of 0. */
#if defined(GIR_AVX512) && defined(__clang__)
GIR_FUNCTION gir_vf gir_larger_f32v(gir_vf a, gir_vf b) { return __builtin_ia32_maxps512(a, b, 4); }
GIR_FUNCTION gir_vd gir_larger_f64v(gir_vd a, gir_vd b) { return __builtin_ia32_maxpd512(a, b, 4); }
#elif defined(GIR_AVX512)
GIR_FUNCTION gir_vf gir_larger_f32v(gir_vf a, gir_vf b) {
    return __builtin_ia32_maxps512_mask(a, b, (gir_vf){0}, (uint16_t)-1, 4);
}
GIR_FUNCTION gir_vd gir_larger_f64v(gir_vd a, gir_vd b) {
    return __builtin_ia32_maxpd512_mask(a, b, (gir_vd){0}, (uint8_t)-1, 4);
}
#elif defined(GIR_AVX2)
GIR_FUNCTION gir_vf gir_larger_f32v(gir_vf a, gir_vf b) { return __builtin_ia32_maxps256(a, b); }
GIR_FUNCTION gir_vd gir_larger_f64v(gir_vd a, gir_vd b) { return __builtin_ia32_maxpd256(a, b); }
#else
GIR_FUNCTION gir_vf gir_larger_f32v(gir_vf a, gir_vf b) {
    gir_vi more = a > b;
    return (gir_vf)(((gir_vi)a & more) | ((gir_vi)b & ~more));
}
GIR_FUNCTION gir_vd gir_larger_f64v(gir_vd a, gir_vd b) {
    gir_vl more = a > b;
    return (gir_vd)(((gir_vl)a & more) | ((gir_vl)b & ~more));
}
#endif

GIR_FUNCTION int gir_any_nan_f32v(gir_vf a, gir_vf b) {
#if defined(GIR_AVX512)
    return __builtin_ia32_cmpps512_mask(a, b, 3, (uint16_t)-1, 4) != 0;
#elif defined(GIR_AVX2)
    return __builtin_ia32_movmskps256(__builtin_ia32_cmpps256(a, b, 3)) != 0;
#else
    gir_vi nan = (a != a) | (b != b);
    int32_t any = 0;
    for (int l = 0; l < GIR_LANES; l++) any |= nan[l];
    return any != 0;
#endif
}
GIR_FUNCTION int gir_any_nan_f64v(gir_vd a, gir_vd b) {
#if defined(GIR_AVX512)
    return __builtin_ia32_cmppd512_mask(a, b, 3, (uint8_t)-1, 4) != 0;
#elif defined(GIR_AVX2)
    return __builtin_ia32_movmskpd256(__builtin_ia32_cmppd256(a, b, 3)) != 0;
#else
    gir_vl nan = (a != a) | (b != b);
    int64_t any = 0;
    for (int l = 0; l < GIR_LANES / 2; l++) any |= nan[l];
    return any != 0;
#endif
}
/* NUM-6, by lanes */
GIR_FUNCTION gir_vf gir_canonical_f32v(gir_vf x) {
    gir_vi nan = x != x, one = (gir_vi)gir_splat_f32(gir_f32_of(0x7fc00000u));
    return (gir_vf)(((gir_vi)x & ~nan) | (one & nan));
}
GIR_FUNCTION gir_vd gir_canonical_f64v(gir_vd x) {
    gir_vl nan = x != x, one = (gir_vl)gir_splat_f64(gir_f64_of(0x7ff8000000000000u));
    return (gir_vd)(((gir_vl)x & ~nan) | (one & nan));
}

/* CAST-3: cut off toward zero, the nearer end beyond the range, 0 for NaN.  The bounds are powers
 * of two, exact in f32 too. */
GIR_FUNCTION int32_t gir_f64_to_i32(double x) {
    double low = x > -2147483649.0 ? x : -2147483648.0;
    double inside = low < 2147483648.0 ? low : 2147483647.0;
    return x == x ? (int32_t)inside : 0;
}
GIR_FUNCTION int64_t gir_f64_to_i64(double x) {
    if (!(x >= -0x1p63)) return x == x ? INT64_MIN : 0;
    return x < 0x1p63 ? (int64_t)x : INT64_MAX;
}
GIR_FUNCTION uint32_t gir_f64_to_u32(double x) {
    double low = x > 0.0 ? x : 0.0; /* NaN gives 0 */
    double inside = low < 4294967296.0 ? low : 4294967295.0;
    return (uint32_t)(int64_t)inside;
}
GIR_FUNCTION int32_t gir_f32_to_i32(float x) { return gir_f64_to_i32((double)x); }
GIR_FUNCTION int64_t gir_f32_to_i64(float x) { return gir_f64_to_i64((double)x); }
GIR_FUNCTION uint32_t gir_f32_to_u32(float x) { return gir_f64_to_u32((double)x); }

/* @for i32 i64 u32 */
/* IDIV-1, IDIV-2: a/b rounded down; a/0 is 0; the least value by -1 is itself. */
GIR_FUNCTION integer gir_idiv_f64(integer a, integer b) {
    if (b == 0) return 0;
    if (SIGNED && b == (integer)-1) return (integer)(0 - (natural)a);
    integer q = (integer)(a / b), rest = (integer)(a - q * b);
    int signs_differ = (int)(((natural)rest ^ (natural)b) >> (WIDTH - 1));
    return (integer)(q - (SIGNED && rest != 0 && signs_differ));
}

/* MOD-1, MOD-2: a - b (a idiv b), of the sign of b; a mod 0 is a. */
GIR_FUNCTION integer gir_mod_f64(integer a, integer b) {
    if (b == 0) return a;
    if (SIGNED && b == (integer)-1) return 0;
    integer rest = (integer)(a % b);
    int signs_differ = (int)(((natural)rest ^ (natural)b) >> (WIDTH - 1));
    return (integer)(SIGNED && rest != 0 && signs_differ ? rest + b : rest);
}

/* Shifts: the count modulo the width; arithmetic to the right on signed types. */
GIR_FUNCTION integer gir_shl_f64(integer a, integer n) {
    return (integer)((natural)a << ((natural)n & (WIDTH - 1)));
}
GIR_FUNCTION integer gir_shr_f64(integer a, integer n) {
    return (integer)(a >> ((natural)n & (WIDTH - 1)));
}

/* Sums and products wrap. */
GIR_FUNCTION integer gir_add_f64(integer a, integer b) {
    return (integer)((natural)a + (natural)b);
}
GIR_FUNCTION integer gir_mul_f64(integer a, integer b) {
    return (integer)((natural)a * (natural)b);
}
GIR_FUNCTION integer gir_max_f64(integer a, integer b) { return a > b ? a : b; }
/* @end */
#endif
