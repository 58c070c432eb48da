/* @needs base
 *
 * exp, exp2 and tanh on f32.
 *
 * Written by tools/fit_c_tables.py; do not edit.
 */
#ifndef GIR_TABLES_EXP_H
#define GIR_TABLES_EXP_H

/* plain forms: gradir.numerics.coefficients */
GIR_TABLE double gir_f32_exp2[11] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c598p-3, 0x1.c6b08d704a0c2p-5, 0x1.3b2ab6fba1dd9p-7,
    0x1.5d87fe78a523ep-10, 0x1.43091309701ebp-13, 0x1.ffcbfc6724555p-17, 0x1.62bfd476a1c8ap-20,
    0x1.b524faac1bb23p-24, 0x1.e6064114f0fd9p-28, 0x1.e9d46591ddd5ep-32,
};
GIR_TABLE double gir_f32_exp[12] = {
    0x1p+0, 0x1p-1, 0x1.555555555555ap-3, 0x1.5555555555557p-5, 0x1.111111110f224p-7,
    0x1.6c16c16c15a3dp-10, 0x1.a01a01b143be2p-13, 0x1.a01a01a9f7ddbp-16, 0x1.71ddf573e3ed5p-19,
    0x1.27e4d3f8d4cd5p-22, 0x1.af631e56e2f1dp-26, 0x1.1f7f5d070252fp-29,
};
#define GIR_LOG2E 0x1.71547652b82fep+0
#define GIR_LN2_HI 0x1.62e42fefa38p-1
#define GIR_LN2_LO 0x1.ef35793c7673p-45
GIR_TABLE uint32_t gir_exp2_exceptions[2][2] = {
    {0x3b429d37u, 0x3f804385u,},
    {0xbcf3a937u, 0x3f7ac6b1u,}
};
#define GIR_EXP2_EXCEPTIONS_COUNT 2

/* vector forms */
GIR_TABLE uint32_t gir_exp2_v_exceptions[2][2] = {
    {0x3b429d37u, 0x3f804385u,},
    {0xbcf3a937u, 0x3f7ac6b1u,}
};
#define GIR_EXP2_V_EXCEPTIONS_COUNT 2
GIR_TABLE uint32_t gir_tanh_v_exceptions[1][2] = {
    {0x3cd41b91u, 0x3cd40f70u,}
};
#define GIR_TANH_V_EXCEPTIONS_COUNT 1

/* 2^r = 1 + r q(r), |r| <= 1/32 */
GIR_TABLE double gir_exp2_16_6[6] = {
    0x1.62e42fefa39f3p-1, 0x1.ebfbdff82c591p-3, 0x1.c6b08d6f2a18ap-5, 0x1.3b2ab6fb2d73fp-7,
    0x1.5d897e5cf5f18p-10, 0x1.430a30b7825ddp-13,
};

/* 2^r = 1 + r q(r), |r| <= 1/32 */
GIR_TABLE double gir_exp2_16_7[7] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c594p-3, 0x1.c6b08d704a0c2p-5, 0x1.3b2ab6fb09aa8p-7,
    0x1.5d87fe7832ef2p-10, 0x1.430a4969a0da2p-13, 0x1.ffcd9aad71f02p-17,
};

/* 2^r = 1 + r q(r), |r| <= 1/16 */
GIR_TABLE double gir_exp2_8_7[7] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c6c5p-3, 0x1.c6b08d704a137p-5, 0x1.3b2ab6f1f1078p-7,
    0x1.5d87fe720d1d8p-10, 0x1.430decc388bd7p-13, 0x1.ffd236207c63ep-17,
};

/* 2^r = 1 + r q(r), |r| <= 1/16 */
GIR_TABLE double gir_exp2_8_8[8] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a19ap-5, 0x1.3b2ab6fba4ec2p-7,
    0x1.5d87fe701c2ecp-10, 0x1.430912f329d7ap-13, 0x1.ffd2d1285cbb6p-17, 0x1.62c418bc9e0b2p-20,
};

/* bits of 2^(j/16), less j << 48: adding (16n + j) << 48 makes 2^(n + j/16) of them */
GIR_TABLE double gir_exp2_of_16ths[16] = {
    0x1p+0, 0x1.fb5586cf9890fp-1, 0x1.f72b83c7d517bp-1, 0x1.f387a6e756238p-1,
    0x1.f06fe0a31b715p-1, 0x1.edea64c123422p-1, 0x1.ebfdad5362a27p-1, 0x1.eab07dd485429p-1,
    0x1.ea09e667f3bcdp-1, 0x1.ea11473eb0187p-1, 0x1.eace5422aa0dbp-1, 0x1.ec49182a3f09p-1,
    0x1.ee89f995ad3adp-1, 0x1.f199bdd85529cp-1, 0x1.f5818dcfba487p-1, 0x1.fa4afa2a490dap-1,
};

/* the same for eighths (j << 49), in words */
GIR_TABLE uint32_t gir_exp2_of_8ths_low[8] = {
    0x00000000u, 0x3c7d517bu, 0x0a31b715u, 0xd5362a27u, 0x667f3bcdu, 0x422aa0dbu, 0x995ad3adu,
    0xdcfba487u,
};
GIR_TABLE uint32_t gir_exp2_of_8ths_high[8] = {
    0x3ff00000u, 0x3fef72b8u, 0x3fef06feu, 0x3feebfdau, 0x3feea09eu, 0x3feeace5u, 0x3feee89fu,
    0x3fef5818u,
};

