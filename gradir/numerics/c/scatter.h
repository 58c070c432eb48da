/* @needs base
 *
 * scatter_add (SCATTER-ADD-2): slices of `values` added to slices of `result`, one after another in
 * the order of the indices, one addition an element.  Indices are checked first.
 *
 * gir_bad_index_32(index, count, size)   the first place whose index is not in 0 … size-1, or
 *                                        count if there is none; likewise 64
 * gir_scatter_add_f32(result, index32, index64, values, count, width)
 *                                        result[index[i]*width + j] += values[i*width + j], the
 *                                        indices being in the one array that is not null;
 *                                        likewise f64, i32, i64, u32 (integers wrap)
 */
#ifndef GIR_SCATTER_H
#define GIR_SCATTER_H

static __attribute__((unused)) size_t gir_bad_index_32(const int32_t *index, size_t count,
                                                       int64_t size) {
    for (size_t i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= size) return i;
    return count;
}

static __attribute__((unused)) size_t gir_bad_index_64(const int64_t *index, size_t count,
                                                       int64_t size) {
    for (size_t i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= size) return i;
    return count;
}

/* @for f32 f64 i32 i64 u32 */
static __attribute__((unused)) void gir_scatter_add_f64(real *restrict result,
                                                        const int32_t *index32,
                                                        const int64_t *index64,
                                                        const real *restrict values, size_t count,
                                                        size_t width) {
    for (size_t i = 0; i < count; i++) {
        real *slice = result + (size_t)(index32 ? index32[i] : index64[i]) * width;
        const real *share = values + i * width;
        for (size_t j = 0; j < width; j++) slice[j] = slice[j] + share[j];
    }
}
/* @end */
#endif
