/* What generated kernels call: integer arithmetic that wraps, casts that saturate, the maximum,
 * one NaN, folds of chunks, matrix products. Every function is the specification's, to the bit.
 */
#define gir_least_i32 ((int32_t)(-2147483647 - 1))
#define gir_least_i64 ((int64_t)(-9223372036854775807LL - 1))
#define gir_least_u32 0u

/* Integers: computed without a sign, where C wraps too. Counts of shifts are taken modulo the
 * width; shr of a signed type keeps the sign; idiv and mod floor, and by zero give 0 and the
 * dividend (IDIV-…, MOD-…). */
#define GIR_INTEGER(name, type, wide, width)                                                    \
    GIR_FUNCTION type gir_add_##name(type a, type b) { return (type)((wide)a + (wide)b); }      \
    GIR_FUNCTION type gir_mul_##name(type a, type b) { return (type)((wide)a * (wide)b); }      \
    GIR_FUNCTION type gir_max_##name(type a, type b) { return a > b ? a : b; }                  \
    GIR_FUNCTION type gir_shl_##name(type a, type n) {                                          \
        return (type)((wide)a << ((wide)n & (width - 1)));                                      \
    }                                                                                           \
    GIR_FUNCTION type gir_shr_##name(type a, type n) { return a >> ((wide)n & (width - 1)); }

GIR_INTEGER(i32, int32_t, uint32_t, 32)
GIR_INTEGER(i64, int64_t, uint64_t, 64)
GIR_INTEGER(u32, uint32_t, uint32_t, 32)

#define GIR_SIGNED_DIVISION(name, type)                                                         \
    GIR_FUNCTION type gir_idiv_##name(type a, type b) {                                         \
        if (b == 0) return 0;                                                                   \
        if (b == -1) return gir_mul_##name(a, -1);                                              \
        const type q = a / b;                                                                   \
        return q - (a % b != 0 && ((a < 0) != (b < 0)));                                        \
    }                                                                                           \
    GIR_FUNCTION type gir_mod_##name(type a, type b) {                                          \
        if (b == 0) return a;                                                                   \
        if (b == -1) return 0;                                                                  \
        const type m = a % b;                                                                   \
        return m != 0 && ((m < 0) != (b < 0)) ? m + b : m;                                      \
    }

GIR_SIGNED_DIVISION(i32, int32_t)
GIR_SIGNED_DIVISION(i64, int64_t)
GIR_FUNCTION uint32_t gir_idiv_u32(uint32_t a, uint32_t b) { return b ? a / b : 0; }
GIR_FUNCTION uint32_t gir_mod_u32(uint32_t a, uint32_t b) { return b ? a % b : a; }

/* NaN if either is NaN; +0.0 is larger than -0.0 (MAX-…). */
#define GIR_MAX(name, type)                                                                     \
    GIR_FUNCTION type gir_max_##name(type a, type b) {                                          \
        const type larger = a > b ? a : b;                                                      \
        const type zero = a + b;                                                                \
        return (a != a) | (b != b) ? zero : ((a == 0) & (b == 0) ? zero : larger);              \
    }
GIR_MAX(f32, float)
GIR_MAX(f64, double)

GIR_FUNCTION float gir_fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GIR_FUNCTION double gir_fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }

/* From float to integer: truncated, saturated, NaN gives 0 (CAST-…). The bounds are exact. */
#define GIR_CAST(from, real, to, type, low, beyond, least, most)                                \
    GIR_FUNCTION type gir_cast_##from##_##to(real x) {                                          \
        if (x != x) return 0;                                                                   \
        if (x < low) return least;                                                              \
        if (x >= beyond) return most;                                                           \
        return (type)x;                                                                         \
    }
GIR_CAST(f32, float, i32, int32_t, -0x1p31f, 0x1p31f, gir_least_i32, 2147483647)
GIR_CAST(f64, double, i32, int32_t, -0x1p31, 0x1p31, gir_least_i32, 2147483647)
GIR_CAST(f32, float, i64, int64_t, -0x1p63f, 0x1p63f, gir_least_i64, 9223372036854775807LL)
GIR_CAST(f64, double, i64, int64_t, -0x1p63, 0x1p63, gir_least_i64, 9223372036854775807LL)
GIR_CAST(f32, float, u32, uint32_t, 0.0f, 0x1p32f, 0, 4294967295u)
GIR_CAST(f64, double, u32, uint32_t, 0.0, 0x1p32, 0, 4294967295u)

/* The same bits as another type; a NaN is made canonical on the way in and out. */
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

/* The results of chunks, folded as they come by the rules for their number (FOLD-…): up to 32 a
 * left fold, up to 4096 in lanes, more in chunks again, one level up. 2^40 elements are four
 * levels. */
#define GIR_LEVELS 4
#define GIR_FOLDER(name, type)                                                                  \
    typedef struct {                                                                            \
        int64_t total[GIR_LEVELS]; /* results at this level */                                  \
        int64_t left[GIR_LEVELS];  /* of them, those that are still to come */                  \
        int64_t taken[GIR_LEVELS]; /* of the chunk that is open */                              \
        type lane[GIR_LEVELS][32];                                                              \
    } gir_folder_##name;
