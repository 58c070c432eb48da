/* @needs base vec fma lanes few_rows
 *
 * Matrix products in the language's order (MATMUL-1 … MATMUL-5): k ascending in blocks of 512, in
 * a block acc = fma(a, b, acc) from +0.0, the blocks' results added left to right from the first.
 *
 * gir_matmul_f32(form, m, n, k, a, a_row, a_col, b, b_row, b_col, c, c_row, room)
 *     c[i*c_row + j] = the product's element; a and b are read at i*a_row + k*a_col, so transposed
 *     operands are strides, of which one is 1.  `room` is GIR_MATMUL_ROOM elements, aligned to 64
 *     bytes.
 *     Several threads may each do some rows of c, with a room of their own.  `form` is
 *     gir_form_f32(m, n, k, a_row, b_col) of the whole product.  Likewise f64.
 *
 * A tile of ROWS x 2 vectors of c stays in registers for a whole block: 8x32 (AVX-512), 6x16
 * (AVX2), f64 half as wide.  The panel of b is packed, ROWS rows of a likewise; what fills up
 * either touches no element that is kept.  Small operands stay where they lie, but for a b whose
 * columns are apart.
 *
 * Every element is a chain of its own, so vectors may run down the rows of c as well: where c is
 * narrow, b is taken for the left operand and a for the right one.  Where c has a few rows or
 * columns only, the larger operand is not packed but read once (few_rows.h).
 *
 * A text whose products all have known sizes may define gir_products_f32 (gir_products_f64) as the
 * union of their GIR_TILES: then no other tiles are compiled, and a product that needs one traps.
 * gir_product_f32 states a product's sizes, and that its tiles are there.
 */
#ifndef GIR_MATMUL_H
#define GIR_MATMUL_H

/* GIR_MATMUL_ROWS of a are packed at a time, half as many f64: half of the second cache. */
#ifdef GIR_AVX512
#define GIR_TILE_ROWS 8
#define GIR_MATMUL_ROWS 256
#else
#define GIR_TILE_ROWS 6
#define GIR_MATMUL_ROWS 144
#endif
enum {
    GIR_MATMUL_BLOCK = 512,
    GIR_MATMUL_COLUMNS = 2048,            /* of b, likewise */
    GIR_MATMUL_LOOSE = 1 << 19,           /* bytes of b that need no packing */
    GIR_MATMUL_ROOM = (GIR_MATMUL_ROWS + GIR_MATMUL_COLUMNS + 2 * GIR_LANES) * GIR_MATMUL_BLOCK,
};

#ifndef GIR_MISSING
#define GIR_MISSING(tile) __builtin_trap()
#endif

/* Whether vectors run down the rows of c; arguments are signed.  LANES rows and a term then take n
 * operations instead of LANES, and some more to turn a's elements where rows are apart; and each
 * element of c is written by itself. */
#define GIR_TURNING(lanes) (!GIR_MASKS ? (lanes) : (lanes) > 8 ? 6 : (lanes) > 4 ? 5 : 4)
#define GIR_ACROSS(m, n, k, a_row, lanes)                                                        \
    (0 < (n) && (n) < (lanes) && (lanes) < (m) &&                                                \
     GIR_SMALLER(k, GIR_MATMUL_BLOCK) *                                                          \
             ((n) + ((a_row) == 1 ? 0 : GIR_TURNING(lanes)) - (lanes)) <                         \
         (lanes) * (2 - (n)))
/* Of n < 2 ROWS rows those of a tile. */
#define GIR_EVEN_ROWS(n) ((n) <= GIR_TILE_ROWS ? (n) : ((n) + 1) / 2)

/* The tiles of a product of m x n by k terms whose a has rows a_row apart and whose b has columns
 * b_col apart, or of some groups of GIR_TILE_ROWS of its rows: a bit for each height and width at
 * the edges, and four more. */
#define GIR_EDGE_TILE(height, width, lanes) (1 << ((height) * 2 + ((width) <= (lanes))))
enum {
    GIR_LOOSE_TILE = 1 << 20,
    GIR_WHOLE_TILE = 1 << 21,
    GIR_PACKED = 1 << 22,
    GIR_TURNED = GIR_MASKS << 23,
    GIR_FEW_STREAMED = GIR_MASKS << 24,
};
#define GIR_FEW_TURNED(m) (GIR_MASKS << (24 + (m)))
enum { GIR_IS_ALONG, GIR_IS_ACROSS, GIR_IS_FEW_ALONG, GIR_IS_FEW_ACROSS };
#define GIR_SPREAD(n, k, lanes)                                                                  \
    (GIR_SMALLER(n, GIR_MATMUL_COLUMNS * (lanes) / GIR_LANES) *                                  \
         GIR_SMALLER(k, GIR_MATMUL_BLOCK) * (4 * GIR_LANES / (lanes)) >                          \
     GIR_MATMUL_LOOSE)
