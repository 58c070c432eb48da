/* @needs base
 *
 * log and log2 on f32.
 *
 * Written by tools/fit_c_tables.py; do not edit.
 */
#ifndef GIR_TABLES_LOG_H
#define GIR_TABLES_LOG_H

/* plain forms: gradir.numerics.coefficients */
GIR_TABLE double gir_f32_log[7] = {
    0x1.5555555555558p-1, 0x1.99999999952e1p-2, 0x1.2492492df16d4p-2, 0x1.c71c62e5518b4p-3,
    0x1.7462b4b86a8abp-3, 0x1.39fe5ead68d96p-3, 0x1.2b585feb331adp-3,
};
#define GIR_LOG2E 0x1.71547652b82fep+0
#define GIR_LN2_HI 0x1.62e42fefa38p-1
#define GIR_LN2_LO 0x1.ef35793c7673p-45
#define GIR_LOG2E_29 0x1.7154765p+0
#define GIR_LOG2E_29_REST 0x1.5c17f0bbbe88p-31
#define GIR_LN2 0x1.62e42fefa39efp-1
GIR_TABLE uint32_t gir_log_exceptions[5][2] = {
    {0x3c413d3au, 0xc08e158fu,},
    {0x41178febu, 0x400fe5e7u,},
    {0x4c5d65a5u, 0x418f034bu,},
    {0x65d890d3u, 0x4254d1f9u,},
    {0x6f31a8ecu, 0x42845a89u,}
};
#define GIR_LOG_EXCEPTIONS_COUNT 5

/* vector forms */
GIR_TABLE uint32_t gir_log_v_exceptions[5][2] = {
    {0x3f7ffffeu, 0xb4000001u,},
    {0x4c5d65a5u, 0x418f034bu,},
    {0x4d604ebeu, 0x419a352cu,},
    {0x65d890d3u, 0x4254d1f9u,},
    {0x6f31a8ecu, 0x42845a89u,}
};
#define GIR_LOG_V_EXCEPTIONS_COUNT 5

/* 16 intervals: c_j; ln and log2 of 1/c_j; log(1+r) = r p(r), |r| <= reach */
GIR_TABLE float gir_log_centre_16[16] = {
    0x1.68p+0f, 0x1.58p+0f, 0x1.48p+0f, 0x1.4p+0f, 0x1.3p+0f, 0x1.28p+0f, 0x1.18p+0f, 0x1.1p+0f,
    0x1.08p+0f, 0x1p+0f, 0x1.ep-1f, 0x1.dp-1f, 0x1.bp-1f, 0x1.ap-1f, 0x1.88p-1f, 0x1.78p-1f,
};
GIR_TABLE double gir_log_of_centre_16[16] = {
    -0x1.5d1bdbf5809cap-2, -0x1.2e8e2bae11d31p-2, -0x1.fb9186d5e3e2bp-3, -0x1.c8ff7c79a9a22p-3,
    -0x1.5ff3070a793d4p-3, -0x1.29552f81ff523p-3, -0x1.6f0d28ae56b4cp-4, -0x1.f0a30c01162a6p-5,
    -0x1.f829b0e7833p-6, 0x0p+0, 0x1.08598b59e3a07p-4, 0x1.9335e5d594989p-4,
    0x1.5bf406b543db2p-3, 0x1.a93ed3c8ad9e3p-3, 0x1.1178e8227e47cp-2, 0x1.3c25277333184p-2,
};
GIR_TABLE double gir_log_16_8[8] = {
    0x1.fffffffffffc4p-1, -0x1.fffffffffff9ep-2, 0x1.55555557882a5p-2, -0x1.00000001ecc52p-2,
    0x1.999965f3ed041p-3, -0x1.55552774f8b69p-3, 0x1.255456fda794cp-3, -0x1.00adb3bdd2b9bp-3,
};
GIR_TABLE double gir_log2_of_centre_16[16] = {
    -0x1.f7a8568cb06cfp-2, -0x1.b47ebf73882a1p-2, -0x1.6e221cd9d0cdep-2, -0x1.49a784bcd1b8bp-2,
    -0x1.fbc16b902680ap-3, -0x1.acf5e2db4ec94p-3, -0x1.08c588cda79e4p-3, -0x1.663f6fac91316p-4,
    -0x1.6bad3758efd87p-5, 0x0p+0, 0x1.7d60496cfbb4cp-4, 0x1.22dadc2ab3497p-3,
    0x1.f5fd8a9063e35p-3, 0x1.32bfee370ee68p-2, 0x1.8a8980abfbd32p-2, 0x1.c819dc2d45fe4p-2,
};
GIR_TABLE double gir_log2_16_8[8] = {
    0x1.71547652b82d3p+0, -0x1.71547652b82b7p-1, 0x1.ec709dc6cc3e8p-2, -0x1.715476557f1aap-2,
    0x1.27769fcd8dc05p-2, -0x1.ec705b9417ec5p-3, 0x1.a72f58a3d1f0bp-3, -0x1.724f0fb69830bp-3,
};

