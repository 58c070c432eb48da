/* @needs base vec f64_vec f64_table tables_f64_exp
 *
 * exp and exp2 on f64: the steps EXP-1 … EXP-3 and EXP2-1 of spec/numerics.md, bit for bit; error
 * at most 0.6 ulp.  2^(j/128) as hi + lo from a table, a short polynomial.  NaN gives NaN.
 */
#ifndef GIR_F64_EXP_H
#define GIR_F64_EXP_H

/* @for f64 f64v */
/* EXP-2: hi + lo from n = 128 k + j and p. */
GIR_FUNCTION whole gir_times_table_f64(whole n, real p, real *hi, real *lo) {
    real rest;
    gir_two_columns_f64(gir_entry_f64(gir_f64_exp[0], 2, n & 127), 0, hi, &rest);
    *lo = rest + *hi * p;
    return n >> 7;
}

/* EXP-1 and EXP-2: e^x = 2^k (hi + lo), |x| < 800; returns k. */
GIR_FUNCTION whole gir_exp_parts_f64(real x, real *hi, real *lo) {
    whole i;
    real n = gir_nearest_f64(x * GIR_F64_LOG2E_128, &i);
    real r = (x - n * GIR_F64_LN2_128_HI) - n * GIR_F64_LN2_128_LO;
    real p = r + (r * r) * gir_horner_f64(r, gir_f64_exp_q, 5);
    return gir_times_table_f64(i, p, hi, lo);
}

/* EXP-3 where the result is subnormal: in units of 2^-1022 its grid is that of [1, 2). */
GIR_FUNCTION real gir_scaled_tiny_f64(whole k, real hi, real lo, real result) {
    real e, v;
    real s = gir_fast_two_sum_f64(hi, lo, &e);
    real unit = gir_power_of_two_f64(gir_if_f64(k <= -1022, k + 1022));
    s = s * unit;
    e = e * unit;
    real u = gir_fast_two_sum_f64(gir_filled_f64(1.0), s, &v);
    real rounded = ((u + (v + e)) - 1.0) * 0x1p-1022;
    return gir_choose_f64((k <= -1022) & (s < 1.0), rounded, result);
}

/* EXP-3 */
GIR_FUNCTION real gir_scaled_f64(whole k, real hi, real lo) {
    whole half = k >> 1;
    real y = ((hi + lo) * gir_power_of_two_f64(half)) * gir_power_of_two_f64(k - half);
    if (GIR_UNLIKELY(gir_any_f64(k <= -1022))) y = gir_scaled_tiny_f64(k, hi, lo, y);
    return y;
}

GIR_FUNCTION real gir_exp_f64(real x) {
    real hi, lo, inside = gir_choose_f64(x < -746.0, gir_filled_f64(-746.0), x);
    inside = gir_choose_f64(inside > 710.0, gir_filled_f64(710.0), inside);
    inside = gir_choose_f64(x == x, inside, gir_filled_f64(0.0));
    whole k = gir_exp_parts_f64(inside, &hi, &lo);
    return gir_choose_f64(x == x, gir_scaled_f64(k, hi, lo), x);
}

GIR_FUNCTION real gir_exp2_f64(real x) {
    real hi, lo, inside = gir_choose_f64(x < -1076.0, gir_filled_f64(-1076.0), x);
    inside = gir_choose_f64(inside > 1024.0, gir_filled_f64(1024.0), inside);
    inside = gir_choose_f64(x == x, inside, gir_filled_f64(0.0));
    whole i;
    real n = gir_nearest_f64(inside * 128.0, &i);
    real t = inside - n * 0.0078125;
    real p = t * GIR_F64_LN2 + (t * t) * gir_horner_f64(t, gir_f64_exp2_q, 6);
    whole k = gir_times_table_f64(i, p, &hi, &lo);
    return gir_choose_f64(x == x, gir_scaled_f64(k, hi, lo), x);
}
/* @end */
#endif
