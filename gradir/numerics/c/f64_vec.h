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
/* x where that is less than the limit, else the limit, for NaN too */
GIR_FUNCTION double gir_below_f64(double x, double limit) { return x < limit ? x : limit; }
GIR_FUNCTION gir_vd gir_below_f64v(gir_vd x, double limit) {
#if defined(GIR_AVX512) && defined(__clang__)
    return __builtin_ia32_minpd512(x, gir_splat_f64(limit), 4);
#elif defined(GIR_AVX512)
    return __builtin_ia32_minpd512_mask(x, gir_splat_f64(limit), (gir_vd){0}, (uint8_t)-1, 4);
#elif defined(GIR_AVX2)
    return __builtin_ia32_minpd256(x, gir_splat_f64(limit));
#else
    return gir_choose_f64v(x < limit, x, gir_splat_f64(limit));
#endif
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
/* n >= 0 */
GIR_FUNCTION int64_t gir_right_f64(int64_t n, int shift) { return n >> shift; }
GIR_FUNCTION gir_vl gir_right_f64v(gir_vl n, int shift) {
    typedef uint64_t unsigned_vector GIR_VECTOR;
    return (gir_vl)((unsigned_vector)n >> shift);
}

/* Entry j of a table, which is a row of `columns` doubles (2, 4, 8 or 16), and two neighbouring
 * columns of it.  A lane's two are read at once: half the reads that a gather would make. */
typedef struct {
    int64_t at[GIR_LANES / 2] __attribute__((aligned(4 * GIR_LANES)));
    const double *table;
} gir_entries;
GIR_FUNCTION const double *gir_entry_f64(const double *table, int columns, int64_t j) {
    return table + j * columns;
}
GIR_FUNCTION gir_entries gir_entry_f64v(const double *table, int columns, gir_vl j) {
    gir_entries e;
    e.table = table;
    j = j * columns;
#if GIR_LANES == 16 /* of 64 bytes written at once, some processors are slow to read eight */
    typedef int64_t half __attribute__((vector_size(32)));
    half low = __builtin_shufflevector(j, j, 0, 1, 2, 3);
    half high = __builtin_shufflevector(j, j, 4, 5, 6, 7);
    __asm__("" : "+x"(low), "+x"(high));
    __builtin_memcpy(e.at, &low, sizeof low);
    __builtin_memcpy(e.at + 4, &high, sizeof high);
#else
    __builtin_memcpy(e.at, &j, sizeof e.at);
#endif
    __asm__("" : "+m"(e.at)); /* read from there, not taken out of the vector one by one */
    return e;
}

GIR_FUNCTION void gir_two_columns_f64(const double *e, int first, double *x, double *y) {
    *x = e[first];
    *y = e[first + 1];
}
#if GIR_LANES >= 8
typedef double gir_two_doubles __attribute__((vector_size(16), aligned(8)));
typedef double gir_four_doubles __attribute__((vector_size(32)));
/* Columns first and first + 1 of lanes i and i + 2, one behind the other. */
GIR_FUNCTION gir_four_doubles gir_columns_of_two(const gir_entries *e, int first, int i) {
    const gir_two_doubles *x = (const gir_two_doubles *)(e->table + e->at[i] + first);
    const gir_two_doubles *y = (const gir_two_doubles *)(e->table + e->at[i + 2] + first);
    return __builtin_shufflevector(*x, *y, 0, 1, 2, 3);
}
#endif
GIR_FUNCTION void gir_two_columns_f64v(gir_entries e, int first, gir_vd *x, gir_vd *y) {
#if GIR_LANES == 16
    gir_four_doubles p[4] = {gir_columns_of_two(&e, first, 0), gir_columns_of_two(&e, first, 4),
                             gir_columns_of_two(&e, first, 1), gir_columns_of_two(&e, first, 5)};
    gir_vd even = __builtin_shufflevector(p[0], p[1], 0, 1, 2, 3, 4, 5, 6, 7);
    gir_vd odd = __builtin_shufflevector(p[2], p[3], 0, 1, 2, 3, 4, 5, 6, 7);
    *x = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
    *y = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
#elif GIR_LANES == 8
    gir_vd even = gir_columns_of_two(&e, first, 0), odd = gir_columns_of_two(&e, first, 1);
    *x = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    *y = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
#else
    const double *a = e.table + e.at[0] + first, *b = e.table + e.at[1] + first;
    *x = (gir_vd){a[0], b[0]};
    *y = (gir_vd){a[1], b[1]};
#endif
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
