/* The functions to be proven as loops over arrays: void gir_map_NAME(float *, const float *, long).
 *
 * Compiled with the assembled C text before it.  The loops are those of generated code: two
 * vectors a round, the rest by one vector in a buffer.  GIR_PROVE_SCALAR takes the functions for
 * one number instead.  With GIR_PROVE_WRONG=BITS the last bit of the result for that one argument
 * is flipped, for the test that the proof notices.
 */
#ifdef GIR_PROVE_WRONG
static void after(float *out, const float *in, long n) {
    for (long i = 0; i < n; i++)
        if (gir_bits_f32(in[i]) == GIR_PROVE_WRONG) out[i] = gir_f32_of(gir_bits_f32(out[i]) ^ 1);
}
#else
static void after(float *out, const float *in, long n) { (void)out, (void)in, (void)n; }
#endif

#ifdef GIR_PROVE_SCALAR
#define MAP(name)                                                                   \
    void gir_map_##name(float *restrict out, const float *restrict in, long n) {    \
        for (long i = 0; i < n; i++) out[i] = gir_##name##_f32(in[i]);              \
        after(out, in, n);                                                          \
    }
#else
#define MAP(name)                                                                   \
    void gir_map_##name(float *restrict out, const float *restrict in, long n) {    \
        long i = 0;                                                                 \
        for (; i + 2 * GIR_LANES <= n; i += 2 * GIR_LANES) {                        \
            gir_pair x = {{gir_load_f32v(in + i), gir_load_f32v(in + i + GIR_LANES)}}; \
            x = gir_##name##_f32v2(x);                                              \
            gir_store_f32v(out + i, x.v[0]);                                        \
            gir_store_f32v(out + i + GIR_LANES, x.v[1]);                            \
        }                                                                           \
        for (; i < n; i += GIR_LANES) {                                             \
            float buffer[GIR_LANES] = {0};                                          \
            long rest = n - i < GIR_LANES ? n - i : GIR_LANES;                      \
            for (long k = 0; k < rest; k++) buffer[k] = in[i + k];                  \
            gir_store_f32v(buffer, gir_##name##_f32v(gir_load_f32v(buffer)));       \
            for (long k = 0; k < rest; k++) out[i + k] = buffer[k];                 \
        }                                                                           \
        after(out, in, n);                                                          \
    }
#endif

MAP(exp)
MAP(exp2)
MAP(log)
MAP(log2)
MAP(sin)
MAP(cos)
MAP(tanh)
MAP(erf)
