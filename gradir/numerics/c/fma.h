/* @needs base vec
 *
 * a*b + c rounded once (FMA-1 … FMA-3): the processor's instruction where it has one, else the
 * soft forms gir_soft_fma_f32 and gir_soft_fma_f64, which are always there so that they can be
 * tested.
 */
#ifndef GIR_FMA_H
#define GIR_FMA_H

#if defined(__FMA__) || defined(__aarch64__) || (defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF))
#define GIR_HARDWARE_FMA 1
#endif

/* The product is exact in f64; the sum is rounded to odd there (the last bit set where something
 * was lost), after which rounding again to f32 cannot hurt: f64 has more than 24 + 2 bits. */
GIR_FUNCTION float gir_soft_fma_f32(float a, float b, float c) {
    double p = (double)a * (double)b, d = (double)c, s = p + d, part = s - p;
    double error = (p - (s - part)) + (d - part);
    uint64_t bits = gir_bits_f64(s), lost = gir_bits_f64(error);
    uint64_t away = (bits ^ lost) >> 63 ? ~(uint64_t)0 : 1;
    int inexact = error != 0.0 && s - s == 0.0 && error - error == 0.0;
    bits += inexact && !(bits & 1) ? away : 0;
    return (float)gir_f64_of(bits);
}

typedef struct {
    uint64_t high, low;
} gir_bits128;

GIR_FUNCTION gir_bits128 gir_product_128(uint64_t a, uint64_t b) {
    uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
    uint64_t low = al * bl, middle = ah * bl + (low >> 32);
    uint64_t other = al * bh + (middle & 0xffffffffu);
    return (gir_bits128){ah * bh + (middle >> 32) + (other >> 32),
                         other << 32 | (low & 0xffffffffu)};
}

/* x / 2^n, with the last bit set if anything else was shifted out. */
GIR_FUNCTION gir_bits128 gir_shifted_right_128(gir_bits128 x, int n) {
    if (n == 0) return x;
    if (n >= 128) return (gir_bits128){0, (x.high | x.low) != 0};
    uint64_t lost = n >= 64 ? x.low | (n > 64 ? x.high << (128 - n) : 0) : x.low << (64 - n);
    gir_bits128 y = n >= 64 ? (gir_bits128){0, n > 64 ? x.high >> (n - 64) : x.high}
                            : (gir_bits128){x.high >> n, x.low >> n | x.high << (64 - n)};
    y.low |= lost != 0;
    return y;
}

GIR_FUNCTION gir_bits128 gir_shifted_left_128(gir_bits128 x, int n) {
    if (n == 0) return x;
    if (n >= 64) return (gir_bits128){n > 64 ? x.low << (n - 64) : x.low, 0};
    return (gir_bits128){x.high << n | x.low >> (64 - n), x.low << n};
}

GIR_FUNCTION int gir_leading_zeros_128(gir_bits128 x) {
    return x.high ? __builtin_clzll(x.high) : 64 + __builtin_clzll(x.low);
}

/* |x| = m 2^e with 2^52 <= m < 2^53; x finite, not 0. */
GIR_FUNCTION uint64_t gir_significand(double x, int *e) {
    uint64_t bits = gir_bits_f64(x) & INT64_MAX, m = bits & 0xfffffffffffffu;
    if (bits >> 52) {
        *e = (int)(bits >> 52) - 1075;
        return m | 0x10000000000000u;
    }
    int shift = __builtin_clzll(m) - 11;
    *e = -1074 - shift;
    return m << shift;
}