/* float-float: 2^(j/32) and ln2 2^(j/32), each high and low */
GIR_TABLE float gir_ff_power_high[32] = {
    0x1p+0f, 0x1.059b0ep+0f, 0x1.0b5586p+0f, 0x1.11301ep+0f, 0x1.172b84p+0f, 0x1.1d4874p+0f,
    0x1.2387a6p+0f, 0x1.29e9ep+0f, 0x1.306fep+0f, 0x1.371a74p+0f, 0x1.3dea64p+0f,
    0x1.44e086p+0f, 0x1.4bfdaep+0f, 0x1.5342b6p+0f, 0x1.5ab07ep+0f, 0x1.6247ecp+0f,
    0x1.6a09e6p+0f, 0x1.71f75ep+0f, 0x1.7a1148p+0f, 0x1.82589ap+0f, 0x1.8ace54p+0f,
    0x1.93737cp+0f, 0x1.9c4918p+0f, 0x1.a5503cp+0f, 0x1.ae89fap+0f, 0x1.b7f77p+0f,
    0x1.c199bep+0f, 0x1.cb720ep+0f, 0x1.d5818ep+0f, 0x1.dfc974p+0f, 0x1.ea4afap+0f,
    0x1.f50766p+0f,
};
GIR_TABLE float gir_ff_power_low[32] = {
    0x0p+0f, -0x1.9d4f52p-25f, 0x1.9f3122p-25f, -0x1.fdb496p-25f, -0x1.c15742p-27f,
    -0x1.d2e8cap-25f, 0x1.ceac48p-25f, -0x1.5c0424p-25f, 0x1.4636e2p-25f, -0x1.18aac6p-25f,
    0x1.824684p-25f, 0x1.8624b4p-30f, -0x1.593abcp-25f, -0x1.2c561p-25f, -0x1.5bd5ecp-27f,
    -0x1.f8b55p-25f, 0x1.9fcef4p-26f, 0x1.1d8beep-25f, -0x1.829fdp-25f, -0x1.accc7cp-26f,
    0x1.15506ep-27f, -0x1.e64744p-25f, 0x1.51f848p-27f, -0x1.b83b54p-25f, -0x1.a94b14p-26f,
    -0x1.a09438p-25f, -0x1.3d56b2p-27f, -0x1.8837ccp-27f, -0x1.822dbcp-27f, -0x1.908c94p-25f,
    0x1.52486cp-27f, -0x1.246ebp-26f,
};
GIR_TABLE float gir_ff_slope_high[32] = {
    0x1.62e43p-1f, 0x1.6aa998p-1f, 0x1.729a8ep-1f, 0x1.7ab80ap-1f, 0x1.830304p-1f,
    0x1.8b7c7ap-1f, 0x1.94257p-1f, 0x1.9cfef2p-1f, 0x1.a60a12p-1f, 0x1.af47e2p-1f,
    0x1.b8b98p-1f, 0x1.c2600ep-1f, 0x1.cc3cb6p-1f, 0x1.d650a6p-1f, 0x1.e09d14p-1f,
    0x1.eb233ep-1f, 0x1.f5e466p-1f, 0x1.0070ecp+0f, 0x1.060e72p+0f, 0x1.0bcb72p+0f,
    0x1.11a89ep+0f, 0x1.17a6a8p+0f, 0x1.1dc648p+0f, 0x1.24083ep+0f, 0x1.2a6d48p+0f,
    0x1.30f62ap+0f, 0x1.37a3acp+0f, 0x1.3e76ap+0f, 0x1.456fd2p+0f, 0x1.4c901ep+0f,
    0x1.53d85ap+0f, 0x1.5b496ap+0f,
};
GIR_TABLE float gir_ff_slope_low[32] = {
    -0x1.05c61p-29f, -0x1.5b5306p-26f, 0x1.4c2aa6p-26f, 0x1.cfb038p-29f, -0x1.7bf838p-26f,
    -0x1.d1f18ap-26f, 0x1.9ac61cp-28f, 0x1.c62bd4p-26f, -0x1.71bb08p-26f, -0x1.144ea8p-26f,
    -0x1.8e3ed8p-27f, 0x1.090a2ep-28f, -0x1.cfd3fep-28f, -0x1.9a0e9ap-28f, 0x1.ae101ep-29f,
    -0x1.419cc6p-26f, -0x1.90a8ep-26f, -0x1.a79e54p-25f, -0x1.4cc8dp-25f, -0x1.7e2148p-27f,
    -0x1.f7ad9p-25f, -0x1.72c18ep-25f, 0x1.b74bfap-25f, 0x1.0347d6p-28f, -0x1.5e6256p-25f,
    -0x1.7eb95ep-25f, 0x1.a2522ep-25f, -0x1.4b79a4p-25f, 0x1.65d5acp-25f, -0x1.6b37bp-25f,
    0x1.07fff2p-26f, -0x1.e24722p-26f,
};

/* 2^r = 1 + r ln2 + r^2 q(r), e^r = 1 + r + r^2 q(r), |r| <= 1/64, ln2/64 */
GIR_TABLE float gir_ff_exp2_q[3] = {
    0x1.ebfbep-3f, 0x1.c6b11p-5f, 0x1.3b2afap-7f,
};
GIR_TABLE float gir_ff_exp_q[3] = {
    0x1p-1f, 0x1.5555bap-3f, 0x1.5555ap-5f,
};
#define GIR_FF_LN2_32_HIGH 0x1.62e43p-6f
#define GIR_FF_LN2_32_LOW -0x1.05c61p-34f
#endif
