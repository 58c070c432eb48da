/* @needs base vec f64_vec f64_table tables_f64_log
 *
 * log and log2 on f64: the steps LOG-1 … LOG-3 and LOG2-1 of spec/numerics.md, bit for bit; error
 * at most 0.6 ulp.  Zeros give -inf, inf gives inf, negative numbers and NaN give NaN.
 */
#ifndef GIR_F64_LOG_H
#define GIR_F64_LOG_H

/* @for f64 f64v */
/* LOG-1, LOG-2: x = 2^k (1 + r + r_low) / c_j exactly, x positive and finite; returns r.  The
 * table's rows hold the logarithm of 1/c_j as hi and lo, and c_j. */
GIR_FUNCTION real gir_log_parts_f64(real x, const double *table, real *k, entry *j, real *r_low) {
    real scaled = gir_choose_f64(x < 0x1p-1022, x * 0x1p54, x);
    whole bits = gir_whole_of_f64(scaled), offset = bits - 0x3fe6000000000000;
    whole e = offset >> 52;
    *j = gir_entry_f64(table, 4, (offset >> 45) & 127);
    *k = gir_count_f64(e - gir_if_f64(x < 0x1p-1022, (e & 0) + 54));
    real m = gir_real_of_f64(bits - gir_left_f64(e, 52)), top = gir_top_f64(m), c, none;
    gir_two_columns_f64(*j, 2, &c, &none);
    return gir_two_sum_f64(top * c - 1.0, (m - top) * c, r_low);
}

GIR_FUNCTION real gir_log_special_f64(real x, real y) {
    y = gir_choose_f64(x == 0.0, gir_filled_f64(-GIR_INF_F64), y);
    y = gir_choose_f64(x == GIR_INF_F64, x, y);
    return gir_choose_f64(x >= 0.0, y, gir_filled_f64(GIR_NAN_F64));
}

GIR_FUNCTION real gir_log_f64(real x) {
    entry j;
    real k, r_low, lo, c_hi, c_lo, one = gir_filled_f64(1.0);
    real inside = gir_choose_f64((x > 0.0) & (x < GIR_INF_F64), x, one);
    real r = gir_log_parts_f64(inside, gir_f64_log[0], &k, &j, &r_low);
    gir_two_columns_f64(j, 0, &c_hi, &c_lo);
    real hi = gir_two_sum_f64(k * GIR_F64_LN2_HI + c_hi, r, &lo);
    lo = lo + ((k * GIR_F64_LN2_LO + c_lo) + r_low);
    real q = r * r;
    real y = hi + (lo + ((r * q) * gir_horner_f64(r, gir_f64_log_p, 7) - 0.5 * q));
    return gir_log_special_f64(x, y);
}

GIR_FUNCTION real gir_log2_f64(real x) {
    entry j;
    real k, r_low, lo, c_hi, c_lo, one = gir_filled_f64(1.0);
    real inside = gir_choose_f64((x > 0.0) & (x < GIR_INF_F64), x, one);
    real r = gir_log_parts_f64(inside, gir_f64_log2[0], &k, &j, &r_low), top = gir_top_f64(r);
    gir_two_columns_f64(j, 0, &c_hi, &c_lo);
    real hi = gir_two_sum_f64(k + c_hi, top * GIR_F64_LOG2E_26, &lo);
    real d = (r - top) * GIR_F64_LOG2E_26 + (r * GIR_F64_LOG2E_26_REST + r_low * GIR_F64_LOG2E);
    lo = lo + (d + c_lo);
    real q = r * r;
    real cubic = (r * q) * gir_horner_f64(r, gir_f64_log2_p, 7);
    real y = hi + (lo + (cubic - (0.5 * GIR_F64_LOG2E) * q));
    return gir_log_special_f64(x, y);
}
/* @end */
#endif
