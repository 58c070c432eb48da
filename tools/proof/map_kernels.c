/* The functions that have a form of their own from memory to memory:
 * void gir_map_NAME(float *, const float *, long).  Compiled with the assembled C text before it.
 * GIR_PROVE_WRONG is as in kernels.c.
 */
#ifndef GIR_PROVE_WRONG
#define after(out, in, n)
#else
static void after(float *out, const float *in, long n) {
    for (long i = 0; i < n; i++)
        if (gir_bits_f32(in[i]) == GIR_PROVE_WRONG) out[i] = gir_f32_of(gir_bits_f32(out[i]) ^ 1);
}
#endif

#define MAP(name)                                                                   \
    void gir_map_##name(float *restrict out, const float *restrict in, long n) {    \
        gir_map_many_##name##_f32(out, in, n);                                           \
        after(out, in, n);                                                          \
    }

MAP(log)
MAP(log2)
