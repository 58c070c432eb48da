/* @needs base
 *
 * sin and cos on f64: gradir.numerics.coefficients.
 *
 * Written by tools/fit_c_tables.py; do not edit.
 */
#ifndef GIR_TABLES_F64_SIN_H
#define GIR_TABLES_F64_SIN_H
GIR_TABLE double gir_f64_sin_hi[128] = {
    0x0p+0, 0x1.91f65f10dd814p-5, 0x1.917a6bc29b42cp-4, 0x1.2c8106e8e613ap-3,
    0x1.8f8b83c69a60bp-3, 0x1.f19f97b215f1bp-3, 0x1.294062ed59f06p-2, 0x1.58f9a75ab1fddp-2,
    0x1.87de2a6aea963p-2, 0x1.b5d1009e15ccp-2, 0x1.e2b5d3806f63bp-2, 0x1.073879922ffeep-1,
    0x1.1c73b39ae68c8p-1, 0x1.30ff7fce17035p-1, 0x1.44cf325091dd6p-1, 0x1.57d69348cecap-1,
    0x1.6a09e667f3bcdp-1, 0x1.7b5df226aafafp-1, 0x1.8bc806b151741p-1, 0x1.9b3e047f38741p-1,
    0x1.a9b66290ea1a3p-1, 0x1.b728345196e3ep-1, 0x1.c38b2f180bdb1p-1, 0x1.ced7af43cc773p-1,
    0x1.d906bcf328d46p-1, 0x1.e212104f686e5p-1, 0x1.e9f4156c62ddap-1, 0x1.f0a7efb9230d7p-1,
    0x1.f6297cff75cbp-1, 0x1.fa7557f08a517p-1, 0x1.fd88da3d12526p-1, 0x1.ff621e3796d7ep-1,
    0x1p+0, 0x1.ff621e3796d7ep-1, 0x1.fd88da3d12526p-1, 0x1.fa7557f08a517p-1,
    0x1.f6297cff75cbp-1, 0x1.f0a7efb9230d7p-1, 0x1.e9f4156c62ddap-1, 0x1.e212104f686e5p-1,
    0x1.d906bcf328d46p-1, 0x1.ced7af43cc773p-1, 0x1.c38b2f180bdb1p-1, 0x1.b728345196e3ep-1,
    0x1.a9b66290ea1a3p-1, 0x1.9b3e047f38741p-1, 0x1.8bc806b151741p-1, 0x1.7b5df226aafafp-1,
    0x1.6a09e667f3bcdp-1, 0x1.57d69348cecap-1, 0x1.44cf325091dd6p-1, 0x1.30ff7fce17035p-1,
    0x1.1c73b39ae68c8p-1, 0x1.073879922ffeep-1, 0x1.e2b5d3806f63bp-2, 0x1.b5d1009e15ccp-2,
    0x1.87de2a6aea963p-2, 0x1.58f9a75ab1fddp-2, 0x1.294062ed59f06p-2, 0x1.f19f97b215f1bp-3,
    0x1.8f8b83c69a60bp-3, 0x1.2c8106e8e613ap-3, 0x1.917a6bc29b42cp-4, 0x1.91f65f10dd814p-5,
    0x0p+0, -0x1.91f65f10dd814p-5, -0x1.917a6bc29b42cp-4, -0x1.2c8106e8e613ap-3,
    -0x1.8f8b83c69a60bp-3, -0x1.f19f97b215f1bp-3, -0x1.294062ed59f06p-2, -0x1.58f9a75ab1fddp-2,
    -0x1.87de2a6aea963p-2, -0x1.b5d1009e15ccp-2, -0x1.e2b5d3806f63bp-2, -0x1.073879922ffeep-1,
    -0x1.1c73b39ae68c8p-1, -0x1.30ff7fce17035p-1, -0x1.44cf325091dd6p-1, -0x1.57d69348cecap-1,
    -0x1.6a09e667f3bcdp-1, -0x1.7b5df226aafafp-1, -0x1.8bc806b151741p-1, -0x1.9b3e047f38741p-1,
    -0x1.a9b66290ea1a3p-1, -0x1.b728345196e3ep-1, -0x1.c38b2f180bdb1p-1, -0x1.ced7af43cc773p-1,
    -0x1.d906bcf328d46p-1, -0x1.e212104f686e5p-1, -0x1.e9f4156c62ddap-1, -0x1.f0a7efb9230d7p-1,
    -0x1.f6297cff75cbp-1, -0x1.fa7557f08a517p-1, -0x1.fd88da3d12526p-1, -0x1.ff621e3796d7ep-1,
    -0x1p+0, -0x1.ff621e3796d7ep-1, -0x1.fd88da3d12526p-1, -0x1.fa7557f08a517p-1,
    -0x1.f6297cff75cbp-1, -0x1.f0a7efb9230d7p-1, -0x1.e9f4156c62ddap-1, -0x1.e212104f686e5p-1,
    -0x1.d906bcf328d46p-1, -0x1.ced7af43cc773p-1, -0x1.c38b2f180bdb1p-1, -0x1.b728345196e3ep-1,
    -0x1.a9b66290ea1a3p-1, -0x1.9b3e047f38741p-1, -0x1.8bc806b151741p-1, -0x1.7b5df226aafafp-1,
    -0x1.6a09e667f3bcdp-1, -0x1.57d69348cecap-1, -0x1.44cf325091dd6p-1, -0x1.30ff7fce17035p-1,
    -0x1.1c73b39ae68c8p-1, -0x1.073879922ffeep-1, -0x1.e2b5d3806f63bp-2, -0x1.b5d1009e15ccp-2,
    -0x1.87de2a6aea963p-2, -0x1.58f9a75ab1fddp-2, -0x1.294062ed59f06p-2, -0x1.f19f97b215f1bp-3,
    -0x1.8f8b83c69a60bp-3, -0x1.2c8106e8e613ap-3, -0x1.917a6bc29b42cp-4, -0x1.91f65f10dd814p-5,
};
GIR_TABLE double gir_f64_sin_lo[128] = {
    0x0p+0, -0x1.912bd0d569a9p-61, -0x1.e2718d26ed688p-60, 0x1.13000a89a11ep-58,
    -0x1.26d19b9ff8d82p-57, -0x1.42deef11da2c4p-57, -0x1.5d28da2c4612dp-56,
    -0x1.efdc0d58cf62p-62, -0x1.72cedd3d5a61p-57, 0x1.5b362cb974183p-57, 0x1.e0d891d3c6841p-58,
    -0x1.a5a014347406cp-55, 0x1.b25dd267f66p-55, -0x1.efcc626f74a6fp-57, 0x1.8076a2cfdc6b3p-57,
    -0x1.75720992bfbb2p-55, -0x1.bdd3413b26456p-55, -0x1.0f537acdf0ad7p-56,
    -0x1.2c5e12ed1336dp-55, -0x1.30ee286712474p-55, 0x1.9f630e8b6dac8p-60,
    -0x1.bc69f324e6d61p-55, -0x1.6e0b1757c8d07p-56, -0x1.e7b6bb5ab58aep-58,
    0x1.457e610231ac2p-56, -0x1.014c76c126527p-55, 0x1.760b1e2e3f81ep-55, 0x1.52c7adc6b4989p-56,
    0x1.562172a361fd3p-56, -0x1.7a0a8ca13571fp-55, -0x1.87df6378811c7p-55,
    -0x1.c57bc2e24aa15p-57, 0x0p+0, -0x1.c57bc2e24aa15p-57, -0x1.87df6378811c7p-55,
    -0x1.7a0a8ca13571fp-55, 0x1.562172a361fd3p-56, 0x1.52c7adc6b4989p-56, 0x1.760b1e2e3f81ep-55,
    -0x1.014c76c126527p-55, 0x1.457e610231ac2p-56, -0x1.e7b6bb5ab58aep-58,
    -0x1.6e0b1757c8d07p-56, -0x1.bc69f324e6d61p-55, 0x1.9f630e8b6dac8p-60,
    -0x1.30ee286712474p-55, -0x1.2c5e12ed1336dp-55, -0x1.0f537acdf0ad7p-56,
    -0x1.bdd3413b26456p-55, -0x1.75720992bfbb2p-55, 0x1.8076a2cfdc6b3p-57,
    -0x1.efcc626f74a6fp-57, 0x1.b25dd267f66p-55, -0x1.a5a014347406cp-55, 0x1.e0d891d3c6841p-58,
    0x1.5b362cb974183p-57, -0x1.72cedd3d5a61p-57, -0x1.efdc0d58cf62p-62, -0x1.5d28da2c4612dp-56,
    -0x1.42deef11da2c4p-57, -0x1.26d19b9ff8d82p-57, 0x1.13000a89a11ep-58,
    -0x1.e2718d26ed688p-60, -0x1.912bd0d569a9p-61, 0x0p+0, 0x1.912bd0d569a9p-61,
    0x1.e2718d26ed688p-60, -0x1.13000a89a11ep-58, 0x1.26d19b9ff8d82p-57, 0x1.42deef11da2c4p-57,
    0x1.5d28da2c4612dp-56, 0x1.efdc0d58cf62p-62, 0x1.72cedd3d5a61p-57, -0x1.5b362cb974183p-57,
    -0x1.e0d891d3c6841p-58, 0x1.a5a014347406cp-55, -0x1.b25dd267f66p-55, 0x1.efcc626f74a6fp-57,
    -0x1.8076a2cfdc6b3p-57, 0x1.75720992bfbb2p-55, 0x1.bdd3413b26456p-55, 0x1.0f537acdf0ad7p-56,
    0x1.2c5e12ed1336dp-55, 0x1.30ee286712474p-55, -0x1.9f630e8b6dac8p-60, 0x1.bc69f324e6d61p-55,
    0x1.6e0b1757c8d07p-56, 0x1.e7b6bb5ab58aep-58, -0x1.457e610231ac2p-56, 0x1.014c76c126527p-55,
    -0x1.760b1e2e3f81ep-55, -0x1.52c7adc6b4989p-56, -0x1.562172a361fd3p-56,
    0x1.7a0a8ca13571fp-55, 0x1.87df6378811c7p-55, 0x1.c57bc2e24aa15p-57, 0x0p+0,
    0x1.c57bc2e24aa15p-57, 0x1.87df6378811c7p-55, 0x1.7a0a8ca13571fp-55, -0x1.562172a361fd3p-56,
    -0x1.52c7adc6b4989p-56, -0x1.760b1e2e3f81ep-55, 0x1.014c76c126527p-55,
    -0x1.457e610231ac2p-56, 0x1.e7b6bb5ab58aep-58, 0x1.6e0b1757c8d07p-56, 0x1.bc69f324e6d61p-55,
    -0x1.9f630e8b6dac8p-60, 0x1.30ee286712474p-55, 0x1.2c5e12ed1336dp-55, 0x1.0f537acdf0ad7p-56,
    0x1.bdd3413b26456p-55, 0x1.75720992bfbb2p-55, -0x1.8076a2cfdc6b3p-57, 0x1.efcc626f74a6fp-57,
    -0x1.b25dd267f66p-55, 0x1.a5a014347406cp-55, -0x1.e0d891d3c6841p-58, -0x1.5b362cb974183p-57,
    0x1.72cedd3d5a61p-57, 0x1.efdc0d58cf62p-62, 0x1.5d28da2c4612dp-56, 0x1.42deef11da2c4p-57,
    0x1.26d19b9ff8d82p-57, -0x1.13000a89a11ep-58, 0x1.e2718d26ed688p-60, 0x1.912bd0d569a9p-61,
};
GIR_TABLE double gir_f64_sin_s[4] = {
    -0x1.5555555555555p-3, 0x1.111111111111p-7, -0x1.a01a019fb1989p-13, 0x1.71dd2e315f4f3p-19,
};
GIR_TABLE double gir_f64_sin_c[4] = {
    -0x1p-1, 0x1.5555555555553p-5, -0x1.6c16c16b87311p-10, 0x1.a01890ee9f7f4p-16,
};
#define GIR_F64_PI_64_1 0x1.921fb54p-5
#define GIR_F64_PI_64_2 0x1.10b46118p-35
#define GIR_F64_PI_64_3 0x1.313198ap-66
#define GIR_F64_PI_64_4 0x1.701b839a25205p-97
#define GIR_F64_INVERSE_PI_64 0x1.45f306dc9c883p+4
#define GIR_F64_PI_64_HI 0x1.921fb54442d18p-5
#define GIR_F64_PI_64_LO 0x1.1a62633145c07p-59

/* floor(2^1280 / pi), words of 32 bits, the lowest first */
GIR_TABLE uint32_t gir_inverse_pi[40] = {
    0x4d7a1b0eu, 0xf867de10u, 0x7e3db5d5u, 0x2b019823u, 0x8fc6ae84u, 0x35fdafd8u, 0xc5294975u,
    0x9e839cfbu, 0xf5f2f8bdu, 0xba93dd63u, 0x4f2ff516u, 0xa7a31fb3u, 0x93e584dbu, 0xb69b3f67u,
    0xad05368fu, 0xf79788c5u, 0xef02cc07u, 0x8ffc4bffu, 0xdefc941du, 0x4e422fc5u, 0xc1a99cfau,
    0x9cc8eb1cu, 0x5a2fbf20u, 0x74ce3813u, 0x975da242u, 0x74411afau, 0x5894d39fu, 0x7f0ef58eu,
    0x04e8c90eu, 0x03249775u, 0x2126e970u, 0xdb92371du, 0xef5de2b0u, 0xff28b1d5u, 0x9e21c820u,
    0x6db14accu, 0xfa9a6ee0u, 0xfe13abe8u, 0x27220a94u, 0x517cc1b7u,
};
#endif
