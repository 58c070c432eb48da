/* @needs base vec f64_erf tables_erf
 *
 * erf on f32, correctly rounded for all 2^32 arguments (FUNC-1).  NaN gives NaN.
 *
 * gir_erf_f32     one number: the f64 function, rounded; the twin of gradir/numerics/f32.py
 * gir_erf_f32v    a vector: Taylor-like polynomials in f64 with fma around centres, chosen by
 *                 |x|; from 3.92 on erf rounds to 1, so |x| is limited to 3.9999.
 *                 AVX-512: 16 intervals of degree 10, coefficients looked up in registers.
 *                 AVX2: 128 intervals of degree 7; the coefficients of four lanes are four rows
 *                 of memory, transposed.
 */
#ifndef GIR_F32_ERF_H
#define GIR_F32_ERF_H

GIR_FUNCTION float gir_erf_f32(float x) { return (float)gir_erf_f64((double)x); }

#ifdef GIR_AVX512
GIR_FUNCTION gir_wide gir_erf_coefficients(const gir_vl *j, int k) {
    gir_wide c;
    GIR_STEP(i, 4) c.v[i] = gir_look_up_16_f64(gir_erf_16[k], j[i]);
    return c;
}

GIR_FUNCTION gir_pair gir_erf_f32v2(gir_pair x) {
    gir_pair r32;
    gir_vl j[4];
    GIR_STEP(i, 2) {
        gir_vf size = gir_min_v(gir_splat_f32(3.9999f), gir_abs_v(x.v[i])); /* NaN stays */
        gir_vi index = gir_truncate(size * 4.0f);
        r32.v[i] = size - gir_look_up_16(gir_erf_centre, index);
        j[2 * i] = gir_half_i_to_i64(gir_low_i(index));
        j[2 * i + 1] = gir_half_i_to_i64(gir_high_i(index));
    }
    gir_wide r = gir_widen(r32), y = gir_erf_coefficients(j, 10);
    GIR_UNROLL for (int k = 9; k >= 0; k--) y = gir_w_fma(y, r, gir_erf_coefficients(j, k));
    gir_pair result = gir_narrow(y);
    GIR_STEP(i, 2) result.v[i] = gir_with_sign_v(result.v[i], x.v[i]);
    return result;
}

GIR_FUNCTION gir_vf gir_erf_f32v(gir_vf x) { return GIR_FROM_PAIR(gir_erf_f32v2, x); }
#elif defined(GIR_AVX2)
/* The four doubles at rows[0 … 3][first …], transposed: c[k] holds column first + k. */
GIR_FUNCTION void gir_four_columns(const double *const *rows, int first, gir_vd *c) {
    gir_vd r0 = *(const gir_vd *)(rows[0] + first), r1 = *(const gir_vd *)(rows[1] + first);
    gir_vd r2 = *(const gir_vd *)(rows[2] + first), r3 = *(const gir_vd *)(rows[3] + first);
    gir_vd a = __builtin_shufflevector(r0, r1, 0, 4, 2, 6);
    gir_vd b = __builtin_shufflevector(r0, r1, 1, 5, 3, 7);
    gir_vd d = __builtin_shufflevector(r2, r3, 0, 4, 2, 6);
    gir_vd e = __builtin_shufflevector(r2, r3, 1, 5, 3, 7);
    c[0] = __builtin_shufflevector(a, d, 0, 1, 4, 5);
    c[1] = __builtin_shufflevector(b, e, 0, 1, 4, 5);
    c[2] = __builtin_shufflevector(a, d, 2, 3, 6, 7);
    c[3] = __builtin_shufflevector(b, e, 2, 3, 6, 7);
}

GIR_FUNCTION gir_vd gir_erf_of_four(gir_vd r, gir_half_i j) {
    const double *rows[4] = {gir_erf_128[j[0]], gir_erf_128[j[1]], gir_erf_128[j[2]],
                             gir_erf_128[j[3]]};
    gir_vd c[8];
    gir_four_columns(rows, 0, c);
    gir_four_columns(rows, 4, c + 4);
    gir_vd y = c[7];
    GIR_UNROLL for (int k = 6; k >= 0; k--) y = gir_fma_vd(y, r, c[k]);
    return y;
}

GIR_FUNCTION gir_vf gir_erf_f32v(gir_vf x) {
    gir_vf size = gir_min_v(gir_splat_f32(3.9999f), gir_abs_v(x)); /* NaN stays */
    gir_vi j = gir_truncate(size * 32.0f) & 127;
    gir_vf whole = __builtin_convertvector(j, gir_vf);
    gir_mask first = gir_less(size, gir_splat_f32(0x1p-5f));
    gir_vf centre = gir_select(first, gir_splat_f32(0.0f), whole * 0x1p-5f + 0x1p-6f);
    gir_vf r = size - centre;
    gir_vd low = gir_erf_of_four(gir_half_to_f64(gir_low_f(r)), gir_low_i(j));
    gir_vd high = gir_erf_of_four(gir_half_to_f64(gir_high_f(r)), gir_high_i(j));
    return gir_with_sign_v(gir_join(low, high), x);
}

GIR_FUNCTION gir_pair gir_erf_f32v2(gir_pair x) {
    return (gir_pair){{gir_erf_f32v(x.v[0]), gir_erf_f32v(x.v[1])}};
}
#else
GIR_BY_LANES(erf)
#endif
#endif
