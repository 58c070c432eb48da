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

/* An elementary function over the first n of GIR_SPAN elements, in place; the elements behind
 * them, up to whole vectors, are overwritten. */
#define GIR_SPAN 64
#define GIR_MAP_f32(name)                                                                       \
    static __attribute__((unused, noinline)) void gir_map_##name##_f32(float *x, int64_t n) {   \
        for (; n % (2 * GIR_LANES); n++) x[n] = 1.0f;                                           \
        for (int64_t i = 0; i < n; i += 2 * GIR_LANES) {                                        \
            gir_pair v = {{gir_load_f32v(x + i), gir_load_f32v(x + i + GIR_LANES)}};            \
            v = gir_##name##_f32v2(v);                                                          \
            gir_store_f32v(x + i, v.v[0]);                                                      \
            gir_store_f32v(x + i + GIR_LANES, v.v[1]);                                          \
        }                                                                                       \
    }
#define GIR_MAP_f64(name)                                                                       \
    static __attribute__((unused, noinline)) void gir_map_##name##_f64(double *x, int64_t n) {  \
        for (; n % (GIR_LANES / 2); n++) x[n] = 1.0;                                            \
        for (int64_t i = 0; i < n; i += GIR_LANES / 2)                                          \
            gir_store_f64v(x + i, gir_##name##_f64v(gir_load_f64v(x + i)));                     \
    }
