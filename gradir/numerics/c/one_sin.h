/* @needs base one f32_sin tables_sin
 *
 * gir_one_sin_f32, gir_one_cos_f32: x less a multiple of pi by two fma, as f32_sin has it.
 */
#ifndef GIR_ONE_SIN_H
#define GIR_ONE_SIN_H

#ifdef GIR_ONE_FMA
/* sin of (-1)^n r, where t is n + GIR_ROUND. */
GIR_FUNCTION float gir_one_sin_tail(double r, double t) {
    const double *s = gir_sin_7;
    r = gir_f64_of(gir_bits_f64(r) ^ (gir_bits_f64(t) << 63));
    double z = r * r, w = z * z;
    double low = GIR_ONE_FMA(GIR_ONE_FMA(s[3], z, s[2]), w, GIR_ONE_FMA(s[1], z, s[0]));
    double high = GIR_ONE_FMA(s[6], w, GIR_ONE_FMA(s[5], z, s[4]));
    return (float)GIR_ONE_FMA(r * z, GIR_ONE_FMA(high, w * w, low), r);
}

GIR_ONE_FUNCTION float gir_one_sin_f32(float x) {
    uint32_t size = gir_bits_f32(x) & 0x7fffffffu;
    if (GIR_UNLIKELY(size >= 0x4c800000u || size == 0)) return gir_sin_f32(x);
    for (int i = 0; i < GIR_SIN_V_EXCEPTIONS_COUNT; i++)
        if (GIR_UNLIKELY(size == gir_sin_v_exceptions[i][0])) return gir_sin_f32(x);
    double d = (double)x, t = GIR_ONE_FMA(d, GIR_INVERSE_PI, GIR_ROUND), n = t - GIR_ROUND;
    return gir_one_sin_tail(GIR_ONE_FMA(-n, GIR_PI_LO, GIR_ONE_FMA(-n, GIR_PI_HI, d)), t);
}

/* cos x = (-1)^n sin((n + ½) pi - x) */
GIR_ONE_FUNCTION float gir_one_cos_f32(float x) {
    uint32_t size = gir_bits_f32(x) & 0x7fffffffu;
    if (GIR_UNLIKELY(size >= 0x4c800000u)) return gir_cos_f32(x);
    double d = (double)x, t = GIR_ONE_FMA(d, GIR_INVERSE_PI, -0.5) + GIR_ROUND;
    double n = (t - GIR_ROUND) + 0.5;
    return gir_one_sin_tail(GIR_ONE_FMA(n, GIR_PI_LO, GIR_ONE_FMA(n, GIR_PI_HI, -d)), t);
}
#else
GIR_ONE_FUNCTION float gir_one_sin_f32(float x) { return gir_sin_f32(x); }
GIR_ONE_FUNCTION float gir_one_cos_f32(float x) { return gir_cos_f32(x); }
#endif
#endif
