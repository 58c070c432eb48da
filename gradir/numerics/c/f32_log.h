/* @needs base vec f32_exp tables_log
 *
 * log and log2 on f32, correctly rounded for all 2^32 arguments (FUNC-1).  Zeros give -inf, inf
 * gives inf, negative numbers and NaN give NaN.
 *
 * gir_log_f32, gir_log2_f32     one number: plain f64 operations with one division, no table; the
 *                               twin of gradir/numerics/f32.py
 * gir_log_f32v, gir_log2_f32v   a vector
 *
 * Vectors.  x = 2^e m, m from 0.699 on; c_j is a short reciprocal of m from a table by the leading
 * bits of m, so that r = m c_j - 1 is exact in f32; log x = e ln 2 + log(1/c_j) + r p(r).
 * First in float-float with a bound on the error, which shrinks with r; where the two ends round
 * alike, that is the answer.  (A bound too small would show in the proof as a wrong result.)
 * Elsewhere in f64 with fma: error below 2^-46, arguments listed where that is not enough.
 */
#ifndef GIR_F32_LOG_H
#define GIR_F32_LOG_H

/* x = 2^k (1 + f), 1 + f in [sqrt ½, sqrt 2): s = f / (2 + f), and the series' rest in s. */
typedef struct {
    double k, f, s, rest;
} gir_log_parts_f32;

GIR_FUNCTION gir_log_parts_f32 gir_log_parts(float x) {
    const uint64_t bias = (uint64_t)1024 << 52;
    uint64_t bits = gir_bits_f64((double)x);
    uint64_t shifted = bits - 0x3fe6a09e667f3bcdu + bias;
    double k = gir_f64_of((shifted >> 52) | 0x4330000000000000u) - (0x1p52 + 1024);
    double m = gir_f64_of(bits - (shifted & 0xfff0000000000000u) + bias);
    double f = m - 1.0, s = f / (m + 1.0), z = s * s;
    double rest = gir_f32_log[6];
    for (int i = 5; i >= 0; i--) rest = rest * z + gir_f32_log[i];
    return (gir_log_parts_f32){k, f, s, rest * z};
}

GIR_FUNCTION float gir_log_special(float x, float y) {
    y = x == 0.0f ? -GIR_INF_F32 : y;
    y = x == GIR_INF_F32 ? x : y;
    return x >= 0.0f ? y : GIR_NAN_F32;
}

GIR_FUNCTION float gir_log_f32(float x) {
    gir_log_parts_f32 v = gir_log_parts(x);
    double half_square = 0.5 * (v.f * v.f);
    double correction = half_square - (v.s * (half_square + v.rest) + v.k * GIR_LN2_LO);
    float y = (float)(v.k * GIR_LN2_HI - (correction - v.f));
    for (int i = 0; i < GIR_LOG_EXCEPTIONS_COUNT; i++)
        if (gir_bits_f32(x) == gir_log_exceptions[i][0]) y = gir_f32_of(gir_log_exceptions[i][1]);
    return gir_log_special(x, y);
}

GIR_FUNCTION float gir_log2_f32(float x) {
    gir_log_parts_f32 v = gir_log_parts(x);
    double half_square = 0.5 * (v.f * v.f);
    double correction = half_square - v.s * (half_square + v.rest);
    double large = v.f * GIR_LOG2E_29;
    double small = v.f * GIR_LOG2E_29_REST - correction * GIR_LOG2E;
    double high = v.k + large;
    return gir_log_special(x, (float)(high + (((v.k - high) + large) + small)));
}

#ifdef GIR_VECTOR_FMA

/* x = 2^e m with the bits of m from 0x3f330000 on; index is 2^shift intervals of m's bits. */
typedef struct {
    gir_vi e, index;
    gir_vf m;
} gir_log_cut;

GIR_FUNCTION gir_log_cut gir_cut(gir_vf x, int shift) {
    gir_vu bits = (gir_vu)x, offset = bits - 0x3f330000;
    gir_vi e = (gir_vi)offset >> 23;
    return (gir_log_cut){e, (gir_vi)(offset >> shift), (gir_vf)(bits - ((gir_vu)e << 23))};
}

