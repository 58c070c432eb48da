/* @needs base vec f64_vec f64_exp
 *
 * tanh on f64: the steps TANH-1 … TANH-4 of spec/numerics.md, bit for bit; error at most 1 ulp.
 * NaN gives NaN.
 */
#ifndef GIR_F64_TANH_H
#define GIR_F64_TANH_H

/* @for f64 f64v */
GIR_FUNCTION real gir_tanh_f64(real x) {
    real size = gir_abs_f64(x), z = size * size, hi, lo, el, al, bl, e;
    real near_zero = size + (size * z) * gir_horner_f64(z, gir_f64_tanh_t, 9);
    real inside = gir_choose_f64(size < 20.0, size, gir_filled_f64(20.0));
    whole k = gir_exp_parts_f64(inside + inside, &hi, &lo);
    real unit = gir_power_of_two_f64(k);
    real power = gir_fast_two_sum_f64(hi * unit, lo * unit, &el);
    real a = gir_two_sum_f64(power, gir_filled_f64(-1.0), &al);
    real b = gir_two_sum_f64(power, gir_filled_f64(1.0), &bl);
    al = al + el;
    bl = bl + el;
    real q = a / b, p = gir_two_product_f64(q, b, &e);
    real y = q + (((a - p) - e) + (al - q * bl)) / b;
    y = gir_choose_f64(size < 0.125, near_zero, y);
    y = gir_choose_f64(size < 20.0, y, gir_filled_f64(1.0));
    return gir_choose_f64(x == x, gir_with_sign_f64(y, x), x);
}
/* @end */
#endif
