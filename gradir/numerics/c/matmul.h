/* @needs base vec fma
 *
 * Matrix products in the language's order (MATMUL-1 … MATMUL-5): k ascending in blocks of 512, in
 * a block acc = fma(a, b, acc) from +0.0, the blocks' results added left to right from the first.
 *
 * gir_matmul_f32(m, n, k, a, a_row, a_col, b, b_row, b_col, c, c_row, room)
 *     c[i*c_row + j] = the product's element; a and b are read at i*a_row + k*a_col, so transposed
 *     operands are strides.  `room` is GIR_MATMUL_ROOM elements, aligned to 64 bytes.
 *     Several threads may each do some rows or columns of c, with a room of their own.
 *     Likewise f64.
 *
 * A tile of ROWS x 2 vectors of c stays in registers for a whole block: 8x32 (AVX-512), 6x16
 * (AVX2), f64 half as wide.  The panel of b is packed, ROWS rows of a likewise; both are padded
 * with zeros, whose products touch no element that is kept.  Small operands stay where they lie.
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

/* The tiles of a product of m x n by k terms whose b has columns b_col apart, or of some groups of
 * GIR_TILE_ROWS of its rows: a bit for each height and width at the edges, and three more. */
#define GIR_EDGE_TILE(height, width, lanes) (1 << ((height) * 2 + ((width) <= (lanes))))
enum { GIR_LOOSE_TILE = 1 << 20, GIR_WHOLE_TILE = 1 << 21, GIR_PACKED = 1 << 22 };
#define GIR_SMALLER(a, b) ((a) < (b) ? (a) : (b))
#define GIR_UNPACKED(n, k, b_col, lanes)                                                         \
    ((b_col) == 1 && GIR_SMALLER(n, GIR_MATMUL_COLUMNS * (lanes) / GIR_LANES) *                  \
                             GIR_SMALLER(k, GIR_MATMUL_BLOCK) * (4 * GIR_LANES / (lanes)) <=     \
                         GIR_MATMUL_LOOSE)
#define GIR_TILES(m, n, k, b_col, lanes)                                                         \
    ((GIR_UNPACKED(n, k, b_col, lanes) ? 0 : GIR_PACKED) |                                       \
     ((m) < GIR_TILE_ROWS || (n) < 2 * (lanes) ? 0                                               \
      : GIR_UNPACKED(n, k, b_col, lanes)       ? GIR_LOOSE_TILE                                  \
      : (b_col) == 1                           ? GIR_LOOSE_TILE | GIR_WHOLE_TILE                 \
                                               : GIR_WHOLE_TILE) |                               \
     ((m) % GIR_TILE_ROWS && (n) >= 2 * (lanes)                                                  \
          ? GIR_EDGE_TILE((m) % GIR_TILE_ROWS, 2 * (lanes), lanes)                               \
          : 0) |                                                                                 \
     ((n) % (2 * (lanes)) && (m) >= GIR_TILE_ROWS                                                \
          ? GIR_EDGE_TILE(GIR_TILE_ROWS, (n) % (2 * (lanes)), lanes)                             \
          : 0) |                                                                                 \
     ((n) % (2 * (lanes)) && (m) % GIR_TILE_ROWS                                                 \
          ? GIR_EDGE_TILE((m) % GIR_TILE_ROWS, (n) % (2 * (lanes)), lanes)                       \
          : 0))
/* @for f32 f64 */
#define gir_tiles_of_f64(m, n, k, b_col) GIR_TILES(m, n, k, b_col, LANES)
#ifdef gir_products_f64
enum { gir_tiles_f64 = gir_products_f64 };
#else
enum { gir_tiles_f64 = -1 };
#endif
#define gir_product_f64(m, n, k, b_col) \
    _Static_assert(!(gir_tiles_of_f64(m, n, k, b_col) & ~gir_tiles_f64), "tiles");

/* One tile over one block: rows x vectors of c, rows `apart`, become or gain the block's result.
 * a's element is a[i*a_row + k*a_col], b's vectors lie together at b + k*b_row. */
