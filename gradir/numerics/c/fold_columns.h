/* @needs base vec elementwise fold
 *
 * Sums and products of floats over the first axis, in the language's order (FOLD-1 … FOLD-6), and
 * maxima (FOLD-7).
 *
 * gir_fold_columns_add_f32(out, x, n, columns, apart)
 *                                        out[j] folds x[i*apart + j]; likewise mul and f64
 * gir_fold_left_columns_add_f32          order=left
 * gir_fold_columns_max_f32               maxima
 *
 * Memory is read along its rows, a few runs at once, which is what processors fetch ahead well.
 * Nothing is allocated: the lanes' sums take 120 KB of stack at most.
 */
#ifndef GIR_FOLD_COLUMNS_H
#define GIR_FOLD_COLUMNS_H

enum {
    GIR_COLUMNS_BYTES = 16384, /* of a row: that of 4096 columns of f32 */
    GIR_LANES_BYTES = 65536,   /* of 32 rows side by side */
    GIR_SHORT_BYTES = 4096,
    GIR_LONG_BYTES = 131072,
    GIR_NARROW = 64            /* columns of a fold of very many rows */
};

/* @for add_f32 mul_f32 add_f64 mul_f64 */
/* sum[j] takes x[j], x[step + j], …, of 1, 2 or 8 rows; a new sum begins with the identity. */
static __attribute__((noinline, unused)) void gir_columns_take_f64(real *sum, const real *x,
                                                                   size_t columns, ptrdiff_t step,
                                                                   int rows, int new) {
    typedef vector unaligned __attribute__((aligned(sizeof(real))));
    size_t j = 0;
    for (; j + LANES <= columns; j += LANES) {
        vector part = (real)IDENTITY - (vector){0};
        const real *next = x + j;
        if (!new) part = *(const unaligned *)(sum + j);
        part = part OP *(const unaligned *)next;
        if (rows > 1) part = part OP *(const unaligned *)(next + step);
        if (rows > 2)
            _Pragma("GCC unroll 8") for (int k = 2; k < 8; k++)
                part = part OP *(const unaligned *)(next + k * step);
        *(unaligned *)(sum + j) = part;
    }
    for (; j < columns; j++) {
        real part = new ? (real)IDENTITY : sum[j];
        for (int k = 0; k < rows; k++) part = part OP x[k * step + (ptrdiff_t)j];
        sum[j] = part;
    }
}

/* The left folds of n rows that are `step` elements from one another.  Eight runs of memory at once
 * spare the sums the way to the second cache; short rows that adjoin are one run already, to be
 * read in order where it is long. */
static __attribute__((unused)) void gir_columns_left_f64(real *out, const real *x, size_t n,
                                                         size_t columns, ptrdiff_t step) {
    size_t row = columns * sizeof(real);
    int eight = step != (ptrdiff_t)columns || row > GIR_SHORT_BYTES;
    size_t most = eight ? 8 : n * row > GIR_LONG_BYTES ? 1 : 2;
    if (!n)
        for (size_t j = 0; j < columns; j++) out[j] = IDENTITY;
    for (size_t i = 0; i < n;) {
        size_t rows = n - i >= most ? most : n - i >= 2 ? 2 : 1;
        gir_columns_take_f64(out, x + (ptrdiff_t)i * step, columns, step, (int)rows, i == 0);
        i += rows;
    }
}

/* FOLD-3 where rows follow one another: 32 of them are one run, which is added to the runs of all
 * lanes; and so is halving them, as lane l + h lies h rows behind lane l.  What the last vector of
 * a half writes too much has been read. */
static __attribute__((unused)) void gir_fold_adjoining_f64(real *out, const real *x, size_t n,
                                                           size_t columns) {
    typedef vector unaligned __attribute__((aligned(sizeof(real))));
    real lane[GIR_FOLD_LANES * columns] __attribute__((aligned(64)));
    size_t run = GIR_FOLD_LANES * columns, runs = n / GIR_FOLD_LANES;
    size_t left = n % GIR_FOLD_LANES * columns;
    gir_columns_left_f64(lane, x, runs, run, (ptrdiff_t)run);
    x += runs * run;
#if GIR_MASKS && IDENTITY == 0 /* the last vector of them, as in gir_lanes_take_f64 */
    size_t few = left % LANES;
    left -= few;
    vector *last = (vector *)(lane + left);
    if (few) *last = *last OP LOAD_UP_TO(x + left, few);
#endif
    gir_columns_take_f64(lane, x, left, 0, 1, 0);
    for (size_t half = run / 2; half >= columns; half /= 2)
        if (2 * half <= LANES) /* parts of a vector that has just been written */
            for (size_t j = 0; j < half; j++) lane[j] = lane[j] OP lane[half + j];
        else
            for (size_t j = 0; j < half; j += LANES)
                *(unaligned *)(lane + j) =
                    *(unaligned *)(lane + j) OP *(unaligned *)(lane + half + j);
    for (size_t j = 0; j < columns; j++) out[j] = lane[j];
}

