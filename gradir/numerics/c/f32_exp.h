/* @needs base vec tables_exp
 *
 * exp and exp2 on f32, correctly rounded for all 2^32 arguments (FUNC-1).
 *
 * gir_exp_f32, gir_exp2_f32     one number: plain f64 operations, no fma, no table; the twin of
 *                               gradir/numerics/f32.py
 * gir_exp_f32v, gir_exp2_f32v   a vector; gir_exp_f32v2, gir_exp2_f32v2 two, which is faster
 *
 * Vectors.  AVX-512: a float-float value hi + lo with a bound E on its error; where hi + (lo + E)
 * and hi + (lo - E) round alike, that is the answer, elsewhere (and out of the range of normal
 * results) the f64 form below decides.  A bound too small would show as a wrong result when
 * tools/prove_numerics.py goes through all arguments.  AVX2: the f64 form always.
 * f64 form: 2^(n + j/16) (1 + r q(r)), the power from a table in registers, n added to its
 * exponent as bits; its error is below 2^-52, and the one conversion to f32 at the end rounds
 * subnormal results and overflow as it should.
 */
#ifndef GIR_F32_EXP_H
#define GIR_F32_EXP_H

/* p times 2^n, where t is n + GIR_ROUND; the result must be a normal f64. */
GIR_FUNCTION double gir_shifted_exponent(double p, double t) {
    return gir_f64_of(gir_bits_f64(p) + (gir_bits_f64(t) << 52));
}

/* 2^x: n = nearest integer, degree 11 in r = x - n, |r| <= 1/2.  NaN gives NaN. */
GIR_FUNCTION float gir_exp2_f32(float x) {
    float inside = x < -160.0f ? -160.0f : x > 130.0f ? 130.0f : x;
    double d = inside, t = d + GIR_ROUND, r = d - (t - GIR_ROUND);
    double q = gir_f32_exp2[10];
    for (int i = 9; i >= 0; i--) q = q * r + gir_f32_exp2[i];
    float y = (float)gir_shifted_exponent(1.0 + r * q, t);
    for (int i = 0; i < GIR_EXP2_EXCEPTIONS_COUNT; i++)
        if (gir_bits_f32(x) == gir_exp2_exceptions[i][0]) y = gir_f32_of(gir_exp2_exceptions[i][1]);
    return x == x ? y : x;
}

/* e^d = 2^n (1 + p): returns p, *t is n + GIR_ROUND; |d| <= 110.  ln 2 in two parts. */
GIR_FUNCTION double gir_exp_parts(double d, double *t) {
    *t = d * GIR_LOG2E + GIR_ROUND;
    double n = *t - GIR_ROUND, r = (d - n * GIR_LN2_HI) - n * GIR_LN2_LO;
    double q = gir_f32_exp[11];
    for (int i = 10; i >= 0; i--) q = q * r + gir_f32_exp[i];
    return r * q;
}

/* e^x.  NaN gives NaN. */
GIR_FUNCTION float gir_exp_f32(float x) {
    float inside = x < -110.0f ? -110.0f : x > 90.0f ? 90.0f : x;
    double t, p = gir_exp_parts(inside, &t);
    float y = (float)gir_shifted_exponent(1.0 + p, t);
    return x == x ? y : x;
}

#ifdef GIR_VECTOR_FMA

/* x limited to [low, high]; NaN stays. */
GIR_FUNCTION gir_vf gir_limited(gir_vf x, float low, float high) {
    x = gir_select(gir_less(x, gir_splat_f32(low)), gir_splat_f32(low), x);
    return gir_select(gir_less(gir_splat_f32(high), x), gir_splat_f32(high), x);
}

/* 2^(x scale), scale 1 or log2 e or twice that, as s and p, the value being s + s p; x limited so
 * that it is a normal f64; q is a polynomial of n terms in r = x scale less the nearest part. */
