/* @needs base vec f64_vec tables_f64_erf
 *
 * erf on f64: the steps ERF-1 … ERF-4 of spec/numerics.md, bit for bit; error at most 1 ulp.
 * NaN gives NaN.
 */
#ifndef GIR_F64_ERF_H
#define GIR_F64_ERF_H

/* @for f64 f64v */
GIR_FUNCTION real gir_erf_f64(real x) {
    whole j;
    real size = gir_abs_f64(x), z = size * size;
    real near_zero = size + size * (GIR_F64_ERF_E + z * gir_horner_f64(z, gir_f64_erf_z, 10));
    real inside = gir_below_f64(size, 6.0); /* at 6 the steps give 1 */
    real h = inside - gir_nearest_f64(inside * 8.0, &j) * 0.125, even, odd;
    entry e = gir_entry_f64(gir_f64_erf[0], 16, j);
    gir_two_columns_f64(e, 10, &even, &odd);
    real p = odd * h + even;
    for (int k = 8; k >= 0; k -= 2) {
        gir_two_columns_f64(e, k, &even, &odd);
        p = (p * h + odd) * h + even;
    }
    gir_two_columns_f64(e, 12, &even, &odd); /* erf of the centre, and its rest */
    real y = even + (odd + h * p);
    y = gir_choose_f64(size < 0.25, near_zero, y);
    return gir_choose_f64(x == x, gir_with_sign_f64(y, x), x);
}
/* @end */
#endif
