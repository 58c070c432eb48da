/* @needs base vec fma lanes
 *
 * Products with at most GIR_FEW_ROWS rows, in the order of matmul.h, which calls them a block of
 * terms at a time.  The other operand is by far the larger one and is read once, where it lies.
 *
 * gir_few_streamed_f32(m, n, terms, a, a_row, a_col, b, b_row, c, c_row, c_col, first)
 * gir_few_turned_f32(m, n, terms, a, a_row, a_col, b, b_col, c, c_row, c_col, first)
 *     c[i*c_row + j*c_col] becomes, or if not `first` gains, the block's result; b's elements of
 *     a row, or of a column, lie side by side.  Likewise f64.
 */
#ifndef GIR_FEW_ROWS_H
#define GIR_FEW_ROWS_H

enum {
    GIR_FEW_ROWS = 4,
    GIR_FEW_TERMS = 4,  /* rows of b read together */
    GIR_FEW_SPAN = 4096, /* bytes of them, which stay in the first cache for all rows of a */
    GIR_FEW_APART = 1024 /* bytes between columns of which all multiples meet in few sets */
};

#if GIR_MASKS
/* @for f32 f64 */
/* A row's chains over n columns gain `some` terms; they begin at +0.0 with the first of all. */
GIR_FUNCTION void gir_few_terms_f64(int some, int first, size_t n, const real *a, ptrdiff_t a_col,
                                    const real *b, ptrdiff_t b_row, real *sums) {
    vector factors[GIR_FEW_TERMS];
    _Pragma("GCC unroll 4") for (int k = 0; k < some; k++) factors[k] = a[k * a_col] - (vector){0};
    for (size_t j = 0; j < n; j += LANES) {
        const gir_first_f64 lanes = gir_first_of_f64(n - j);
        vector acc = first ? (vector){0} : *(const vector *)(sums + j);
        _Pragma("GCC unroll 4") for (int k = 0; k < some; k++)
            acc = gir_fma_f64v(factors[k], gir_load_first_f64(b + k * b_row + j, lanes), acc);
        *(vector *)(sums + j) = acc;
    }
}

/* b's rows are runs of memory: vectors lie along them. */
static __attribute__((noinline, unused)) void gir_few_streamed_f64(
    size_t m, size_t n, size_t terms, const real *a, ptrdiff_t a_row, ptrdiff_t a_col,
    const real *b, ptrdiff_t b_row, real *c, ptrdiff_t c_row, ptrdiff_t c_col, int first) {
    enum { SPAN = GIR_FEW_SPAN / sizeof(real) };
    real sums[GIR_FEW_ROWS][SPAN] __attribute__((aligned(64)));
    for (size_t j = 0; j < n; j += SPAN) {
        const size_t width = GIR_SMALLER(n - j, (size_t)SPAN);
        for (size_t k = 0; k < terms;) {
            const size_t some = terms - k < GIR_FEW_TERMS ? 1 : GIR_FEW_TERMS;
            const real *right = b + (ptrdiff_t)k * b_row + (ptrdiff_t)j;
            for (size_t i = 0; i < m; i++) {
                const real *left = a + (ptrdiff_t)i * a_row + (ptrdiff_t)k * a_col;
                if (some == 1)
                    gir_few_terms_f64(1, k == 0, width, left, a_col, right, b_row, sums[i]);
                else
                    gir_few_terms_f64(GIR_FEW_TERMS, k == 0, width, left, a_col, right, b_row,
                                      sums[i]);
            }
            k += some;
        }
        for (size_t i = 0; i < m; i++)
            for (size_t x = 0; x < width; x++) {
                real *place = c + (ptrdiff_t)i * c_row + (ptrdiff_t)(j + x) * c_col;
                *place = first ? sums[i][x] : *place + sums[i][x];
            }
    }
}