/* 8 intervals: c_j; ln and log2 of 1/c_j; log(1+r) = r p(r), |r| <= reach */
GIR_TABLE float gir_log_centre_8[8] = {
    0x1.6p+0f, 0x1.4p+0f, 0x1.3p+0f, 0x1.1p+0f, 0x1p+0f, 0x1.ep-1f, 0x1.ap-1f, 0x1.8p-1f,
};
GIR_TABLE uint32_t gir_log_of_centre_8_low[8] = {
    0xc21c5ec2u, 0xc79a9a22u, 0x70a793d4u, 0xc01162a6u, 0x00000000u, 0xb59e3a07u, 0x3c8ad9e3u,
    0x1134db92u,
};
GIR_TABLE uint32_t gir_log_of_centre_8_high[8] = {
    0xbfd4618bu, 0xbfcc8ff7u, 0xbfc5ff30u, 0xbfaf0a30u, 0x00000000u, 0x3fb08598u, 0x3fca93edu,
    0x3fd26962u,
};
GIR_TABLE double gir_log_8_10[10] = {
    0x1.0000000000006p+0, -0x1.000000000000ap-1, 0x1.55555555262a5p-2, -0x1.ffffffffab7afp-3,
    0x1.99999b8eedefep-3, -0x1.5555571b75b65p-3, 0x1.248ea542ad9b3p-3, -0x1.fff95e71ccd96p-4,
    0x1.cca07a9c330dcp-4, -0x1.9ea466db8c49cp-4,
};
GIR_TABLE uint32_t gir_log2_of_centre_8_low[8] = {
    0xe032ea0fu, 0x4bcd1b8bu, 0xb902680au, 0xfac91316u, 0x00000000u, 0x96cfbb4cu, 0xe370ee68u,
    0x71810a5eu,
};
GIR_TABLE uint32_t gir_log2_of_centre_8_high[8] = {
    0xbfdd6753u, 0xbfd49a78u, 0xbfcfbc16u, 0xbfb663f6u, 0x00000000u, 0x3fb7d604u, 0x3fd32bfeu,
    0x3fda8ff9u,
};
GIR_TABLE double gir_log2_8_10[10] = {
    0x1.71547652b8306p+0, -0x1.71547652b830cp-1, 0x1.ec709dc35c334p-2, -0x1.715476527b38p-2,
    0x1.2776c6789bbbcp-2, -0x1.ec70a052cac02p-3, 0x1.a612223b9e789p-3, -0x1.714fadcbb2b02p-3,
    0x1.4c45a52518162p-3, -0x1.2b19e2ecfbd31p-3,
};

