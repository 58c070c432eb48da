/* @needs base vec elementwise lanes
 *
 * Sums and products of floats in the language's order (FOLD-1 … FOLD-6), and maxima (FOLD-7).
 *
 * gir_fold_add_f32(x, n)                 n consecutive elements; likewise mul and f64
 * gir_fold_chunks_add_f32(out, x, n, first, last)
 *                                        the results of chunks first … last-1 of 4096 elements,
 *                                        for threads; fold `out` again for the whole
 * gir_fold_strided_add_f32(x, n, step)   elements `step` apart
 * gir_fold_rows_add_f32(out, x, rows, n, apart)
 *                                        each of `rows` rows, `apart` elements from one another
 * gir_fold_left_add_f32(x, n, step)      order=left; also …_left_rows_…
 * gir_reduce_max_f32(x, n, step)         in any order, since no order can matter
 *
 * Nothing is allocated: a fold of any length works in 2 KB of stack.
 */
#ifndef GIR_FOLD_H
#define GIR_FOLD_H

enum { GIR_FOLD_LANES = 32, GIR_FOLD_CHUNK = 4096, GIR_FOLD_LEVELS = 5 /* n < 2^60 */ };

/* Elements of the chunk that `position` lies in, of n in all. */
GIR_FUNCTION size_t gir_chunk_length(size_t position, size_t n) {
    size_t rest = n - position / GIR_FOLD_CHUNK * GIR_FOLD_CHUNK;
    return rest < GIR_FOLD_CHUNK ? rest : GIR_FOLD_CHUNK;
}

#if GIR_MASKS
#define gir_first_few_add_f32(x, n) gir_load_first_f32(x, gir_first_of_f32(n))
#define gir_first_few_add_f64(x, n) gir_load_first_f64(x, gir_first_of_f64(n))
#endif

/* @for add_f32 mul_f32 add_f64 mul_f64 */
/* FOLD-3's end: h = 16, 8, 4, 2, 1, lane l taking lane l + h. */
GIR_FUNCTION real gir_halved_f64(real *lane) {
    for (int h = GIR_FOLD_LANES / 2; h; h /= 2)
        for (int l = 0; l < h; l++) lane[l] = lane[l] OP lane[l + h];
    return lane[0];
}

/* FOLD-2 and FOLD-3: n <= 4096 consecutive elements. */
GIR_FUNCTION real gir_fold_chunk_f64(const real *x, size_t n) {
    if (n <= GIR_FOLD_LANES) {
        real sum = IDENTITY;
        for (size_t i = 0; i < n; i++) sum = sum OP x[i];
        return sum;
    }
    enum { VECTORS = GIR_FOLD_LANES / LANES };
    typedef vector unaligned __attribute__((aligned(sizeof(real))));
    vector part[VECTORS];
    for (int v = 0; v < VECTORS; v++) part[v] = (real)IDENTITY - (vector){0};
    size_t i = 0;
    for (; i + GIR_FOLD_LANES <= n; i += GIR_FOLD_LANES)
        _Pragma("GCC unroll 16") for (int v = 0; v < VECTORS; v++)
            part[v] = part[v] OP *(const unaligned *)(x + i + v * LANES);
#if GIR_MASKS && IDENTITY == 0 /* a lane that began with +0.0 is never -0.0: it may take a 0 */
    _Pragma("GCC unroll 16") for (int v = 0; v < VECTORS; v++, i += LANES) if (i < n)
        part[v] = part[v] OP gir_first_few_f64(x + i, n - i);
#endif
    real lane[GIR_FOLD_LANES];
    __builtin_memcpy(lane, part, sizeof part);
    for (int l = 0; i + (size_t)l < n; l++) lane[l] = lane[l] OP x[i + (size_t)l];
    return gir_halved_f64(lane);
}

/* A fold whose elements come one by one: the chunks' results of all levels of FOLD-4. */
typedef struct {
    real lane[GIR_FOLD_LEVELS][GIR_FOLD_LANES];
    size_t seen[GIR_FOLD_LEVELS], total[GIR_FOLD_LEVELS];
} gir_levels_f64;

GIR_FUNCTION void gir_levels_start_f64(gir_levels_f64 *s, size_t n) {
    for (int level = 0; level < GIR_FOLD_LEVELS; level++) {
        s->seen[level] = 0;
        s->total[level] = n;
        n = (n + GIR_FOLD_CHUNK - 1) / GIR_FOLD_CHUNK;
    }
}

/* Takes the next of the n elements; *result is set with the last. */
static __attribute__((unused)) void gir_levels_take_f64(gir_levels_f64 *s, real x, real *result) {
    for (int level = 0; level < GIR_FOLD_LEVELS; level++) {
        size_t length = gir_chunk_length(s->seen[level], s->total[level]);
        size_t place = s->seen[level] % GIR_FOLD_CHUNK;
        real *lane = s->lane[level];
        if (!place)
            for (int l = 0; l < GIR_FOLD_LANES; l++) lane[l] = IDENTITY;
        real *own = lane + (length > GIR_FOLD_LANES ? place % GIR_FOLD_LANES : 0);
        *own = *own OP x;
        s->seen[level]++;
        if (place + 1 < length) return;
        x = length > GIR_FOLD_LANES ? gir_halved_f64(lane) : lane[0];
        if (s->total[level] <= GIR_FOLD_CHUNK) {
            *result = x;
            return;
        }
    }
}