/* FOLD-3 for rows anywhere, lane by lane in the order 0 16 8 24 4 … that lets two neighbours be
 * added as soon as both are there: the sums that wait are at most one of each half. */
static __attribute__((unused)) void gir_fold_apart_f64(real *out, const real *x, size_t n,
                                                       size_t columns, ptrdiff_t apart) {
    real waiting[6][columns] __attribute__((aligned(64)));
    int count = 0;
    for (unsigned turn = 0; turn < GIR_FOLD_LANES; turn++) {
        size_t lane = 0, rows;
        for (int bit = 0; bit < 5; bit++) lane |= (turn >> bit & 1u) << (4 - bit);
        rows = (n - lane + GIR_FOLD_LANES - 1) / GIR_FOLD_LANES;
        gir_columns_left_f64(waiting[count++], x + (ptrdiff_t)lane * apart, rows, columns,
                             GIR_FOLD_LANES * apart);
        for (unsigned pairs = turn; pairs & 1u; pairs >>= 1) {
            count--;
            gir_columns_take_f64(waiting[count - 1], waiting[count], columns, 0, 1, 0);
        }
    }
    for (size_t j = 0; j < columns; j++) out[j] = waiting[0][j];
}

/* FOLD-2 and FOLD-3: n <= 4096. */
GIR_FUNCTION void gir_fold_chunk_columns_f64(real *out, const real *x, size_t n, size_t columns,
                                             ptrdiff_t apart) {
    if (n <= GIR_FOLD_LANES)
        gir_columns_left_f64(out, x, n, columns, apart);
    else if (apart == (ptrdiff_t)columns &&
             columns <= GIR_LANES_BYTES / GIR_FOLD_LANES / sizeof(real))
        gir_fold_adjoining_f64(out, x, n, columns);
    else
        gir_fold_apart_f64(out, x, n, columns, apart);
}

/* The chunks' results are few: one left fold. */
static __attribute__((unused)) void gir_fold_few_chunks_f64(real *out, const real *x, size_t n,
                                                            size_t columns, ptrdiff_t apart) {
    real chunk[columns] __attribute__((aligned(64)));
    for (size_t j = 0; j < columns; j++) out[j] = IDENTITY;
    for (size_t i = 0; i < n; i += GIR_FOLD_CHUNK) {
        const real *first = x + (ptrdiff_t)i * apart;
        gir_fold_chunk_columns_f64(chunk, first, gir_chunk_length(i, n), columns, apart);
        gir_columns_take_f64(out, chunk, columns, 0, 1, 0);
    }
}

/* The levels above the chunks, each of any number; as gir_levels, of up to GIR_NARROW columns. */
typedef struct {
    real lane[GIR_FOLD_LEVELS][GIR_FOLD_LANES][GIR_NARROW];
    size_t seen[GIR_FOLD_LEVELS], total[GIR_FOLD_LEVELS];
} gir_column_levels_f64;

GIR_FUNCTION void gir_column_levels_take_f64(gir_column_levels_f64 *s, real *x, size_t columns) {
    for (int level = 0; level < GIR_FOLD_LEVELS; level++) {
        size_t length = gir_chunk_length(s->seen[level], s->total[level]);
        size_t place = s->seen[level] % GIR_FOLD_CHUNK;
        real(*lane)[GIR_NARROW] = s->lane[level];
        if (!place)
            for (int l = 0; l < GIR_FOLD_LANES; l++)
                for (size_t j = 0; j < columns; j++) lane[l][j] = IDENTITY;
        real *own = lane[length > GIR_FOLD_LANES ? place % GIR_FOLD_LANES : 0];
        gir_columns_take_f64(own, x, columns, 0, 1, 0);
        s->seen[level]++;
        if (place + 1 < length) return;
        for (int h = length > GIR_FOLD_LANES ? GIR_FOLD_LANES / 2 : 0; h; h /= 2)
            for (int l = 0; l < h; l++)
                gir_columns_take_f64(lane[l], lane[l + h], columns, 0, 1, 0);
        for (size_t j = 0; j < columns; j++) x[j] = lane[0][j];
        if (s->total[level] <= GIR_FOLD_CHUNK) return;
    }
}

