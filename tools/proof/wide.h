/* Arguments for the f64 functions and triples for fma: too many to try all, so chosen.
 *
 * Argument number i of a function is always the same.  A stratum says how it is drawn; its weight
 * is its share.  Everything is drawn from scrambled(i).
 */
#ifndef GIR_PROOF_WIDE_H
#define GIR_PROOF_WIDE_H
#include <math.h>

#include "proof.h"

enum kind {
    UNIFORM, /* a … b */
    SCALES,  /* exponents a … b-1, any significand */
    AROUND,  /* the multiples (k + b) a for |k| < c, moved by 1 … 2^40 units in the last place */
    POINT,   /* a, moved by 1 … 2^50 units */
    EDGES,   /* as AROUND for the multiples of a in [0.6875, 1.375), times a power of two */
    STRATA_END
};

typedef struct {
    enum kind kind;
    double a, b, c;
    int weight;
} stratum;

#define LN2 0x1.62e42fefa39efp-1
#define PI 0x1.921fb54442d18p+1
#define END {STRATA_END, 0, 0, 0, 0}

static const stratum strata[FUNCTIONS][12] = {
    [EXP] = {{SCALES, -55, 10, 0, 24},         {UNIFORM, -745.2, 709.79, 0, 24},
             {UNIFORM, -1, 1, 0, 12},          {UNIFORM, -745.2, -708.3, 0, 12},
             {AROUND, LN2 / 128, .5, 1e5, 18}, {SCALES, -1074, -55, 0, 2},
             {POINT, 709.782712893384, 0, 0, 4}, {POINT, -745.133219101941, 0, 0, 2},
             {POINT, -708.396418532264, 0, 0, 2}, END},
    [EXP2] = {{SCALES, -55, 11, 0, 24},       {UNIFORM, -1075.5, 1024, 0, 24},
              {UNIFORM, -1, 1, 0, 12},        {UNIFORM, -1075.5, -1021.5, 0, 12},
              {AROUND, 1. / 128, .5, 1.3e5, 18}, {SCALES, -1074, -55, 0, 2},
              {POINT, 1023.99999, 0, 0, 4},   {POINT, -1075, 0, 0, 2},
              {POINT, -1022, 0, 0, 2},        END},
    [LOG] = {{SCALES, -1074, 1024, 0, 30}, {UNIFORM, 0.5, 2, 0, 20}, {POINT, 1, 0, 0, 20},
             {UNIFORM, 0.99, 1.01, 0, 10}, {EDGES, 0x1p-8, 0, 0, 20}, END},
    [LOG2] = {{SCALES, -1074, 1024, 0, 30}, {UNIFORM, 0.5, 2, 0, 20}, {POINT, 1, 0, 0, 20},
              {UNIFORM, 0.99, 1.01, 0, 10}, {EDGES, 0x1p-8, 0, 0, 20}, END},
    [SIN] = {{SCALES, -27, 18, 0, 32},       {SCALES, 18, 1024, 0, 6},
             {UNIFORM, 0, 7, 0, 10},         {UNIFORM, 0, 262144, 0, 18},
             {AROUND, PI / 2, 0, 1.6e5, 14}, {AROUND, PI / 64, .5, 5e6, 14},
             {AROUND, PI / 2, 0, 1e12, 2},   {POINT, 262144, 0, 0, 2},
             {SCALES, -1074, -27, 0, 2},     END},
    [COS] = {{SCALES, -28, 18, 0, 32},       {SCALES, 18, 1024, 0, 6},
             {UNIFORM, 0, 7, 0, 10},         {UNIFORM, 0, 262144, 0, 18},
             {AROUND, PI / 2, 0, 1.6e5, 14}, {AROUND, PI / 64, .5, 5e6, 14},
             {AROUND, PI / 2, 0, 1e12, 2},   {POINT, 262144, 0, 0, 2},
             {SCALES, -1074, -28, 0, 2},     END},
    [TANH] = {{SCALES, -30, 5, 0, 24},      {UNIFORM, 0, 20, 0, 20},    {UNIFORM, 0, 0.3, 0, 18},
              {POINT, 0.0625, 0, 0, 8},     {POINT, 20, 0, 0, 2},       {AROUND, 1. / 256, 0, 64, 9},
              {AROUND, 1. / 16, 0, 320, 9}, {SCALES, -1074, -30, 0, 10}, END},
    [ERF] = {{SCALES, -30, 3, 0, 24},     {UNIFORM, 0, 6.1, 0, 20},   {UNIFORM, 0, 0.3, 0, 20},
             {POINT, 0.25, 0, 0, 8},      {POINT, 6, 0, 0, 2},        {AROUND, .125, .5, 48, 8},
             {SCALES, -1030, -1000, 0, 12}, {SCALES, -1074, -30, 0, 6}, END},
};

static inline double f64_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static inline uint64_t bits64_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

static inline double fraction_of(uint64_t word) { return (double)(word >> 11) * 0x1p-53; }

static inline int is_even_or_odd(int function) { return function >= SIN; }

/* x some units in the last place further on; the number of bits of `some` is itself random. */
static inline double moved(double x, uint64_t word, int most) {
    int64_t step = (int64_t)((word >> 14) >> (50 - (int)(word & 0xff) % (most + 1)));
    return f64_of(bits64_of(x) + (uint64_t)(word & 0x100 ? step : -step));
}