/* Chains of `vectors` vectors of columns gain `count` terms: column x is at b + x*b_col. */
GIR_FUNCTION void gir_few_gain_f64(int m, int vectors, size_t count, const real *a,
                                   ptrdiff_t a_row, ptrdiff_t a_col, const real *b, size_t b_col,
                                   vector acc[GIR_FEW_ROWS][2]) {
    vector right[2][GIR_PIECE(real)];
    _Pragma("GCC unroll 2") for (int v = 0; v < vectors; v++)
        gir_columns_f64(right[v], b + (size_t)v * LANES * b_col, b_col);
    _Pragma("GCC unroll 4") for (size_t k = 0; k < GIR_PIECE(real); k++) {
        if (k >= count) break;
        _Pragma("GCC unroll 4") for (int i = 0; i < m; i++) {
            const vector factor = a[i * a_row + (ptrdiff_t)k * a_col] - (vector){0};
            _Pragma("GCC unroll 2") for (int v = 0; v < vectors; v++)
                acc[i][v] = gir_fma_f64v(factor, right[v][k], acc[i][v]);
        }
    }
}

/* b's columns are runs: they are turned, so that a vector's lanes are columns. A group of `width`
 * columns; where vectors or pieces are not full, what is there is copied first. */
GIR_FUNCTION void gir_few_group_f64(int m, int vectors, size_t width, size_t terms, const real *a,
                                    ptrdiff_t a_row, ptrdiff_t a_col, const real *b,
                                    ptrdiff_t b_col, real *c, ptrdiff_t c_row, ptrdiff_t c_col,
                                    int first) {
    vector acc[GIR_FEW_ROWS][2];
    real some[2 * LANES * LANES] __attribute__((aligned(64)));
    size_t k = 0;
    _Pragma("GCC unroll 4") for (int i = 0; i < m; i++) acc[i][0] = acc[i][1] = (vector){0};
    if (width == (size_t)vectors * LANES)
        for (; k + GIR_PIECE(real) <= terms; k += GIR_PIECE(real))
            gir_few_gain_f64(m, vectors, GIR_PIECE(real), a + (ptrdiff_t)k * a_col, a_row, a_col,
                             b + k, (size_t)b_col, acc);
    for (; k < terms; k += GIR_PIECE(real)) {
        const size_t count = GIR_SMALLER(terms - k, (size_t)GIR_PIECE(real));
        for (size_t x = 0; x < (size_t)vectors * LANES; x++)
            *(vector *)(some + x * LANES) = gir_load_first_f64(
                b + (ptrdiff_t)GIR_SMALLER(x, width - 1) * b_col + k, gir_first_of_f64(count));
        gir_few_gain_f64(m, vectors, count, a + (ptrdiff_t)k * a_col, a_row, a_col,
                         some, LANES, acc);
    }
    for (size_t x = 0; x < width; x++, c += c_col)
        for (int i = 0; i < m; i++) {
            const real sum = acc[i][x / LANES][x % LANES];
            c[i * c_row] = first ? sum : c[i * c_row] + sum;
        }
}

/* Two vectors are two chains for a single row to wait for; but columns whose distance is a power
 * of two drive one another out of the cache, and then fewer of them are better. */
GIR_FUNCTION void gir_few_turned_f64(int m, size_t n, size_t terms, const real *a, ptrdiff_t a_row,
                                     ptrdiff_t a_col, const real *b, ptrdiff_t b_col, real *c,
                                     ptrdiff_t c_row, ptrdiff_t c_col, int first) {
    const int apart = m == 1 && b_col * (ptrdiff_t)sizeof(real) % GIR_FEW_APART;
    for (size_t j = 0; j < n;) {
        const real *right = b + (ptrdiff_t)j * b_col;
        real *place = c + (ptrdiff_t)j * c_col;
        size_t width = 2 * LANES;
        if (apart && n - j >= width)
            gir_few_group_f64(1, 2, width, terms, a, a_row, a_col, right, b_col, place, c_row,
                              c_col, first);
        else {
            width = GIR_SMALLER(n - j, LANES);
            gir_few_group_f64(m, 1, width, terms, a, a_row, a_col, right, b_col, place, c_row,
                              c_col, first);
        }
        j += width;
    }
}
/* @end */
#endif
#endif