/* float-float, 32 intervals: high is a multiple of 2^-15 */
GIR_TABLE float gir_ff_log_centre_32[32] = {
    0x1.68p+0f, 0x1.6p+0f, 0x1.5cp+0f, 0x1.54p+0f, 0x1.4cp+0f, 0x1.48p+0f, 0x1.4p+0f,
    0x1.38p+0f, 0x1.34p+0f, 0x1.3p+0f, 0x1.28p+0f, 0x1.24p+0f, 0x1.2p+0f, 0x1.18p+0f,
    0x1.14p+0f, 0x1.1p+0f, 0x1.0cp+0f, 0x1.08p+0f, 0x1.04p+0f, 0x1p+0f, 0x1.fp-1f, 0x1.ep-1f,
    0x1.dp-1f, 0x1.c4p-1f, 0x1.b8p-1f, 0x1.acp-1f, 0x1.ap-1f, 0x1.98p-1f, 0x1.8cp-1f,
    0x1.84p-1f, 0x1.7cp-1f, 0x1.7p-1f,
};
GIR_TABLE float gir_ff_log_high_32[32] = {
    -0x1.5d18p-2f, -0x1.4618p-2f, -0x1.3a68p-2f, -0x1.2298p-2f, -0x1.0a3p-2f, -0x1.fb9p-3f,
    -0x1.c9p-3f, -0x1.952p-3f, -0x1.7acp-3f, -0x1.5ffp-3f, -0x1.295p-3f, -0x1.0d7p-3f,
    -0x1.e28p-4f, -0x1.6fp-4f, -0x1.342p-4f, -0x1.f0cp-5f, -0x1.774p-5f, -0x1.f8p-6f,
    -0x1.fcp-7f, 0x0p+0f, 0x1.04p-5f, 0x1.086p-4f, 0x1.934p-4f, 0x1.fe8p-4f, 0x1.366p-3f,
    0x1.6fp-3f, 0x1.a94p-3f, 0x1.d1p-3f, 0x1.071p-2f, 0x1.1bf8p-2f, 0x1.315p-2f, 0x1.5228p-2f,
};
GIR_TABLE float gir_ff_log_low_32[32] = {
    -0x1.edfacp-17f, -0x1.78438cp-19f, 0x1.9d54b6p-17f, 0x1.f02184p-17f, -0x1.27139cp-17f,
    -0x1.86d5e4p-19f, 0x1.070cacp-20f, -0x1.6a73d2p-17f, 0x1.dbf7bcp-17f, -0x1.83853cp-18f,
    -0x1.4be08p-17f, -0x1.f9f342p-17f, 0x1.f123aap-17f, -0x1.a515cap-17f, 0x1.434f22p-19f,
    0x1.cf3feep-17f, -0x1.63d8ccp-19f, -0x1.4d873cp-17f, -0x1.5161f8p-20f, 0x0p+0f,
    0x1.5d89e8p-17f, -0x1.9d2988p-18f, -0x1.43454ep-17f, 0x1.2273b8p-17f, -0x1.a7f538p-22f,
    0x1.28b756p-19f, -0x1.2c3752p-19f, 0x1.bf932ap-18f, 0x1.c3026ap-17f, 0x1.9635a6p-18f,
    -0x1.c3c594p-19f, 0x1.7039c6p-17f,
};
GIR_TABLE float gir_ff_log_q_32[4] = {
    -0x1p-1f, 0x1.555554p-2f, -0x1.001802p-2f, 0x1.99c25ap-3f,
};
GIR_TABLE float gir_ff_log2_high_32[32] = {
    -0x1.f7a8p-2f, -0x1.d678p-2f, -0x1.c59p-2f, -0x1.a338p-2f, -0x1.8008p-2f, -0x1.6e2p-2f,
    -0x1.49a8p-2f, -0x1.244p-2f, -0x1.113p-2f, -0x1.fbcp-3f, -0x1.acfp-3f, -0x1.84cp-3f,
    -0x1.5cp-3f, -0x1.08cp-3f, -0x1.bc8p-4f, -0x1.664p-4f, -0x1.0ecp-4f, -0x1.6bcp-5f,
    -0x1.6e8p-6f, 0x0p+0f, 0x1.774p-5f, 0x1.7d6p-4f, 0x1.22ep-3f, 0x1.704p-3f, 0x1.bfcp-3f,
    0x1.08cp-2f, 0x1.32cp-2f, 0x1.4f7p-2f, 0x1.7b88p-2f, 0x1.99bp-2f, 0x1.b878p-2f, 0x1.e7ep-2f,
};
GIR_TABLE float gir_ff_log2_low_32[32] = {
    -0x1.5a32c2p-20f, 0x1.60fe68p-17f, -0x1.7d694ap-17f, 0x1.3eb014p-19f, -0x1.2b18bp-17f,
    -0x1.0e6ce8p-17f, 0x1.ed0cbap-20f, -0x1.eac382p-20f, -0x1.f6b4c2p-20f, -0x1.6b9026p-19f,
    -0x1.78b6d4p-17f, -0x1.5e8178p-18f, -0x1.a39fbep-19f, -0x1.62336ap-17f, -0x1.0902b6p-18f,
    0x1.20a6dep-21f, 0x1.8ec0bap-17f, 0x1.2c8a72p-17f, 0x1.a5e8f4p-20f, 0x0p+0f,
    -0x1.acd89ap-19f, 0x1.25b3eep-22f, -0x1.48f554p-17f, 0x1.80c71ep-17f, 0x1.9eap-17f,
    -0x1.8f935p-17f, -0x1.1c8f12p-22f, -0x1.134c4ep-20f, 0x1.f02cf2p-18f, 0x1.caa5b2p-20f,
    -0x1.d42728p-21f, -0x1.40358ep-19f,
};
GIR_TABLE float gir_ff_log2_q_32[4] = {
    -0x1.715476p-1f, 0x1.ec709ep-2f, -0x1.71771ap-2f, 0x1.27942ap-2f,
};

