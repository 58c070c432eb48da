/* What generated kernels call beside the numerics: casts of bits, matrix products of integers and
 * in batches, elementary functions over short arrays. */
#define gir_least_i32 INT32_MIN
#define gir_least_i64 INT64_MIN
#define gir_least_u32 0u

/* The same bits as another type; a NaN is made canonical on the way in and out (BITCAST-…). */
#define GIR_BITCAST(from, a_type, to, b_type)                                                   \
    GIR_FUNCTION b_type gir_bitcast_##from##_##to(a_type a) {                                   \
        b_type b;                                                                               \
        a = gir_canonical_##from(a);                                                            \
        __builtin_memcpy(&b, &a, sizeof b);                                                     \
        return gir_canonical_##to(b);                                                           \
    }
#define gir_canonical_i32(x) (x)
#define gir_canonical_i64(x) (x)
#define gir_canonical_u32(x) (x)
GIR_BITCAST(f32, float, f32, float)
GIR_BITCAST(f32, float, i32, int32_t)
GIR_BITCAST(f32, float, u32, uint32_t)
GIR_BITCAST(i32, int32_t, f32, float)
GIR_BITCAST(i32, int32_t, i32, int32_t)
GIR_BITCAST(i32, int32_t, u32, uint32_t)
GIR_BITCAST(u32, uint32_t, f32, float)
GIR_BITCAST(u32, uint32_t, i32, int32_t)
GIR_BITCAST(u32, uint32_t, u32, uint32_t)
GIR_BITCAST(f64, double, f64, double)
GIR_BITCAST(f64, double, i64, int64_t)
GIR_BITCAST(i64, int64_t, f64, double)
GIR_BITCAST(i64, int64_t, i64, int64_t)

#define GIR_INTEGER_MATMUL(name, type)                                                          \
    static __attribute__((unused)) void gir_matmul_##name(                                      \
        size_t m, size_t n, size_t k, const type *a, ptrdiff_t a_row, ptrdiff_t a_col,          \
        const type *b, ptrdiff_t b_row, ptrdiff_t b_col, type *c, ptrdiff_t c_row) {            \
        for (size_t i = 0; i < m; i++)                                                          \
            for (size_t j = 0; j < n; j++) {                                                    \
                type sum = 0;                                                                   \
                for (size_t l = 0; l < k; l++)                                                  \
                    sum = gir_add_##name(                                                       \
                        sum, gir_mul_##name(a[(ptrdiff_t)i * a_row + (ptrdiff_t)l * a_col],     \
                                            b[(ptrdiff_t)l * b_row + (ptrdiff_t)j * b_col]));   \
                c[(ptrdiff_t)i * c_row + (ptrdiff_t)j] = sum;                                   \
            }                                                                                   \
    }
GIR_INTEGER_MATMUL(i32, int32_t)
GIR_INTEGER_MATMUL(i64, int64_t)
GIR_INTEGER_MATMUL(u32, uint32_t)

/* Before a loop of which no iteration reads what another one writes. clang's pragma for it would
 * read ahead of conditions too; it compares the pointers at run time instead. */
#if defined(__GNUC__) && !defined(__clang__)
#define GIR_APART _Pragma("GCC ivdep")
#define GIR_APART_SHORT _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#else
#define GIR_APART
#define GIR_APART_SHORT
#endif

/* Before a fold in one chain. */
#if defined(__GNUC__)
#define GIR_UNROLL _Pragma("GCC unroll 8")
#else
#define GIR_UNROLL
#endif

/* Where a matrix product packs its operands. */
#define GIR_ROOM(name, type)                                                                    \
    static __thread type gir_room_##name[GIR_MATMUL_ROOM]                                       \
        __attribute__((aligned(64), unused));

/* Memory that is larger than the caches: what is to be written is made in spans of so many
 * elements and goes past the caches, which would read it first; what is read is asked for four
 * spans ahead. The first span ends where a line does; memory that then lies otherwise is written
 * as any other. */
