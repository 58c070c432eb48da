/* The eight functions by x87 long double, and by MPFR to the precision of `value`. */
#ifndef GIR_PROOF_JUDGES_H
#define GIR_PROOF_JUDGES_H
#include <float.h>
#include <math.h>
#include <mpfr.h>

#include "proof.h"

#if LDBL_MANT_DIG != 64
#error "the 80-bit long double of x86 is needed"
#endif

static inline long double by_x87(int function, long double x) {
    switch (function) {
    case EXP: return expl(x);
    case EXP2: return exp2l(x);
    case LOG: return logl(x);
    case LOG2: return log2l(x);
    case SIN: return sinl(x);
    case COS: return cosl(x);
    case TANH: return tanhl(x);
    default: return erfl(x);
    }
}

static inline void evaluate(int function, mpfr_t value, const mpfr_t x) {
    switch (function) {
    case EXP: mpfr_exp(value, x, MPFR_RNDN); break;
    case EXP2: mpfr_exp2(value, x, MPFR_RNDN); break;
    case LOG: mpfr_log(value, x, MPFR_RNDN); break;
    case LOG2: mpfr_log2(value, x, MPFR_RNDN); break;
    case SIN: mpfr_sin(value, x, MPFR_RNDN); break;
    case COS: mpfr_cos(value, x, MPFR_RNDN); break;
    case TANH: mpfr_tanh(value, x, MPFR_RNDN); break;
    default: mpfr_erf(value, x, MPFR_RNDN); break;
    }
}
#endif
