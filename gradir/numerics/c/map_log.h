/* @needs base vec elementwise f32_log
 *
 * log and log2 on f32 of many elements, correctly rounded for all 2^32 arguments (FUNC-1).
 *
 * gir_map_many_log_f32(out, x, n), gir_map_many_log2_f32(out, x, n)
 *                               `out` may be x; a NaN given is the canonical one
 *
 * Near 1 the values are small, and a few vectors in a hundred have a lane where the float-float
 * form is in doubt: a branch for each would be foreseen too seldom. So a span is computed in that
 * form without any branch; vectors with such lanes are put aside, and at the end of the span the
 * lanes alone, packed, are computed in f64.
 */
#ifndef GIR_MAP_LOG_H
#define GIR_MAP_LOG_H

#ifdef GIR_VECTOR_FMA
enum { GIR_LOG_SPAN = 2048, GIR_LOG_LEAST = 512 /* fewer are done vector by vector */ };

GIR_FUNCTION uint32_t gir_lanes_of(gir_mask m) {
#ifdef GIR_AVX512
    return m;
#else
    return (uint32_t)__builtin_ia32_movmskps256((gir_vf)m);
#endif
}

/* n <= GIR_LOG_SPAN, whole vectors.  The next place aside is always written, but kept only if one
 * of the lanes is in doubt. */
GIR_FUNCTION void gir_log_span(float *out, const float *x, size_t n, int natural) {
    float aside[GIR_LOG_SPAN + GIR_LANES] __attribute__((aligned(64)));
    float packed[GIR_LOG_SPAN] __attribute__((aligned(64)));
    struct {
        uint32_t first, lanes;
    } from[GIR_LOG_SPAN / GIR_LANES + 1];
    uint16_t place[GIR_LOG_SPAN];
    size_t vectors = 0, count = 0;
    for (size_t i = 0; i < n; i += GIR_LANES) {
        gir_vf v = gir_load_f32v(x + i), bound;
        gir_float_float y = natural ? gir_log_ff(v, &bound) : gir_log2_ff(v, &bound);
        gir_mask doubtful;
        gir_store_f32v(out + i, gir_certain(y, bound, &doubtful));
        gir_store_f32v(aside + vectors * GIR_LANES, v);
        from[vectors].first = (uint32_t)i;
        from[vectors].lanes = gir_lanes_of(doubtful | gir_not_normal(v));
        vectors += from[vectors].lanes != 0;
    }
    for (size_t v = 0; v < vectors; v++)
        for (uint32_t lanes = from[v].lanes; lanes; lanes &= lanes - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            packed[count] = aside[v * GIR_LANES + lane];
            place[count++] = (uint16_t)(from[v].first + lane);
        }
    for (size_t i = count; i % GIR_LANES; i++) packed[i] = 1.0f;
    for (size_t i = 0; i < count; i += GIR_LANES) {
        gir_vf v = gir_load_f32v(packed + i);
        v = gir_canonical_f32v(natural ? gir_log_rare(v) : gir_log2_rare(v));
        for (size_t l = 0; l < GIR_LANES && i + l < count; l++) out[place[i + l]] = v[l];
    }
}

GIR_FUNCTION void gir_log_spans(float *out, const float *x, int64_t n, int natural) {
    int64_t whole = n < GIR_LOG_LEAST ? 0 : n & -GIR_LANES;
    for (int64_t i = 0; i < whole; i += GIR_LOG_SPAN) {
        int64_t left = whole - i;
        gir_log_span(out + i, x + i, (size_t)(left < GIR_LOG_SPAN ? left : GIR_LOG_SPAN), natural);
    }
    for (int64_t i = whole; i < n; i += GIR_LANES) {
        float rest[GIR_LANES]; /* what is no whole vector, with ones behind it */
        const int64_t left = n - i < GIR_LANES ? n - i : 0;
        for (int64_t l = 0; left && l < GIR_LANES; l++) rest[l] = l < left ? x[i + l] : 1.0f;
        gir_vf v = gir_load_f32v(left ? rest : x + i);
        v = natural ? gir_log_f32v(v) : gir_log2_f32v(v);
        if (GIR_UNLIKELY(gir_any_nan_f32v(v, v))) v = gir_canonical_f32v(v);
        gir_store_f32v(left ? rest : out + i, v);
        for (int64_t l = 0; l < left; l++) out[i + l] = rest[l];
    }
}
#else
GIR_FUNCTION void gir_log_spans(float *out, const float *x, int64_t n, int natural) {
    for (int64_t i = 0; i < n; i++)
        out[i] = gir_canonical_f32(natural ? gir_log_f32(x[i]) : gir_log2_f32(x[i]));
}
#endif

static __attribute__((unused, noinline)) void gir_map_many_log_f32(float *out, const float *x,
                                                              int64_t n) {
    gir_log_spans(out, x, n, 1);
}
static __attribute__((unused, noinline)) void gir_map_many_log2_f32(float *out, const float *x,
                                                               int64_t n) {
    gir_log_spans(out, x, n, 0);
}
#endif