GIR_FUNCTION void gir_tile_f64(int rows, int vectors, size_t terms, const real *a, ptrdiff_t a_row,
                               ptrdiff_t a_col, const real *b, ptrdiff_t b_row, real *c,
                               ptrdiff_t apart, int first) {
    typedef vector unaligned __attribute__((aligned(sizeof(real))));
    vector acc[GIR_TILE_ROWS][2];
    const real *left[GIR_TILE_ROWS];
    _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++) {
        left[i] = a + i * a_row;
        _Pragma("GCC unroll 2") for (int j = 0; j < vectors; j++) acc[i][j] = (vector){0};
    }
    for (size_t k = 0; k < terms; k++, b += b_row) {
        vector right[2];
        _Pragma("GCC unroll 2") for (int j = 0; j < vectors; j++)
            right[j] = *(const unaligned *)(b + j * LANES);
        _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++) {
            vector factor = *left[i] - (vector){0};
            left[i] += a_col;
            _Pragma("GCC unroll 2") for (int j = 0; j < vectors; j++)
                acc[i][j] = gir_fma_f64v(factor, right[j], acc[i][j]);
        }
    }
    _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++)
        _Pragma("GCC unroll 2") for (int j = 0; j < vectors; j++) {
            unaligned *place = (unaligned *)(c + i * apart + j * LANES);
            *place = first ? acc[i][j] : *place + acc[i][j];
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
    gir_tile_f64(GIR_TILE_ROWS, 2, terms, a, 1, GIR_TILE_ROWS, b, 2 * LANES, c, apart, first);
}

/* Operands where they lie. */
static __attribute__((noinline, unused)) void gir_loose_tile_f64(size_t terms, const real *a,
                                                                 ptrdiff_t a_row, ptrdiff_t a_col,
                                                                 const real *b, ptrdiff_t b_row,
                                                                 real *c, ptrdiff_t apart,
                                                                 int first) {
    gir_tile_f64(GIR_TILE_ROWS, 2, terms, a, a_row, a_col, b, b_row, c, apart, first);
}

/* A tile at the edge, `height` x `width` of it wanted: by way of a whole one beside. */
static __attribute__((noinline, unused)) void gir_part_tile_f64(
    size_t terms, const real *a, ptrdiff_t a_row, ptrdiff_t a_col, const real *b, ptrdiff_t b_row,
    real *c, ptrdiff_t apart, int first, int height, int width) {
    real tile[GIR_TILE_ROWS * 2 * LANES] __attribute__((aligned(64)));
    const ptrdiff_t line = 2 * LANES;
    const int tile_bit = GIR_EDGE_TILE(height, width, LANES);
    if (!(gir_tiles_f64 & tile_bit)) GIR_MISSING(tile_bit);
    switch (height * 2 + (width <= LANES)) {
#define GIR_EDGE(bit, h, vectors)                                                                \
    case bit:                                                                                    \
        if (gir_tiles_f64 >> (bit) & 1)                                                          \
            gir_tile_f64(h, vectors, terms, a, a_row, a_col, b, b_row, tile, line, 1);           \
        break;
#define GIR_CASE(h) GIR_EDGE(2 * h, h, 2) GIR_EDGE(2 * h + 1, h, 1)
        GIR_CASE(1) GIR_CASE(2) GIR_CASE(3) GIR_CASE(4) GIR_CASE(5) GIR_CASE(6)
#if GIR_TILE_ROWS == 8
        GIR_CASE(7) GIR_CASE(8)
#endif
#undef GIR_CASE
#undef GIR_EDGE
    }
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            real *place = c + i * apart + j;
            real value = tile[i * line + j];
            *place = first ? value : *place + value;
        }
}

/* Panels of 2 vectors' width: [panel][k][column], columns beyond n being zero.  Eight rows at a
 * time, so that b is read along its rows. */
