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
    real inside = gir_choose_f64(size < 6.0, size, gir_filled_f64(6.0));
    real h = inside - gir_nearest_f64(inside * 8.0, &j) * 0.125;
    real p = gir_look_up_f64(gir_f64_erf_p[11], j) * h + gir_look_up_f64(gir_f64_erf_p[10], j);
    for (int k = 9; k >= 0; k--) p = p * h + gir_look_up_f64(gir_f64_erf_p[k], j);
    real y = gir_look_up_f64(gir_f64_erf_hi, j) + (gir_look_up_f64(gir_f64_erf_lo, j) + h * p);
    y = gir_choose_f64(size < 0.25, near_zero, y);
    y = gir_choose_f64(size < 6.0, y, gir_filled_f64(1.0));
    return gir_choose_f64(x == x, gir_with_sign_f64(y, x), x);
}
/* @end */
#endif