#ifdef GIR_AVX512
#define GIR_ROUND_16TH 0x1.8p48
GIR_FUNCTION void gir_exp2_parts_v(gir_pair x, double scale, const double *q, int n, gir_wide *s,
                                   gir_wide *p) {
    gir_wide d = gir_widen(x), t = gir_w_fma(d, gir_w(scale), gir_w(GIR_ROUND_16TH));
    gir_wide r = gir_w_fms(d, gir_w(scale), gir_w_sub(t, gir_w(GIR_ROUND_16TH)));
    *p = gir_w_mul(r, gir_w_horner(r, q, n));
    GIR_STEP(i, 4) {
        gir_vl k = (gir_vl)t.v[i]; /* sixteenths, in the low bits */
        gir_vl power = (gir_vl)gir_look_up_16_f64(gir_exp2_of_16ths, k);
        s->v[i] = (gir_vd)(power + (k << 48));
    }
}
#define GIR_EXP2_Q gir_exp2_16_6, 6
#define GIR_TANH_Q gir_exp2_16_7, 7
#else
#define GIR_ROUND_8TH 0x1.8p20f
/* The nearest eighth is found in f32; its last bit may be off, and |r| a little over 1/16. */
GIR_FUNCTION void gir_exp2_parts_v(gir_pair x, double scale, const double *q, int n, gir_wide *s,
                                   gir_wide *p) {
    gir_pair t, whole, rest;
    gir_wide r;
    GIR_STEP(i, 2) {
        t.v[i] = scale == 1.0 ? x.v[i] + GIR_ROUND_8TH
                              : gir_fma_v(x.v[i], gir_splat_f32((float)scale),
                                          gir_splat_f32(GIR_ROUND_8TH));
        whole.v[i] = t.v[i] - GIR_ROUND_8TH;
        rest.v[i] = x.v[i] - whole.v[i]; /* exact */
    }
    r = scale == 1.0 ? gir_widen(rest) : gir_w_fms(gir_widen(x), gir_w(scale), gir_widen(whole));
    GIR_STEP(i, 2)
    gir_look_up_8_f64(gir_exp2_of_8ths_low, gir_exp2_of_8ths_high, (gir_vi)t.v[i], 17,
                      &s->v[2 * i], &s->v[2 * i + 1]);
    *p = gir_w_mul(r, gir_w_horner(r, q, n));
}
#define GIR_EXP2_Q gir_exp2_8_7, 7
#define GIR_TANH_Q gir_exp2_8_8, 8
#endif

GIR_FUNCTION gir_pair gir_exp2_scaled_v(gir_pair x, double scale) {
    gir_wide s, p;
    gir_exp2_parts_v(x, scale, GIR_EXP2_Q, &s, &p);
    return gir_narrow(gir_w_fma(s, p, s));
}

GIR_FUNCTION gir_pair gir_exp2_f64_form(gir_pair x) { return gir_exp2_scaled_v(x, 1.0); }
GIR_FUNCTION gir_pair gir_exp_f64_form(gir_pair x) { return gir_exp2_scaled_v(x, GIR_LOG2E); }

GIR_RARE gir_vf gir_exp2_rare(gir_vf x) {
    gir_vf y = GIR_FROM_PAIR(gir_exp2_f64_form, gir_limited(x, -160.0f, 130.0f));
    return gir_patch(y, x, gir_exp2_v_exceptions, GIR_EXP2_V_EXCEPTIONS_COUNT);
}

GIR_RARE gir_vf gir_exp_rare(gir_vf x) {
    return GIR_FROM_PAIR(gir_exp_f64_form, gir_limited(x, -110.0f, 90.0f));
}

#ifdef GIR_AVX512
/* |x| < 126: |hi + lo - 2^(x - n)| < GIR_EXP2_BOUND. */
GIR_FUNCTION gir_float_float gir_exp2_ff(gir_vf x) {
    gir_vf t = x + 0x1.8p18f, r = x - (t - 0x1.8p18f);
    gir_vi k = (gir_vi)t;
    gir_vf power = gir_look_up_ff(gir_ff_power_high, k);
    gir_vf power_low = gir_look_up_ff(gir_ff_power_low, k);
    gir_vf slope = gir_look_up_ff(gir_ff_slope_high, k);
    gir_vf slope_low = gir_look_up_ff(gir_ff_slope_low, k);
    gir_vf a = slope * r, a_low = gir_fma_v(slope_low, r, gir_fms_v(slope, r, a));
    gir_vf q = gir_fma_v(gir_splat_f32(gir_ff_exp2_q[2]), r, gir_splat_f32(gir_ff_exp2_q[1]));
    q = gir_fma_v(q, r, gir_splat_f32(gir_ff_exp2_q[0]));
    gir_vf rest = gir_fma_v(power, (r * r) * q, a_low + power_low);
    gir_vf hi = power + a, lo = (a - (hi - power)) + rest;
    return (gir_float_float){hi, lo, k};
}
#define GIR_EXP2_BOUND 0x1.6p-36f