GIR_FOLDER(f32, float)
GIR_FOLDER(f64, double)

#define GIR_FOLD(op, name, type, identity, combine)                                             \
    GIR_FUNCTION void gir_fold_begin_##op##_##name(gir_folder_##name *f, int64_t count) {       \
        for (int level = 0; level < GIR_LEVELS; level++) {                                      \
            count = count > 4096 ? (count + 4095) / 4096 : 1;                                   \
            f->total[level] = f->left[level] = count;                                           \
            f->taken[level] = 0;                                                                \
        }                                                                                       \
    }                                                                                           \
    static __attribute__((unused)) void gir_fold_push_##op##_##name(gir_folder_##name *f,       \
                                                                    type x) {                   \
        for (int level = 0; level < GIR_LEVELS; level++) {                                      \
            type *lane = f->lane[level];                                                        \
            if (f->total[level] == 1) {                                                         \
                lane[0] = x;                                                                    \
                return;                                                                         \
            }                                                                                   \
            const int64_t open = f->left[level] + f->taken[level];                              \
            const int64_t chunk = open < 4096 ? open : 4096;                                    \
            if (f->taken[level] == 0)                                                           \
                for (int l = 0; l < 32; l++) lane[l] = identity;                                \
            type *into = lane + (chunk > 32 ? f->taken[level] % 32 : 0);                        \
            *into = combine(*into, x);                                                          \
            f->left[level]--;                                                                   \
            if (++f->taken[level] < chunk) return;                                              \
            if (chunk > 32)                                                                     \
                for (int h = 16; h > 0; h /= 2)                                                 \
                    for (int l = 0; l < h; l++) lane[l] = combine(lane[l], lane[l + h]);        \
            if (f->total[level] <= 4096) return;                                                \
            f->taken[level] = 0;                                                                \
            x = lane[0];                                                                        \
        }                                                                                       \
    }                                                                                           \
    GIR_FUNCTION type gir_fold_end_##op##_##name(const gir_folder_##name *f) {                  \
        int top = 0;                                                                            \
        while (f->total[top] > 4096) top++;                                                     \
        return f->lane[top][0];                                                                 \
    }
#define GIR_PLUS(a, b) ((a) + (b))
#define GIR_TIMES(a, b) ((a) * (b))
GIR_FOLD(add, f32, float, 0.0f, GIR_PLUS)
GIR_FOLD(mul, f32, float, 1.0f, GIR_TIMES)
GIR_FOLD(add, f64, double, 0.0, GIR_PLUS)
GIR_FOLD(mul, f64, double, 1.0, GIR_TIMES)

/* Matrix products: k ascending in blocks of 512, each an fma chain from +0.0, the blocks' results
 * added left to right (MATMUL-…). A row of the result at a time, so that columns are the lanes. */
#define GIR_MATMUL(name, type, fma)                                                             \
    static __attribute__((unused)) void gir_matmul_##name(                                      \
        type *restrict c, const type *restrict a, const type *restrict b, int64_t batch,        \
        int64_t rows, int64_t inner, int64_t columns) {                                         \
        for (int64_t at = 0; at < batch * rows; at++) {                                         \
            const type *restrict left = a + at * inner;                                         \
            const type *restrict right = b + at / (rows ? rows : 1) * inner * columns;          \
            type *restrict out = c + at * columns;                                              \
            for (int64_t j = 0; j < columns; j++) out[j] = 0;                                   \
            for (int64_t first = 0; first < inner; first += 512) {                              \
                const int64_t stop = first + 512 < inner ? first + 512 : inner;                 \
                for (int64_t j0 = 0; j0 < columns; j0 += 64) {                                  \
                    const int64_t n = columns - j0 < 64 ? columns - j0 : 64;                    \
                    type sum[64] = {0};                                                         \
                    for (int64_t k = first; k < stop; k++)                                      \
                        for (int64_t j = 0; j < n; j++)                                         \
                            sum[j] = fma(left[k], right[k * columns + j0 + j], sum[j]);         \
                    for (int64_t j = 0; j < n; j++)                                             \
                        out[j0 + j] = first ? out[j0 + j] + sum[j] : sum[j];                    \
                }                                                                               \
            }                                                                                   \
        }                                                                                       \
    }
GIR_MATMUL(f32, float, gir_fma_f32)
GIR_MATMUL(f64, double, gir_fma_f64)
#define GIR_MULTIPLY_ADD_i32(a, b, c) gir_add_i32(gir_mul_i32(a, b), c)
#define GIR_MULTIPLY_ADD_i64(a, b, c) gir_add_i64(gir_mul_i64(a, b), c)
#define GIR_MULTIPLY_ADD_u32(a, b, c) ((a) * (b) + (c))
GIR_MATMUL(i32, int32_t, GIR_MULTIPLY_ADD_i32)
GIR_MATMUL(i64, int64_t, GIR_MULTIPLY_ADD_i64)
GIR_MATMUL(u32, uint32_t, GIR_MULTIPLY_ADD_u32)
