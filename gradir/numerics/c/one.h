/* @needs base
 *
 * Functions of one f32 for code that waits for each result before it goes on (pieces one_exp,
 * one_sin, one_tanh): with fma, and with polynomials whose halves are worked out side by side, so
 * that few operations wait for another.  Correctly rounded, so the bits are those of the other
 * forms.  Arguments that are listed or far out go to those, and all do where there is no fma.
 */
#ifndef GIR_ONE_H
#define GIR_ONE_H

/* Not inlined: a call is short beside the chain, and long straight code has hundreds. */
#define GIR_ONE_FUNCTION static __attribute__((noinline, unused))

#if defined(__FMA__) || defined(__aarch64__)
#define GIR_ONE_FMA(a, b, c) __builtin_fma(a, b, c)
#endif
#endif
