/* @needs base vec tables_sin
 *
 * sin and cos on f32, correctly rounded for all 2^32 arguments (FUNC-1).  Infinities and NaN give
 * NaN; sin of a zero is that zero.
 *
 * gir_sin_f32, gir_cos_f32      one number: plain f64 operations; the twin of
 *                               gradir/numerics/f32.py.  From 2^26 on 1/pi is multiplied in
 *                               pieces, so that every product is exact (Payne and Hanek).
 * gir_sin_f32v, gir_cos_f32v    a vector: x - n pi (cos: n + ½) by two fma, an odd polynomial of
 *                               degree 15, relative error below 2^-51.  Larger arguments and
 *                               listed ones go one by one to the functions for one number.
 */
#ifndef GIR_F32_SIN_H
#define GIR_F32_SIN_H

/* (r z) S(z), z = r²: sin r less r, |r| at most a little more than pi/2. */
GIR_FUNCTION double gir_sin_rest(double r) {
    double z = r * r, s = gir_f32_sin[7];
    for (int i = 6; i >= 0; i--) s = s * z + gir_f32_sin[i];
    return (r * z) * s;
}

/* sin(r + r_low); |r_low| is some 2^-53 and 1 - 0.4 r² near enough to cos r. */
GIR_FUNCTION double gir_sin_of_sum(double r, double r_low) {
    double rest = gir_sin_rest(r);
    return r + (rest + r_low * (1.0 - (r * r) * 0.4));
}

/* |x| = n pi + (r + r_low) for |x| >= 2^26, finite; returns n, of which only the last bit counts.
 * M, the significand, has 24 bits and the table's pieces 26: the first three products are exact. */
GIR_FUNCTION uint64_t gir_reduce_far(uint32_t bits, double *r, double *r_low) {
    double m = (double)((bits & 0x7fffffu) | 0x800000u);
    const double *piece = gir_turns_of_pi[(bits >> 23) - 150];
    double turn = m * piece[0], first = turn + GIR_ROUND;
    turn = (turn - (first - GIR_ROUND)) + m * piece[1];
    double second = turn + GIR_ROUND;
    turn = turn - (second - GIR_ROUND);
    double third = m * piece[2];
    double high = turn + third, part = high - turn;
    double low = ((turn - (high - part)) + (third - part)) + m * piece[3];
    /* high * PI_HI and its error by Dekker's product */
    double g = 134217729.0 * high, a = g - (g - high), a_low = high - a;
    double h = 134217729.0 * GIR_PI_HI, b = h - (h - GIR_PI_HI), b_low = GIR_PI_HI - b;
    double p = high * GIR_PI_HI;
    double error = ((a * b - p) + a * b_low + a_low * b) + a_low * b_low;
    *r = p;
    *r_low = (error + high * GIR_PI_LO) + low * GIR_PI_HI;
    return gir_bits_f64(first) + gir_bits_f64(second);
}

/* sin x (shift 0) or cos x (shift ½) for |x| < 2^26, pi in three parts. */
GIR_FUNCTION double gir_sin_near(double x, double shift, uint64_t flip) {
    double t = (x * GIR_INVERSE_PI - shift) + GIR_ROUND, n = (t - GIR_ROUND) + shift;
    double r = ((x - n * GIR_PI_1) - n * GIR_PI_2) - n * GIR_PI_3;
    double y = r + gir_sin_rest(r);
    return gir_f64_of(gir_bits_f64(y) ^ ((gir_bits_f64(t) + flip) << 63));
}

GIR_RARE float gir_sin_far(float x) {
    uint32_t bits = gir_bits_f32(x), size = bits & 0x7fffffffu;
    if (size >= 0x7f800000u) return GIR_NAN_F32;
    double r, r_low;
    uint64_t n = gir_reduce_far(size, &r, &r_low);
    double y = gir_sin_of_sum(r, r_low);
    uint64_t sign = (n << 63) ^ ((uint64_t)(bits & 0x80000000u) << 32);
    return (float)gir_f64_of(gir_bits_f64(y) ^ sign);
}

/* cos r = sin(pi/2 - |r|) */
GIR_RARE float gir_cos_far(float x) {
    uint32_t size = gir_bits_f32(x) & 0x7fffffffu;
    if (size >= 0x7f800000u) return GIR_NAN_F32;
    double r, r_low;
    uint64_t n = gir_reduce_far(size, &r, &r_low);
    double c = 0.5 * GIR_PI_HI, d = -__builtin_fabs(r);
    double u = c + d, part = u - c, u_low = (c - (u - part)) + (d - part);
    u_low = u_low + (0.5 * GIR_PI_LO - (r < 0.0 ? -r_low : r_low));
    double y = gir_sin_of_sum(u, u_low);
    return (float)gir_f64_of(gir_bits_f64(y) ^ (n << 63));
}

