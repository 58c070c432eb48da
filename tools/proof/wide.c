/* Errors of the f64 functions against the exact values, and what the comparisons need besides.
 *
 * x87 long double, 11 bits longer than f64, screens: where its value says that an error is not
 * within SLACK of the largest known, the argument is done with.  MPFR decides every other one,
 * and one argument in a thousand, on which the screen itself is measured: as long as its error is
 * below SLACK, no larger error can be missed.
 */
#include "wide.h"

#ifdef WITH_MPFR
#include "judges.h"

#define SLACK 0x1p-8
enum { PART = 4096, PRECISION = 160, SAMPLED_OF = 1000 };

typedef void map(double *restrict out, const double *restrict in, long n);
map gir_map_exp, gir_map_exp2, gir_map_log, gir_map_log2;
map gir_map_sin, gir_map_cos, gir_map_tanh, gir_map_erf;
static map *const maps[FUNCTIONS] = {gir_map_exp, gir_map_exp2, gir_map_log,  gir_map_log2,
                                     gir_map_sin, gir_map_cos,  gir_map_tanh, gir_map_erf};

typedef struct {
    double largest, at;               /* error, and its argument */
    double screen_largest, screen_at; /* error of the screen, where MPFR decided */
    int64_t arguments, decided, sampled;
} tally;

/* glibc's sinl and cosl are slow beyond pi/4, because of their reduction.  Here x = k pi/2 + r,
 * |x| < 2^18, with the products by the first two parts of pi/2, of 44 bits each, exact. */
static long double screened_wave(int function, long double x) {
    const long double first = 0xc90fdaa2216p-43L, second = 0x8c234c4c662p-87L;
    const long double third = 0x8b80dc1cd129024ep-151L;
    long double k = rintl(x * 0xa2f9836e4e441529p-64L);
    long double r = ((x - k * first) - k * second) - k * third;
    switch (((int)k + (function == COS)) & 3) {
    case 0: return sinl(r);
    case 1: return cosl(r);
    case 2: return -sinl(r);
    default: return -cosl(r);
    }
}

static long double screened(int function, long double x) {
    int wave = function == SIN || function == COS;
    if (wave && fabsl(x) < 262144) return screened_wave(function, x);
    return by_x87(function, x);
}

/* An infinite result stands for 2^1024: right where the value is within half a unit of that. */
static long double as_number(double y) {
    return y == INFINITY ? 0x1p1024L : y == -INFINITY ? -0x1p1024L : (long double)y;
}

/* |y - value| in units in the last place of the value; just above a power of two in the smaller
 * unit below it, since the exact value may lie there. */
static double screened_error(double y, long double value) {
    union {
        long double x;
        struct {
            uint64_t significand;
            uint16_t exponent;
        } bits;
    } v = {value}, scale = {0};
    int exponent = (v.bits.exponent & 0x7fff) - 16383;
    if (v.bits.significand < 0x8000000000000040u) exponent--;
    if (exponent < -1022) exponent = -1022;
    if (exponent > 1023) {
        if (fabs(y) == INFINITY && (y < 0) == (value < 0)) return 0;
        exponent = 1023;
    }
    scale.bits.significand = 0x8000000000000000u;
    scale.bits.exponent = (uint16_t)(16383 + 52 - exponent);
    return (double)fabsl((as_number(y) - value) * scale.x);
}

/* By MPFR: the error of y, in units of the exact value, and into *screen that of the screen. */
static double exact_error(int function, double argument, double y, double *screen) {
    mpfr_t x, value, error;
    mpfr_init2(x, 53);
    mpfr_init2(value, PRECISION);
    mpfr_init2(error, PRECISION);
    mpfr_set_d(x, argument, MPFR_RNDN);
    evaluate(function, value, x);
    long exponent = mpfr_zero_p(value) ? -1022 : mpfr_get_exp(value) - 1;
    if (exponent < -1022) exponent = -1022;
    int beyond = exponent > 1023;
    if (beyond) exponent = 1023;
    mpfr_sub_d(error, value, y, MPFR_RNDN);
    if (fabs(y) == INFINITY) {
        mpfr_set_ld(error, as_number(y), MPFR_RNDN);
        mpfr_sub(error, value, error, MPFR_RNDN);
        if (beyond && (y < 0) == (mpfr_sgn(value) < 0)) mpfr_set_zero(error, 1);
    }
    mpfr_mul_2si(error, error, 52 - exponent, MPFR_RNDN);
    double result = fabs(mpfr_get_d(error, MPFR_RNDA));
    mpfr_t wide;
    mpfr_init2(wide, 64);
    mpfr_set_ld(wide, screened(function, argument), MPFR_RNDN);
    mpfr_sub(error, value, wide, MPFR_RNDN);
    mpfr_mul_2si(error, error, 52 - exponent, MPFR_RNDN);
    *screen = beyond ? 0 : fabs(mpfr_get_d(error, MPFR_RNDA));
    mpfr_clears(x, value, error, wide, (mpfr_ptr)0);
    return y != y ? INFINITY : result;
}

