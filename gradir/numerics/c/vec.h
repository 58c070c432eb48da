/* @needs base
 *
 * Vectors as wide as the processor's registers, and the few operations on them that GCC's vector
 * extensions leave to the compiler's mercy.  AVX-512 (F, DQ, BW, VL): 16 lanes; AVX2 with FMA: 8;
 * anything else: 4, and little here but types, loads and stores.
 *
 * Names: gir_vf holds GIR_LANES floats, gir_vi as many int32.  gir_vd holds half as many doubles
 * in the same space, gir_vl as many int64.
 * gir_look_up_NUMBER takes lanes of a table of so many entries by the low bits of an index;
 * gir_look_up_ff of the 32 (AVX-512) or 16 (AVX2) entries that the float-float forms use.
 * gir_mask is what a comparison gives: bits on AVX-512, lanes of 0 and -1 elsewhere.
 */
#ifndef GIR_VEC_H
#define GIR_VEC_H

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define GIR_AVX512 1
#define GIR_LANES 16
#elif defined(__AVX2__) && defined(__FMA__)
#define GIR_AVX2 1
#define GIR_LANES 8
#else
#define GIR_LANES 4
#endif

#define GIR_VECTOR __attribute__((vector_size(4 * GIR_LANES)))
#define GIR_HALF_VECTOR __attribute__((vector_size(2 * GIR_LANES)))
typedef float gir_vf GIR_VECTOR;
typedef int32_t gir_vi GIR_VECTOR;
typedef uint32_t gir_vu GIR_VECTOR;
typedef double gir_vd GIR_VECTOR;
typedef int64_t gir_vl GIR_VECTOR;
typedef float gir_half_f GIR_HALF_VECTOR;
typedef int32_t gir_half_i GIR_HALF_VECTOR;
typedef float gir_vf_unaligned __attribute__((vector_size(4 * GIR_LANES), aligned(4)));
typedef double gir_vd_unaligned __attribute__((vector_size(4 * GIR_LANES), aligned(8)));

GIR_FUNCTION gir_vf gir_load_f32v(const float *p) { return *(const gir_vf_unaligned *)p; }
GIR_FUNCTION void gir_store_f32v(float *p, gir_vf x) { *(gir_vf_unaligned *)p = x; }
GIR_FUNCTION gir_vd gir_load_f64v(const double *p) { return *(const gir_vd_unaligned *)p; }
GIR_FUNCTION void gir_store_f64v(double *p, gir_vd x) { *(gir_vd_unaligned *)p = x; }

/* Subtracting +0 changes no number, -0.0 neither; it is how a scalar becomes a vector. */
GIR_FUNCTION gir_vf gir_splat_f32(float x) { return x - (gir_vf){0}; }
GIR_FUNCTION gir_vd gir_splat_f64(double x) { return x - (gir_vd){0}; }
GIR_FUNCTION gir_vi gir_splat_i32(int32_t x) { return x - (gir_vi){0}; }

GIR_FUNCTION gir_vf gir_abs_v(gir_vf x) { return (gir_vf)((gir_vi)x & 0x7fffffff); }
GIR_FUNCTION gir_vf gir_sign_of_v(gir_vf x) { return (gir_vf)((gir_vi)x & (int32_t)0x80000000); }
/* y >= 0 with the sign of x */
GIR_FUNCTION gir_vf gir_with_sign_v(gir_vf y, gir_vf x) {
    return (gir_vf)((gir_vi)y | (gir_vi)gir_sign_of_v(x));
}

/* f applied to each lane: for rare lanes, and where the target has nothing better. */
#define GIR_EACH_LANE(f, x)                                        \
    ({                                                             \
        gir_vf each_ = (x);                                        \
        for (int lane_ = 0; lane_ < GIR_LANES; lane_++)            \
            each_[lane_] = f(each_[lane_]);                        \
        each_;                                                     \
    })