/* |x| < 87: |hi + lo - e^x / 2^n| < GIR_EXP_BOUND. */
GIR_FUNCTION gir_float_float gir_exp_ff(gir_vf x) {
    gir_vf t = gir_fma_v(x, gir_splat_f32(0x1.715476p+5f), gir_splat_f32(0x1.8p23f));
    gir_vf n = t - 0x1.8p23f;
    gir_vf first = gir_fnma_v(n, gir_splat_f32(GIR_FF_LN2_32_HIGH), x);
    gir_vf r = gir_fnma_v(n, gir_splat_f32(GIR_FF_LN2_32_LOW), first);
    gir_vf r_low = gir_fnma_v(n, gir_splat_f32(GIR_FF_LN2_32_LOW), first - r);
    gir_vi k = (gir_vi)t;
    gir_vf power = gir_look_up_ff(gir_ff_power_high, k);
    gir_vf power_low = gir_look_up_ff(gir_ff_power_low, k);
    gir_vf q = gir_fma_v(gir_splat_f32(gir_ff_exp_q[2]), r, gir_splat_f32(gir_ff_exp_q[1]));
    q = gir_fma_v(q, r, gir_splat_f32(gir_ff_exp_q[0]));
    gir_vf s = gir_fma_v(r * r, q, r_low);
    gir_vf a = power * r, a_low = gir_fms_v(power, r, a);
    gir_vf rest = gir_fma_v(power, s, gir_fma_v(power_low, r, a_low + power_low));
    gir_vf hi = power + a, lo = (a - (hi - power)) + rest;
    return (gir_float_float){hi, lo, k};
}
#define GIR_EXP_BOUND 0x1.04p-35f

GIR_FUNCTION gir_vf gir_times_power(gir_vf y, gir_vi k) {
    return (gir_vf)((gir_vu)y + ((gir_vu)(k & ~31) << 18));
}

GIR_FUNCTION gir_vf gir_exp2_f32v(gir_vf x) {
    gir_mask doubtful;
    gir_float_float v = gir_exp2_ff(x);
    gir_vf y = gir_certain(v, gir_splat_f32(GIR_EXP2_BOUND), &doubtful);
    gir_mask beyond = gir_not_less(gir_abs_v(x), gir_splat_f32(126.0f));
    y = gir_times_power(y, v.k);
    if (GIR_UNLIKELY(gir_any(doubtful | beyond))) y = gir_exp2_rare(x);
    return y;
}

/* Below -104, -inf included, the result is +0: masked softmax stays clear of the rare path. */
GIR_FUNCTION gir_vf gir_exp_f32v(gir_vf x) {
    gir_mask doubtful;
    gir_float_float v = gir_exp_ff(x);
    gir_vf y = gir_certain(v, gir_splat_f32(GIR_EXP_BOUND), &doubtful);
    gir_mask rare = doubtful | gir_not_less(gir_abs_v(x), gir_splat_f32(87.0f));
    y = gir_times_power(y, v.k);
    if (GIR_UNLIKELY(gir_any(rare))) {
        gir_mask zero = gir_less(x, gir_splat_f32(-104.0f));
        y = gir_select(zero, gir_splat_f32(0.0f), y);
        if (gir_any(gir_and_not(rare, zero))) y = gir_exp_rare(x);
    }
    return y;
}

GIR_FUNCTION gir_pair gir_exp2_f32v2(gir_pair x) {
    return (gir_pair){{gir_exp2_f32v(x.v[0]), gir_exp2_f32v(x.v[1])}};
}
GIR_FUNCTION gir_pair gir_exp_f32v2(gir_pair x) {
    return (gir_pair){{gir_exp_f32v(x.v[0]), gir_exp_f32v(x.v[1])}};
}
#else
GIR_FUNCTION gir_pair gir_exp2_f32v2(gir_pair x) {
    gir_pair y = gir_exp2_f64_form(x);
    GIR_STEP(i, 2) {
        gir_mask rare = gir_not_less(gir_abs_v(x.v[i]), gir_splat_f32(126.0f));
        rare |= gir_listed((gir_vi)x.v[i], gir_exp2_v_exceptions, GIR_EXP2_V_EXCEPTIONS_COUNT);
        if (GIR_UNLIKELY(gir_any(rare))) y.v[i] = gir_exp2_rare(x.v[i]);
    }
    return y;
}

GIR_FUNCTION gir_pair gir_exp_f32v2(gir_pair x) {
    gir_pair y = gir_exp_f64_form(x);
    GIR_STEP(i, 2) {
        gir_mask rare = gir_not_less(gir_abs_v(x.v[i]), gir_splat_f32(87.0f));
        if (GIR_UNLIKELY(gir_any(rare))) y.v[i] = gir_exp_rare(x.v[i]);
    }
    return y;
}

GIR_FUNCTION gir_vf gir_exp2_f32v(gir_vf x) { return GIR_FROM_PAIR(gir_exp2_f32v2, x); }
GIR_FUNCTION gir_vf gir_exp_f32v(gir_vf x) { return GIR_FROM_PAIR(gir_exp_f32v2, x); }
#endif
#else
GIR_BY_LANES(exp2)
GIR_BY_LANES(exp)
#endif
#endif