static void decide(int function, double x, double y, tally *t) {
    double screen, error = exact_error(function, x, y, &screen);
    t->decided++;
    if (error > t->largest || !t->largest) {
        t->largest = error;
        t->at = x;
    }
    if (screen > t->screen_largest) {
        t->screen_largest = screen;
        t->screen_at = x;
    }
}

/* Arguments first … first+count-1; t->largest may hold what is known from others. */
void wide_errors(int function, uint64_t first, uint64_t count, tally *t) {
    double in[PART], out[PART];
    for (uint64_t start = 0; start < count; start += PART) {
        uint64_t n = count - start < PART ? count - start : PART;
        for (uint64_t i = 0; i < PART; i++)
            in[i] = i < n ? argument(function, first + start + i) : 1.0;
        maps[function](out, in, PART);
        for (uint64_t i = 0; i < n; i++) {
            double error = screened_error(out[i], screened(function, in[i]));
            int sampled = (first + start + i) % SAMPLED_OF == 0;
            t->sampled += sampled;
            if (sampled || !(error < t->largest - SLACK)) decide(function, in[i], out[i], t);
        }
        t->arguments += (int64_t)n;
    }
    mpfr_free_cache();
}

/* The given arguments, all decided by MPFR. */
void wide_decide(int function, const double *x, uint64_t count, tally *t) {
    double in[PART], out[PART];
    for (uint64_t start = 0; start < count; start += PART) {
        uint64_t n = count - start < PART ? count - start : PART;
        for (uint64_t i = 0; i < PART; i++) in[i] = i < n ? x[start + i] : 1.0;
        maps[function](out, in, PART);
        for (uint64_t i = 0; i < n; i++) decide(function, in[i], out[i], t);
        t->arguments += (int64_t)n;
    }
    mpfr_free_cache();
}
#endif

void wide_arguments(int function, uint64_t first, uint64_t count, double *out) {
    for (uint64_t i = 0; i < count; i++) out[i] = argument(function, first + i);
}

/* Any bits at all. */
void wide_bits(uint64_t first, uint64_t count, uint64_t *out) {
    for (uint64_t i = 0; i < count; i++) out[i] = scrambled(~(first + i));
}

#define TRIPLES_OF(name, real, whole, from, to, places, top)                                    \
    void triples_##name(uint64_t first, uint64_t count, real *a, real *b, real *c) {            \
        const format f = {places, top};                                                         \
        for (uint64_t i = 0; i < count; i++) {                                                  \
            uint64_t word, p[3];                                                                \
            enum triple kind = triple_patterns(f, first + i, &word, p);                         \
            a[i] = from((whole)p[0]), b[i] = from((whole)p[1]), c[i] = from((whole)p[2]);       \
            if (kind == CANCELLING)                                                             \
                c[i] = from((whole)(to(-(a[i] * b[i])) + (whole)range(word, -3, 4)));           \
            if (kind == TIES) {                                                                 \
                double t[3];                                                                    \
                tie(f, word, t);                                                                \
                a[i] = (real)t[0], b[i] = (real)t[1], c[i] = (real)t[2];                        \
            }                                                                                   \
        }                                                                                       \
    }                                                                                           \
    void hardware_fma_##name(real *out, const real *a, const real *b, const real *c, long n) {  \
        for (long i = 0; i < n; i++) out[i] = __builtin_fma##to##_(a[i], b[i], c[i]);           \
    }
#define __builtin_fmabits_of_ __builtin_fmaf
#define __builtin_fmabits64_of_ __builtin_fma
TRIPLES_OF(f32, float, uint32_t, float_of, bits_of, 23, 255)
TRIPLES_OF(f64, double, uint64_t, f64_of, bits64_of, 52, 2047)
