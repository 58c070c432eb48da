/* @needs base vec
 *
 * The first lanes of a vector in memory, and a square of vectors turned.
 *
 * gir_first_of_f32(count) names the first `count` lanes (all from GIR_LANES on), likewise f64.
 * gir_load_first_f32 reads those, the others are 0; so does gir_load_up_to_f32(p, count);
 * gir_store_first_f32 writes `count` of them.
 * No other memory is touched.
 * gir_turn_f32 makes LANES rows into columns.
 * gir_behind_f32(x, h) has in each lane the one that is h behind it, where there is one.
 *
 * GIR_MASKS is 0 where the processor has no such loads: then only the stores are there.
 */
#ifndef GIR_FIRST_LANES_H
#define GIR_FIRST_LANES_H

#define GIR_SMALLER(a, b) ((a) < (b) ? (a) : (b))

#ifdef GIR_VECTOR_FMA
#define GIR_MASKS 1
/* Lanes k, k+1, … of x and y in turn: the lower halves from k = 0 on, the upper from the middle. */
#define GIR_RIFFLE_4(x, y, k) __builtin_shufflevector(x, y, k, k + 4, k + 1, k + 5)
#define GIR_RIFFLE_8(x, y, k)                                                                   \
    __builtin_shufflevector(x, y, k, k + 8, k + 1, k + 9, k + 2, k + 10, k + 3, k + 11)
#define GIR_RIFFLE_16(x, y, k)                                                                  \
    __builtin_shufflevector(x, y, k, k + 16, k + 1, k + 17, k + 2, k + 18, k + 3, k + 19,       \
                            k + 4, k + 20, k + 5, k + 21, k + 6, k + 22, k + 7, k + 23)
#define GIR_BEHIND_4(x, h) __builtin_shufflevector(x, x, h, h + 1, h + 2, h + 3)
#define GIR_BEHIND_8(x, h)                                                                      \
    __builtin_shufflevector(x, x, h, h + 1, h + 2, h + 3, h + 4, h + 5, h + 6, h + 7)
#define GIR_BEHIND_16(x, h)                                                                     \
    __builtin_shufflevector(x, x, h, h + 1, h + 2, h + 3, h + 4, h + 5, h + 6, h + 7, h + 8,    \
                            h + 9, h + 10, h + 11, h + 12, h + 13, h + 14, h + 15)
#ifdef GIR_AVX512
#define gir_behind_f32 GIR_BEHIND_16
#define gir_behind_f64 GIR_BEHIND_8
#define gir_riffle_f32 GIR_RIFFLE_16
#define gir_riffle_f64 GIR_RIFFLE_8
typedef uint16_t gir_first_f32;
typedef uint8_t gir_first_f64;
#define gir_masked_load_f32(p, first) __builtin_ia32_loadups512_mask(p, (gir_vf){0}, first)
#define gir_masked_load_f64(p, first) __builtin_ia32_loadupd512_mask(p, (gir_vd){0}, first)
#define gir_masked_store_f32(p, x, first) __builtin_ia32_storeups512_mask(p, x, first)
#define gir_masked_store_f64(p, x, first) __builtin_ia32_storeupd512_mask(p, x, first)
#else
#define gir_behind_f32 GIR_BEHIND_8
#define gir_behind_f64 GIR_BEHIND_4
#define gir_riffle_f32 GIR_RIFFLE_8
#define gir_riffle_f64 GIR_RIFFLE_4
typedef gir_vi gir_first_f32;
typedef long long gir_first_f64 GIR_VECTOR;
#define gir_masked_load_f32(p, first) __builtin_ia32_maskloadps256((const void *)(p), first)
#define gir_masked_load_f64(p, first) __builtin_ia32_maskloadpd256((const void *)(p), first)
GIR_TABLE int32_t gir_lane_f32[] = {0, 1, 2, 3, 4, 5, 6, 7};
GIR_TABLE int64_t gir_lane_f64[] = {0, 1, 2, 3};
#endif
#else
#define GIR_MASKS 0
#endif
/* @for f32 f64 */
#if GIR_MASKS
GIR_FUNCTION gir_first_f64 gir_first_of_f64(size_t count) {
#ifdef GIR_AVX512
    return (gir_first_f64)(((uint32_t)1 << GIR_SMALLER(count, LANES)) - 1);
#else
    return *(const gir_first_f64 *)gir_lane_f64 < (whole)GIR_SMALLER(count, LANES);
#endif
}

GIR_FUNCTION vector gir_load_first_f64(const real *p, gir_first_f64 first) {
    return gir_masked_load_f64(p, first);
}
GIR_FUNCTION vector gir_load_up_to_f64(const real *p, size_t count) {
    return gir_load_first_f64(p, gir_first_of_f64(count));
}

GIR_FUNCTION void gir_turn_f64(vector rows[LANES]) {
    vector next[LANES];
    /* One step makes the highest bit of a lane's number the lowest of its row's, and back. */
    _Pragma("GCC unroll 4") for (int step = 1; step < LANES; step *= 2) {
        _Pragma("GCC unroll 8") for (int i = 0; i < LANES / 2; i++) {
            next[2 * i] = gir_riffle_f64(rows[i], rows[i + LANES / 2], 0);
            next[2 * i + 1] = gir_riffle_f64(rows[i], rows[i + LANES / 2], LANES / 2);
        }
        _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++) rows[i] = next[i];
    }
}
#endif

GIR_FUNCTION void gir_store_first_f64(real *p, vector x, size_t count) {
#ifdef GIR_AVX512
    gir_masked_store_f64(p, x, gir_first_of_f64(count));
#else /* masked stores are slow in AVX2 */
    if (count < LANES)
        for (size_t lane = 0; lane < count; lane++) p[lane] = x[lane];
    else
        __builtin_memcpy(p, &x, sizeof x);
#endif
}
/* @end */
#endif