/* gir_NAME_f32v and gir_NAME_f32v2 from gir_NAME_f32. */
#define GIR_BY_LANES(name)                                                                  \
    GIR_FUNCTION gir_vf gir_##name##_f32v(gir_vf x) {                                       \
        return GIR_EACH_LANE(gir_##name##_f32, x);                                          \
    }                                                                                       \
    GIR_FUNCTION gir_pair gir_##name##_f32v2(gir_pair x) {                                  \
        return (gir_pair){{gir_##name##_f32v(x.v[0]), gir_##name##_f32v(x.v[1])}};          \
    }

#ifdef GIR_AVX512 /* ------------------------------------------------------------------------- */
typedef uint16_t gir_mask;

GIR_FUNCTION gir_half_f gir_low_f(gir_vf x) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
}
GIR_FUNCTION gir_half_i gir_low_i(gir_vi x) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
}
#ifdef __clang__
GIR_FUNCTION gir_half_f gir_high_f(gir_vf x) {
    return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
}
GIR_FUNCTION gir_half_i gir_high_i(gir_vi x) {
    return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
}
GIR_FUNCTION gir_vd gir_half_to_f64(gir_half_f x) { return __builtin_convertvector(x, gir_vd); }
GIR_FUNCTION gir_vd gir_half_i_to_f64(gir_half_i x) { return __builtin_convertvector(x, gir_vd); }
GIR_FUNCTION gir_vl gir_half_i_to_i64(gir_half_i x) { return __builtin_convertvector(x, gir_vl); }
GIR_FUNCTION gir_vf gir_join(gir_vd a, gir_vd b) {
    return __builtin_shufflevector(__builtin_convertvector(a, gir_half_f),
                                   __builtin_convertvector(b, gir_half_f), 0, 1, 2, 3, 4, 5, 6, 7,
                                   8, 9, 10, 11, 12, 13, 14, 15);
}
GIR_FUNCTION gir_vf gir_select(gir_mask m, gir_vf yes, gir_vf no) {
    return __builtin_ia32_selectps_512(m, yes, no);
}
GIR_FUNCTION gir_vf gir_look_up_16(const float *t, gir_vi i) {
    return (gir_vf)__builtin_ia32_permvarsi512(*(const gir_vi *)(const void *)t, i);
}
GIR_FUNCTION gir_vf gir_look_up_ff(const float *t, gir_vi i) {
    return __builtin_ia32_vpermi2varps512(*(const gir_vf *)t, i, *(const gir_vf *)(t + 16));
}
GIR_FUNCTION gir_vd gir_look_up_16_f64(const double *t, gir_vl i) {
    return __builtin_ia32_vpermi2varpd512(*(const gir_vd *)t, i, *(const gir_vd *)(t + 8));
}
#else
GIR_FUNCTION gir_half_f gir_high_f(gir_vf x) {
    return (gir_half_f)__builtin_ia32_extractf64x4_mask(
        (gir_vd)x, 1, (double __attribute__((vector_size(32)))){0}, (uint8_t)-1);
}
GIR_FUNCTION gir_half_i gir_high_i(gir_vi x) { return (gir_half_i)gir_high_f((gir_vf)x); }
/* __builtin_convertvector would do these in two halves. */
GIR_FUNCTION gir_vd gir_half_to_f64(gir_half_f x) {
    return __builtin_ia32_cvtps2pd512_mask(x, (gir_vd){0}, (uint8_t)-1, 4);
}
GIR_FUNCTION gir_vd gir_half_i_to_f64(gir_half_i x) {
    return __builtin_ia32_cvtdq2pd512_mask(x, (gir_vd){0}, (uint8_t)-1);
}
GIR_FUNCTION gir_vl gir_half_i_to_i64(gir_half_i x) {
    return (gir_vl)__builtin_ia32_pmovsxdq512_mask(x, (long long GIR_VECTOR){0}, (uint8_t)-1);
}
GIR_FUNCTION gir_vf gir_join(gir_vd a, gir_vd b) {
    typedef double quad __attribute__((vector_size(32)));
    gir_half_f low = __builtin_ia32_cvtpd2ps512_mask(a, (gir_half_f){0}, (uint8_t)-1, 4);
    gir_half_f high = __builtin_ia32_cvtpd2ps512_mask(b, (gir_half_f){0}, (uint8_t)-1, 4);
    gir_vd wide = __builtin_ia32_pd512_256pd((quad)low);
    return (gir_vf)__builtin_ia32_insertf64x4_mask(wide, (quad)high, 1, (gir_vd){0}, (uint8_t)-1);
}
GIR_FUNCTION gir_vf gir_select(gir_mask m, gir_vf yes, gir_vf no) {
    return __builtin_ia32_blendmps_512_mask(no, yes, m);
}
GIR_FUNCTION gir_vf gir_look_up_16(const float *t, gir_vi i) {
    return __builtin_shuffle(*(const gir_vf *)t, i);
}
GIR_FUNCTION gir_vf gir_look_up_ff(const float *t, gir_vi i) {
    return __builtin_shuffle(*(const gir_vf *)t, *(const gir_vf *)(t + 16), i);
}
GIR_FUNCTION gir_vd gir_look_up_16_f64(const double *t, gir_vl i) {
    return __builtin_shuffle(*(const gir_vd *)t, *(const gir_vd *)(t + 8), i);
}
#endif

