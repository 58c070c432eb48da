/* The f64 functions and fma as loops over arrays; compiled behind the assembled C text.
 *
 * gir_map_NAME and gir_fma_… take vectors, n a multiple of 16; gir_one_NAME and gir_soft_… take
 * numbers one by one.  With GIR_PROVE_WRONG=BITS the result for that argument is wrong in its last
 * bit, for the test that the proof notices.
 */
#ifdef GIR_PROVE_WRONG
static void after(double *out, const double *in, long n) {
    for (long i = 0; i < n; i++)
        if (gir_bits_f64(in[i]) == GIR_PROVE_WRONG) out[i] = gir_f64_of(gir_bits_f64(out[i]) ^ 1);
}
#else
static void after(double *out, const double *in, long n) { (void)out, (void)in, (void)n; }
#endif

#define MAP(name)                                                                   \
    void gir_map_##name(double *restrict out, const double *restrict in, long n) {  \
        for (long i = 0; i < n; i += GIR_LANES / 2)                                 \
            gir_store_f64v(out + i, gir_##name##_f64v(gir_load_f64v(in + i)));      \
        after(out, in, n);                                                          \
    }                                                                               \
    void gir_one_##name(double *restrict out, const double *restrict in, long n) {  \
        for (long i = 0; i < n; i++) out[i] = gir_##name##_f64(in[i]);              \
    }
MAP(exp)
MAP(exp2)
MAP(log)
MAP(log2)
MAP(sin)
MAP(cos)
MAP(tanh)
MAP(erf)

#define FMA(real, kind, lanes)                                                                  \
    void fma_##kind(real *out, const real *a, const real *b, const real *c, long n) {           \
        for (long i = 0; i < n; i += lanes)                                                     \
            gir_store_##kind##v(out + i, gir_fma_##kind##v(gir_load_##kind##v(a + i),           \
                                                           gir_load_##kind##v(b + i),           \
                                                           gir_load_##kind##v(c + i)));         \
    }                                                                                           \
    void soft_fma_##kind(real *out, const real *a, const real *b, const real *c, long n) {      \
        for (long i = 0; i < n; i++) out[i] = gir_soft_fma_##kind(a[i], b[i], c[i]);            \
    }                                                                                           \
    void hardware_fma_##kind(real *out, const real *a, const real *b, const real *c, long n);
FMA(float, f32, GIR_LANES)
FMA(double, f64, GIR_LANES / 2)
