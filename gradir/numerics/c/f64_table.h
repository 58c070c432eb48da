/* @needs base vec f64_vec
 *
 * Tables of the f64 functions, and how an argument finds its entry, for one number and for a
 * vector of them, as in f64_vec.
 */
#ifndef GIR_F64_TABLE_H
#define GIR_F64_TABLE_H

/* x where that is less than the limit, else the limit, for NaN too */
GIR_FUNCTION double gir_below_f64(double x, double limit) { return x < limit ? x : limit; }
GIR_FUNCTION gir_vd gir_below_f64v(gir_vd x, double limit) {
#if defined(GIR_AVX512) && defined(__clang__)
    return __builtin_ia32_minpd512(x, gir_splat_f64(limit), 4);
#elif defined(GIR_AVX512)
    return __builtin_ia32_minpd512_mask(x, gir_splat_f64(limit), (gir_vd){0}, (uint8_t)-1, 4);
#elif defined(GIR_AVX2)
    return __builtin_ia32_minpd256(x, gir_splat_f64(limit));
#else
    return gir_choose_f64v(x < limit, x, gir_splat_f64(limit));
#endif
}

/* n >= 0 */
GIR_FUNCTION int64_t gir_right_f64(int64_t n, int shift) { return n >> shift; }
GIR_FUNCTION gir_vl gir_right_f64v(gir_vl n, int shift) {
    typedef uint64_t unsigned_vector GIR_VECTOR;
    return (gir_vl)((unsigned_vector)n >> shift);
}

/* Entry j of a table, which is a row of `columns` doubles (2, 4, 8 or 16), and two neighbouring
 * columns of it.  A lane's two are read at once: half the reads that a gather would make. */
typedef struct {
    int64_t at[GIR_LANES / 2] __attribute__((aligned(4 * GIR_LANES)));
    const double *table;
} gir_entries;
GIR_FUNCTION const double *gir_entry_f64(const double *table, int columns, int64_t j) {
    return table + j * columns;
}
GIR_FUNCTION gir_entries gir_entry_f64v(const double *table, int columns, gir_vl j) {
    gir_entries e;
    e.table = table;
    j = j * columns;
#if GIR_LANES == 16 /* of 64 bytes written at once, some processors are slow to read eight */
    typedef int64_t half __attribute__((vector_size(32)));
    half low = __builtin_shufflevector(j, j, 0, 1, 2, 3);
    half high = __builtin_shufflevector(j, j, 4, 5, 6, 7);
    __asm__("" : "+x"(low), "+x"(high));
    __builtin_memcpy(e.at, &low, sizeof low);
    __builtin_memcpy(e.at + 4, &high, sizeof high);
#else
    __builtin_memcpy(e.at, &j, sizeof e.at);
#endif
    __asm__("" : "+m"(e.at)); /* read from there, not taken out of the vector one by one */
    return e;
}

GIR_FUNCTION void gir_two_columns_f64(const double *e, int first, double *x, double *y) {
    *x = e[first];
    *y = e[first + 1];
}
#if GIR_LANES >= 8
typedef double gir_two_doubles __attribute__((vector_size(16), aligned(8)));
typedef double gir_four_doubles __attribute__((vector_size(32)));
/* Columns first and first + 1 of lanes i and i + 2, one behind the other. */
GIR_FUNCTION gir_four_doubles gir_columns_of_two(const gir_entries *e, int first, int i) {
    const gir_two_doubles *x = (const gir_two_doubles *)(e->table + e->at[i] + first);
    const gir_two_doubles *y = (const gir_two_doubles *)(e->table + e->at[i + 2] + first);
    return __builtin_shufflevector(*x, *y, 0, 1, 2, 3);
}
#endif
GIR_FUNCTION void gir_two_columns_f64v(gir_entries e, int first, gir_vd *x, gir_vd *y) {
#if GIR_LANES == 16
    gir_four_doubles p[4] = {gir_columns_of_two(&e, first, 0), gir_columns_of_two(&e, first, 4),
                             gir_columns_of_two(&e, first, 1), gir_columns_of_two(&e, first, 5)};
    gir_vd even = __builtin_shufflevector(p[0], p[1], 0, 1, 2, 3, 4, 5, 6, 7);
    gir_vd odd = __builtin_shufflevector(p[2], p[3], 0, 1, 2, 3, 4, 5, 6, 7);
    *x = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
    *y = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
#elif GIR_LANES == 8
    gir_vd even = gir_columns_of_two(&e, first, 0), odd = gir_columns_of_two(&e, first, 1);
    *x = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    *y = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
#else
    const double *a = e.table + e.at[0] + first, *b = e.table + e.at[1] + first;
    *x = (gir_vd){a[0], b[0]};
    *y = (gir_vd){a[1], b[1]};
#endif
}
#endif
