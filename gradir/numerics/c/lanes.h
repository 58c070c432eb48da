/* @needs base vec
 *
 * The first lanes of a vector in memory, and a square of vectors turned.
 *
 * gir_first_of_f32(count) names the first `count` lanes (all from GIR_LANES on), likewise f64.
 * gir_load_first_f32 reads those, the others are 0; so does gir_load_up_to_f32(p, count);
 * of gir_load_some_f32(p, count) the others are 1, on every processor;
 * gir_store_first_f32 writes `count` of them.
 * No other memory is touched.
 * gir_turn_f32 makes LANES rows into columns; gir_columns_f32 makes some columns, GIR_PIECE(float),
 * of rows in memory, with less to do for each.
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
/* What registers exchange within 16 bytes alone, and vectors put together of 16 bytes each. */
typedef float gir_piece_f32 __attribute__((vector_size(16), aligned(4)));
typedef double gir_piece_f64 __attribute__((vector_size(16), aligned(8)));
#define GIR_PIECE(real) (16 / sizeof(real))
#define GIR_PIECES (GIR_LANES / 4)
#define GIR_BOTH_2(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3)
#define GIR_BOTH_4(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7)
#define GIR_BOTH_8(x, y)                                                                        \
    __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#ifdef GIR_AVX512
#define gir_joined_f32(p) GIR_BOTH_8(GIR_BOTH_4(p[0], p[1]), GIR_BOTH_4(p[2], p[3]))
#define gir_joined_f64(p) GIR_BOTH_4(GIR_BOTH_2(p[0], p[1]), GIR_BOTH_2(p[2], p[3]))
#define gir_pairs(x, y, k)                                                                      \
    __builtin_shufflevector(x, y, k, 8 + k, 2 + k, 10 + k, 4 + k, 12 + k, 6 + k, 14 + k)
#define gir_alternate(x, y, k)                                                                  \
    __builtin_shufflevector(x, y, k, 16 + k, 1 + k, 17 + k, 4 + k, 20 + k, 5 + k, 21 + k,       \
                            8 + k, 24 + k, 9 + k, 25 + k, 12 + k, 28 + k, 13 + k, 29 + k)
#else
#define gir_joined_f32(p) GIR_BOTH_4(p[0], p[1])
#define gir_joined_f64(p) GIR_BOTH_2(p[0], p[1])
#define gir_pairs(x, y, k) __builtin_shufflevector(x, y, k, 4 + k, 2 + k, 6 + k)
#define gir_alternate(x, y, k)                                                                  \
    __builtin_shufflevector(x, y, k, 8 + k, 1 + k, 9 + k, 4 + k, 12 + k, 5 + k, 13 + k)
#endif
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
#define gir_masked_load_over_f32(p, x, first) __builtin_ia32_loadups512_mask(p, x, first)
#define gir_masked_load_over_f64(p, x, first) __builtin_ia32_loadupd512_mask(p, x, first)
#define gir_masked_load_f32(p, first) gir_masked_load_over_f32(p, (gir_vf){0}, first)
#define gir_masked_load_f64(p, first) gir_masked_load_over_f64(p, (gir_vd){0}, first)
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
#if GIR_MASKS
GIR_FUNCTION void gir_turn_pieces_f32(gir_vf x[4]) {
    gir_vd low[2], high[2];
    for (int i = 0; i < 2; i++) {
        low[i] = (gir_vd)gir_alternate(x[2 * i], x[2 * i + 1], 0);
        high[i] = (gir_vd)gir_alternate(x[2 * i], x[2 * i + 1], 2);
    }
    x[0] = (gir_vf)gir_pairs(low[0], low[1], 0);
    x[1] = (gir_vf)gir_pairs(low[0], low[1], 1);
    x[2] = (gir_vf)gir_pairs(high[0], high[1], 0);
    x[3] = (gir_vf)gir_pairs(high[0], high[1], 1);
}
GIR_FUNCTION void gir_turn_pieces_f64(gir_vd x[2]) {
    gir_vd low = gir_pairs(x[0], x[1], 0);
    x[1] = gir_pairs(x[0], x[1], 1);
    x[0] = low;
}
#endif
/* @for f32 f64 */
#if GIR_MASKS
/* LANES rows, `apart` elements from one another, of which the first few columns are asked for. */
GIR_FUNCTION void gir_columns_f64(vector columns[GIR_PIECE(real)], const real *rows, size_t apart) {
    _Pragma("GCC unroll 4") for (size_t i = 0; i < GIR_PIECE(real); i++) {
        gir_piece_f64 all[GIR_PIECES];
        _Pragma("GCC unroll 4") for (size_t p = 0; p < GIR_PIECES; p++) all[p] =
            *(const gir_piece_f64 *)(rows + (i + p * GIR_PIECE(real)) * apart);
        columns[i] = gir_joined_f64(all);
    }
    gir_turn_pieces_f64(columns);
}
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

GIR_FUNCTION vector gir_load_some_f64(const real *p, size_t count) {
    const gir_first_f64 first = gir_first_of_f64(count);
#ifdef GIR_AVX512
    return gir_masked_load_over_f64(p, gir_splat_f64(1), first);
#else
    const vector some = gir_masked_load_f64(p, first), ones = gir_splat_f64(1);
    return (vector)(((gir_vi)some & (gir_vi)first) | ((gir_vi)ones & ~(gir_vi)first));
#endif
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
#else
GIR_FUNCTION vector gir_load_some_f64(const real *p, size_t count) {
    vector some;
    for (size_t lane = 0; lane < LANES; lane++) some[lane] = lane < count ? p[lane] : 1;
    return some;
}
#endif

GIR_FUNCTION void gir_store_first_f64(real *p, vector x, size_t count) {
#ifdef GIR_AVX512
    gir_masked_store_f64(p, x, gir_first_of_f64(count));
#else /* masked stores are slow in AVX2 */
    if (count < LANES)
        _Pragma("GCC unroll 8") for (size_t lane = 0; lane < LANES - 1; lane++) {
            if (lane < count) p[lane] = x[lane];
        }
    else
        __builtin_memcpy(p, &x, sizeof x);
#endif
}
/* @end */
#endif