#define GIR_FEW(m, n, k, b_col, lanes)                                                           \
    (GIR_MASKS && 0 < (m) && (m) <= GIR_FEW_ROWS && (n) >= (lanes) &&                            \
     ((b_col) != 1 || GIR_SPREAD(n, k, lanes)))
#define GIR_FORM(m, n, k, a_row, b_col, lanes)                                                   \
    (GIR_FEW(m, n, k, b_col, lanes)      ? GIR_IS_FEW_ALONG                                      \
     : GIR_FEW(n, m, k, a_row, lanes)    ? GIR_IS_FEW_ACROSS                                     \
     : GIR_ACROSS(m, n, k, a_row, lanes) ? GIR_IS_ACROSS                                         \
                                         : GIR_IS_ALONG)
#define GIR_TILES_FEW(m, b_col) ((b_col) == 1 ? GIR_FEW_STREAMED : GIR_FEW_TURNED(m))
#define GIR_TILES_ACROSS(n, a_row)                                                               \
    (GIR_EDGE_TILE(GIR_EVEN_ROWS(n), 2, 1) |                                                     \
     ((n) % GIR_EVEN_ROWS(n) ? GIR_EDGE_TILE((n) % GIR_EVEN_ROWS(n), 2, 1) : 0) |                \
     ((a_row) == 1 ? 0 : GIR_TURNED))
#define GIR_TILES_ALONG(m, n, k, b_col, lanes)                                                   \
    (((b_col) == 1 ? 0 : GIR_TURNED) | (GIR_SPREAD(n, k, lanes) ? GIR_PACKED : 0) |              \
     ((m) < GIR_TILE_ROWS || (n) < 2 * (lanes) ? 0                                               \
      : GIR_SPREAD(n, k, lanes)                ? GIR_WHOLE_TILE                                  \
                                               : GIR_LOOSE_TILE) |                               \
     ((m) % GIR_TILE_ROWS && (n) >= 2 * (lanes)                                                  \
          ? GIR_EDGE_TILE((m) % GIR_TILE_ROWS, 2 * (lanes), lanes)                               \
          : 0) |                                                                                 \
     ((n) % (2 * (lanes)) && (m) >= GIR_TILE_ROWS                                                \
          ? GIR_EDGE_TILE(GIR_TILE_ROWS, (n) % (2 * (lanes)), lanes)                             \
          : 0) |                                                                                 \
     ((n) % (2 * (lanes)) && (m) % GIR_TILE_ROWS                                                 \
          ? GIR_EDGE_TILE((m) % GIR_TILE_ROWS, (n) % (2 * (lanes)), lanes)                       \
          : 0))
#define GIR_TILES(m, n, k, a_row, b_col, lanes)                                                  \
    (GIR_FEW(m, n, k, b_col, lanes)      ? GIR_TILES_FEW(m, b_col)                               \
     : GIR_FEW(n, m, k, a_row, lanes)    ? GIR_TILES_FEW(n, a_row)                               \
     : GIR_ACROSS(m, n, k, a_row, lanes) ? GIR_TILES_ACROSS(n, a_row)                            \
                                         : GIR_TILES_ALONG(m, n, k, b_col, lanes))
/* @for f32 f64 */
#define gir_form_f64(m, n, k, a_row, b_col) GIR_FORM(m, n, k, a_row, b_col, LANES)
#define gir_tiles_of_f64(m, n, k, a_row, b_col) GIR_TILES(m, n, k, a_row, b_col, LANES)
#ifdef gir_products_f64
enum { gir_tiles_f64 = gir_products_f64 };
#else
enum { gir_tiles_f64 = -1 };
#endif
#define gir_product_f64(m, n, k, a_row, b_col) \
    _Static_assert(!(gir_tiles_of_f64(m, n, k, a_row, b_col) & ~gir_tiles_f64), "tiles");

/* One tile over one block: rows x vectors of c, rows `apart`, become or gain the block's result.
 * a's element is a[i*a_row + k*a_col], b's vectors lie together at b + k*b_row.  At an edge only
 * the first `width` of a row are there, and they become it. */