static double argument(int function, uint64_t i) {
    uint64_t word = scrambled(i ^ (uint64_t)(function + 1) << 48);
    uint64_t first = scrambled(word), second = scrambled(first);
    int share = (int)(word % 100);
    const stratum *s = strata[function];
    while (share >= s->weight) share -= (s++)->weight;
    double x = 0, k;
    switch (s->kind) {
    case UNIFORM: x = s->a + (s->b - s->a) * fraction_of(first); break;
    case SCALES:
        k = floor(s->a + (s->b - s->a) * fraction_of(second));
        x = ldexp(1 + fraction_of(first), (int)k);
        break;
    case AROUND:
        k = floor(s->c * (2 * fraction_of(first) - 1));
        if (k + s->b == 0) k = 1; /* 0 cannot be moved by units */
        x = moved((k + s->b) * s->a, second, 40);
        break;
    case POINT: x = moved(s->a, first, 50); break;
    case EDGES:
        k = floor(176 * fraction_of(first));
        x = ldexp(moved(0.6875 + k * s->a, second, 40), (int)(first % 2044) - 1022);
        break;
    default: break;
    }
    int negative = is_even_or_odd(function) || (function < LOG && s->kind == SCALES);
    return negative && word >> 63 ? -x : x;
}

/* Triples for fma.  `places` bits of significand, exponents 0 … top. */
typedef struct {
    int places, top;
} format;

enum triple { ANY, COMPARABLE, SMALL, LARGE, CANCELLING, TIES, TRIPLES };
static const int triple_share[TRIPLES] = {15, 20, 10, 10, 20, 25};

static inline int range(uint64_t word, int low, int high) {
    return low + (int)((word >> 16) % (uint64_t)(high - low));
}

/* Any significand, or one of few bits or few zeros: these meet at ties. */
static uint64_t pattern(format f, uint64_t word, int exponent) {
    uint64_t all = ((uint64_t)1 << f.places) - 1, more = scrambled(word), significand = more & all;
    if (word & 1) {
        significand = (uint64_t)1 << range(more, 0, f.places);
        if (word & 2) significand |= (uint64_t)1 << range(scrambled(more), 0, f.places);
        if ((word & 12) == 0) significand = 0;
        if ((word & 48) == 0) significand ^= all;
    }
    exponent = exponent < 0 ? 0 : exponent > f.top ? f.top : exponent;
    int width = f.places > 23 ? 63 : 31;
    return (word >> 63) << width | (uint64_t)exponent << f.places | significand;
}

/* An odd integer of so many bits as a number of this format, its last bit worth 2^scale. */
static double odd_number(uint64_t word, int bits, int scale) {
    uint64_t n = (word & (((uint64_t)1 << bits) - 1)) | (uint64_t)1 << (bits - 1) | 1;
    return ldexp((double)n, scale) * (word >> 63 ? -1 : 1);
}

/* The kind of triple i, and its patterns but for the last of CANCELLING and all of TIES. */
static enum triple triple_patterns(format f, uint64_t i, uint64_t *word, uint64_t *p) {
    *word = scrambled(i);
    uint64_t w[6];
    w[0] = scrambled(*word);
    for (int k = 1; k < 6; k++) w[k] = scrambled(w[k - 1]);
    int share = (int)(*word % 100), bias = f.top / 2, places = f.places, kind = 0;
    while (share >= triple_share[kind]) share -= triple_share[kind++];
    int a = range(w[0], bias / 2, 3 * bias / 2), b = range(w[1], bias / 2, 3 * bias / 2);
    if (kind == SMALL) {
        a = range(w[0], 0, bias);
        b = bias - a + range(w[1], -2 * places - 10, places);
    }
    if (kind == LARGE) {
        a = range(w[0], bias, f.top);
        b = 3 * bias - a + range(w[1], -places - 8, 4);
    }
    int c = a + b - bias + range(w[2], -2 * places - 12, 2 * places + 12);
    if (kind == ANY) {
        a = range(w[0], 0, f.top + 1);
        b = range(w[1], 0, f.top + 1);
        c = range(w[2], 0, f.top + 1);
    }
    p[0] = pattern(f, w[3], a);
    p[1] = pattern(f, w[4], b);
    p[2] = pattern(f, w[5], c);
    return (enum triple)kind;
}

/* TIES: a product half way between two numbers of the format, subnormal ones too, and c nothing,
 * or so little that it decides only the side; or c = 1 and a product half a unit of 1, and less. */
static void tie(format f, uint64_t word, double *t) {
    uint64_t w[4];
    w[0] = scrambled(word);
    for (int k = 1; k < 4; k++) w[k] = scrambled(w[k - 1]);
    int p = f.places + 1, bits = range(w[3], 2, p - 1), least = 1 - f.top / 2 - f.places;
    int scale = range(w[2], -p - 4, 4); /* of the product */
    if (word & 0x1000) {
        scale = least - 1; /* half of the least subnormal, and fewer bits kept */
        bits = range(w[3], 2, p / 2);
        t[0] = odd_number(w[0], bits, 0);
        t[1] = odd_number(w[1], range(w[2], 2, p / 2), scale);
    } else {
        t[0] = odd_number(w[0], bits, 0);
        t[1] = odd_number(w[1], p + 1 - bits, scale);
    }
    int below = (int)(w[2] >> 8 & 0xff);
    t[2] = odd_number(w[2], 1, scale - 1 - below < least ? least : scale - 1 - below);
    if ((word & 0x6000) == 0) t[2] = 0;
    if ((word & 0x6000) == 0x2000)
        t[2] = ldexp(w[3] >> 63 ? -1 : 1, scale + 2 * p - below % (2 * p));
}
#endif