static __attribute__((unused)) void gir_fold_many_chunks_f64(real *out, const real *x, size_t n,
                                                             size_t columns, ptrdiff_t apart) {
    gir_column_levels_f64 levels;
    size_t chunks = (n + GIR_FOLD_CHUNK - 1) / GIR_FOLD_CHUNK;
    for (int level = 0; level < GIR_FOLD_LEVELS; level++) {
        levels.seen[level] = 0;
        levels.total[level] = chunks;
        chunks = (chunks + GIR_FOLD_CHUNK - 1) / GIR_FOLD_CHUNK;
    }
    for (size_t i = 0; i < n; i += GIR_FOLD_CHUNK) { /* the last round leaves the result in out */
        const real *first = x + (ptrdiff_t)i * apart;
        gir_fold_chunk_columns_f64(out, first, gir_chunk_length(i, n), columns, apart);
        gir_column_levels_take_f64(&levels, out, columns);
    }
}

/* Inlined, so that what no known size needs is not compiled. */
GIR_FUNCTION void gir_fold_columns_f64(real *out, const real *x, size_t n, size_t columns,
                                       ptrdiff_t apart) {
    int few = n <= GIR_FOLD_LANES * GIR_FOLD_CHUNK;
    size_t most = few ? GIR_COLUMNS_BYTES / sizeof(real) : GIR_NARROW;
    for (size_t j = 0; j < columns; j += most) {
        size_t width = columns - j < most ? columns - j : most;
        if (n <= GIR_FOLD_CHUNK)
            gir_fold_chunk_columns_f64(out + j, x + j, n, width, apart);
        else if (few)
            gir_fold_few_chunks_f64(out + j, x + j, n, width, apart);
        else
            gir_fold_many_chunks_f64(out + j, x + j, n, width, apart);
    }
}

static __attribute__((unused)) void gir_fold_left_columns_f64(real *out, const real *x, size_t n,
                                                              size_t columns, ptrdiff_t apart) {
    const size_t most = GIR_COLUMNS_BYTES / sizeof(real);
    for (size_t j = 0; j < columns; j += most) {
        size_t width = columns - j < most ? columns - j : most;
        gir_columns_left_f64(out + j, x + j, n, width, apart);
    }
}
/* @end */

/* @for f32 f64 */
/* best[j] takes row after row; of up to 4 at once. */
static __attribute__((noinline, unused)) void gir_columns_max_f64(real *best, const real *x,
                                                                  size_t n, size_t columns,
                                                                  ptrdiff_t apart) {
    typedef vector unaligned __attribute__((aligned(sizeof(real))));
    for (size_t i = 0, rows; i < n; i += rows, x += (ptrdiff_t)rows * apart) {
        size_t j = 0;
        rows = n - i >= 4 ? 4 : 1;
        for (; j + LANES <= columns; j += LANES) {
            vector most = gir_max_f64v(*(unaligned *)(best + j), *(const unaligned *)(x + j));
            if (rows > 1)
                _Pragma("GCC unroll 4") for (int k = 1; k < 4; k++)
                    most = gir_max_f64v(most, *(const unaligned *)(x + k * apart + (ptrdiff_t)j));
            *(unaligned *)(best + j) = most;
        }
        for (; j < columns; j++)
            for (size_t k = 0; k < rows; k++)
                best[j] = gir_max_f64(best[j], x[(ptrdiff_t)k * apart + (ptrdiff_t)j]);
    }
}

/* Short rows that adjoin are folded as rows of 32 each, and what that gives as rows again. */
static __attribute__((unused)) void gir_fold_columns_max_f64(real *out, const real *x, size_t n,
                                                             size_t columns, ptrdiff_t apart) {
    const size_t most = GIR_COLUMNS_BYTES / sizeof(real);
    for (size_t j = 0; j < columns; j++) out[j] = -(real)GIR_INF_F64;
    if (columns < GIR_NARROW && apart == (ptrdiff_t)columns && n >= 2 * GIR_FOLD_LANES) {
        real wide[GIR_FOLD_LANES * GIR_NARROW] __attribute__((aligned(64)));
        const size_t run = GIR_FOLD_LANES * columns, runs = n / GIR_FOLD_LANES;
        for (size_t j = 0; j < run; j++) wide[j] = -(real)GIR_INF_F64;
        gir_columns_max_f64(wide, x, runs, run, (ptrdiff_t)run);
        gir_columns_max_f64(out, wide, GIR_FOLD_LANES, columns, apart);
        x += runs * run;
        n %= GIR_FOLD_LANES;
    }
    for (size_t j = 0; j < columns; j += most) {
        size_t width = columns - j < most ? columns - j : most;
        gir_columns_max_f64(out + j, x + j, n, width, apart);
    }
}
/* @end */
#endif