static __attribute__((unused)) real gir_fold_f64(const real *x, size_t n) {
    if (n <= GIR_FOLD_CHUNK) return gir_fold_chunk_f64(x, n);
    gir_levels_f64 levels;
    real result = IDENTITY;
    gir_levels_start_f64(&levels, (n + GIR_FOLD_CHUNK - 1) / GIR_FOLD_CHUNK);
    for (size_t i = 0; i < n; i += GIR_FOLD_CHUNK)
        gir_levels_take_f64(&levels, gir_fold_chunk_f64(x + i, gir_chunk_length(i, n)), &result);
    return result;
}

static __attribute__((unused)) void gir_fold_chunks_f64(real *out, const real *x, size_t n,
                                                        size_t first, size_t last) {
    for (size_t c = first; c < last; c++) {
        size_t i = c * GIR_FOLD_CHUNK;
        out[c] = gir_fold_chunk_f64(x + i, gir_chunk_length(i, n));
    }
}

static __attribute__((unused)) real gir_fold_strided_f64(const real *x, size_t n, ptrdiff_t step) {
    gir_levels_f64 levels;
    real result = IDENTITY;
    gir_levels_start_f64(&levels, n);
    for (size_t i = 0; i < n; i++) gir_levels_take_f64(&levels, x[(ptrdiff_t)i * step], &result);
    return result;
}

/* One left fold (FOLD-5). */
static __attribute__((unused)) real gir_fold_left_f64(const real *x, size_t n, ptrdiff_t step) {
    real sum = IDENTITY;
    for (size_t i = 0; i < n; i++) sum = sum OP x[(ptrdiff_t)i * step];
    return sum;
}

/* Eight chains at once, or the chain's latency would be all the time there is. */
static __attribute__((unused)) void gir_fold_left_rows_f64(real *out, const real *x, size_t rows,
                                                           size_t n, ptrdiff_t apart) {
    size_t r = 0;
    for (; r + 8 <= rows; r += 8) {
        real sum[8];
        for (int k = 0; k < 8; k++) sum[k] = IDENTITY;
        for (size_t i = 0; i < n; i++)
            _Pragma("GCC unroll 8") for (int k = 0; k < 8; k++)
                sum[k] = sum[k] OP x[(ptrdiff_t)(r + (size_t)k) * apart + (ptrdiff_t)i];
        for (int k = 0; k < 8; k++) out[r + (size_t)k] = sum[k];
    }
    for (; r < rows; r++) out[r] = gir_fold_left_f64(x + (ptrdiff_t)r * apart, n, 1);
}

static __attribute__((unused)) void gir_fold_rows_f64(real *out, const real *x, size_t rows,
                                                      size_t n, ptrdiff_t apart) {
    if (n <= GIR_FOLD_LANES) {
        gir_fold_left_rows_f64(out, x, rows, n, apart);
        return;
    }
    for (size_t r = 0; r < rows; r++) out[r] = gir_fold_f64(x + (ptrdiff_t)r * apart, n);
}
/* @end */

/* @for f32 f64 */
/* The largest of n >= vectors * LANES elements, one after the other.  A NaN stays in a sum: where
 * that is none there is none; and only where the largest is a zero has it a sign to be found. */
GIR_FUNCTION real gir_max_of_run_f64(const real *x, size_t n, const size_t vectors) {
    typedef vector unaligned __attribute__((aligned(sizeof(real))));
    const size_t block = vectors * LANES;
    vector part[4], sum[4];
    _Pragma("GCC unroll 4") for (size_t v = 0; v < vectors; v++)
        sum[v] = part[v] = *(const unaligned *)(x + v * LANES);
    for (size_t i = block; i < n; i += block) {
        const real *here = x + (i + block <= n ? i : n - block); /* the last may overlap */
        _Pragma("GCC unroll 4") for (size_t v = 0; v < vectors; v++) {
            vector next = *(const unaligned *)(here + v * LANES);
            part[v] = gir_larger_f64v(part[v], next);
            sum[v] = sum[v] + next;
        }
    }
    _Pragma("GCC unroll 4") for (size_t v = 1; v < vectors; v++) {
        part[0] = gir_larger_f64v(part[0], part[v]);
        sum[0] = sum[0] + sum[v];
    }
    real lane[LANES], all[LANES], total = 0;
    __builtin_memcpy(lane, part, sizeof lane);
    __builtin_memcpy(all, sum, sizeof all);
    real best = lane[0];
    for (int l = 0; l < LANES; l++) {
        best = lane[l] > best ? lane[l] : best;
        total = total + all[l];
    }
    for (size_t i = 0; total != total && i < n; i++)
        if (x[i] != x[i]) return x[i];
    if (best != 0) return best;
    for (size_t i = 0; i < n; i++)
        if (gir_bits_f64(x[i]) == 0) return 0;
    return -(real)0;
}

/* FOLD-7 over n elements `step` apart; no elements give -inf. */
static __attribute__((unused)) real gir_reduce_max_f64(const real *x, size_t n, ptrdiff_t step) {
    if (step == 1 && n >= 4 * LANES) return gir_max_of_run_f64(x, n, 4);
    if (step == 1 && n >= LANES) return gir_max_of_run_f64(x, n, 1);
    real best = -(real)GIR_INF_F64;
    for (size_t i = 0; i < n; i++) best = gir_max_f64(best, x[(ptrdiff_t)i * step]);
    return best;
}
/* @end */
#endif
