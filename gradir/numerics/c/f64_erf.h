/* @needs base tables_f64_erf
 *
 * erf on f64: the steps ERF-1 … ERF-4 of spec/numerics.md, bit for bit; error at most 1 ulp.
 * NaN gives NaN.
 */
#ifndef GIR_F64_ERF_H
#define GIR_F64_ERF_H

GIR_FUNCTION double gir_erf_f64(double x) {
    double size = __builtin_fabs(x), result;
    if (size < 0.25) {
        double z = size * size, p = gir_f64_erf_z[9];
        for (int i = 8; i >= 0; i--) p = p * z + gir_f64_erf_z[i];
        result = size + size * (GIR_F64_ERF_E + z * p);
    } else if (size < 6.0) {
        double t = size * 8.0 + GIR_ROUND;
        int j = (int)(gir_bits_f64(t) & 63);
        double h = size - (t - GIR_ROUND) * 0.125, p = gir_f64_erf_p[11][j];
        for (int k = 10; k >= 0; k--) p = p * h + gir_f64_erf_p[k][j];
        result = gir_f64_erf_hi[j] + (gir_f64_erf_lo[j] + h * p);
    } else {
        result = 1.0;
    }
    return x == x ? __builtin_copysign(result, x) : x;
}
#endif
