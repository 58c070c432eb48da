/* @needs base vec f32_exp tables_exp
 *
 * tanh on f32, correctly rounded for all 2^32 arguments (FUNC-1): (E - 1) / (E + 1) with
 * E = e^(2|x|) kept as s + s p, so that nothing cancels.  Below 2^-13 tanh x rounds to x (to the
 * f32 below x at its largest, which the f64 value shows).  NaN gives NaN.
 *
 * gir_tanh_f32     one number: plain f64; the twin of gradir/numerics/f32.py
 * gir_tanh_f32v    a vector: f64 with fma, one division
 */
#ifndef GIR_F32_TANH_H
#define GIR_F32_TANH_H

GIR_FUNCTION float gir_tanh_f32(float x) {
    double size = (double)gir_f32_of(gir_bits_f32(x) & 0x7fffffffu);
    double inside = size < 10.0 ? size : 10.0, t;
    double p = gir_exp_parts(inside + inside, &t);
    double s = gir_shifted_exponent(1.0, t), scaled = s * p;
    double y = ((s - 1.0) + scaled) / ((s + 1.0) + scaled);
    y = size < 0x1p-13 ? size - size * (size * size) * (1.0 / 3.0) : y;
    float result = gir_f32_of(gir_bits_f32((float)y) | (gir_bits_f32(x) & 0x80000000u));
    return x == x ? result : x;
}

#ifdef GIR_VECTOR_FMA
GIR_RARE gir_vf gir_tanh_rare(gir_vf x) { return GIR_EACH_LANE(gir_tanh_f32, x); }

GIR_FUNCTION gir_pair gir_tanh_f32v2(gir_pair x) {
    gir_pair inside;
    GIR_STEP(i, 2) inside.v[i] = gir_min_v(gir_splat_f32(10.0f), gir_abs_v(x.v[i])); /* or NaN */
    gir_wide s, p, one = gir_w(1.0);
    gir_exp2_parts_v(inside, 2 * GIR_LOG2E, GIR_TANH_Q, &s, &p);
    gir_wide above = gir_w_fma(s, p, gir_w_sub(s, one));
    gir_wide below = gir_w_fma(s, p, gir_w_add(s, one));
    gir_pair y = gir_narrow(gir_w_div(above, below));
    GIR_STEP(i, 2) {
        gir_vf size = gir_abs_v(x.v[i]);
        y.v[i] = gir_select(gir_less(size, gir_splat_f32(0x1p-13f)), size, y.v[i]);
        y.v[i] = gir_with_sign_v(y.v[i], x.v[i]);
        gir_mask rare =
            gir_listed((gir_vi)size, gir_tanh_v_exceptions, GIR_TANH_V_EXCEPTIONS_COUNT);
        if (GIR_UNLIKELY(gir_any(rare))) y.v[i] = gir_tanh_rare(x.v[i]);
    }
    return y;
}

GIR_FUNCTION gir_vf gir_tanh_f32v(gir_vf x) { return GIR_FROM_PAIR(gir_tanh_f32v2, x); }
#else
GIR_BY_LANES(tanh)
#endif
#endif
