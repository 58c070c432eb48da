/* @needs base vec f64_vec f64_exp
 *
 * tanh on f64: the steps TANH-1 … TANH-4 of spec/numerics.md, bit for bit; error at most 1 ulp.
 * NaN gives NaN.
 *
 * gir_tanh_f64, gir_tanh_f64v   one number, one vector
 * gir_tanh_f64v2                two vectors, where the processor has fma (GIR_VECTOR_FMA)
 *
 * Where these are not the steps as they stand in the specification, they give the same bits:
 * e^(2|x|) is at least 1, so FastTwoSum has the exact error of its sum with 1 and -1, as TwoSum
 * has; a - q*b is itself an f64 number, q being a/b rounded, and one fma finds it; and where |x|
 * is limited to 20 the result is 1 (TANH-3).
 */
#ifndef GIR_F64_TANH_H
#define GIR_F64_TANH_H

/* @for f64 f64v */
/* TANH-2 for |x| = size */
GIR_FUNCTION real gir_tanh_near_zero_f64(real size) {
    real z = size * size;
    return size + (size * z) * gir_horner_f64(z, gir_f64_tanh_t, 9);
}

/* |x|, 20 where that is more or NaN. */
GIR_FUNCTION real gir_tanh_inside_f64(real size) {
    return gir_choose_f64(size < 20.0, size, gir_filled_f64(20.0));
}

/* near_zero or y, as |x| says, with the sign of x. */
GIR_FUNCTION real gir_tanh_chosen_f64(real x, real near_zero, real y) {
    y = gir_choose_f64(gir_abs_f64(x) < 0.125, near_zero, y);
    return gir_choose_f64(x == x, gir_with_sign_f64(y, x), x);
}

GIR_FUNCTION real gir_tanh_alone_f64(real x) {
    real size = gir_abs_f64(x), inside = gir_tanh_inside_f64(size), hi, lo, el, al, bl, e;
    real unit = gir_power_of_two_f64(gir_exp_parts_f64(inside + inside, &hi, &lo));
    real power = gir_fast_two_sum_f64(hi * unit, lo * unit, &el);
    real a = gir_fast_two_sum_f64(power, gir_filled_f64(-1.0), &al);
    real b = gir_fast_two_sum_f64(power, gir_filled_f64(1.0), &bl);
    al = al + el;
    bl = bl + el;
    real q = a / b, p = gir_two_product_f64(q, b, &e);
    real y = q + (((a - p) - e) + (al - q * bl)) / b;
    return gir_tanh_chosen_f64(x, gir_tanh_near_zero_f64(size), y);
}
/* @end */
GIR_FUNCTION double gir_tanh_f64(double x) { return gir_tanh_alone_f64(x); }

#ifdef GIR_VECTOR_FMA
/* H(x, C) of two vectors, a step of each in turn: alone, one would wait for itself. */
GIR_FUNCTION void gir_horner_f64v2(gir_vd *y, const gir_vd *x, const double *c, int n) {
    GIR_STEP(i, 2) y[i] = x[i] * c[n - 1] + c[n - 2];
    GIR_UNROLL for (int k = n - 3; k >= 0; k--) GIR_STEP(i, 2) y[i] = y[i] * x[i] + c[k];
}

GIR_FUNCTION void gir_tanh_f64v2(gir_vd *x) { /* of x, in its place */
    gir_vd size[2], r[2], z[2], n[2], hi[2], lo[2], el[2], a[2], b[2], q[2], al[2], bl[2], y[2];
    gir_vl k[2];
    GIR_STEP(i, 2) {
        size[i] = gir_abs_f64v(x[i]);
        r[i] = gir_tanh_inside_f64v(size[i]);
        r[i] = r[i] + r[i];
        n[i] = gir_nearest_f64v(r[i] * GIR_F64_LOG2E_128, &k[i]);
    }
    GIR_STEP(i, 2) r[i] = (r[i] - n[i] * GIR_F64_LN2_128_HI) - n[i] * GIR_F64_LN2_128_LO;
    gir_horner_f64v2(y, r, gir_f64_exp_q, 5);
    GIR_STEP(i, 2) k[i] = gir_times_table_f64v(k[i], r[i] + (r[i] * r[i]) * y[i], &hi[i], &lo[i]);
    GIR_STEP(i, 2) {
        gir_vd unit = gir_power_of_two_f64v(k[i]);
        y[i] = gir_fast_two_sum_f64v(hi[i] * unit, lo[i] * unit, &el[i]);
    }
    GIR_STEP(i, 2) {
        a[i] = gir_fast_two_sum_f64v(y[i], gir_splat_f64(-1.0), &al[i]);
        b[i] = gir_fast_two_sum_f64v(y[i], gir_splat_f64(1.0), &bl[i]);
        q[i] = a[i] / b[i];
    }
    GIR_STEP(i, 2) z[i] = size[i] * size[i];
    gir_horner_f64v2(y, z, gir_f64_tanh_t, 9); /* while a is divided */
    GIR_STEP(i, 2) {
        al[i] = (al[i] + el[i]) - q[i] * (bl[i] + el[i]);
        q[i] = q[i] + (gir_fma_vd(-q[i], b[i], a[i]) + al[i]) / b[i];
        x[i] = gir_tanh_chosen_f64v(x[i], size[i] + (size[i] * z[i]) * y[i], q[i]);
    }
}

GIR_FUNCTION gir_vd gir_tanh_f64v(gir_vd x) {
    gir_vd both[2] = {x, x};
    gir_tanh_f64v2(both);
    return both[0];
}
#else
GIR_FUNCTION gir_vd gir_tanh_f64v(gir_vd x) { return gir_tanh_alone_f64v(x); }
#endif
#endif
