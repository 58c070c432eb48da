/* The C text's functions under plain names, for the tests; compiled behind the assembled text. */

#define EXPORT __attribute__((visibility("default")))

/* Elementary functions: arrays of one by one, of vectors, of pairs of vectors. */
#define FUNCTION(name)                                                                     \
    EXPORT void one_##name##_f32(float *out, const float *x, long n) {                     \
        for (long i = 0; i < n; i++) out[i] = gir_##name##_f32(x[i]);                      \
    }                                                                                      \
    EXPORT void vector_##name##_f32(float *out, const float *x, long n) {                  \
        for (long i = 0; i < n; i += GIR_LANES)                                            \
            gir_store_f32v(out + i, gir_##name##_f32v(gir_load_f32v(x + i)));              \
    }                                                                                      \
    EXPORT void pair_##name##_f32(float *out, const float *x, long n) {                    \
        for (long i = 0; i < n; i += 2 * GIR_LANES) {                                      \
            gir_pair p = {{gir_load_f32v(x + i), gir_load_f32v(x + i + GIR_LANES)}};       \
            p = gir_##name##_f32v2(p);                                                     \
            gir_store_f32v(out + i, p.v[0]);                                               \
            gir_store_f32v(out + i + GIR_LANES, p.v[1]);                                   \
        }                                                                                  \
    }                                                                                      \
    EXPORT void one_##name##_f64(double *out, const double *x, long n) {                   \
        for (long i = 0; i < n; i++) out[i] = gir_##name##_f64(x[i]);                      \
    }                                                                                      \
    EXPORT void vector_##name##_f64(double *out, const double *x, long n) {                \
        for (long i = 0; i < n; i += GIR_LANES / 2)                                        \
            gir_store_f64v(out + i, gir_##name##_f64v(gir_load_f64v(x + i)));              \
    }
FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tanh)
FUNCTION(erf)

/* Elementwise */
#define FLOATS(real, kind, vector, lanes)                                                       \
    EXPORT void max_##kind(real *out, const real *a, const real *b, long n) {                   \
        for (long i = 0; i < n; i++) out[i] = gir_max_##kind(a[i], b[i]);                       \
    }                                                                                           \
    EXPORT void vector_max_##kind(real *out, const real *a, const real *b, long n) {            \
        for (long i = 0; i < n; i += lanes)                                                     \
            gir_store_##kind##v(                                                                \
                out + i, gir_max_##kind##v(gir_load_##kind##v(a + i), gir_load_##kind##v(b + i))); \
    }                                                                                           \
    EXPORT void canonical_##kind(real *out, const real *a, long n) {                            \
        for (long i = 0; i < n; i++) out[i] = gir_canonical_##kind(a[i]);                       \
    }                                                                                           \
    EXPORT void fma_##kind(real *out, const real *a, const real *b, const real *c, long n) {    \
        for (long i = 0; i < n; i++) out[i] = gir_fma_##kind(a[i], b[i], c[i]);                 \
    }                                                                                           \
    EXPORT void soft_fma_##kind(real *out, const real *a, const real *b, const real *c, long n) { \
        for (long i = 0; i < n; i++) out[i] = gir_soft_fma_##kind(a[i], b[i], c[i]);            \
    }                                                                                           \
    EXPORT void vector_fma_##kind(real *out, const real *a, const real *b, const real *c,       \
                                  long n) {                                                     \
        for (long i = 0; i < n; i += lanes)                                                     \
            gir_store_##kind##v(out + i,                                                        \
                                gir_fma_##kind##v(gir_load_##kind##v(a + i),                    \
                                                  gir_load_##kind##v(b + i),                    \
                                                  gir_load_##kind##v(c + i)));                  \
    }                                                                                           \
    EXPORT void to_i32_##kind(int32_t *out, const real *a, long n) {                            \
        for (long i = 0; i < n; i++) out[i] = gir_##kind##_to_i32(a[i]);                        \
    }                                                                                           \
    EXPORT void to_i64_##kind(int64_t *out, const real *a, long n) {                            \
        for (long i = 0; i < n; i++) out[i] = gir_##kind##_to_i64(a[i]);                        \
    }                                                                                           \
    EXPORT void to_u32_##kind(uint32_t *out, const real *a, long n) {                           \
        for (long i = 0; i < n; i++) out[i] = gir_##kind##_to_u32(a[i]);                        \
    }
FLOATS(float, f32, gir_vf, GIR_LANES)
FLOATS(double, f64, gir_vd, GIR_LANES / 2)

#define BINARY(type, kind, name)                                                              \
    EXPORT void name##_##kind(type *out, const type *a, const type *b, long n) {              \
        for (long i = 0; i < n; i++) out[i] = gir_##name##_##kind(a[i], b[i]);                \
    }
#define INTEGERS(type, kind)                                                                  \
    BINARY(type, kind, idiv) BINARY(type, kind, mod) BINARY(type, kind, shl)                  \
    BINARY(type, kind, shr) BINARY(type, kind, add) BINARY(type, kind, mul)                   \
    BINARY(type, kind, max)
INTEGERS(int32_t, i32)
INTEGERS(int64_t, i64)
INTEGERS(uint32_t, u32)

