/* The correctly rounded f32 value of an elementary function, decided by x87 long double.
 *
 * glibc's long double functions are within 2 units in the last of 64 bits.  Here they are
 * trusted to 2^20 units only: where the value moved by that either way rounds to the same f32,
 * subnormal results and overflow included, that is the answer; elsewhere (about one argument in
 * 400,000) MPFR gives 220 bits.  x86 only: long double must have 64 bits.
 */
#ifndef GIR_PROOF_EXACT_H
#define GIR_PROOF_EXACT_H
#include "judges.h"

static uint32_t by_mpfr(int function, float x) {
    static mpfr_t argument, value;
    static int ready;
    if (!ready) {
        mpfr_init2(argument, 24);
        mpfr_init2(value, 220);
        ready = 1;
    }
    mpfr_set_flt(argument, x, MPFR_RNDN);
    evaluate(function, value, argument);
    return canonical(bits_of(mpfr_get_flt(value, MPFR_RNDN)));
}

/* Arguments whose result needs no evaluation, since the rounding error allows
 *   e^x, 2^x, cos x        1 where |x| < 2^-26 (cos: 2^-13): 1 within 2^-25 of itself,
 *   sin x, tanh x          x where |x| < 2^-13: less than x by x 2^-27.5 at most,
 *   tanh x                 1 where x > 9.5, since 1 - tanh x < 2 e^-19 < 2^-25; erf x, x > 4 alike,
 *   e^x, 2^x               inf from 89 and 129 on, 0 below -104.5 and -151.
 * Cross-checks with MPFR go over these too. */
static inline int is_plain(int function, float x, uint32_t bits, uint32_t *result) {
    float size = fabsf(x);
    uint32_t sign = bits & 0x80000000u;
    switch (function) {
    case EXP:
    case EXP2:
        *result = size < 0x1p-26f ? 0x3f800000u : x > 0 ? 0x7f800000u : 0;
        return size < 0x1p-26f || x >= (function == EXP ? 89.0f : 129.0f) ||
               x < (function == EXP ? -104.5f : -151.0f);
    case LOG:
    case LOG2: *result = 0x7fc00000u; return x < 0;
    case SIN: *result = bits; return size < 0x1p-13f;
    case COS: *result = 0x3f800000u; return size < 0x1p-13f;
    case TANH:
        *result = size < 1 ? bits : 0x3f800000u | sign;
        return size < 0x1p-13f || size > 9.5f;
    default: *result = 0x3f800000u | sign; return size > 4.0f;
    }
}

/* Bits of the rounded value; *hard says whether MPFR had to decide. */
static inline uint32_t exact(int function, uint32_t bits, int *hard) {
    float x = float_of(bits);
    uint32_t plain;
    *hard = 0;
    if (x != x) return 0x7fc00000u;
    if (is_plain(function, x, bits, &plain)) return plain;
    long double value = by_x87(function, x);
    if (value != value) return 0x7fc00000u;
    if (value - value != 0) return bits_of((float)value); /* infinite */
    long double margin = value * 0x1p-43L;
    float low = (float)(value - margin), high = (float)(value + margin);
    if (bits_of(low) == bits_of(high)) return bits_of(low);
    *hard = 1;
    return by_mpfr(function, x);
}

static inline int is_odd(int function) {
    return function == SIN || function == TANH || function == ERF;
}

static inline int is_symmetric(int function) { return is_odd(function) || function == COS; }

/* f(-x) from the bits of f(x), for a symmetric function. */
static inline uint32_t mirrored(int function, uint32_t bits) {
    bits = canonical(bits);
    return is_odd(function) && bits != 0x7fc00000u ? bits ^ 0x80000000u : bits;
}
#endif
