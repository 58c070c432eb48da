/* @needs base vec f64_vec f64_table tables_f64_sin
 *
 * sin and cos on f64: the steps SIN-1 … SIN-4 and COS-1 of spec/numerics.md, bit for bit; error
 * at most 0.6 ulp.  Infinities and NaN give NaN; sin of a zero is that zero.
 */
#ifndef GIR_F64_SIN_H
#define GIR_F64_SIN_H

/* A number of 192 bits, the lowest word first. */
typedef struct {
    uint32_t word[6];
} gir_bits192;

GIR_FUNCTION gir_bits192 gir_negated_192(gir_bits192 x) {
    uint64_t carry = 1;
    for (int i = 0; i < 6; i++) {
        carry += (uint32_t)~x.word[i];
        x.word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return x;
}

/* x, taken as signed, rounded to f64 (ties to even); *x becomes what is left. */
GIR_FUNCTION double gir_round_192(gir_bits192 *x) {
    int negative = (int)(x->word[5] >> 31);
    gir_bits192 size = negative ? gir_negated_192(*x) : *x;
    int top = 191;
    while (top > 0 && !(size.word[top / 32] >> (top % 32) & 1)) top--;
    int low = top > 52 ? top - 52 : 0; /* place of the last bit kept */
    uint64_t kept = 0;
    for (int place = top; place >= low; place--)
        kept = kept << 1 | (size.word[place / 32] >> (place % 32) & 1);
    int half = low > 0 && (size.word[(low - 1) / 32] >> ((low - 1) % 32) & 1), below = 0;
    for (int place = 0; place < low - 1; place++)
        below |= (int)(size.word[place / 32] >> (place % 32) & 1);
    kept += (uint64_t)(half && (below || (kept & 1)));
    /* size - kept 2^low, modulo 2^192 */
    gir_bits192 taken = {{0}};
    for (int bit = 0; bit < 54 && low + bit < 192; bit++)
        taken.word[(low + bit) / 32] |= (uint32_t)(kept >> bit & 1) << ((low + bit) % 32);
    taken = gir_negated_192(taken);
    uint64_t carry = 0;
    for (int i = 0; i < 6; i++) {
        carry += (uint64_t)size.word[i] + taken.word[i];
        size.word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    *x = negative ? gir_negated_192(size) : size;
    double value = (double)kept * gir_f64_of((uint64_t)(low + 1023) << 52);
    return negative ? -value : value;
}

/* SIN-3: |x| >= 2^18, finite; returns n modulo 128. */
GIR_RARE int64_t gir_far_angle_f64(double x, double *r, double *r_low) {
    uint64_t bits = gir_bits_f64(x), m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1075; /* |x| = m 2^exponent */
    uint32_t product[43] = {0};
    uint64_t carry = 0;
    for (int i = 0; i < 40; i++) { /* m's low word */
        carry += (m & 0xffffffffu) * gir_inverse_pi[i];
        product[i] = (uint32_t)carry;
        carry >>= 32;
    }
    product[40] = (uint32_t)carry;
    carry = 0;
    for (int i = 0; i < 40; i++) { /* and its high word */
        carry += (m >> 32) * gir_inverse_pi[i] + product[i + 1];
        product[i + 1] = (uint32_t)carry;
        carry >>= 32;
    }
    product[41] = (uint32_t)carry;
    /* w = product >> shift, of which 192 bits and seven more count */
    int shift = 1082 - exponent, first = shift / 32, rest = shift % 32;
    uint32_t w[7];
    for (int i = 0; i < 7; i++) {
        uint64_t two = first + i < 42 ? product[first + i] : 0;
        if (first + i + 1 < 42) two |= (uint64_t)product[first + i + 1] << 32;
        w[i] = (uint32_t)(two >> rest);
    }
    gir_bits192 f = {{w[0], w[1], w[2], w[3], w[4], w[5]}};
    int64_t n = w[6] + (w[5] >> 31); /* f's top bit is now its sign */
    if (bits >> 63) {
        n = -n;
        f = gir_negated_192(f);
    }
    double high = gir_round_192(&f) * 0x1p-192, low = gir_round_192(&f) * 0x1p-192, e;
    double p = gir_two_product_f64(high, GIR_F64_PI_64_HI, &e);
    e = e + (high * GIR_F64_PI_64_LO + low * GIR_F64_PI_64_HI);
    *r = gir_two_sum_f64(p, e, r_low);
    return n & 127;
}

GIR_FUNCTION void gir_far_angles_f64(double x, int64_t *n, double *r, double *r_low) {
    *n = gir_far_angle_f64(x, r, r_low);
}
GIR_FUNCTION void gir_far_angles_f64v(gir_vd x, gir_vl *n, gir_vd *r, gir_vd *r_low) {
    for (int i = 0; i < GIR_LANES / 2; i++) {
        double size = __builtin_fabs(x[i]), high, low;
        if (!(size >= 262144.0 && size < GIR_INF_F64)) continue;
        (*n)[i] = gir_far_angle_f64(x[i], &high, &low);
        (*r)[i] = high;
        (*r_low)[i] = low;
    }
}

/* @for f64 f64v */
/* SIN-2 and SIN-3: x = n pi/64 + (r + r_low), n modulo 128; returns r. */
GIR_FUNCTION real gir_angle_f64(real x, whole *n, real *r_low) {
    real size = gir_abs_f64(x), e1, e2;
    real inside = gir_choose_f64(size < 262144.0, x, gir_filled_f64(0.0));
    real t = gir_nearest_f64(inside * GIR_F64_INVERSE_PI_64, n);
    real r1 = gir_two_sum_f64(inside - t * GIR_F64_PI_64_1, -(t * GIR_F64_PI_64_2), &e1);
    real r2 = gir_two_sum_f64(r1, -(t * GIR_F64_PI_64_3), &e2);
    real r = gir_two_sum_f64(r2, (e1 + e2) - t * GIR_F64_PI_64_4, r_low);
    *n = *n & 127;
    if (GIR_UNLIKELY(gir_any_f64((size >= 262144.0) & (size < GIR_INF_F64))))
        gir_far_angles_f64(x, n, &r, r_low);
    return r;
}

/* SIN-4 for n + phase */
GIR_FUNCTION real gir_sin_phase_f64(real x, int phase) {
    whole n;
    real s, s_low, c, c_low, r_low, p_low, lo, r = gir_angle_f64(x, &n, &r_low);
    gir_two_columns_f64(gir_entry_f64(gir_f64_sin[0], 2, (n + phase) & 127), 0, &s, &s_low);
    gir_two_columns_f64(gir_entry_f64(gir_f64_sin[0], 2, (n + phase + 32) & 127), 0, &c, &c_low);
    real z = r * r, p = gir_two_product_f64(c, r, &p_low);
    real hi = gir_two_sum_f64(s, p, &lo);
    lo = lo + (s_low + p_low);
    lo = lo + (c * (r_low + (r * z) * gir_horner_f64(z, gir_f64_sin_s, 4)) + c_low * r);
    real y = hi + (lo + s * (z * gir_horner_f64(z, gir_f64_sin_c, 4) - r * r_low));
    return gir_choose_f64(gir_abs_f64(x) < GIR_INF_F64, y, gir_filled_f64(GIR_NAN_F64));
}

GIR_FUNCTION real gir_sin_f64(real x) {
    return gir_choose_f64(x == 0.0, x, gir_sin_phase_f64(x, 0));
}
GIR_FUNCTION real gir_cos_f64(real x) { return gir_sin_phase_f64(x, 32); }
/* @end */
#endif