#define GIR_STREAM 128
#define GIR_LINES __attribute__((aligned(64)))
#if defined(GIR_AVX512) && !defined(__clang__)
#define GIR_STREAM_VECTOR(p, x) __builtin_ia32_movntps512(p, x)
#elif defined(GIR_AVX2) && !defined(__clang__)
#define GIR_STREAM_VECTOR(p, x) __builtin_ia32_movntps256(p, x)
#elif defined(__SSE__) && !defined(__clang__)
#define GIR_STREAM_VECTOR(p, x) __builtin_ia32_movntps(p, x)
#elif defined(__SSE__)
#define GIR_STREAM_VECTOR(p, x) __builtin_nontemporal_store(x, (gir_vf *)(p))
#endif
GIR_FUNCTION int64_t gir_span(const void *out, size_t size, int64_t left) {
    int64_t n = (int64_t)(-(uintptr_t)out % 64 / size);
    if (!n) n = GIR_STREAM;
    return n < left ? n : left;
}
GIR_FUNCTION void gir_stream(void *out, const void *x, size_t bytes) {
    size_t done = 0;
#ifdef GIR_STREAM_VECTOR
    if ((uintptr_t)out % 64 == 0)
        for (; done + 64 <= bytes; done += 64)
            for (size_t at = done; at < done + 64; at += sizeof(gir_vf))
                GIR_STREAM_VECTOR((float *)((char *)out + at),
                                  *(const gir_vf *)((const char *)x + at));
#endif
    __builtin_memcpy((char *)out + done, (const char *)x + done, bytes - done);
}
/* Behind the last of it: in the order of other writes again. */
GIR_FUNCTION void gir_streamed(void) {
#ifdef GIR_STREAM_VECTOR
    __builtin_ia32_sfence();
#endif
}
#define gir_ahead(x, n)                                                                         \
    for (size_t at = 0; at < (n) * sizeof *(x); at += 64)                                       \
        __builtin_prefetch((const char *)(x) + 4 * (n) * sizeof *(x) + at)

/* An elementary function over n elements; `out` may be x. A NaN it gives is the canonical one. */
#define GIR_SPAN 64
#define GIR_MAP_f32(name)                                                                       \
    static __attribute__((unused, noinline)) void gir_map_##name##_f32(                         \
        float *out, const float *x, int64_t n) {                                                \
        for (int64_t i = 0; i < n; i += 2 * GIR_LANES) {                                        \
            const int64_t left = n - i, more = left < GIR_LANES ? 0 : left - GIR_LANES;         \
            gir_pair v;                                                                         \
            v.v[0] = more ? gir_load_f32v(x + i) : gir_load_some_f32(x + i, left);              \
            v.v[1] = more < GIR_LANES ? gir_load_some_f32(x + i + GIR_LANES, more)              \
                                      : gir_load_f32v(x + i + GIR_LANES);                       \
            v = gir_##name##_f32v2(v);                                                          \
            if (GIR_UNLIKELY(gir_any_nan_f32v(v.v[0], v.v[1])))                                 \
                for (int k = 0; k < 2; k++) v.v[k] = gir_canonical_f32v(v.v[k]);                \
            if (more < GIR_LANES) {                                                             \
                gir_store_first_f32(out + i, v.v[0], left);                                     \
                gir_store_first_f32(out + i + GIR_LANES, v.v[1], more);                         \
            } else {                                                                            \
                gir_store_f32v(out + i, v.v[0]);                                                \
                gir_store_f32v(out + i + GIR_LANES, v.v[1]);                                    \
            }                                                                                   \
        }                                                                                       \
    }
#define GIR_MAP_f64(name)                                                                       \
    static __attribute__((unused, noinline)) void gir_map_##name##_f64(                         \
        double *out, const double *x, int64_t n) {                                              \
        for (int64_t i = 0; i < n; i += GIR_LANES / 2) {                                        \
            const int64_t left = n - i;                                                         \
            gir_vd v = gir_##name##_f64v(left < GIR_LANES / 2 ? gir_load_some_f64(x + i, left)  \
                                                              : gir_load_f64v(x + i));          \
            if (GIR_UNLIKELY(gir_any_nan_f64v(v, v))) v = gir_canonical_f64v(v);                \
            if (left < GIR_LANES / 2)                                                           \
                gir_store_first_f64(out + i, v, left);                                          \
            else                                                                                \
                gir_store_f64v(out + i, v);                                                     \
        }                                                                                       \
    }
