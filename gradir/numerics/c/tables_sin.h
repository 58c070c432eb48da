/* @needs base
 *
 * sin and cos on f32.
 *
 * Written by tools/fit_c_tables.py; do not edit.
 */
#ifndef GIR_TABLES_SIN_H
#define GIR_TABLES_SIN_H

/* plain forms: gradir.numerics.coefficients */
GIR_TABLE double gir_f32_sin[8] = {
    -0x1.5555555555555p-3, 0x1.1111111111107p-7, -0x1.a01a01a018aacp-13, 0x1.71de3a54566cep-19,
    -0x1.ae6455a1d4294p-26, 0x1.6124015a708cap-33, -0x1.ae5138750915bp-41,
    0x1.89a47cf25b537p-49,
};
#define GIR_INVERSE_PI 0x1.45f306dc9c883p-2
#define GIR_PI_HI 0x1.921fb54442d18p+1
#define GIR_PI_LO 0x1.1a62633145c07p-53
#define GIR_PI_1 0x1.921fb54p+1
#define GIR_PI_2 0x1.10b46p-29
#define GIR_PI_3 0x1.1a62633145c07p-53
GIR_TABLE uint32_t gir_sin_exceptions[2][2] = {
    {0x46199998u, 0xbeb1fa5du,},
    {0x55cafb2au, 0xbf7e7a17u,}
};
#define GIR_SIN_EXCEPTIONS_COUNT 2
GIR_TABLE uint32_t gir_cos_exceptions[3][2] = {
    {0x5f18b878u, 0x3f7f14bbu,},
    {0x6115cb11u, 0x3f78142fu,},
    {0x7908cd73u, 0x3f798bb5u,}
};
#define GIR_COS_EXCEPTIONS_COUNT 3

/* vector forms */
GIR_TABLE uint32_t gir_sin_v_exceptions[1][2] = {
    {0x46199998u, 0xbeb1fa5du,}
};
#define GIR_SIN_V_EXCEPTIONS_COUNT 1
GIR_TABLE uint32_t gir_cos_v_exceptions[1][2] = {
    {0x00000000u, 0x00000000u,}
};
#define GIR_COS_V_EXCEPTIONS_COUNT 0