GIR_FUNCTION void gir_tile_f64(int rows, int vectors, int edge, size_t width, size_t terms,
                               const real *a, ptrdiff_t a_row, ptrdiff_t a_col, const real *b,
                               ptrdiff_t b_row, real *c, ptrdiff_t apart, int first) {
    typedef vector unaligned __attribute__((aligned(sizeof(real))));
    vector acc[GIR_TILE_ROWS][2];
    const real *left[GIR_TILE_ROWS];
    const size_t there[2] = {width, width < LANES ? 0 : width - LANES};
#if GIR_MASKS
    const gir_first_f64 lanes[2] = {gir_first_of_f64(there[0]), gir_first_of_f64(there[1])};
#endif
    _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++) {
        left[i] = a + i * a_row;
        _Pragma("GCC unroll 2") for (int j = 0; j < vectors; j++) acc[i][j] = (vector){0};
    }
    for (size_t k = 0; k < terms; k++, b += b_row) {
        vector right[2];
        _Pragma("GCC unroll 2") for (int j = 0; j < vectors; j++) {
            const real *from = b + j * LANES;
#if GIR_MASKS
            right[j] = edge ? gir_load_first_f64(from, lanes[j]) : *(const unaligned *)from;
#else
            right[j] = *(const unaligned *)from;
#endif
        }
        _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++) {
            vector factor = *left[i] - (vector){0};
            left[i] += a_col;
            _Pragma("GCC unroll 2") for (int j = 0; j < vectors; j++)
                acc[i][j] = gir_fma_f64v(factor, right[j], acc[i][j]);
        }
    }
    _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++)
        _Pragma("GCC unroll 2") for (int j = 0; j < vectors; j++) {
            real *place = c + i * apart + j * LANES;
            if (edge)
                gir_store_first_f64(place, acc[i][j], there[j]);
            else
                *(unaligned *)place = first ? acc[i][j] : *(const unaligned *)place + acc[i][j];
        }
}

/* Packed operands. */
static __attribute__((noinline, unused)) void gir_whole_tile_f64(size_t terms, const real *a,
                                                                 const real *b, real *c,
                                                                 ptrdiff_t apart, int first) {
    for (int i = 0; i < GIR_TILE_ROWS; i++) { /* wanted at the end, and far away by then */
        __builtin_prefetch(c + i * apart, 1);
        __builtin_prefetch(c + i * apart + LANES, 1);
    }
    gir_tile_f64(GIR_TILE_ROWS, 2, 0, 2 * LANES, terms, a, 1, GIR_TILE_ROWS, b, 2 * LANES, c,
                 apart, first);
}

/* Operands where they lie. */
static __attribute__((noinline, unused)) void gir_loose_tile_f64(size_t terms, const real *a,
                                                                 ptrdiff_t a_row, ptrdiff_t a_col,
                                                                 const real *b, ptrdiff_t b_row,
                                                                 real *c, ptrdiff_t apart,
                                                                 int first) {
    gir_tile_f64(GIR_TILE_ROWS, 2, 0, 2 * LANES, terms, a, a_row, a_col, b, b_row, c, apart,
                 first);
}

/* A tile's element i, x becomes or is added to c[i*c_row + x*c_col]. */
static __attribute__((noinline, unused)) void gir_put_tile_f64(real *c, ptrdiff_t c_row,
                                                               ptrdiff_t c_col, const real *tile,
                                                               size_t height, size_t width,
                                                               int first) {
    for (size_t i = 0; i < height; i++, c += c_row, tile += 2 * LANES) {
        real *place = c;
        for (size_t x = 0; x < width; x++, place += c_col)
            *place = first ? tile[x] : *place + tile[x];
    }
}

