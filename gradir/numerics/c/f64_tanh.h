/* @needs base vec f64_vec f64_table tables_f64_tanh
 *
 * tanh on f64: the steps TANH-1 … TANH-4 of spec/numerics.md, bit for bit; error at most 1 ulp.
 * NaN gives NaN.
 */
#ifndef GIR_F64_TANH_H
#define GIR_F64_TANH_H

/* @for f64 f64v */
GIR_FUNCTION real gir_tanh_f64(real x) {
    real inside = gir_below_f64(gir_abs_f64(x), 20.0), hi, lo; /* at 20 the steps give 1 */
    whole top = gir_right_f64(gir_whole_of_f64(inside), 48);
    whole c = gir_left_f64(top, 48) | ((int64_t)1 << 47);
    whole j = gir_if_f64(inside >= 0.0625, top - 0x3faf);
    real h = inside - gir_real_of_f64(gir_if_f64(inside >= 0.0625, c)), z = h * h;
    real t = h + (h * z) * gir_horner_f64(z, gir_f64_tanh_t, 5);
    gir_two_columns_f64(gir_entry_f64(gir_f64_tanh[0], 2, j), 0, &hi, &lo);
    real slope = ((1.0 - hi) - lo) * (1.0 + hi);
    real y = hi + (lo + (slope * t) / (1.0 + hi * t));
    return gir_choose_f64(x == x, gir_with_sign_f64(y, x), x);
}
/* @end */
#endif