/* log or log2 in f64 of positive normal numbers; `lowered` is taken from the exponent. */
GIR_FUNCTION gir_pair gir_log_f64_form(gir_pair x, gir_vi lowered, int natural) {
    gir_log_cut cut[2];
    gir_pair r32;
    gir_wide base;
#ifdef GIR_AVX512
    GIR_STEP(i, 2) {
        cut[i] = gir_cut(x.v[i], 19);
        gir_vf centre = gir_look_up_16(gir_log_centre_16, cut[i].index);
        r32.v[i] = gir_fms_v(cut[i].m, centre, gir_splat_f32(1.0f));
    }
    gir_wide r = gir_widen(r32);
    gir_wide p = gir_w_horner(r, natural ? gir_log_16_8 : gir_log2_16_8, 8);
    GIR_STEP(i, 4) {
        gir_vi j = cut[i / 2].index;
        base.v[i] = gir_look_up_16_f64(natural ? gir_log_of_centre_16 : gir_log2_of_centre_16,
                                       gir_half_i_to_i64(i % 2 ? gir_high_i(j) : gir_low_i(j)));
    }
#else
    GIR_STEP(i, 2) {
        cut[i] = gir_cut(x.v[i], 20);
        gir_vf centre = gir_look_up_8f(gir_log_centre_8, cut[i].index);
        r32.v[i] = gir_fms_v(cut[i].m, centre, gir_splat_f32(1.0f));
    }
    gir_wide r = gir_widen(r32);
    gir_wide p = gir_w_horner(r, natural ? gir_log_8_10 : gir_log2_8_10, 10);
    GIR_STEP(i, 2)
    gir_look_up_8_f64(natural ? gir_log_of_centre_8_low : gir_log2_of_centre_8_low,
                      natural ? gir_log_of_centre_8_high : gir_log2_of_centre_8_high, cut[i].index,
                      0, &base.v[2 * i], &base.v[2 * i + 1]);
#endif
    gir_wide e = gir_widen_i(cut[0].e - lowered, cut[1].e - lowered);
    base = natural ? gir_w_fma(e, gir_w(GIR_LN2), base) : gir_w_add(e, base);
    return gir_narrow(gir_w_fma(r, p, base));
}

GIR_FUNCTION gir_vf gir_log_any(gir_vf x, int natural) {
    gir_mask small = gir_less(x, gir_splat_f32(0x1p-126f));
    gir_vf scaled = gir_select(small, x * 0x1p24f, x);
    gir_vi lowered = (gir_vi)gir_select(small, (gir_vf)gir_splat_i32(24), gir_splat_f32(0.0f));
    gir_vf y = gir_log_f64_form((gir_pair){{scaled, scaled}}, lowered, natural).v[0];
    if (natural) y = gir_patch(y, x, gir_log_v_exceptions, GIR_LOG_V_EXCEPTIONS_COUNT);
    gir_vf zero = gir_splat_f32(0.0f), inf = gir_splat_f32(GIR_INF_F32);
    y = gir_select(gir_equal_i((gir_vi)x, (gir_vi)inf), inf, y);
    y = gir_select(gir_equal_i((gir_vi)gir_abs_v(x), gir_splat_i32(0)), -inf, y);
    y = gir_select(gir_differ(x, x), x, y);
    return gir_select(gir_less(x, zero), gir_splat_f32(GIR_NAN_F32), y);
}

GIR_RARE gir_vf gir_log_rare(gir_vf x) { return gir_log_any(x, 1); }
GIR_RARE gir_vf gir_log2_rare(gir_vf x) { return gir_log_any(x, 0); }

/* Lanes that are not positive normal numbers. */
GIR_FUNCTION gir_mask gir_not_normal(gir_vf x) {
#ifdef GIR_AVX512
    return gir_at_least_u((gir_vi)((gir_vu)x - 0x00800000), gir_splat_i32(0x7f000000));
#else
    return (gir_mask)(((gir_vi)x < 0x00800000) | ((gir_vi)x > 0x7f7fffff));
#endif
}

/* Float-float: 32 intervals and degree 5 in r, or 16 and degree 6.  The errors are below
 * BOUND_R r² + BOUND (log: + |e| 2^-40). */
#ifdef GIR_AVX512
#define GIR_FF(name) name##_32
#define GIR_LOG_FF_SHIFT 18
#define GIR_LOG_FF_TERMS 4
#define GIR_LOG_BOUND_R 0x1p-22f
#define GIR_LOG_BOUND 0x1p-39f
#else
#define GIR_FF(name) name##_16
#define GIR_LOG_FF_SHIFT 19
#define GIR_LOG_FF_TERMS 5
#define GIR_LOG_BOUND_R 0x1.4p-22f
#define GIR_LOG_BOUND 0x1.2p-38f
#endif
#define GIR_LOG2_BOUND_R 0x1.4p-22f
#define GIR_LOG2_BOUND 0x1.2p-38f