/* A tile at the edge; what is to be added to c is computed beside. */
static __attribute__((noinline, unused)) void gir_part_tile_f64(
    int height, int vectors, size_t width, size_t terms, const real *a, ptrdiff_t a_row,
    ptrdiff_t a_col, const real *b, ptrdiff_t b_row, real *c, ptrdiff_t apart, int first) {
    real beside[GIR_TILE_ROWS * 2 * LANES] __attribute__((aligned(64)));
    real *to = first ? c : beside;
    const ptrdiff_t line = first ? apart : 2 * LANES;
    const int tile_bit = GIR_EDGE_TILE(height, vectors, 1);
    if (!(gir_tiles_f64 & tile_bit)) GIR_MISSING(tile_bit);
    switch (height * 2 + (vectors == 1)) {
#define GIR_EDGE(bit, h, v)                                                                      \
    case bit:                                                                                    \
        if (gir_tiles_f64 >> (bit) & 1)                                                          \
            gir_tile_f64(h, v, 1, width, terms, a, a_row, a_col, b, b_row, to, line, 1);         \
        break;
#define GIR_CASE(h) GIR_EDGE(2 * h, h, 2) GIR_EDGE(2 * h + 1, h, 1)
        GIR_CASE(1) GIR_CASE(2) GIR_CASE(3) GIR_CASE(4) GIR_CASE(5) GIR_CASE(6)
#if GIR_TILE_ROWS == 8
        GIR_CASE(7) GIR_CASE(8)
#endif
#undef GIR_CASE
#undef GIR_EDGE
    }
    if (!first) gir_put_tile_f64(c, apart, 1, beside, (size_t)height, width, 0);
}

#if GIR_MASKS
/* A square of b, `height` columns of it and as many terms, made rows of a panel. */
static __attribute__((noinline, unused)) void gir_pack_square_f64(real *restrict to, const real *b,
                                                                  ptrdiff_t b_col, size_t height,
                                                                  size_t terms) {
    const gir_first_f64 lanes = gir_first_of_f64(terms);
    vector square[LANES];
    _Pragma("GCC unroll 16") for (size_t x = 0; x < LANES; x++) square[x] =
        gir_load_first_f64(b + (x < height ? (ptrdiff_t)x * b_col : 0), lanes);
    gir_turn_f64(square);
    _Pragma("GCC unroll 16") for (size_t k = 0; k < LANES; k++) if (k < terms)
        *(vector *)(to + k * 2 * LANES) = square[k];
}
#endif

/* Panels of 2 vectors' width: [panel][k][column], with anything in columns beyond n. */
static __attribute__((unused)) void gir_pack_right_f64(real *restrict panels, const real *b,
                                                       ptrdiff_t b_row, ptrdiff_t b_col,
                                                       size_t terms, size_t n) {
#if GIR_MASKS
    if (b_col != 1) {
        if (!(gir_tiles_f64 & GIR_TURNED)) GIR_MISSING(GIR_TURNED);
        for (size_t j = 0; j < n; j += LANES) {
            real *to = panels + j / (2 * LANES) * (2 * LANES) * terms + j % (2 * LANES);
            for (size_t k = 0; k < terms; k += LANES)
                gir_pack_square_f64(to + k * 2 * LANES,
                                    b + (ptrdiff_t)j * b_col + (ptrdiff_t)k * b_row, b_col,
                                    GIR_SMALLER(n - j, LANES), GIR_SMALLER(terms - k, LANES));
        }
        return;
    }
#endif
    /* eight rows at a time, so that b is read along its rows */
    for (size_t kb = 0; kb < terms; kb += 8)
        for (size_t j = 0; j < n; j += 2 * LANES) {
            size_t width = n - j < 2 * LANES ? n - j : 2 * LANES;
            real *restrict to = panels + j * terms + kb * 2 * LANES;
            for (size_t k = kb; k < terms && k < kb + 8; k++, to += 2 * LANES) {
                const real *from = b + (ptrdiff_t)k * b_row + (ptrdiff_t)j * b_col;
                if (width == 2 * LANES && b_col == 1) {
                    __builtin_memcpy(to, from, 2 * LANES * sizeof(real));
                    continue;
                }
                for (size_t x = 0; x < width; x++) to[x] = from[(ptrdiff_t)x * b_col];
            }
        }
}

/* [group of ROWS rows][k][row], rows beyond m being zero. */
static __attribute__((unused)) void gir_pack_left_f64(real *restrict to, const real *a,
                                                      ptrdiff_t a_row, ptrdiff_t a_col,
                                                      size_t terms, size_t m) {
    for (size_t i = 0; i < m; i += GIR_TILE_ROWS, to += terms * GIR_TILE_ROWS) {
        size_t height = m - i < GIR_TILE_ROWS ? m - i : GIR_TILE_ROWS, k = 0;
        const real *from = a + (ptrdiff_t)i * a_row;
        const real *later = i + 2 * GIR_TILE_ROWS <= m ? from + GIR_TILE_ROWS * a_row : from;
        if (height == GIR_TILE_ROWS && a_col == 1)
            for (; k + 8 <= terms; k += 8) { /* square by square: each line is written once */
                for (size_t r = 0; r < GIR_TILE_ROWS; r++)
                    __builtin_prefetch(later + (ptrdiff_t)r * a_row + (ptrdiff_t)k);
                _Pragma("GCC unroll 8") for (size_t q = k; q < k + 8; q++)
                    _Pragma("GCC unroll 8") for (size_t r = 0; r < GIR_TILE_ROWS; r++)
                        to[q * GIR_TILE_ROWS + r] = from[(ptrdiff_t)r * a_row + (ptrdiff_t)q];
            }
        for (; k < terms; k++)
            for (size_t r = 0; r < GIR_TILE_ROWS; r++)
                to[k * GIR_TILE_ROWS + r] =
                    r < height ? from[(ptrdiff_t)r * a_row + (ptrdiff_t)k * a_col] : 0;
    }
}