/* (2^k / pi) mod 2 for k = 0 ... 104: three pieces of at most 26 bits, and the rest */
GIR_TABLE double gir_turns_of_pi[105][4] = {
    {0x1.45f306p-2, 0x1.b9391p-27, 0x1.529fc2p-53, 0x1.d5f47d4d37703p-79,},
    {0x1.45f306p-1, 0x1.b9391p-26, 0x1.529fc2p-52, 0x1.d5f47d4d37703p-78,},
    {0x1.45f3068p+0, 0x1.7272208p-26, 0x1.4a7f09p-53, 0x1.abe8fa9a6ee07p-78,},
    {0x1.17cc1bp-1, 0x1.c9c882p-27, 0x1.4a7f098p-52, 0x1.57d1f534ddc0ep-78,},
    {0x1.17cc1bp+0, 0x1.c9c8828p-26, 0x1.29fc27p-53, 0x1.5f47d4d377037p-79,},
    {0x1.7cc1b4p-3, 0x1.939105p-26, 0x1.29fc27p-52, 0x1.5f47d4d377037p-78,},
    {0x1.7cc1b6p-2, 0x1.27220a8p-26, 0x1.4fe13ap-54, 0x1.7d1f534ddc0dbp-79,},
    {0x1.7cc1b7p-1, 0x1.391054p-28, 0x1.4fe13ap-53, 0x1.7d1f534ddc0dbp-78,},
    {0x1.7cc1b7p+0, 0x1.391054p-27, 0x1.4fe13a8p-52, 0x1.f47d4d377036ep-79,},
    {0x1.f306dcp-1, 0x1.3910548p-26, 0x1.3f84eap-53, 0x1.f47d4d377036ep-78,},
    {0x1.f306dc8p+0, 0x1.c882a4p-28, 0x1.3f84ea8p-52, 0x1.e8fa9a6ee06dbp-78,},
    {0x1.e60db9p+0, 0x1.c882a5p-27, 0x1.fc2756p-54, 0x1.d1f534ddc0db6p-78,},
    {0x1.cc1b72p+0, 0x1.c882a5p-26, 0x1.fc2757p-53, 0x1.a3ea69bb81b6cp-78,},
    {0x1.9836e48p+0, 0x1.91054ap-26, 0x1.fc27578p-52, 0x1.47d4d377036d9p-78,},
    {0x1.306dc98p+0, 0x1.220a948p-26, 0x1.f84eaf8p-52, 0x1.1f534ddc0db63p-79,},
    {0x1.836e4ep-2, 0x1.1054a6p-28, 0x1.f09d5fp-52, 0x1.1f534ddc0db63p-78,},
    {0x1.836e4ep-1, 0x1.1054a7p-27, 0x1.e13abe8p-52, 0x1.f534ddc0db629p-81,},
    {0x1.836e4ep+0, 0x1.1054a78p-26, 0x1.c2757dp-52, 0x1.f534ddc0db629p-80,},
    {0x1.06dc9c8p+0, 0x1.054a7cp-29, 0x1.84eafap-52, 0x1.f534ddc0db629p-79,},
    {0x1.b7272p-5, 0x1.054a7ep-28, 0x1.09d5f4p-52, 0x1.f534ddc0db629p-78,},
    {0x1.b7272p-4, 0x1.054a7fp-27, 0x1.3abe88p-56, 0x1.ea69bb81b6c53p-78,},
    {0x1.b7272p-3, 0x1.054a7fp-26, 0x1.3abe8cp-55, 0x1.d4d377036d8a5p-78,},
    {0x1.b72722p-2, 0x1.529fcp-31, 0x1.3abe8ep-54, 0x1.a9a6ee06db14bp-78,},
    {0x1.b72722p-1, 0x1.529fcp-30, 0x1.3abe8fp-53, 0x1.534ddc0db6296p-78,},
    {0x1.b72722p+0, 0x1.529fcp-29, 0x1.3abe8f8p-52, 0x1.4d377036d8a56p-79,},
    {0x1.6e4e44p+0, 0x1.529fc2p-28, 0x1.d5f47cp-54, 0x1.4d377036d8a56p-78,},
    {0x1.b9391p-1, 0x1.529fc2p-27, 0x1.d5f47dp-53, 0x1.34ddc0db6295ap-79,},
    {0x1.b9391p+0, 0x1.529fc2p-26, 0x1.d5f47dp-52, 0x1.34ddc0db6295ap-78,},
    {0x1.7272208p+0, 0x1.4a7f09p-27, 0x1.abe8fa8p-52, 0x1.a6ee06db14acdp-80,},
    {0x1.c9c882p-1, 0x1.4a7f098p-26, 0x1.57d1f5p-52, 0x1.a6ee06db14acdp-79,},
    {0x1.c9c8828p+0, 0x1.29fc27p-27, 0x1.5f47d4p-53, 0x1.a6ee06db14acdp-78,},
    {0x1.939105p+0, 0x1.29fc27p-26, 0x1.5f47d48p-52, 0x1.4ddc0db629599p-78,},
    {0x1.27220a8p+0, 0x1.4fe13ap-28, 0x1.7d1f53p-53, 0x1.377036d8a5665p-79,},
    {0x1.391054p-2, 0x1.4fe13ap-27, 0x1.7d1f53p-52, 0x1.377036d8a5665p-78,},
    {0x1.391054p-1, 0x1.4fe13a8p-26, 0x1.f47d4dp-53, 0x1.bb81b6c52b328p-80,},
    {0x1.3910548p+0, 0x1.3f84eap-27, 0x1.f47d4dp-52, 0x1.bb81b6c52b328p-79,},
    {0x1.c882a4p-2, 0x1.3f84ea8p-26, 0x1.e8fa9ap-52, 0x1.bb81b6c52b328p-78,},
    {0x1.c882a5p-1, 0x1.fc2756p-28, 0x1.d1f5348p-52, 0x1.77036d8a5664fp-78,},
    {0x1.c882a5p+0, 0x1.fc2757p-27, 0x1.a3ea698p-52, 0x1.dc0db6295993cp-79,},
    {0x1.91054ap+0, 0x1.fc27578p-26, 0x1.47d4d3p-52, 0x1.dc0db6295993cp-78,},
    {0x1.220a948p+0, 0x1.f84eaf8p-26, 0x1.1f534dp-53, 0x1.b81b6c52b3279p-78,},
    {0x1.1054a6p-2, 0x1.f09d5fp-26, 0x1.1f534d8p-52, 0x1.7036d8a5664f1p-78,},
    {0x1.1054a7p-1, 0x1.e13abe8p-26, 0x1.f534dcp-55, 0x1.c0db6295993c4p-79,},
    {0x1.1054a78p+0, 0x1.c2757dp-26, 0x1.f534dcp-54, 0x1.c0db6295993c4p-78,},
    {0x1.054a7cp-3, 0x1.84eafap-26, 0x1.f534ddp-53, 0x1.81b6c52b32788p-78,},
    {0x1.054a7ep-2, 0x1.09d5f4p-26, 0x1.f534dd8p-52, 0x1.036d8a5664f11p-78,},
    {0x1.054a7fp-1, 0x1.3abe88p-30, 0x1.ea69bb8p-52, 0x1.b6c52b3278872p-84,},
    {0x1.054a7fp+0, 0x1.3abe8cp-29, 0x1.d4d377p-52, 0x1.b6c52b3278872p-83,},
    {0x1.529fcp-5, 0x1.3abe8ep-28, 0x1.a9a6eep-52, 0x1.b6c52b3278872p-82,},
    {0x1.529fcp-4, 0x1.3abe8fp-27, 0x1.534ddcp-52, 0x1.b6c52b3278872p-81,},
    {0x1.529fcp-3, 0x1.3abe8f8p-26, 0x1.4d377p-53, 0x1.b6c52b3278872p-80,},
    {0x1.529fc2p-2, 0x1.d5f47cp-28, 0x1.4d377p-52, 0x1.b6c52b3278872p-79,},
    {0x1.529fc2p-1, 0x1.d5f47dp-27, 0x1.34ddcp-53, 0x1.b6c52b3278872p-78,},
    {0x1.529fc2p+0, 0x1.d5f47dp-26, 0x1.34ddc08p-52, 0x1.6d8a5664f10e4p-78,},
    {0x1.4a7f09p-1, 0x1.abe8fa8p-26, 0x1.a6ee06p-54, 0x1.b6295993c439p-79,},
    {0x1.4a7f098p+0, 0x1.57d1f5p-26, 0x1.a6ee06p-53, 0x1.b6295993c439p-78,},
    {0x1.29fc27p-1, 0x1.5f47d4p-27, 0x1.a6ee068p-52, 0x1.6c52b32788721p-78,},
    {0x1.29fc27p+0, 0x1.5f47d48p-26, 0x1.4ddc0d8p-52, 0x1.b14acc9e21c82p-79,},
    {0x1.4fe13ap-2, 0x1.7d1f53p-27, 0x1.377036p-53, 0x1.b14acc9e21c82p-78,},
    {0x1.4fe13ap-1, 0x1.7d1f53p-26, 0x1.3770368p-52, 0x1.6295993c43904p-78,},
    {0x1.4fe13a8p+0, 0x1.f47d4dp-27, 0x1.bb81b6p-54, 0x1.8a5664f10e41p-79,},
    {0x1.3f84eap-1, 0x1.f47d4dp-26, 0x1.bb81b6p-53, 0x1.8a5664f10e41p-78,},
    {0x1.3f84ea8p+0, 0x1.e8fa9ap-26, 0x1.bb81b68p-52, 0x1.14acc9e21c821p-78,},
    {0x1.fc2756p-2, 0x1.d1f5348p-26, 0x1.77036d8p-52, 0x1.4acc9e21c821p-81,},
    {0x1.fc2757p-1, 0x1.a3ea698p-26, 0x1.dc0db6p-53, 0x1.4acc9e21c821p-80,},
    {0x1.fc27578p+0, 0x1.47d4d3p-26, 0x1.dc0db6p-52, 0x1.4acc9e21c821p-79,},
    {0x1.f84eaf8p+0, 0x1.1f534dp-27, 0x1.b81b6cp-52, 0x1.4acc9e21c821p-78,},
    {0x1.f09d5fp+0, 0x1.1f534d8p-26, 0x1.7036d88p-52, 0x1.2b3278872084p-79,},
    {0x1.e13abe8p+0, 0x1.f534dcp-29, 0x1.c0db62p-53, 0x1.2b3278872084p-78,},
    {0x1.c2757dp+0, 0x1.f534dcp-28, 0x1.c0db628p-52, 0x1.5993c439041fep-80,},
    {0x1.84eafap+0, 0x1.f534ddp-27, 0x1.81b6c5p-52, 0x1.5993c439041fep-79,},
    {0x1.09d5f4p+0, 0x1.f534dd8p-26, 0x1.036d8ap-52, 0x1.5993c439041fep-78,},
    {0x1.3abe88p-4, 0x1.ea69bb8p-26, 0x1.b6c52p-58, 0x1.664f10e4107f9p-79,},
    {0x1.3abe8cp-3, 0x1.d4d377p-26, 0x1.b6c52p-57, 0x1.664f10e4107f9p-78,},
    {0x1.3abe8ep-2, 0x1.a9a6eep-26, 0x1.b6c528p-56, 0x1.993c439041fe5p-79,},
    {0x1.3abe8fp-1, 0x1.534ddcp-26, 0x1.b6c528p-55, 0x1.993c439041fe5p-78,},
    {0x1.3abe8f8p+0, 0x1.4d377p-27, 0x1.b6c52ap-54, 0x1.3278872083fcap-78,},
    {0x1.d5f47cp-2, 0x1.4d377p-26, 0x1.b6c52bp-53, 0x1.93c439041fe51p-80,},
    {0x1.d5f47dp-1, 0x1.34ddcp-27, 0x1.b6c52bp-52, 0x1.93c439041fe51p-79,},
    {0x1.d5f47dp+0, 0x1.34ddc08p-26, 0x1.6d8a56p-52, 0x1.93c439041fe51p-78,},
    {0x1.abe8fa8p+0, 0x1.a6ee06p-28, 0x1.b62959p-53, 0x1.278872083fca3p-78,},
    {0x1.57d1f5p+0, 0x1.a6ee06p-27, 0x1.b629598p-52, 0x1.3c439041fe516p-80,},
    {0x1.5f47d4p-1, 0x1.a6ee068p-26, 0x1.6c52b3p-52, 0x1.3c439041fe516p-79,},
    {0x1.5f47d48p+0, 0x1.4ddc0d8p-26, 0x1.b14accp-53, 0x1.3c439041fe516p-78,},
    {0x1.7d1f53p-1, 0x1.377036p-27, 0x1.b14acc8p-52, 0x1.e21c820ff28b2p-80,},
    {0x1.7d1f53p+0, 0x1.3770368p-26, 0x1.629599p-52, 0x1.e21c820ff28b2p-79,},
    {0x1.f47d4dp-1, 0x1.bb81b6p-28, 0x1.8a5664p-53, 0x1.e21c820ff28b2p-78,},
    {0x1.f47d4dp+0, 0x1.bb81b6p-27, 0x1.8a56648p-52, 0x1.c439041fe5164p-78,},
    {0x1.e8fa9ap+0, 0x1.bb81b68p-26, 0x1.14acc98p-52, 0x1.8872083fca2c7p-78,},
    {0x1.d1f5348p+0, 0x1.77036d8p-26, 0x1.4acc9cp-55, 0x1.10e4107f9458fp-78,},
    {0x1.a3ea698p+0, 0x1.dc0db6p-27, 0x1.4acc9ep-54, 0x1.0e4107f9458ebp-81,},
    {0x1.47d4d3p+0, 0x1.dc0db6p-26, 0x1.4acc9ep-53, 0x1.0e4107f9458ebp-80,},
    {0x1.1f534dp-1, 0x1.b81b6cp-26, 0x1.4acc9ep-52, 0x1.0e4107f9458ebp-79,},
    {0x1.1f534d8p+0, 0x1.7036d88p-26, 0x1.2b3278p-53, 0x1.0e4107f9458ebp-78,},
    {0x1.f534dcp-3, 0x1.c0db62p-27, 0x1.2b32788p-52, 0x1.c820ff28b1d5fp-82,},
    {0x1.f534dcp-2, 0x1.c0db628p-26, 0x1.5993c4p-54, 0x1.c820ff28b1d5fp-81,},
    {0x1.f534ddp-1, 0x1.81b6c5p-26, 0x1.5993c4p-53, 0x1.c820ff28b1d5fp-80,},
    {0x1.f534dd8p+0, 0x1.036d8ap-26, 0x1.5993c4p-52, 0x1.c820ff28b1d5fp-79,},
    {0x1.ea69bb8p+0, 0x1.b6c52p-32, 0x1.664f1p-53, 0x1.c820ff28b1d5fp-78,},
    {0x1.d4d377p+0, 0x1.b6c52p-31, 0x1.664f108p-52, 0x1.9041fe5163abep-78,},
    {0x1.a9a6eep+0, 0x1.b6c528p-30, 0x1.993c43p-53, 0x1.2083fca2c757cp-78,},
    {0x1.534ddcp+0, 0x1.b6c528p-29, 0x1.993c438p-52, 0x1.041fe5163abdfp-80,},
    {0x1.4d377p-1, 0x1.b6c52ap-28, 0x1.327887p-52, 0x1.041fe5163abdfp-79,},
    {0x1.4d377p+0, 0x1.b6c52bp-27, 0x1.93c438p-54, 0x1.041fe5163abdfp-78,},
    {0x1.34ddcp-1, 0x1.b6c52bp-26, 0x1.93c439p-53, 0x1.07f9458eaf7afp-83,}
};

/* sin r = r + r z s(z), z = r^2, |r| <= pi/2, relative error 2^-52 */
GIR_TABLE double gir_sin_7[7] = {
    -0x1.55555555554a8p-3, 0x1.111111110a573p-7, -0x1.a01a019a659dbp-13, 0x1.71de3806adb1ep-19,
    -0x1.ae6355aa95749p-26, 0x1.60e6bedd298ecp-33, -0x1.9f15177ffb1c3p-41,
};
#endif