GIR_FUNCTION gir_vf gir_fma_v(gir_vf a, gir_vf b, gir_vf c) {
    return __builtin_ia32_vfmaddps512_mask(a, b, c, (uint16_t)-1, 4);
}
GIR_FUNCTION gir_vd gir_fma_vd(gir_vd a, gir_vd b, gir_vd c) {
    return __builtin_ia32_vfmaddpd512_mask(a, b, c, (uint8_t)-1, 4);
}
/* The smaller; b where either is NaN. */
GIR_FUNCTION gir_vf gir_min_v(gir_vf a, gir_vf b) {
#ifdef __clang__
    return __builtin_ia32_minps512(a, b, 4);
#else
    return __builtin_ia32_minps512_mask(a, b, (gir_vf){0}, (uint16_t)-1, 4);
#endif
}
GIR_FUNCTION gir_vi gir_truncate(gir_vf x) {
    return (gir_vi)__builtin_ia32_cvttps2dq512_mask(x, (int32_t GIR_VECTOR){0}, (uint16_t)-1, 4);
}
/* Comparison numbers of the instruction: 0 is ==, 1 is <, 4 is != or unordered, 5 is not <. */
GIR_FUNCTION gir_mask gir_less(gir_vf a, gir_vf b) {
    return __builtin_ia32_cmpps512_mask(a, b, 1, (uint16_t)-1, 4);
}
GIR_FUNCTION gir_mask gir_not_less(gir_vf a, gir_vf b) {
    return __builtin_ia32_cmpps512_mask(a, b, 5, (uint16_t)-1, 4);
}
GIR_FUNCTION gir_mask gir_differ(gir_vf a, gir_vf b) {
    return __builtin_ia32_cmpps512_mask(a, b, 4, (uint16_t)-1, 4);
}
GIR_FUNCTION gir_mask gir_equal_i(gir_vi a, gir_vi b) {
    return __builtin_ia32_ucmpd512_mask(a, b, 0, (uint16_t)-1);
}
/* a >= b for a, b >= 0; as unsigned */
GIR_FUNCTION gir_mask gir_at_least(gir_vi a, int32_t b) {
    return __builtin_ia32_ucmpd512_mask(a, gir_splat_i32(b), 5, (uint16_t)-1);
}
GIR_FUNCTION gir_mask gir_at_least_u(gir_vi a, gir_vi b) {
    return __builtin_ia32_ucmpd512_mask(a, b, 5, (uint16_t)-1);
}
GIR_FUNCTION int gir_any(gir_mask m) { return m != 0; }
GIR_FUNCTION gir_mask gir_and_not(gir_mask a, gir_mask b) { return a & (uint16_t)~b; }
#endif

#ifdef GIR_AVX2 /* --------------------------------------------------------------------------- */
typedef gir_vi gir_mask;