/* float-float, 16 intervals: high is a multiple of 2^-15 */
GIR_TABLE float gir_ff_log_centre_16[16] = {
    0x1.68p+0f, 0x1.58p+0f, 0x1.48p+0f, 0x1.4p+0f, 0x1.3p+0f, 0x1.28p+0f, 0x1.18p+0f, 0x1.1p+0f,
    0x1.08p+0f, 0x1p+0f, 0x1.ep-1f, 0x1.dp-1f, 0x1.bp-1f, 0x1.ap-1f, 0x1.88p-1f, 0x1.78p-1f,
};
GIR_TABLE float gir_ff_log_high_16[16] = {
    -0x1.5d18p-2f, -0x1.2e9p-2f, -0x1.fb9p-3f, -0x1.c9p-3f, -0x1.5ffp-3f, -0x1.295p-3f,
    -0x1.6fp-4f, -0x1.f0cp-5f, -0x1.f8p-6f, 0x0p+0f, 0x1.086p-4f, 0x1.934p-4f, 0x1.5bfp-3f,
    0x1.a94p-3f, 0x1.1178p-2f, 0x1.3c28p-2f,
};
GIR_TABLE float gir_ff_log_low_16[16] = {
    -0x1.edfacp-17f, 0x1.d451eep-18f, -0x1.86d5e4p-19f, 0x1.070cacp-20f, -0x1.83853cp-18f,
    -0x1.4be08p-17f, -0x1.a515cap-17f, 0x1.cf3feep-17f, -0x1.4d873cp-17f, 0x0p+0f,
    -0x1.9d2988p-18f, -0x1.43454ep-17f, 0x1.01ad5p-17f, -0x1.2c3752p-19f, 0x1.d044fcp-19f,
    -0x1.6c4666p-17f,
};
GIR_TABLE float gir_ff_log_q_16[5] = {
    -0x1p-1f, 0x1.55554ep-2f, -0x1.fffff2p-3f, 0x1.9a3572p-3f, -0x1.55dcfp-3f,
};
GIR_TABLE float gir_ff_log2_high_16[16] = {
    -0x1.f7a8p-2f, -0x1.b48p-2f, -0x1.6e2p-2f, -0x1.49a8p-2f, -0x1.fbcp-3f, -0x1.acfp-3f,
    -0x1.08cp-3f, -0x1.664p-4f, -0x1.6bcp-5f, 0x0p+0f, 0x1.7d6p-4f, 0x1.22ep-3f, 0x1.f6p-3f,
    0x1.32cp-2f, 0x1.8a88p-2f, 0x1.c818p-2f,
};
GIR_TABLE float gir_ff_log2_low_16[16] = {
    -0x1.5a32c2p-20f, 0x1.408c78p-18f, -0x1.0e6ce8p-17f, 0x1.ed0cbap-20f, -0x1.6b9026p-19f,
    -0x1.78b6d4p-17f, -0x1.62336ap-17f, 0x1.20a6dep-21f, 0x1.2c8a72p-17f, 0x0p+0f,
    0x1.25b3eep-22f, -0x1.48f554p-17f, -0x1.3ab7cep-18f, -0x1.1c8f12p-22f, 0x1.80abfcp-18f,
    0x1.dc2d46p-18f,
};
GIR_TABLE float gir_ff_log2_q_16[5] = {
    -0x1.715476p-1f, 0x1.ec7092p-2f, -0x1.71546cp-2f, 0x1.27e73p-2f, -0x1.ed3442p-3f,
};
#define GIR_FF_LN2_HIGH 0x1.62e4p-1f
#define GIR_FF_LN2_LOW 0x1.7f7d1cp-20f
#define GIR_FF_LOG2E_HIGH 0x1.715476p+0f
#define GIR_FF_LOG2E_LOW 0x1.4ae0cp-26f
#endif
