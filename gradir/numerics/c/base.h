/* What every piece of this C text stands on: attributes, bits of floats, checks of the mode.
 *
 * The bits promised need IEEE arithmetic that nobody rearranges: -ffast-math and excess precision
 * are refused here, contraction (a*b + c fused behind our back) is switched off below.  Only
 * clang's -ffp-contract=fast, which is not its default, overrides that: do not pass it.
 */
#ifndef GIR_BASE_H
#define GIR_BASE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __FAST_MATH__
#error "compiled with -ffast-math: the specified bits cannot be kept"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "float expressions are evaluated with excess precision (on x86 use -msse2 -mfpmath=sse)"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#define GIR_FUNCTION static inline __attribute__((always_inline, unused))
/* A rare path: kept out of the callers' loops and registers. */
#define GIR_RARE static __attribute__((noinline, cold, unused))
#define GIR_TABLE static const __attribute__((aligned(64), unused))
#define GIR_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define GIR_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#define GIR_INF_F32 __builtin_inff()
#define GIR_INF_F64 __builtin_inf()
#define GIR_NAN_F32 __builtin_nanf("")
#define GIR_NAN_F64 __builtin_nan("")

GIR_FUNCTION uint32_t gir_bits_f32(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, 4);
    return bits;
}

GIR_FUNCTION float gir_f32_of(uint32_t bits) {
    float x;
    __builtin_memcpy(&x, &bits, 4);
    return x;
}

GIR_FUNCTION uint64_t gir_bits_f64(double x) {
    uint64_t bits;
    __builtin_memcpy(&bits, &x, 8);
    return bits;
}

GIR_FUNCTION double gir_f64_of(uint64_t bits) {
    double x;
    __builtin_memcpy(&x, &bits, 8);
    return x;
}

/* NUM-6: the one NaN that programs can see. */
GIR_FUNCTION float gir_canonical_f32(float x) { return x == x ? x : gir_f32_of(0x7fc00000u); }
GIR_FUNCTION double gir_canonical_f64(double x) {
    return x == x ? x : gir_f64_of(0x7ff8000000000000u);
}

/* Added to |t| < 2^31 it leaves the nearest integer (ties to even) in the low bits. */
#define GIR_ROUND 0x1.8p52
#endif
