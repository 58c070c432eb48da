/* @needs base vec
 *
 * What the f64 functions need besides arithmetic, for one number and for a vector of them
 * (gir_vd, GIR_LANES/2 doubles).  The functions themselves are written once, for a type `real`
 * with integers `whole` beside it, and stand in the assembled text twice: with the suffix _f64
 * for double and int64_t, with _f64v for gir_vd and gir_vl.
 */
#ifndef GIR_F64_VEC_H
#define GIR_F64_VEC_H

/* yes where the comparison `when` holds, else no */
GIR_FUNCTION double gir_choose_f64(int when, double yes, double no) { return when ? yes : no; }
GIR_FUNCTION gir_vd gir_choose_f64v(gir_vl when, gir_vd yes, gir_vd no) {
    return (gir_vd)(((gir_vl)yes & when) | ((gir_vl)no & ~when));
}
/* n where `when` holds, else 0 */
GIR_FUNCTION int64_t gir_if_f64(int when, int64_t n) { return when ? n : 0; }
GIR_FUNCTION gir_vl gir_if_f64v(gir_vl when, gir_vl n) { return n & when; }
GIR_FUNCTION int gir_any_f64(int when) { return when; }
GIR_FUNCTION int gir_any_f64v(gir_vl when) {
    int64_t any = 0;
    for (int i = 0; i < GIR_LANES / 2; i++) any |= when[i];
    return any != 0;
}
GIR_FUNCTION double gir_filled_f64(double x) { return x; }
GIR_FUNCTION gir_vd gir_filled_f64v(double x) { return gir_splat_f64(x); }

GIR_FUNCTION int64_t gir_whole_of_f64(double x) { return (int64_t)gir_bits_f64(x); }
GIR_FUNCTION gir_vl gir_whole_of_f64v(gir_vd x) { return (gir_vl)x; }
GIR_FUNCTION double gir_real_of_f64(int64_t bits) { return gir_f64_of((uint64_t)bits); }
GIR_FUNCTION gir_vd gir_real_of_f64v(gir_vl bits) { return (gir_vd)bits; }

/* The arithmetic value of small integers, and shifts without overflow. */
GIR_FUNCTION double gir_count_f64(int64_t n) { return (double)n; }
GIR_FUNCTION gir_vd gir_count_f64v(gir_vl n) {
#ifdef GIR_AVX512
    return __builtin_convertvector(n, gir_vd);
#else
    /* |n| < 2^51: no instruction for this before AVX-512 */
    return (gir_vd)(n + 0x4338000000000000) - 0x1.8p52;
#endif
}
GIR_FUNCTION int64_t gir_left_f64(int64_t n, int shift) {
    return (int64_t)((uint64_t)n << shift);
}
GIR_FUNCTION gir_vl gir_left_f64v(gir_vl n, int shift) {
    typedef uint64_t unsigned_vector GIR_VECTOR;
    return (gir_vl)((unsigned_vector)n << shift);
}

GIR_FUNCTION double gir_look_up_f64(const double *table, int64_t j) { return table[j]; }
GIR_FUNCTION gir_vd gir_look_up_f64v(const double *table, gir_vl j) {
    gir_vd x;
    for (int i = 0; i < GIR_LANES / 2; i++) x[i] = table[j[i]];
    return x;
}

GIR_FUNCTION double gir_abs_f64(double x) { return __builtin_fabs(x); }
GIR_FUNCTION gir_vd gir_abs_f64v(gir_vd x) { return (gir_vd)((gir_vl)x & INT64_MAX); }
GIR_FUNCTION double gir_with_sign_f64(double y, double x) { return __builtin_copysign(y, x); }
GIR_FUNCTION gir_vd gir_with_sign_f64v(gir_vd y, gir_vd x) {
    return (gir_vd)(((gir_vl)y & INT64_MAX) | ((gir_vl)x & INT64_MIN));
}

/* @for f64 f64v */
/* c[0] + x (c[1] + x (c[2] + …)), each operation rounded: H(x, C) of the specification. */
GIR_FUNCTION real gir_horner_f64(real x, const double *c, int n) {
    real y = x * c[n - 1] + c[n - 2];
    for (int i = n - 3; i >= 0; i--) y = y * x + c[i];
    return y;
}

/* s = a + b rounded, s + *error = a + b exactly (Knuth). */
GIR_FUNCTION real gir_two_sum_f64(real a, real b, real *error) {
    real s = a + b, part = s - a;
    *error = (a - (s - part)) + (b - part);
    return s;
}

/* The same for |a| >= |b|, or a zero (Dekker). */
GIR_FUNCTION real gir_fast_two_sum_f64(real a, real b, real *error) {
    real s = a + b;
    *error = b - (s - a);
    return s;
}

/* p = a*b rounded, p + *error = a*b exactly, unless something over- or underflows (Dekker). */
GIR_FUNCTION real gir_two_product_f64(real a, real b, real *error) {
    real p = a * b;
    real ta = a * 134217729.0, tb = b * 134217729.0;
    real ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
    *error = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return p;
}

/* t to the nearest integer, ties to even, |t| < 2^31; *n is that integer. */
GIR_FUNCTION real gir_nearest_f64(real t, whole *n) {
    real shifted = t + GIR_ROUND;
    *n = gir_whole_of_f64(shifted) - 0x4338000000000000;
    return shifted - GIR_ROUND;
}

/* 2^k for -1022 <= k <= 1023 */
GIR_FUNCTION real gir_power_of_two_f64(whole k) {
    return gir_real_of_f64(gir_left_f64(k + 1023, 52));
}

/* The last 27 bits of the significand cleared. */
GIR_FUNCTION real gir_top_f64(real a) { return gir_real_of_f64(gir_whole_of_f64(a) & -(1 << 27)); }
/* @end */
#endif