GIR_FUNCTION float gir_sin_f32(float x) {
    uint32_t bits = gir_bits_f32(x), size = bits & 0x7fffffffu;
    float y = size >= 0x4c800000u ? gir_sin_far(x) : (float)gir_sin_near((double)x, 0.0, 0);
    for (int i = 0; i < GIR_SIN_EXCEPTIONS_COUNT; i++)
        if (size == gir_sin_exceptions[i][0])
            y = gir_f32_of(gir_sin_exceptions[i][1] ^ (bits & 0x80000000u));
    return x == 0.0f ? x : y;
}

GIR_FUNCTION float gir_cos_f32(float x) {
    uint32_t size = gir_bits_f32(x) & 0x7fffffffu;
    float y = size >= 0x4c800000u ? gir_cos_far(x) : (float)gir_sin_near((double)x, 0.5, 1);
    for (int i = 0; i < GIR_COS_EXCEPTIONS_COUNT; i++)
        if (size == gir_cos_exceptions[i][0]) y = gir_f32_of(gir_cos_exceptions[i][1]);
    return y;
}

#ifdef GIR_VECTOR_FMA

GIR_RARE gir_vf gir_sin_rare(gir_vf x) { return GIR_EACH_LANE(gir_sin_f32, x); }
GIR_RARE gir_vf gir_cos_rare(gir_vf x) { return GIR_EACH_LANE(gir_cos_f32, x); }

/* (-1)^n sin r = sin((-1)^n r), where t is n + GIR_ROUND. */
GIR_FUNCTION gir_pair gir_sin_tail(gir_wide r, gir_wide t) {
    GIR_STEP(i, 4) r.v[i] = (gir_vd)((gir_vl)r.v[i] ^ ((gir_vl)t.v[i] << 63));
    gir_wide z = gir_w_mul(r, r);
    return gir_narrow(gir_w_fma(gir_w_mul(r, z), gir_w_horner(z, gir_sin_7, 7), r));
}

GIR_FUNCTION gir_pair gir_sin_together(gir_pair x) {
    gir_wide d = gir_widen(x);
    gir_wide t = gir_w_fma(d, gir_w(GIR_INVERSE_PI), gir_w(GIR_ROUND));
    gir_wide n = gir_w_sub(t, gir_w(GIR_ROUND));
    gir_wide r = gir_w_fnma(n, gir_w(GIR_PI_LO), gir_w_fnma(n, gir_w(GIR_PI_HI), d));
    gir_pair y = gir_sin_tail(r, t);
    GIR_STEP(i, 2) {
        gir_vi size = (gir_vi)gir_abs_v(x.v[i]);
        y.v[i] = gir_select(gir_equal_i(size, gir_splat_i32(0)), x.v[i], y.v[i]);
        gir_mask rare = gir_at_least(size, 0x4c800000);
        rare |= gir_listed(size, gir_sin_v_exceptions, GIR_SIN_V_EXCEPTIONS_COUNT);
        if (GIR_UNLIKELY(gir_any(rare))) y.v[i] = gir_sin_rare(x.v[i]);
    }
    return y;
}

GIR_FUNCTION gir_pair gir_cos_together(gir_pair x) {
    gir_wide d = gir_widen(x), half = gir_w(0.5), round = gir_w(GIR_ROUND);
    gir_wide t = gir_w_add(gir_w_fms(d, gir_w(GIR_INVERSE_PI), half), round);
    gir_wide n = gir_w_add(gir_w_sub(t, round), half);
    gir_wide r = gir_w_fma(n, gir_w(GIR_PI_LO), gir_w_fms(n, gir_w(GIR_PI_HI), d));
    gir_pair y = gir_sin_tail(r, t); /* cos x = (-1)^n sin((n + ½) pi - x) */
    gir_mask rare = gir_at_least((gir_vi)gir_abs_v(x.v[0]), 0x4c800000);
    rare |= gir_at_least((gir_vi)gir_abs_v(x.v[1]), 0x4c800000);
    if (GIR_UNLIKELY(gir_any(rare)))
        GIR_STEP(i, 2) y.v[i] = gir_cos_rare(x.v[i]);
    return y;
}

GIR_FUNCTION gir_vf gir_sin_f32v(gir_vf x) { return GIR_FROM_PAIR(gir_sin_together, x); }
GIR_FUNCTION gir_vf gir_cos_f32v(gir_vf x) { return GIR_FROM_PAIR(gir_cos_together, x); }
#ifdef GIR_AVX512
/* Two chains are enough here; four cost registers. */
GIR_FUNCTION gir_pair gir_sin_f32v2(gir_pair x) {
    return (gir_pair){{gir_sin_f32v(x.v[0]), gir_sin_f32v(x.v[1])}};
}
GIR_FUNCTION gir_pair gir_cos_f32v2(gir_pair x) {
    return (gir_pair){{gir_cos_f32v(x.v[0]), gir_cos_f32v(x.v[1])}};
}
#else
GIR_FUNCTION gir_pair gir_sin_f32v2(gir_pair x) { return gir_sin_together(x); }
GIR_FUNCTION gir_pair gir_cos_f32v2(gir_pair x) { return gir_cos_together(x); }
#endif
#else
GIR_BY_LANES(sin)
GIR_BY_LANES(cos)
#endif
#endif