/* Folds */
#define FOLDS(real, kind)                                                                       \
    EXPORT void fold_##kind(real *out, const real *x, long n) {                                 \
        *out = gir_fold_##kind(x, (size_t)n);                                                   \
    }                                                                                           \
    EXPORT void fold_chunks_##kind(real *out, const real *x, long n, long first, long last) {   \
        gir_fold_chunks_##kind(out, x, (size_t)n, (size_t)first, (size_t)last);                 \
    }                                                                                           \
    EXPORT void fold_strided_##kind(real *out, const real *x, long n, long step) {              \
        *out = gir_fold_strided_##kind(x, (size_t)n, step);                                     \
    }                                                                                           \
    EXPORT void fold_left_##kind(real *out, const real *x, long n, long step) {                 \
        *out = gir_fold_left_##kind(x, (size_t)n, step);                                        \
    }                                                                                           \
    EXPORT void fold_rows_##kind(real *out, const real *x, long rows, long n, long apart) {     \
        gir_fold_rows_##kind(out, x, (size_t)rows, (size_t)n, apart);                           \
    }                                                                                           \
    EXPORT void fold_columns_##kind(real *out, const real *x, long n, long columns, long apart) { \
        gir_fold_columns_##kind(out, x, (size_t)n, (size_t)columns, apart);                     \
    }                                                                                           \
    EXPORT void fold_left_rows_##kind(real *out, const real *x, long rows, long n, long apart) { \
        gir_fold_left_rows_##kind(out, x, (size_t)rows, (size_t)n, apart);                      \
    }                                                                                           \
    EXPORT void fold_left_columns_##kind(real *out, const real *x, long n, long columns,        \
                                         long apart) {                                          \
        gir_fold_left_columns_##kind(out, x, (size_t)n, (size_t)columns, apart);                \
    }
FOLDS(float, add_f32)
FOLDS(float, mul_f32)
FOLDS(double, add_f64)
FOLDS(double, mul_f64)

#define MORE(real, kind)                                                                        \
    EXPORT void fold_columns_max_##kind(real *out, const real *x, long n, long columns,         \
                                        long apart) {                                           \
        gir_fold_columns_max_##kind(out, x, (size_t)n, (size_t)columns, apart);                 \
    }                                                                                           \
    EXPORT void reduce_max_##kind(real *out, const real *x, long n, long step) {                \
        *out = gir_reduce_max_##kind(x, (size_t)n, step);                                       \
    }                                                                                           \
    EXPORT void matmul_##kind(real *c, const real *a, const real *b, const long *s) {           \
        static real room[GIR_MATMUL_ROOM] __attribute__((aligned(64)));                         \
        const int form = gir_form_##kind(s[0], s[1], s[2], s[3], s[6]);                         \
        gir_matmul_##kind(form, (size_t)s[0], (size_t)s[1], (size_t)s[2], a, s[3], s[4], b,     \
                          s[5], s[6], c, s[7], room);                                           \
    }                                                                                           \
    EXPORT void naive_matmul_##kind(real *c, const real *a, const real *b, const long *s) {     \
        for (long i = 0; i < s[0]; i++)                                                         \
            for (long j = 0; j < s[1]; j++) {                                                   \
                real total = 0;                                                                 \
                for (long block = 0; block < s[2]; block += 512) {                              \
                    real acc = 0;                                                               \
                    for (long k = block; k < s[2] && k < block + 512; k++)                      \
                        acc = gir_fma_##kind(a[i * s[3] + k * s[4]], b[k * s[5] + j * s[6]], acc); \
                    total = block ? total + acc : acc;                                          \
                }                                                                               \
                c[i * s[7] + j] = total;                                                        \
            }                                                                                   \
    }
MORE(float, f32)
MORE(double, f64)

#define SCATTER(type, kind)                                                                     \
    EXPORT void scatter_add_##kind(type *out, const int32_t *index32, const int64_t *index64,   \
                                   const type *values, long count, long width) {                \
        gir_scatter_add_##kind(out, index32, index64, values, (size_t)count, (size_t)width);    \
    }
SCATTER(float, f32)
SCATTER(double, f64)
SCATTER(uint32_t, i32)
SCATTER(uint64_t, i64)
SCATTER(uint32_t, u32)
EXPORT void bad_index_32(int64_t *out, const int32_t *index, long count, long size) {
    *out = (int64_t)gir_bad_index_32(index, (size_t)count, size);
}
EXPORT void bad_index_64(int64_t *out, const int64_t *index, long count, long size) {
    *out = (int64_t)gir_bad_index_64(index, (size_t)count, size);
}

/* Undefined for large x, on purpose: what a watched build must notice. */
EXPORT void doubled_signed(int32_t *out, const int32_t *x) {
    gir_vi v;
    __builtin_memcpy(&v, x, sizeof v);
    v = v + v;
    __builtin_memcpy(out, &v, sizeof v);
}

/* The mode: out = {right before, changed by entering, right inside, the halved least normal number
 * inside, right after leaving}, the mode first spoilt in one way if there is such a way. */
EXPORT void mode(int64_t *out, long spoilt) {
    uint64_t own, saved;
    gir_mode_enter(&own);
    volatile float least = 0x1p-126f, half = 0.5f;
#ifndef GIR_MODE_UNKNOWN
    gir_mode_write(gir_mode_read() ^ (uint64_t)spoilt);
#endif
    out[0] = gir_mode_ok();
    out[1] = gir_mode_enter(&saved);
    out[2] = gir_mode_ok();
    out[3] = gir_bits_f32(least * half);
    gir_mode_leave(saved);
    out[4] = gir_mode_ok();
    gir_mode_leave(own);
}
EXPORT void mode_now(int64_t *out) { *out = gir_mode_ok(); }
EXPORT void halved(float *out, const float *x, long guarded) {
    uint64_t saved = 0;
    if (guarded) gir_mode_enter(&saved);
    volatile float half = 0.5f;
    *out = *x * half;
    if (guarded) gir_mode_leave(saved);
}