/* One block of k, vectors down the rows of c. */
static __attribute__((unused)) void gir_block_across_f64(size_t m, size_t n, size_t terms,
                                                         const real *a, ptrdiff_t a_row,
                                                         ptrdiff_t a_col, const real *b,
                                                         ptrdiff_t b_row, ptrdiff_t b_col, real *c,
                                                         ptrdiff_t c_row, int first, real *room) {
    real tile[GIR_TILE_ROWS * 2 * LANES] __attribute__((aligned(64)));
    const size_t most = GIR_EVEN_ROWS(n);
    for (size_t i = 0; i < m; i += 2 * LANES) {
        const size_t width = GIR_SMALLER(m - i, 2 * LANES);
        const real *right = a + (ptrdiff_t)i * a_row;
        ptrdiff_t right_row = a_col;
        if (a_row != 1 || (!GIR_MASKS && width < 2 * LANES)) {
            gir_pack_right_f64(room, right, a_col, a_row, terms, width);
            right = room;
            right_row = 2 * LANES;
        }
        for (size_t j = 0; j < n; j += most) {
            const size_t height = GIR_SMALLER(n - j, most);
            gir_part_tile_f64((int)height, 2, width, terms, b + (ptrdiff_t)j * b_col, b_col, b_row,
                              right, right_row, tile, 2 * LANES, 1);
            gir_put_tile_f64(c + (ptrdiff_t)i * c_row + (ptrdiff_t)j, 1, c_row, tile, height,
                             width, first);
        }
    }
}

/* One block of k, vectors along the rows of c. */
static __attribute__((unused)) void gir_block_along_f64(size_t m, size_t n, size_t terms,
                                                        int packed, const real *a, ptrdiff_t a_row,
                                                        ptrdiff_t a_col, const real *b,
                                                        ptrdiff_t b_row, ptrdiff_t b_col, real *c,
                                                        ptrdiff_t c_row, int first, real *room) {
    const size_t group = packed ? GIR_MATMUL_ROWS * 4 / sizeof(real) : m;
    real *left_room = room, *right_room = room + GIR_MATMUL_ROWS * GIR_MATMUL_BLOCK;
    if (packed || b_col != 1) gir_pack_right_f64(right_room, b, b_row, b_col, terms, n);
    for (size_t ic = 0; ic < m; ic += group) {
        const size_t rows = GIR_SMALLER(m - ic, group);
        const real *some = a + (ptrdiff_t)ic * a_row;
        if (packed) {
            if (!(gir_tiles_f64 & GIR_PACKED)) GIR_MISSING(GIR_PACKED);
            gir_pack_left_f64(left_room, some, a_row, a_col, terms, rows);
        }
        for (size_t j = 0; j < n; j += 2 * LANES) {
            const size_t width = GIR_SMALLER(n - j, 2 * LANES);
            const real *right = right_room + j * terms;
            ptrdiff_t right_row = 2 * LANES;
            if (!packed && b_col == 1) {
                if (GIR_MASKS || width == 2 * LANES) {
                    right = b + j;
                    right_row = b_row;
                } else
                    gir_pack_right_f64(right_room + j * terms, b + j, b_row, 1, terms, width);
            }
            for (size_t i = 0; i < rows; i += GIR_TILE_ROWS) {
                const size_t height = GIR_SMALLER(rows - i, GIR_TILE_ROWS);
                const real *left = packed ? left_room + i * terms : some + (ptrdiff_t)i * a_row;
                real *place = c + (ptrdiff_t)(ic + i) * c_row + (ptrdiff_t)j;
                if (width < 2 * LANES || height < GIR_TILE_ROWS)
                    gir_part_tile_f64((int)height, width <= LANES ? 1 : 2, width, terms, left,
                                      packed ? 1 : a_row, packed ? GIR_TILE_ROWS : a_col, right,
                                      right_row, place, c_row, first);
                else if (packed) {
                    if (!(gir_tiles_f64 & GIR_WHOLE_TILE)) GIR_MISSING(GIR_WHOLE_TILE);
                    gir_whole_tile_f64(terms, left, right, place, c_row, first);
                } else {
                    if (!(gir_tiles_f64 & GIR_LOOSE_TILE)) GIR_MISSING(GIR_LOOSE_TILE);
                    gir_loose_tile_f64(terms, left, a_row, a_col, right, right_row, place, c_row,
                                       first);
                }
            }
        }
    }
}