static __attribute__((unused)) void gir_pack_right_f64(real *restrict panels, const real *b,
                                                       ptrdiff_t b_row, ptrdiff_t b_col,
                                                       size_t terms, size_t n) {
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
                for (size_t x = width; x < 2 * LANES; x++) to[x] = 0;
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

/* One block of k with a and b where they lie; only a narrow panel at the edge is packed. */
static __attribute__((unused)) void gir_matmul_loose_f64(size_t m, size_t n, size_t terms,
                                                         const real *a, ptrdiff_t a_row,
                                                         ptrdiff_t a_col, const real *b,
                                                         ptrdiff_t b_row, real *c, ptrdiff_t c_row,
                                                         int first, real *room) {
    for (size_t j = 0; j < n; j += 2 * LANES) {
        size_t width = n - j < 2 * LANES ? n - j : 2 * LANES;
        const real *right = b + j;
        ptrdiff_t right_row = b_row;
        if (width < 2 * LANES) {
            gir_pack_right_f64(room, right, b_row, 1, terms, width);
            right = room;
            right_row = 2 * LANES;
        }
        for (size_t i = 0; i < m; i += GIR_TILE_ROWS) {
            size_t height = m - i < GIR_TILE_ROWS ? m - i : GIR_TILE_ROWS;
            const real *left = a + (ptrdiff_t)i * a_row;
            real *place = c + (ptrdiff_t)i * c_row + (ptrdiff_t)j;
            if (width == 2 * LANES && height == GIR_TILE_ROWS) {
                if (!(gir_tiles_f64 & GIR_LOOSE_TILE)) GIR_MISSING(GIR_LOOSE_TILE);
                gir_loose_tile_f64(terms, left, a_row, a_col, right, right_row, place, c_row,
                                   first);
            } else
                gir_part_tile_f64(terms, left, a_row, a_col, right, right_row, place, c_row, first,
                                  (int)height, (int)width);
        }
    }
}

static __attribute__((unused)) void gir_matmul_f64(size_t m, size_t n, size_t k, const real *a,
                                                   ptrdiff_t a_row, ptrdiff_t a_col, const real *b,
                                                   ptrdiff_t b_row, ptrdiff_t b_col, real *c,
                                                   ptrdiff_t c_row, real *room) {
    if (k == 0)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++) c[(ptrdiff_t)i * c_row + (ptrdiff_t)j] = 0;
    const size_t group = GIR_MATMUL_ROWS * 4 / sizeof(real);
    const size_t side = GIR_MATMUL_COLUMNS * 4 / sizeof(real);
    real *left = room, *right = room + GIR_MATMUL_ROWS * GIR_MATMUL_BLOCK;
    for (size_t jc = 0; jc < n; jc += side) {
        size_t columns = n - jc < side ? n - jc : side;
        for (size_t kc = 0; kc < k; kc += GIR_MATMUL_BLOCK) {
            size_t terms = k - kc < GIR_MATMUL_BLOCK ? k - kc : GIR_MATMUL_BLOCK;
            const real *corner = b + (ptrdiff_t)kc * b_row + (ptrdiff_t)jc * b_col;
            if (b_col == 1 && columns * terms * sizeof(real) <= GIR_MATMUL_LOOSE) {
                gir_matmul_loose_f64(m, columns, terms, a + (ptrdiff_t)kc * a_col, a_row, a_col,
                                     corner, b_row, c + (ptrdiff_t)jc, c_row, kc == 0, room);
                continue;
            }
            if (!(gir_tiles_f64 & GIR_PACKED)) GIR_MISSING(GIR_PACKED);
            gir_pack_right_f64(right, corner, b_row, b_col, terms, columns);
            for (size_t ic = 0; ic < m; ic += group) {
                size_t rows = m - ic < group ? m - ic : group;
                gir_pack_left_f64(left, a + (ptrdiff_t)ic * a_row + (ptrdiff_t)kc * a_col, a_row,
                                  a_col, terms, rows);
                for (size_t j = 0; j < columns; j += 2 * LANES)
                    for (size_t i = 0; i < rows; i += GIR_TILE_ROWS) {
                        size_t width = columns - j < 2 * LANES ? columns - j : 2 * LANES;
                        size_t height = rows - i < GIR_TILE_ROWS ? rows - i : GIR_TILE_ROWS;
                        real *place = c + (ptrdiff_t)(ic + i) * c_row + (ptrdiff_t)(jc + j);
                        if (width == 2 * LANES && height == GIR_TILE_ROWS) {
                            if (!(gir_tiles_f64 & GIR_WHOLE_TILE)) GIR_MISSING(GIR_WHOLE_TILE);
                            gir_whole_tile_f64(terms, left + i * terms, right + j * terms, place,
                                               c_row, kc == 0);
                        } else
                            gir_part_tile_f64(terms, left + i * terms, 1, GIR_TILE_ROWS,
                                              right + j * terms, 2 * LANES, place, c_row, kc == 0,
                                              (int)height, (int)width);
                    }
            }
        }
    }
}
/* @end */
#endif