/* a*b + c in integers, for finite operands that are not 0. */
GIR_RARE double gir_exact_fma_f64(double a, double b, double c) {
    int ea, eb, ec;
    gir_bits128 p = gir_product_128(gir_significand(a, &ea), gir_significand(b, &eb));
    gir_bits128 q = {gir_significand(c, &ec), 0};
    /* Both with the leading bit at place 126, one bit being left for the carry. */
    int shift = gir_leading_zeros_128(p) - 1, exponent = ea + eb - shift, other = ec - 64 - 10;
    p = gir_shifted_left_128(p, shift);
    q = gir_shifted_left_128(q, 10);
    uint64_t p_sign = (gir_bits_f64(a) ^ gir_bits_f64(b)) >> 63, q_sign = gir_bits_f64(c) >> 63;
    int p_smaller = exponent < other || (exponent == other && (p.high < q.high ||
                                         (p.high == q.high && p.low < q.low)));
    if (p_smaller) {
        gir_bits128 t = p;
        p = q;
        q = t;
        int e = exponent;
        exponent = other;
        other = e;
        uint64_t s = p_sign;
        p_sign = q_sign;
        q_sign = s;
    }
    int apart = exponent - other;
    q = gir_shifted_right_128(q, apart < 128 ? apart : 128);
    if (p_sign == q_sign) {
        uint64_t low = p.low + q.low;
        p = (gir_bits128){p.high + q.high + (low < p.low), low};
    } else {
        p = (gir_bits128){p.high - q.high - (p.low < q.low), p.low - q.low};
    }
    if (!(p.high | p.low)) return 0.0;
    int zeros = gir_leading_zeros_128(p);
    p = gir_shifted_left_128(p, zeros);
    exponent -= zeros; /* the value is p 2^exponent, p's top bit at place 127 */
    int drop = 75;     /* keep 53 bits, fewer below the normal range */
    if (exponent + drop < -1074) drop = -1074 - exponent;
    if (drop > 128) return gir_f64_of(p_sign << 63); /* below half of the least subnormal */
    uint64_t m = drop == 128 ? 0 : drop > 64 ? p.high >> (drop - 64) : p.high;
    gir_bits128 rest = gir_shifted_left_128(p, drop == 128 ? 0 : 128 - drop);
    uint64_t half = (uint64_t)1 << 63;
    int up = rest.high > half || (rest.high == half && (rest.low || (m & 1)));
    m += (uint64_t)up;
    exponent += drop;
    /* m <= 2^53 is exact in f64; two steps, so that no factor is out of range */
    double size = (double)m;
    if (exponent > 971 + 53) return p_sign ? -GIR_INF_F64 : GIR_INF_F64;
    int first = exponent / 2;
    size = size * gir_f64_of((uint64_t)(first + 1023) << 52);
    size = size * gir_f64_of((uint64_t)(exponent - first + 1023) << 52);
    return p_sign ? -size : size;
}

/* Boldo and Melquiond: the four error-free parts, the last two added by rounding to odd.  Where
 * something could over- or underflow, or a part is 0, by other ways. */
GIR_FUNCTION double gir_soft_fma_f64(double a, double b, double c) {
    double p = a * b, size = __builtin_fabs(p);
    int plain = __builtin_fabs(a) < 0x1p990 && __builtin_fabs(b) < 0x1p990 &&
                __builtin_fabs(c) < 0x1p990 && size < 0x1p1000 && size >= 0x1p-960 && c != 0.0;
    if (GIR_UNLIKELY(!plain)) {
        if (a - a != 0.0 || b - b != 0.0) return p + c;
        if (c - c != 0.0) return c; /* a finite product is never infinite */
        if (a == 0.0 || b == 0.0) return p + c;
        if (c == 0.0) return p;
        return gir_exact_fma_f64(a, b, c);
    }
    double ta = a * 134217729.0, tb = b * 134217729.0;
    double ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
    double e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    double th = c + e, part = th - c, tl = (c - (th - part)) + (e - part);
    double vh = p + th;
    part = vh - p;
    double vl = (p - (vh - part)) + (th - part);
    double z = tl + vl;
    part = z - tl;
    double lost = (tl - (z - part)) + (vl - part);
    uint64_t bits = gir_bits_f64(z);
    uint64_t away = (bits ^ gir_bits_f64(lost)) >> 63 ? ~(uint64_t)0 : 1;
    bits += lost != 0.0 && !(bits & 1) ? away : 0;
    return vh + gir_f64_of(bits);
}

#ifdef GIR_HARDWARE_FMA
GIR_FUNCTION float gir_fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GIR_FUNCTION double gir_fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
GIR_FUNCTION float gir_fma_f32(float a, float b, float c) { return gir_soft_fma_f32(a, b, c); }
GIR_FUNCTION double gir_fma_f64(double a, double b, double c) { return gir_soft_fma_f64(a, b, c); }
#endif

#ifdef GIR_VECTOR_FMA
GIR_FUNCTION gir_vf gir_fma_f32v(gir_vf a, gir_vf b, gir_vf c) { return gir_fma_v(a, b, c); }
GIR_FUNCTION gir_vd gir_fma_f64v(gir_vd a, gir_vd b, gir_vd c) { return gir_fma_vd(a, b, c); }
#else
GIR_FUNCTION gir_vf gir_fma_f32v(gir_vf a, gir_vf b, gir_vf c) {
    gir_vf y;
    for (int i = 0; i < GIR_LANES; i++) y[i] = gir_fma_f32(a[i], b[i], c[i]);
    return y;
}
GIR_FUNCTION gir_vd gir_fma_f64v(gir_vd a, gir_vd b, gir_vd c) {
    gir_vd y;
    for (int i = 0; i < GIR_LANES / 2; i++) y[i] = gir_fma_f64(a[i], b[i], c[i]);
    return y;
}
#endif
#endif