GIR_FUNCTION gir_half_f gir_low_f(gir_vf x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3); }
GIR_FUNCTION gir_half_f gir_high_f(gir_vf x) { return __builtin_shufflevector(x, x, 4, 5, 6, 7); }
GIR_FUNCTION gir_half_i gir_low_i(gir_vi x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3); }
GIR_FUNCTION gir_half_i gir_high_i(gir_vi x) { return __builtin_shufflevector(x, x, 4, 5, 6, 7); }
#ifdef __clang__
GIR_FUNCTION gir_vd gir_half_to_f64(gir_half_f x) { return __builtin_convertvector(x, gir_vd); }
GIR_FUNCTION gir_vd gir_half_i_to_f64(gir_half_i x) { return __builtin_convertvector(x, gir_vd); }
#else
GIR_FUNCTION gir_vd gir_half_to_f64(gir_half_f x) { return __builtin_ia32_cvtps2pd256(x); }
GIR_FUNCTION gir_vd gir_half_i_to_f64(gir_half_i x) { return __builtin_ia32_cvtdq2pd256(x); }
#endif
GIR_FUNCTION gir_vf gir_join(gir_vd a, gir_vd b) {
    gir_half_f low = __builtin_ia32_cvtpd2ps256(a), high = __builtin_ia32_cvtpd2ps256(b);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
GIR_FUNCTION gir_vf gir_select(gir_mask m, gir_vf yes, gir_vf no) {
    return __builtin_ia32_blendvps256(no, yes, (gir_vf)m);
}
GIR_FUNCTION gir_vi gir_look_up_8(const uint32_t *t, gir_vi i) {
    return __builtin_ia32_permvarsi256(*(const gir_vi *)t, i);
}
GIR_FUNCTION gir_vf gir_look_up_8f(const float *t, gir_vi i) {
    return __builtin_ia32_permvarsf256(*(const gir_vf *)t, i);
}
GIR_FUNCTION gir_vf gir_look_up_ff(const float *t, gir_vi i) {
    gir_vf low = gir_look_up_8f(t, i), high = gir_look_up_8f(t + 8, i);
    return __builtin_ia32_blendvps256(low, high, (gir_vf)(i << 28));
}
/* Doubles kept as their low and high words; i << shift is added to the high words.  Unpacking
 * takes lanes 0 1 4 5, then 2 3 6 7, so i is put in that order first. */
GIR_FUNCTION void gir_look_up_8_f64(const uint32_t *low, const uint32_t *high, gir_vi i, int shift,
                                    gir_vd *a, gir_vd *b) {
    gir_vi k = __builtin_shufflevector(i, i, 0, 1, 4, 5, 2, 3, 6, 7);
    gir_vi l = gir_look_up_8(low, k), h = gir_look_up_8(high, k);
    if (shift) h = (gir_vi)((gir_vu)h + ((gir_vu)k << shift));
    *a = (gir_vd)__builtin_shufflevector(l, h, 0, 8, 1, 9, 4, 12, 5, 13);
    *b = (gir_vd)__builtin_shufflevector(l, h, 2, 10, 3, 11, 6, 14, 7, 15);
}
GIR_FUNCTION gir_vf gir_fma_v(gir_vf a, gir_vf b, gir_vf c) {
    return __builtin_ia32_vfmaddps256(a, b, c);
}
GIR_FUNCTION gir_vd gir_fma_vd(gir_vd a, gir_vd b, gir_vd c) {
    return __builtin_ia32_vfmaddpd256(a, b, c);
}
/* The smaller; b where either is NaN. */
GIR_FUNCTION gir_vf gir_min_v(gir_vf a, gir_vf b) { return __builtin_ia32_minps256(a, b); }
GIR_FUNCTION gir_vi gir_truncate(gir_vf x) { return (gir_vi)__builtin_ia32_cvttps2dq256(x); }
GIR_FUNCTION gir_mask gir_less(gir_vf a, gir_vf b) { return (gir_mask)(a < b); }
GIR_FUNCTION gir_mask gir_not_less(gir_vf a, gir_vf b) {
    return (gir_mask)__builtin_ia32_cmpps256(a, b, 5);
}
GIR_FUNCTION gir_mask gir_differ(gir_vf a, gir_vf b) { return (gir_mask)(a != b); }
GIR_FUNCTION gir_mask gir_equal_i(gir_vi a, gir_vi b) { return (gir_mask)(a == b); }
GIR_FUNCTION gir_mask gir_at_least(gir_vi a, int32_t b) { return (gir_mask)(a > b - 1); }
GIR_FUNCTION gir_mask gir_at_least_u(gir_vi a, gir_vi b) {
    return (gir_mask)((gir_vu)a >= (gir_vu)b);
}
GIR_FUNCTION int gir_any(gir_mask m) { return __builtin_ia32_movmskps256((gir_vf)m) != 0; }
GIR_FUNCTION gir_mask gir_and_not(gir_mask a, gir_mask b) { return a & ~b; }
#endif

#if defined(GIR_AVX512) || defined(GIR_AVX2) /* ---------------------------------------------- */
#define GIR_VECTOR_FMA 1

#ifdef __clang__
#define GIR_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GIR_UNROLL _Pragma("GCC unroll 16")
#endif
#define GIR_STEP(i, n) GIR_UNROLL for (int i = 0; i < (n); i++)

/* Two vectors, and their numbers in f64.  What is computed for one half is computed for all at
 * once: four chains in flight.  For a single vector both are the same and the compiler computes
 * it once. */
typedef struct {
    gir_vf v[2];
} gir_pair;
typedef struct {
    gir_vd v[4];
} gir_wide;

GIR_FUNCTION gir_wide gir_widen(gir_pair x) {
    return (gir_wide){{gir_half_to_f64(gir_low_f(x.v[0])), gir_half_to_f64(gir_high_f(x.v[0])),
                       gir_half_to_f64(gir_low_f(x.v[1])), gir_half_to_f64(gir_high_f(x.v[1]))}};
}
GIR_FUNCTION gir_wide gir_widen_i(gir_vi a, gir_vi b) {
    return (gir_wide){{gir_half_i_to_f64(gir_low_i(a)), gir_half_i_to_f64(gir_high_i(a)),
                       gir_half_i_to_f64(gir_low_i(b)), gir_half_i_to_f64(gir_high_i(b))}};
}
/* The one rounding to f32, which handles subnormal results and overflow. */
GIR_FUNCTION gir_pair gir_narrow(gir_wide x) {
    return (gir_pair){{gir_join(x.v[0], x.v[1]), gir_join(x.v[2], x.v[3])}};
}

GIR_FUNCTION gir_wide gir_w(double x) {
    gir_vd v = gir_splat_f64(x);
    return (gir_wide){{v, v, v, v}};
}
GIR_FUNCTION gir_wide gir_w_add(gir_wide x, gir_wide y) {
    GIR_STEP(i, 4) x.v[i] = x.v[i] + y.v[i];
    return x;
}
GIR_FUNCTION gir_wide gir_w_sub(gir_wide x, gir_wide y) {
    GIR_STEP(i, 4) x.v[i] = x.v[i] - y.v[i];
    return x;
}
GIR_FUNCTION gir_wide gir_w_mul(gir_wide x, gir_wide y) {
    GIR_STEP(i, 4) x.v[i] = x.v[i] * y.v[i];
    return x;
}
GIR_FUNCTION gir_wide gir_w_div(gir_wide x, gir_wide y) {
    GIR_STEP(i, 4) x.v[i] = x.v[i] / y.v[i];
    return x;
}
/* x*y + z, x*y - z, z - x*y, each rounded once */
GIR_FUNCTION gir_wide gir_w_fma(gir_wide x, gir_wide y, gir_wide z) {
    GIR_STEP(i, 4) x.v[i] = gir_fma_vd(x.v[i], y.v[i], z.v[i]);
    return x;
}
GIR_FUNCTION gir_wide gir_w_fms(gir_wide x, gir_wide y, gir_wide z) {
    GIR_STEP(i, 4) x.v[i] = gir_fma_vd(x.v[i], y.v[i], -z.v[i]);
    return x;
}
GIR_FUNCTION gir_wide gir_w_fnma(gir_wide x, gir_wide y, gir_wide z) {
    GIR_STEP(i, 4) x.v[i] = gir_fma_vd(-x.v[i], y.v[i], z.v[i]);
    return x;
}
GIR_FUNCTION gir_vf gir_fms_v(gir_vf a, gir_vf b, gir_vf c) { return gir_fma_v(a, b, -c); }
GIR_FUNCTION gir_vf gir_fnma_v(gir_vf a, gir_vf b, gir_vf c) { return gir_fma_v(-a, b, c); }

/* c[0] + x (c[1] + x (c[2] + …)), n coefficients, by fma; n is a constant */
GIR_FUNCTION gir_wide gir_w_horner(gir_wide x, const double *c, int n) {
    gir_wide y = gir_w(c[n - 1]);
    GIR_UNROLL for (int k = n - 2; k >= 0; k--) y = gir_w_fma(y, x, gir_w(c[k]));
    return y;
}

/* Lanes of x whose bits are one of the listed arguments: `count` pairs of bits. */
GIR_FUNCTION gir_mask gir_listed(gir_vi bits, const uint32_t (*pairs)[2], int count) {
    gir_mask found = gir_equal_i(bits, gir_splat_i32((int32_t)pairs[0][0]));
    GIR_UNROLL for (int k = 1; k < count; k++)
        found |= gir_equal_i(bits, gir_splat_i32((int32_t)pairs[k][0]));
    return found;
}

/* y where x is a listed argument replaced by the listed value. */
GIR_FUNCTION gir_vf gir_patch(gir_vf y, gir_vf x, const uint32_t (*pairs)[2], int count) {
    for (int k = 0; k < count; k++) {
        gir_mask here = gir_equal_i((gir_vi)x, gir_splat_i32((int32_t)pairs[k][0]));
        y = gir_select(here, (gir_vf)gir_splat_i32((int32_t)pairs[k][1]), y);
    }
    return y;
}

/* hi + lo, and n in the bits above the fifth of k: the value is 2^n (hi + lo) */
typedef struct {
    gir_vf hi, lo;
    gir_vi k;
} gir_float_float;

/* The answer where both ends of hi + lo ± bound round alike, else lanes in *doubtful. */
GIR_FUNCTION gir_vf gir_certain(gir_float_float v, gir_vf bound, gir_mask *doubtful) {
    gir_vf upper = v.hi + (v.lo + bound), lower = v.hi + (v.lo - bound);
    *doubtful = gir_differ(upper, lower);
    return upper;
}

/* f for two vectors made into f for one. */
#define GIR_FROM_PAIR(f, x) (f((gir_pair){{(x), (x)}}).v[0])
#else
typedef struct {
    gir_vf v[2];
} gir_pair;
#endif
#endif