GIR_FUNCTION gir_vf gir_log_ff_polynomial(gir_vf r, const float *q) {
    gir_vf y = gir_splat_f32(q[GIR_LOG_FF_TERMS - 1]);
    GIR_UNROLL for (int i = GIR_LOG_FF_TERMS - 2; i >= 0; i--)
        y = gir_fma_v(y, r, gir_splat_f32(q[i]));
    return y;
}

GIR_FUNCTION gir_float_float gir_log_ff(gir_vf x, gir_vf *bound) {
    gir_log_cut v = gir_cut(x, GIR_LOG_FF_SHIFT);
    gir_vf centre = gir_look_up_ff(GIR_FF(gir_ff_log_centre), v.index);
    gir_vf high = gir_look_up_ff(GIR_FF(gir_ff_log_high), v.index);
    gir_vf low = gir_look_up_ff(GIR_FF(gir_ff_log_low), v.index);
    gir_vf e = __builtin_convertvector(v.e, gir_vf), r = gir_fms_v(v.m, centre, gir_splat_f32(1));
    gir_vf base = gir_fma_v(e, gir_splat_f32(GIR_FF_LN2_HIGH), high); /* exact */
    gir_vf base_low = gir_fma_v(e, gir_splat_f32(GIR_FF_LN2_LOW), low);
    gir_vf square = r * r;
    gir_vf rest = gir_fma_v(square, gir_log_ff_polynomial(r, GIR_FF(gir_ff_log_q)), base_low);
    gir_vf hi = base + r, lo = (r - (hi - base)) + rest;
    gir_vf for_e = gir_fma_v(gir_abs_v(e), gir_splat_f32(0x1p-40f), gir_splat_f32(GIR_LOG_BOUND));
    *bound = gir_fma_v(square, gir_splat_f32(GIR_LOG_BOUND_R), for_e);
    return (gir_float_float){hi, lo, v.index};
}

GIR_FUNCTION gir_float_float gir_log2_ff(gir_vf x, gir_vf *bound) {
    gir_log_cut v = gir_cut(x, GIR_LOG_FF_SHIFT);
    gir_vf centre = gir_look_up_ff(GIR_FF(gir_ff_log_centre), v.index);
    gir_vf high = gir_look_up_ff(GIR_FF(gir_ff_log2_high), v.index);
    gir_vf low = gir_look_up_ff(GIR_FF(gir_ff_log2_low), v.index);
    gir_vf r = gir_fms_v(v.m, centre, gir_splat_f32(1));
    gir_vf base = __builtin_convertvector(v.e, gir_vf) + high; /* exact */
    gir_vf p = r * GIR_FF_LOG2E_HIGH, p_low = gir_fms_v(r, gir_splat_f32(GIR_FF_LOG2E_HIGH), p);
    gir_vf square = r * r;
    low = gir_fma_v(r, gir_splat_f32(GIR_FF_LOG2E_LOW), p_low) + low;
    gir_vf rest = gir_fma_v(square, gir_log_ff_polynomial(r, GIR_FF(gir_ff_log2_q)), low);
    gir_vf hi = base + p, lo = (p - (hi - base)) + rest;
    *bound = gir_fma_v(square, gir_splat_f32(GIR_LOG2_BOUND_R), gir_splat_f32(GIR_LOG2_BOUND));
    return (gir_float_float){hi, lo, v.index};
}

GIR_FUNCTION gir_vf gir_log_f32v(gir_vf x) {
    gir_mask doubtful;
    gir_vf bound;
    gir_float_float v = gir_log_ff(x, &bound);
    gir_vf y = gir_certain(v, bound, &doubtful);
    if (GIR_UNLIKELY(gir_any(doubtful | gir_not_normal(x)))) y = gir_log_rare(x);
    return y;
}

GIR_FUNCTION gir_vf gir_log2_f32v(gir_vf x) {
    gir_mask doubtful;
    gir_vf bound;
    gir_float_float v = gir_log2_ff(x, &bound);
    gir_vf y = gir_certain(v, bound, &doubtful);
    if (GIR_UNLIKELY(gir_any(doubtful | gir_not_normal(x)))) y = gir_log2_rare(x);
    return y;
}

GIR_FUNCTION gir_pair gir_log_f32v2(gir_pair x) {
    return (gir_pair){{gir_log_f32v(x.v[0]), gir_log_f32v(x.v[1])}};
}
GIR_FUNCTION gir_pair gir_log2_f32v2(gir_pair x) {
    return (gir_pair){{gir_log2_f32v(x.v[0]), gir_log2_f32v(x.v[1])}};
}
#else
GIR_BY_LANES(log)
GIR_BY_LANES(log2)
#endif
#endif
