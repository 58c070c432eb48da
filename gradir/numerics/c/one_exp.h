/* @needs base one f32_exp tables_exp
 *
 * gir_one_exp_f32, gir_one_exp2_f32: sixteenths of a power of two from a table, as f32_exp has it.
 */
#ifndef GIR_ONE_EXP_H
#define GIR_ONE_EXP_H

#ifdef GIR_ONE_FMA
/* 2^(d scale) = s + s r q: the nearest sixteenth in s, r is what is left, |r| <= 1/32. */
typedef struct {
    double s, r;
} gir_one_power;

GIR_FUNCTION gir_one_power gir_one_exp2_parts(double d, double scale) {
    double t = GIR_ONE_FMA(d, scale, 0x1.8p48);
    double r = GIR_ONE_FMA(d, scale, -(t - 0x1.8p48));
    uint64_t k = gir_bits_f64(t); /* sixteenths, in the low bits */
    uint64_t power = gir_bits_f64(gir_exp2_of_16ths[k & 15]);
    return (gir_one_power){gir_f64_of(power + (k << 48)), r};
}

GIR_FUNCTION double gir_one_exp2_q(double r, const double *q) {
    double z = r * r;
    double high = GIR_ONE_FMA(GIR_ONE_FMA(q[5], r, q[4]), z, GIR_ONE_FMA(q[3], r, q[2]));
    return GIR_ONE_FMA(high, z, GIR_ONE_FMA(q[1], r, q[0]));
}

GIR_ONE_FUNCTION float gir_one_exp2_f32(float x) {
    if (GIR_UNLIKELY(!(__builtin_fabsf(x) < 126.0f))) return gir_exp2_f32(x);
    for (int i = 0; i < GIR_EXP2_V_EXCEPTIONS_COUNT; i++)
        if (GIR_UNLIKELY(gir_bits_f32(x) == gir_exp2_v_exceptions[i][0])) return gir_exp2_f32(x);
    gir_one_power v = gir_one_exp2_parts((double)x, 1.0);
    return (float)GIR_ONE_FMA(v.s * v.r, gir_one_exp2_q(v.r, gir_exp2_16_6), v.s);
}

GIR_ONE_FUNCTION float gir_one_exp_f32(float x) {
    if (GIR_UNLIKELY(!(__builtin_fabsf(x) < 87.0f))) return gir_exp_f32(x);
    gir_one_power v = gir_one_exp2_parts((double)x, GIR_LOG2E);
    return (float)GIR_ONE_FMA(v.s * v.r, gir_one_exp2_q(v.r, gir_exp2_16_6), v.s);
}
#else
GIR_ONE_FUNCTION float gir_one_exp_f32(float x) { return gir_exp_f32(x); }
GIR_ONE_FUNCTION float gir_one_exp2_f32(float x) { return gir_exp2_f32(x); }
#endif
#endif
