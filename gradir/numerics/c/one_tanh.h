/* @needs base one one_exp f32_tanh tables_exp
 *
 * gir_one_tanh_f32: (E - 1) / (E + 1), as f32_tanh has it.
 */
#ifndef GIR_ONE_TANH_H
#define GIR_ONE_TANH_H

#ifdef GIR_ONE_FMA
GIR_ONE_FUNCTION float gir_one_tanh_f32(float x) {
    float size = __builtin_fabsf(x);
    if (GIR_UNLIKELY(!(size >= 0x1p-13f && size < 10.0f))) return gir_tanh_f32(x);
    for (int i = 0; i < GIR_TANH_V_EXCEPTIONS_COUNT; i++)
        if (GIR_UNLIKELY(gir_bits_f32(size) == gir_tanh_v_exceptions[i][0])) return gir_tanh_f32(x);
    gir_one_power v = gir_one_exp2_parts((double)x, 2 * GIR_LOG2E);
    double z = v.r * v.r, q = gir_one_exp2_q(v.r, gir_exp2_16_7);
    double p = GIR_ONE_FMA(gir_exp2_16_7[6] * z, z * z, q), scaled = v.s * v.r;
    return (float)(GIR_ONE_FMA(scaled, p, v.s - 1.0) / GIR_ONE_FMA(scaled, p, v.s + 1.0));
}
#else
GIR_ONE_FUNCTION float gir_one_tanh_f32(float x) { return gir_tanh_f32(x); }
#endif
#endif