#if GIR_MASKS
/* One block of k of a few rows. */
static __attribute__((noinline, unused)) void gir_few_rows_f64(
    size_t m, size_t n, size_t terms, const real *a, ptrdiff_t a_row, ptrdiff_t a_col,
    const real *b, ptrdiff_t b_row, ptrdiff_t b_col, real *c, ptrdiff_t c_row, ptrdiff_t c_col,
    int first) {
    const int form = b_col == 1 ? GIR_FEW_STREAMED : GIR_FEW_TURNED((int)m);
    if (!(gir_tiles_f64 & form)) GIR_MISSING(form);
    if (b_col == 1 && (gir_tiles_f64 & GIR_FEW_STREAMED)) {
        gir_few_streamed_f64(m, n, terms, a, a_row, a_col, b, b_row, c, c_row, c_col, first);
        return;
    }
    switch (m) {
#define GIR_CASE(m)                                                                              \
    case m:                                                                                      \
        if (gir_tiles_f64 & GIR_FEW_TURNED(m))                                                   \
            gir_few_turned_f64(m, n, terms, a, a_row, a_col, b, b_col, c, c_row, c_col, first);  \
        break;
        GIR_CASE(1) GIR_CASE(2) GIR_CASE(3) GIR_CASE(4)
#undef GIR_CASE
    }
}
#endif

static __attribute__((unused)) void gir_matmul_f64(int form, size_t m, size_t n, size_t k,
                                                   const real *a, ptrdiff_t a_row, ptrdiff_t a_col,
                                                   const real *b, ptrdiff_t b_row, ptrdiff_t b_col,
                                                   real *c, ptrdiff_t c_row, real *room) {
    if (k == 0)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++) c[(ptrdiff_t)i * c_row + (ptrdiff_t)j] = 0;
#if GIR_MASKS
    if (form == GIR_IS_FEW_ALONG || form == GIR_IS_FEW_ACROSS) {
        for (size_t kc = 0; kc < k; kc += GIR_MATMUL_BLOCK) {
            const size_t terms = GIR_SMALLER(k - kc, GIR_MATMUL_BLOCK);
            const real *left = a + (ptrdiff_t)kc * a_col, *right = b + (ptrdiff_t)kc * b_row;
            if (form == GIR_IS_FEW_ALONG)
                gir_few_rows_f64(m, n, terms, left, a_row, a_col, right, b_row, b_col, c, c_row, 1,
                                 kc == 0);
            else
                gir_few_rows_f64(n, m, terms, right, b_col, b_row, left, a_col, a_row, c, 1, c_row,
                                 kc == 0);
        }
        return;
    }
#endif
    const size_t side = GIR_MATMUL_COLUMNS * 4 / sizeof(real);
    const int packed = GIR_SPREAD(n, k, LANES);
    for (size_t jc = 0; jc < n; jc += side)
        for (size_t kc = 0; kc < k; kc += GIR_MATMUL_BLOCK) {
            const size_t columns = GIR_SMALLER(n - jc, side);
            const size_t terms = GIR_SMALLER(k - kc, GIR_MATMUL_BLOCK);
            const real *left = a + (ptrdiff_t)kc * a_col;
            const real *right = b + (ptrdiff_t)kc * b_row + (ptrdiff_t)jc * b_col;
            if (form == GIR_IS_ACROSS)
                gir_block_across_f64(m, columns, terms, left, a_row, a_col, right, b_row, b_col,
                                     c + jc, c_row, kc == 0, room);
            else
                gir_block_along_f64(m, columns, terms, packed, left, a_row, a_col, right, b_row,
                                    b_col, c + jc, c_row, kc == 0, room);
        }
}
/* @end */
#endif
