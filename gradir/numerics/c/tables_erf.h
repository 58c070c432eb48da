/* @needs base
 *
 * erf on f32: the forms with look-ups in registers and by rows.
 *
 * Written by tools/fit_c_tables.py; do not edit.
 */
#ifndef GIR_TABLES_ERF_H
#define GIR_TABLES_ERF_H

/* |x| in [j/4, (j+1)/4): erf x = sum of c_k (x - a_j)^k; row k holds the 16 c_k */
GIR_TABLE float gir_erf_centre[16] = {
    0x0p+0f, 0x1.8p-2f, 0x1.4p-1f, 0x1.cp-1f, 0x1.2p+0f, 0x1.6p+0f, 0x1.ap+0f, 0x1.ep+0f,
    0x1.1p+1f, 0x1.3p+1f, 0x1.5p+1f, 0x1.7p+1f, 0x1.9p+1f, 0x1.bp+1f, 0x1.dp+1f, 0x1.fp+1f,
};
GIR_TABLE double gir_erf_16[11][16] = {
    {
        0x0p+0, 0x1.9dd0d2b721f39p-2, 0x1.3f196dcd0f135p-1, 0x1.91724951b8fc6p-1,
        0x1.c6dad2829ec62p-1, 0x1.e5768c3b4a3fcp-1, 0x1.f4f693b67bd77p-1, 0x1.fbe61eef4cf6ap-1,
        0x1.fea4218d6594ap-1, 0x1.ff9960f3eb327p-1, 0x1.ffe514bbdc197p-1, 0x1.fff9ba420e834p-1,
        0x1.fffeb3ebb267bp-1, 0x1.ffffc316d9edp-1, 0x1.fffff618c3da6p-1, 0x1.fffffe92ced93p-1,
    },
    {
        0x1.20dd750429b6dp+0, 0x1.f5f0cdaf1531dp-1, 0x1.86e9694134bdap-1, 0x1.0cab61f084bb6p-1,
        0x1.45e99bcbb78f6p-2, 0x1.5ce595c455a9p-3, 0x1.499d478bca6dap-4, 0x1.12ceb37ff9c2cp-5,
        0x1.94624e78e11dp-7, 0x1.06918b6355793p-8, 0x1.2ce898809227ap-10, 0x1.30538fbb77428p-12,
        0x1.0f9e1b4dd2475p-14, 0x1.abe09e9143bcdp-17, 0x1.296a70f418a11p-19,
        0x1.6ce1aa3ff33f4p-22,
    },
    {
        -0x1.92bbc125abeabp-46, -0x1.78749a434fe18p-2, -0x1.e8a3c39181e7bp-2,
        -0x1.d62beb64e8462p-2, -0x1.6ea6cf452e852p-2, -0x1.dfbbadedf5d27p-3,
        -0x1.0bcfca21947bdp-3, -0x1.01a1c847fa1ecp-4, -0x1.ada873606f0cep-6,
        -0x1.37ccd585f56bep-7, -0x1.8af14828c0047p-9, -0x1.b5781e9d7c5aep-11,
        -0x1.a8670aa99a208p-13, -0x1.690585ca91984p-15, -0x1.0d88765d32003p-17,
        -0x1.617a9cedda607p-20,
    },
    {
        -0x1.812746aff7e37p-2, -0x1.e106c51d2bf7ap-3, -0x1.c810502297e71p-5,
        0x1.7c9d7569b9baep-4, 0x1.4cb3cf0ab46eap-3, 0x1.4374d82e2ac9ep-3, 0x1.d6631e1a4546p-4,
        0x1.143d1c6f3e9dcp-4, 0x1.0ea475da11504p-5, 0x1.c1ec102dfd158p-7, 0x1.407fbd1915bb1p-8,
        0x1.89e17c082221bp-10, 0x1.a3737e2b9f6bap-12, 0x1.84522fe91cf5p-14,
        0x1.394b1fa38f9ecp-16, 0x1.b95fa38a0979dp-19,
    },
    {
        -0x1.a96e9262648ddp-30, 0x1.5529abccdef49p-3, 0x1.6963c8a397f68p-3,
        0x1.cc60567da2fe3p-4, 0x1.ca508316fb1c1p-6, -0x1.f3b8d52d4b66p-6, -0x1.974c03688dfa7p-5,
        -0x1.5a316520c8c01p-5, -0x1.afe553fa38907p-6, -0x1.ae59615f69f5dp-7,
        -0x1.62d4c6d483da8p-8, -0x1.ed4ac7db04d37p-10, -0x1.24544f031f16bp-11,
        -0x1.298f8d4670d35p-13, -0x1.05760ad1e5e96p-15, -0x1.8e1fc41363dfep-18,
    },
    {
        0x1.ce2f32baf6a76p-4, 0x1.7488b8f0bacfdp-5, -0x1.c1242aad65da2p-6,
        -0x1.1350f43772ff4p-4, -0x1.f65d166038203p-5, -0x1.f572c67297e2dp-6,
        -0x1.17d435b3a8c5p-9, 0x1.779b1f0f00bdcp-7, 0x1.9973b57883ae3p-7, 0x1.11dae4c3684d5p-7,
        0x1.146c4b0adff49p-8, 0x1.c11f25dc42a3dp-10, 0x1.2e7e753b7bdf3p-11,
        0x1.5775771b9cb3cp-13, 0x1.4c1fe68ebbe35p-15, 0x1.1371781c0cc3p-17,
    },
    {
        -0x1.6140c2a463ce8p-20, -0x1.9a7945128901p-5, -0x1.52b266721013fp-5,
        -0x1.53bb4c38c4a1p-7, 0x1.fd1c6aaaead77p-7, 0x1.6b16f54d36d25p-6, 0x1.d857f39fa8315p-7,
        0x1.0d099d33c4ec9p-8, -0x1.dd78ef341386ap-10, -0x1.982b281ac44f6p-9,
        -0x1.267f3c085cdacp-9, -0x1.2add1cc0cf912p-10, -0x1.da496d7ad5f11p-12,
        -0x1.330aaacbd5a91p-13, -0x1.4b981ffcc6c64p-15, -0x1.2eb292012d9abp-17,
    },
    {
        -0x1.b7ecb9d8bd107p-6, -0x1.65c25897c7ecp-8, 0x1.c7c9cf8813b1cp-7, 0x1.30ab091794ef7p-6,
        0x1.3acd74e11d4ebp-7, -0x1.73f07302feb98p-10, -0x1.95494617d910bp-8,
        -0x1.42fd8d25adbbdp-8, -0x1.ea07fde364d83p-10, 0x1.027871160a26fp-13,
        0x1.64f97c7ecfae2p-11, 0x1.1520cd1893ed9p-11, 0x1.176e1cd2125bcp-12,
        0x1.ac9a13ced42bep-14, 0x1.085ae83ac00fp-15, 0x1.0d88c5d3c90ep-17,
    },
    {
        -0x1.b769aa9924344p-14, 0x1.70990af68a2e3p-7, 0x1.b62ecdd647537p-8,
        -0x1.e3ec3b83677ecp-10, -0x1.8b422b4641304p-8, -0x1.17409541dab2ap-8,
        -0x1.2e4bc96bf9cf7p-11, 0x1.76fdb4545704dp-10, 0x1.6aa367de05ce2p-10,
        0x1.377e21150bc92p-11, 0x1.22a8ac18359efp-15, -0x1.1c64b3fbd7515p-13,
        -0x1.d2ae5ec685022p-14, -0x1.cc17026574cfdp-15, -0x1.510a78b66e668p-16,
        -0x1.8883e576e57bdp-18,
    },
    {
        0x1.71e677ff34a24p-8, 0x1.0e91c34da56ep-13, -0x1.d86d89d76e1d9p-9,
        -0x1.a8b0e58c6b1d1p-9, -0x1.819a09bf5af79p-12, 0x1.99d5318de43bep-10,
        0x1.7062be4b61215p-10, 0x1.7f2671be00c7ep-12, -0x1.2b97b0274e769p-12,
        -0x1.607ed5c753d0bp-12, -0x1.40f25a642f79ap-13, -0x1.196c818a6880dp-16,
        0x1.a664cc2ca83e6p-16, 0x1.644a00b15dc9ep-16, 0x1.528d16b14ac38p-17,
        0x1.d5cc35451aed9p-19,
    },
    {
        -0x1.e13e08cd7b1ap-11, -0x1.05ab50cb44b39p-9, -0x1.8023483545d8p-11,
        0x1.d2937b6e929fbp-11, 0x1.2cba440d192ep-10, 0x1.54904b8c73e77p-12,
        -0x1.715454fb92329p-12, -0x1.977a66725768bp-12, -0x1.02cc1230be6c2p-13,
        0x1.c37177ea7569cp-15, 0x1.34fba616cbcbp-14, 0x1.18cc54a4d01f1p-15,
        0x1.0bc637c786e12p-18, -0x1.31dc737b7eb7bp-18, -0x1.f2a40df44fd2fp-19,
        -0x1.bd4446569d875p-20,
    }
};

/* the same for 128 intervals of 1/32, by rows: [j][k] */
GIR_TABLE double gir_erf_128[128][8] = {
    {
        0x0p+0, 0x1.20dd750429b6dp+0, -0x1.00a7187d17f19p-52, -0x1.812746b0355fap-2,
        -0x1.990ba98d8c785p-33, 0x1.ce2f28188797fp-4, -0x1.6645077d37882p-20,
        -0x1.b7b490bc93574p-6,
    },
    {
        0x1.b0fafef135745p-5, 0x1.203b261cd0053p+0, -0x1.b058b92b37cp-5, -0x1.7e9e84c294b95p-2,
        0x1.afb697b8efd4bp-6, 0x1.c91e90e573e7bp-4, -0x1.1f5a1a4322618p-7,
        -0x1.b162da9e4903bp-6,
    },
    {
        0x1.68591a1e83b5dp-4, 0x1.1f1b7ae44867fp+0, -0x1.66e2599d5a46dp-4,
        -0x1.7a2306b053f26p-2, 0x1.656c8305bd1f4p-5, 0x1.c02def79dcdfdp-4,
        -0x1.da90ad8a77b41p-7, -0x1.a5802323d985fp-6,
    },
    {
        0x1.f78159ec8bb5p-4, 0x1.1d6e14099944ap+0, -0x1.f380a310cbe6ep-4, -0x1.7377c269288e1p-2,
        0x1.ef84d19112db3p-5, 0x1.b2ec016864981p-4, -0x1.47a9c328549f4p-6,
        -0x1.93eec6a905532p-6,
    },
    {
        0x1.42d7fc2f64959p-3, 0x1.1b357141d95d5p+0, -0x1.3e9c1f6a1455fp-3,
        -0x1.6aad45897e1d5p-2, 0x1.3a68d0602ab0cp-4, 0x1.a186d46d0cc06p-4,
        -0x1.9d9b42d8e6af8p-6, -0x1.7cfd34507535fp-6,
    },
    {
        0x1.895010fdbdbfdp-3, 0x1.1874ddcdfce24p+0, -0x1.81a0b0fb3b7a9p-3,
        -0x1.5fd9484441affp-2, 0x1.7a087c03ca4bep-4, 0x1.8c3a8e19df0cap-4,
        -0x1.edfa8a169d3fap-6, -0x1.611161250026cp-6,
    },
    {
        0x1.cf076d1233237p-3, 0x1.153068581b781p+0, -0x1.c26ea98f2c5e1p-3,
        -0x1.5316624fc834dp-2, 0x1.b60ade24be897p-4, 0x1.735060a32f002p-4, -0x1.1bdefddb80fcp-5,
        -0x1.40a69eb81e5e9p-6,
    },
    {
        0x1.09eed6982b948p-2, 0x1.116cd8fd67618p+0, -0x1.00560b6d90c54p-2,
        -0x1.4483af88c079ap-2, 0x1.ede5c9552fef7p-4, 0x1.571d47af631adp-4,
        -0x1.3cfc873e22754p-5, -0x1.1c4b01f1483eap-6,
    },
    {
        0x1.2bd9db0f7827fp-2, 0x1.0d2fa5a70c168p+0, -0x1.1e02a0017caedp-2,
        -0x1.344465de774bbp-2, 0x1.108e95a10aa4bp-3, 0x1.380093f910558p-4,
        -0x1.59f00b16b6c97p-5, -0x1.e938d53704fc5p-7,
    },
    {
        0x1.4d35ef3e5372ep-2, 0x1.087ee4d9ad247p+0, -0x1.3a16afc27d6fdp-2,
        -0x1.227f5e59134adp-2, 0x1.27a245139dba4p-3, 0x1.16624d8bcdc3fp-4,
        -0x1.7265aecf1c41cp-5, -0x1.948a7cedbdf62p-7,
    },
    {
        0x1.6df50a8dff772p-2, 0x1.03613f2812dafp+0, -0x1.546fa2e498925p-2,
        -0x1.0f5e933e17b2dp-2, 0x1.3c001f7748a6cp-3, 0x1.e562ea592ae9bp-5,
        -0x1.861cc190f6874p-5, -0x1.3bf1d886f70ebp-7,
    },
    {
        0x1.8e0a01cab516bp-2, 0x1.fbbbbef34b4b2p-1, -0x1.6ceef13eddf01p-2,
        -0x1.f61d2b00ef41ap-3, 0x1.4d8333c761603p-3, 0x1.9ac45c22c013cp-5,
        -0x1.94e886bff9c1fp-5, -0x1.c1c1315ee9ceep-8,
    },
    {
        0x1.ad68966569a87p-2, 0x1.eff8c4b1375dbp-1, -0x1.837a59aa73132p-2,
        -0x1.cb7bf78e2dc6ap-3, 0x1.5c0fc75947c5ap-3, 0x1.4dd7b2cc026eap-5,
        -0x1.9eb09a24efd81p-5, -0x1.0997d357f2a1fp-8,
    },
    {
        0x1.cc058392a6d2dp-2, 0x1.e38988fc46e72p-1, -0x1.97fc0b94dba58p-2,
        -0x1.9f399acca2e38p-3, 0x1.67938398a3635p-3, 0x1.ff1cb4f337c94p-6,
        -0x1.a370eda39351cp-5, -0x1.492977dca65d8p-10,
    },
    {
        0x1.e9d68931ae65p-2, 0x1.d67ea1a8b5368p-1, -0x1.aa62c280e40d2p-2, -0x1.71b7d75dbd164p-3,
        0x1.70057db02ef99p-3, 0x1.61b141c20305cp-6, -0x1.a33962b49edfdp-5,
        0x1.856819b5d8b64p-10,
    },
    {
        0x1.03693a371519cp-1, 0x1.c8e91c4d01368p-1, -0x1.baa1d36a99027p-2,
        -0x1.4358f7dc7ebb6p-3, 0x1.756618deac395p-3, 0x1.8a88255f87f28p-7, -0x1.9e2d04218fbep-5,
        0x1.0eab11710fb11p-8,
    },
    {
        0x1.1178930ada115p-1, 0x1.bada596f25436p-1, -0x1.c8b12c3a9e45ap-2,
        -0x1.147ea8d68f7d3p-3, 0x1.77bec4ead3ce8p-3, 0x1.5cdce8d93101p-9, -0x1.9480e6998e622p-5,
        0x1.b32d86e6e40c2p-8,
    },
    {
        0x1.1f15cb50bc4dep-1, 0x1.ac63e7ecc1411p-1, -0x1.d48d45aaf33a6p-2,
        -0x1.cb11ba3360928p-4, 0x1.77219acffb4b9p-3, -0x1.a662f0eec3423p-8,
        -0x1.867ab89946799p-5, 0x1.265006e188579p-7,
    },
    {
        0x1.2c3debfd7d6c1p-1, 0x1.9d97610879642p-1, -0x1.de370831cc3a7p-2,
        -0x1.6da980c9d37eep-4, 0x1.73a8da543507cp-3, -0x1.f18d25c0a7fb4p-7,
        -0x1.746f0bbea7ffp-5, 0x1.6c823dcc4adc3p-7,
    },
    {
        0x1.38ee8a84beb71p-1, 0x1.8e86458169af8p-1, -0x1.e5b3a4b5b8b07p-2,
        -0x1.1177785c78621p-4, 0x1.6d764bbcd45bfp-3, -0x1.807db654fbfb4p-6,
        -0x1.5ebf62f450083p-5, 0x1.ab53b50bac251p-7,
    },
    {
        0x1.4525c78dd5966p-1, 0x1.7f41dc12c9e89p-1, -0x1.eb0c61f81298bp-2,
        -0x1.6e4a46ff4abb3p-5, 0x1.64b2894508a29p-3, -0x1.ff74a1d8d0771p-6,
        -0x1.45d811dfe0a99p-5, 0x1.e212fc1b17879p-7,
    },
    {
        0x1.50e24ca35fd2cp-1, 0x1.6fdb11b1e0c34p-1, -0x1.ee4e5fc705f18p-2, -0x1.7d4463ac5ddfp-6,
        0x1.598c3451cc67fp-3, -0x1.3a460f990195ep-5, -0x1.2a2dfaa6a552cp-5,
        0x1.081c69580557dp-6,
    },
    {
        0x1.5c2348ecc4dc3p-1, 0x1.60625bd75d07bp-1, -0x1.ef8a5126dac28p-2,
        -0x1.51b39803c0c7bp-9, 0x1.4c371a9d7961cp-3, -0x1.6f69062ead5bbp-5,
        -0x1.0c3c376af342ep-5, 0x1.1ab4906bf43b4p-6,
    },
    {
        0x1.66e86d0312e82p-1, 0x1.50e79d1749ac9p-1, -0x1.eed42eba3429cp-2, 0x1.1a8237ba30cdep-6,
        0x1.3ceb4fbb58abap-3, -0x1.9ec19f8584ed7p-5, -0x1.d90379b79c4fcp-6,
        0x1.28b97ea94839dp-6,
    },
    {
        0x1.7131e5f496a5ap-1, 0x1.417a0c4049fdp-1, -0x1.ec42e2c271445p-2, 0x1.278631edc386cp-5,
        0x1.2be43f609196p-3, -0x1.c80642e1cba1cp-5, -0x1.96fe05a5f9ed8p-6, 0x1.3227e5dc9a4b4p-6,
    },
    {
        0x1.7b00578c26037p-1, 0x1.32281e2fd1a92p-1, -0x1.e7eff01c3622dp-2, 0x1.b8e5c62387737p-5,
        0x1.195fbcd496534p-3, -0x1.eb0565a8417b9p-5, -0x1.53677ea36ff8cp-6,
        0x1.3710c0aeb1673p-6,
    },
    {
        0x1.8454d5f25760dp-1, 0x1.22ff727dd6f7bp-1, -0x1.e1f715a06c0bdp-2, 0x1.205873c80670fp-4,
        0x1.059d13c8de623p-3, -0x1.03d2995dca3c6p-4, -0x1.0f397e7280c74p-6,
        0x1.3798124499bbfp-6,
    },
    {
        0x1.8d30debfc572ep-1, 0x1.140cc3173f007p-1, -0x1.da75ef4ff44e7p-2, 0x1.5f2c3c2e9241ep-4,
        0x1.e1b83d40518aep-4, -0x1.0ef1670811db8p-4, -0x1.96c79bb2186a3p-7,
        0x1.33f34ee59f49dp-6,
    },
    {
        0x1.959651980da31p-1, 0x1.055bd6d32e8d7p-1, -0x1.d18b96a82af56p-2, 0x1.98b69e46e9972p-4,
        0x1.b6b8cbc5b958ep-4, -0x1.16e89e65a28d1p-4, -0x1.11918e956d1afp-7,
        0x1.2c677b15429aap-6,
    },
    {
        0x1.9d8768656cc42p-1, 0x1.edeeee0959518p-2, -0x1.c75843709e63fp-2, 0x1.cccfbdbdb8a32p-4,
        0x1.8ab898860b072p-4, -0x1.1bcbfde27316dp-4, -0x1.20e8a5f2ef322p-8,
        0x1.21470fb9269acp-6,
    },
    {
        0x1.a506af4cc00f4p-1, 0x1.d1d2cfff91594p-2, -0x1.bbfcee3f9698ep-2, 0x1.fb5f1d8cdca3fp-4,
        0x1.5e3094536e5e3p-4, -0x1.1db8a7bbcc6f7p-4, -0x1.4ecca3c332bb2p-11,
        0x1.12efb29ae7b08p-6,
    },
    {
        0x1.ac16fc7143263p-1, 0x1.b674c8ffc6283p-2, -0x1.af9af5dbc722p-2, 0x1.122d875b466b9p-3,
        0x1.319476a8e3783p-4, -0x1.1cd42ca80f3cbp-4, 0x1.7ecc93a1b3aafp-9, 0x1.01c7d2dc487d6p-6,
    },
    {
        0x1.b2bb679ead19cp-1, 0x1.9be437a7de946p-2, -0x1.a253c8867e234p-2, 0x1.23e3fa70e0eb2p-3,
        0x1.0551811d18a12p-4, -0x1.194b7f706db34p-4, 0x1.988fbc3708b1dp-8, 0x1.dc78719a289d3p-7,
    },
    {
        0x1.b8f741ef54f84p-1, 0x1.822e655b417e7p-2, -0x1.9448921b88a6bp-2, 0x1.32dbb309983dp-3,
        0x1.b39adc4fd08dcp-5, -0x1.1351d7e00b5a3p-4, 0x1.2fde4e0a9dc9p-7, 0x1.b17b300913b34p-7,
    },
    {
        0x1.bece0d82d1a5cp-1, 0x1.695e8cd31867ep-2, -0x1.8599efd39667ap-2, 0x1.3f239588c26dep-3,
        0x1.5ecb1aab06d15p-5, -0x1.0b1f8b6632499p-4, 0x1.89b51c0ceebe4p-7, 0x1.837c636ba20f5p-7,
    },
    {
        0x1.c443755820d64p-1, 0x1.517de540ce2a3p-2, -0x1.7667aa53e4cf4p-2, 0x1.48d0131b8e2abp-3,
        0x1.0cdc1c0d07281p-5, -0x1.00f0e19ef20ddp-4, 0x1.d93cd8b3f37d2p-7, 0x1.535f27f7d5574p-7,
    },
    {
        0x1.c95b455cce69dp-1, 0x1.3a93b1998736cp-2, -0x1.66d076931e535p-2, 0x1.4ffa93440e7a6p-3,
        0x1.7cc5e3a66fc73p-6, -0x1.ea09d5537f69cp-5, 0x1.0f0b9c3cf5596p-6, 0x1.220102b6d7321p-7,
    },
    {
        0x1.ce1962c0e0d8bp-1, 0x1.24a55399ea239p-2, -0x1.56f1bdf85e7a9p-2, 0x1.54c0d66d775fp-3,
        0x1.cf82bbba726dep-7, -0x1.cf38b998f1818p-5, 0x1.2c0ab72646809p-6, 0x1.e06c281864ec6p-8,
    },
    {
        0x1.d281c49d818dp-1, 0x1.0fb6620c550afp-2, -0x1.46e76df6d669ap-2, 0x1.5744545e69c64p-3,
        0x1.6e107e62b01e6p-8, -0x1.b1f0fcbdd901cp-5, 0x1.439adebcd8736p-6, 0x1.7d8b7a56d048fp-8,
    },
    {
        0x1.d6986cfa798e7p-1, 0x1.f79183b101c5bp-3, -0x1.36cbcf473f2fdp-2, 0x1.57a9993f97436p-3,
        -0x1.3a0895b797c3bp-9, -0x1.92b440c932b9fp-5, 0x1.55d02ebbe3f24p-6,
        0x1.1ccf881e387aap-8,
    },
    {
        0x1.da61623cb41ep-1, 0x1.d1b982c50137p-3, -0x1.26b764c0aadbap-2, 0x1.5617a3c3751f1p-3,
        -0x1.400b2685381b2p-7, -0x1.72015b294af27p-5, 0x1.62d1e60fbf483p-6,
        0x1.7f07f689d261cp-9,
    },
    {
        0x1.dde0a90611a0dp-1, 0x1.ade26b7fbed95p-3, -0x1.16c0d1b4d5d67p-2, 0x1.52b746c8c75c5p-3,
        -0x1.0e67b5ac1f7dap-6, -0x1.5052a1c0b4c49p-5, 0x1.6ad856177f892p-6,
        0x1.9b340fe13101dp-10,
    },
    {
        0x1.e11a3e8cf4eb8p-1, 0x1.8c07329874652p-3, -0x1.06fcc7993d5f3p-2, 0x1.4db2909735c6dp-3,
        -0x1.722b21e33813ap-6, -0x1.2e1c6ba723e78p-5, 0x1.6e2aa73092c86p-6,
        0x1.3a4d5caa9bd4ep-12,
    },
    {
        0x1.e4121370224ccp-1, 0x1.6c205655be72p-3, -0x1.eefbf55c8f07ap-3, 0x1.47343994a20c7p-3,
        -0x1.cb36bfc59f157p-6, -0x1.0bcbc8eaac3d6p-5, 0x1.6d1c8187c4a81p-6,
        -0x1.c92e67c153159p-11,
    },
    {
        0x1.e6cc0709c8a0dp-1, 0x1.4e241e912c305p-3, -0x1.d0aa3a81e1944p-3, 0x1.3f671c0d5a534p-3,
        -0x1.0cc92283f66ecp-5, -0x1.d38ae67793c03p-6, 0x1.680ba8a7318cbp-6,
        -0x1.fbc01861f8839p-10,
    },
    {
        0x1.e94be342e6743p-1, 0x1.3206dceef5f87p-3, -0x1.b321c223c5da8p-3, 0x1.3675b662417f3p-3,
        -0x1.2eb1bba87f7p-5, -0x1.90c9f039533d5p-6, 0x1.5f5d9764d756ep-6, -0x1.7a84bc330a6a9p-9,
    },
    {
        0x1.eb9558e6b42cep-1, 0x1.17bb2c8d41535p-3, -0x1.967bfcbd43066p-3, 0x1.2c89b8a8431bbp-3,
        -0x1.4b759a37b1f54p-5, -0x1.4ff837e2d05d9p-6, 0x1.537d28bd75fbdp-6,
        -0x1.e79ed9b7fbdb2p-9,
    },
    {
        0x1.edabfc7453e63p-1, 0x1.fe6460fef468p-4, -0x1.7ace7ffd397a9p-3, 0x1.21cb9e7d6d723p-3,
        -0x1.634129180f541p-5, -0x1.11a4e86264943p-6, 0x1.44d858d80bea9p-6,
        -0x1.2271c1dc6d0bap-8,
    },
    {
        0x1.ef93436bc2daap-1, 0x1.d0b7a0f921e7cp-4, -0x1.602b27fccbc31p-3, 0x1.166255933d8c5p-3,
        -0x1.764b3354d880dp-5, -0x1.ac94d7efb38dcp-7, 0x1.33de27f4add35p-6,
        -0x1.49292834e415ep-8,
    },
    {
        0x1.f14e8211e8c55p-1, 0x1.a64de673e8837p-4, -0x1.46a0403da5e34p-3, 0x1.0a72f12c41a5ap-3,
        -0x1.84d344687073cp-5, -0x1.3c9cd60296afbp-7, 0x1.20fca7732179p-6,
        -0x1.681764200ef95p-8,
    },
    {
        0x1.f2e0e9a6a8b09p-1, 0x1.7f036c0107294p-4, -0x1.2e38b338cfb07p-3, 0x1.fc40d51c87f91p-4,
        -0x1.8f200bf8f068cp-5, -0x1.a8088f84b6108p-8, 0x1.0c9f377788d08p-6,
        -0x1.7f7c8867dd12cp-8,
    },
    {
        0x1.f44d870704911p-1, 0x1.5ab342383d178p-4, -0x1.16fc3f49412f4p-3, 0x1.e316dc651ce1cp-4,
        -0x1.957dcb9e6946ep-5, -0x1.cd18931e8bd01p-9, 0x1.ee59f413d25cdp-7,
        -0x1.8fb301fce5c9fp-8,
    },
    {
        0x1.f59741b4b97cfp-1, 0x1.3937b1b31925ap-4, -0x1.00efafc4eaa4p-3, 0x1.c9a46a98639e7p-4,
        -0x1.983cd482356dp-5, -0x1.ab7b8916c2123p-11, 0x1.c20efdd7a0951p-7,
        -0x1.992b77013134ep-8,
    },
    {
        0x1.f6c0db3c34641p-1, 0x1.1a6a95b1e786fp-4, -0x1.d82a32456f15fp-4, 0x1.b020d62216b74p-4,
        -0x1.97b019d282c6fp-5, 0x1.aba87e1501634p-10, 0x1.9513539fd06dap-7,
        -0x1.9c6894f1df6cdp-8,
    },
    {
        0x1.f7cceef15d631p-1, 0x1.fc4b5e32d6259p-5, -0x1.b0d82e374a56fp-4, 0x1.96be3a1ba379ep-4,
        -0x1.942bdc2ab5e2ap-5, 0x1.f4bbe45662afep-9, 0x1.680da65551279p-7,
        -0x1.99fae76ab6268p-8,
    },
    {
        0x1.f8bdf1fb7837p-1, 0x1.c885df3451a07p-5, -0x1.8be4178f5ebf5p-4, 0x1.7da96b5fb80e4p-4,
        -0x1.8e047135e726dp-5, 0x1.79050a139ddd5p-8, 0x1.3b9445014a2a6p-7,
        -0x1.927cce5a16771p-8,
    },
    {
        0x1.f99633a838a57p-1, 0x1.993979e14fffep-5, -0x1.6944bd98e891fp-4, 0x1.650a003119dffp-4,
        -0x1.858d29f977c62p-5, 0x1.e72d922ba4408p-8, 0x1.102c3fd78fd9dp-7,
        -0x1.868ea78123994p-8,
    },
    {
        0x1.fa57ddfe27376p-1, 0x1.6e1c5893c380bp-5, -0x1.48ed7794c1943p-4, 0x1.4d02687c3cc55p-4,
        -0x1.7b175966f57f9p-5, 0x1.22aa26076c14ap-7, 0x1.cc91e643e4225p-8,
        -0x1.76d33be881bc5p-8,
    },
    {
        0x1.fb04f6868a944p-1, 0x1.46e66be00224p-5, -0x1.2ace9e9ac1e0ap-4, 0x1.35b014a746bc3p-4,
        -0x1.6ef17c11f946ep-5, 0x1.4a0ef2b29bfb7p-7, 0x1.7c97e3b6699d2p-8,
        -0x1.63ec7ea25a46ep-8,
    },
    {
        0x1.fb9f5f473917p-1, 0x1.2351c2f2d1449p-5, -0x1.0ed6033dbe773p-4, 0x1.1f2ba8dc115cap-4,
        -0x1.616681337130ap-5, 0x1.6a282adf12175p-7, 0x1.310a8d02c021ep-8,
        -0x1.4e78a6e0943f8p-8,
    },
    {
        0x1.fc28d7e4f9cdp-1, 0x1.031ad58d56279p-5, -0x1.e9debbbf36b27p-5, 0x1.09893aba48418p-4,
        -0x1.52bd34823f033p-5, 0x1.836631a882971p-7, 0x1.d4cffeef913abp-9,
        -0x1.370fac2a20696p-8,
    },
    {
        0x1.fca2fee770c79p-1, 0x1.cc0180af00a8bp-6, -0x1.ba0971a82a6f7p-5, 0x1.e9b12ed7a137bp-5,
        -0x1.4337c7dafc0d5p-5, 0x1.9643b4843e314p-7, 0x1.521bf77d37d73p-9,
        -0x1.1e41286876597p-8,
    },
    {
        0x1.fd0f5317f582fp-1, 0x1.978ae8b55ce1bp-6, -0x1.8dfda7411c807p-5, 0x1.c24b2053e340cp-5,
        -0x1.33137b371c52ep-5, 0x1.a342ba08f3c68p-7, 0x1.b4efb0c296dafp-10,
        -0x1.0492a0b01dae9p-8,
    },
    {
        0x1.fd6f34f52013ap-1, 0x1.685bb5134ef13p-6, -0x1.658afda9281f1p-5, 0x1.9cf096b9e5892p-5,
        -0x1.2288610f0fa9p-5, 0x1.aae9e57b2e702p-7, 0x1.b8aa0139f8987p-11, -0x1.d4fc6633f202p-9,
    },
    {
        0x1.fdc3e835500b3p-1, 0x1.3e03d891b37dep-6, -0x1.407fe042d6b1p-5, 0x1.79ab3141882eep-5,
        -0x1.11c93cf34a68fp-5, 0x1.adc1f60f7011ap-7, 0x1.a901a32e71bcp-14,
        -0x1.a0e34b91f5654p-9,
    },
    {
        0x1.fe0e9552ebdd6p-1, 0x1.181983e5133ddp-6, -0x1.1eaa1cfc717e9p-5, 0x1.587e8c3cf7ed9p-5,
        -0x1.010379ecbef8bp-5, 0x1.ac5386d55ff54p-7, -0x1.212267c881715p-11,
        -0x1.6d9ba2aeced37p-9,
    },
    {
        0x1.fe504b1d9696cp-1, 0x1.ec72615a894c4p-7, -0x1.ffaed92812477p-6, 0x1.3968eba58c22dp-5,
        -0x1.e0be6c1a8f95ap-6, 0x1.a725126040a6ap-7, -0x1.259015f5c0f3p-10,
        -0x1.3bccbec5cc9f8p-9,
    },
    {
        0x1.fe8a004c19ae6p-1, 0x1.b00b38d6b3575p-7, -0x1.c7abd5f270c8ep-6, 0x1.1c63e3073dec6p-5,
        -0x1.bffec104efc2cp-6, 0x1.9eb93b87b49dcp-7, -0x1.a531297f2d3bp-10,
        -0x1.0c03a98ec5833p-9,
    },
    {
        0x1.febc950b3fa75p-1, 0x1.7a4f6aca256cbp-7, -0x1.94e9004c5bb66p-6, 0x1.0164f8a5a3df3p-5,
        -0x1.a003ceef42f52p-6, 0x1.938d5b0ed568dp-7, -0x1.08388d16494cfp-9,
        -0x1.bd67792df5645p-10,
    },
    {
        0x1.fee8d486585eep-1, 0x1.4a9cf6bda3f4cp-7, -0x1.670673f1efb9dp-6, 0x1.d0bc8416b2d78p-6,
        -0x1.80ffe6399e702p-6, 0x1.861850a2fc99bp-7, -0x1.343ccdb96c679p-9,
        -0x1.686f5823e6925p-10,
    },
    {
        0x1.ff0f766697c76p-1, 0x1.205dac02bd6b9p-7, -0x1.3da72f7b045cfp-6, 0x1.a27df1118f332p-6,
        -0x1.631c567bf4917p-6, 0x1.76c99479d33d9p-7, -0x1.574b760cb0ac2p-9,
        -0x1.19a5dec5583c6p-10,
    },
    {
        0x1.ff312046f2339p-1, 0x1.f60d8aa2a88f2p-8, -0x1.18719070dbe31p-6, 0x1.77e808efe47bfp-6,
        -0x1.467a09ebeb5a7p-6, 0x1.660885e02d38p-7, -0x1.72170434ba86cp-9,
        -0x1.a2cdcf51acb8p-11,
    },
    {
        0x1.ff4e671a85425p-1, 0x1.b430ecf4a83a8p-8, -0x1.ee1f6c6d26161p-7, 0x1.50d0fcce0b07fp-6,
        -0x1.2b322c629fea9p-6, 0x1.5433f24855072p-7, -0x1.8559d3a85ffc1p-9,
        -0x1.1fce1aa8e8484p-11,
    },
    {
        0x1.ff67d08401202p-1, 0x1.7a3ade6c8b3e5p-8, -0x1.b25f9b70a77afp-7, 0x1.2d0c4b23df8a6p-6,
        -0x1.1156d9c9b3df7p-6, 0x1.41a1cfd4f104cp-7, -0x1.91d20b5f38381p-9,
        -0x1.54df2604c799ep-12,
    },
    {
        0x1.ff7dd41ce2b4dp-1, 0x1.4754abacdf1dcp-8, -0x1.7d088fd73b577p-7, 0x1.0c6b96a74a571p-6,
        -0x1.f1e7a03ec46fdp-7, 0x1.2e9f25fac3475p-7, -0x1.983e02041c1e8p-9,
        -0x1.0a5df620ef638p-13,
    },
    {
        0x1.ff90dcaba4096p-1, 0x1.1aba78ba3af89p-8, -0x1.4d87fa6bb13dp-7, 0x1.dd7ecdc505506p-7,
        -0x1.c41e435f80533p-7, 0x1.1b701e9b8b8fbp-7, -0x1.99591b2a1eb29p-9,
        0x1.809e1bcf6dd3ap-15,
    },
    {
        0x1.ffa14948549a7p-1, 0x1.e77448fb66bb9p-9, -0x1.23547f9e401e6p-7, 0x1.a7afa54f4341fp-7,
        -0x1.9953c92515071p-7, 0x1.085039eb0311ap-7, -0x1.95d91d7a97723p-9,
        0x1.97c2d2e0427dfp-13,
    },
    {
        0x1.ffaf6e6f4f5cp-1, 0x1.a3645330550ffp-9, -0x1.fbdb7cbc86895p-8, 0x1.770a29c42b172p-7,
        -0x1.7181b9dc358cap-7, 0x1.eae53eff27a8p-8, -0x1.8e6bff321ed77p-9, 0x1.4f7a8cac05abp-12,
    },
    {
        0x1.ffbb97020011p-1, 0x1.6821000795a03p-9, -0x1.b9b87a094d247p-8, 0x1.4b30191ef974fp-7,
        -0x1.4c9a3fddc3428p-7, 0x1.c6050e3c459f5p-8, -0x1.83b6240c20075p-9,
        0x1.bc5840e23b822p-12,
    },
    {
        0x1.ffc60535dd7f5p-1, 0x1.34a305080681fp-9, -0x1.7f62803ff7c79p-8, 0x1.23c551c9a371ap-7,
        -0x1.2a895b99f83b8p-7, 0x1.a247682c07bacp-8, -0x1.765105f0d68b5p-9,
        0x1.0a0eb1b14013bp-11,
    },
    {
        0x1.ffcef371ea4d7p-1, 0x1.07fdb4dafea5fp-9, -0x1.4c0d1d7b74116p-8, 0x1.007085a69ada9p-7,
        -0x1.0b36033aec68ap-7, 0x1.7fe5fcb61476p-8, -0x1.66ca40554621bp-9,
        0x1.2c44913e6feabp-11,
    },
    {
        0x1.ffd6951b33686p-1, 0x1.c2b9cf7f893bfp-10, -0x1.1efc4f1e34367p-8,
        0x1.c1b7950b52a03p-8, -0x1.dd0658250999ap-8, 0x1.5f0dc9e5c6d92p-8,
        -0x1.55a2f53aa054fp-9, 0x1.45b56f5d2b008p-11,
    },
    {
        0x1.ffdd1750e122p-1, 0x1.8005f08d6f1efp-10, -0x1.ef07a8165106p-9, 0x1.896a15bcb9b45p-8,
        -0x1.a8a1795f9f3e5p-8, 0x1.3fe04b7827e63p-8, -0x1.434f82136026bp-9,
        0x1.574bbbd8a735bp-11,
    },
    {
        0x1.ffe2a1988857cp-1, 0x1.468dadf4080abp-10, -0x1.aa0cd8f462601p-9,
        0x1.575cb38ae4d53p-8, -0x1.78f8ce1b265fbp-8, 0x1.2274ae17eaa82p-8,
        -0x1.30377a7f7810cp-9, 0x1.61f0059556225p-11,
    },
    {
        0x1.ffe7567b7b5e1p-1, 0x1.15246dda49d47p-10, -0x1.6dea190a35732p-9,
        0x1.2afc5a3820c6ap-8, -0x1.4dc4d59d8e034p-8, 0x1.06d90034b2daap-8,
        -0x1.1cb5dec49672cp-9, 0x1.668511d34c8e8p-11,
    },
    {
        0x1.ffeb5415e7c44p-1, 0x1.d57f524723822p-11, -0x1.399c0bf584c3cp-9,
        0x1.03bf01e3b3441p-8, -0x1.26bc7fdb6c875p-8, 0x1.da26b6a7388d4p-9,
        -0x1.09198419846e6p-9, 0x1.65e4a5936a49fp-11,
    },
    {
        0x1.ffeeb49896c6dp-1, 0x1.8ce75e9f6f8ap-11, -0x1.0c385af1be7c3p-9, 0x1.c2479c010591bp-9,
        -0x1.0396554009e7ep-8, 0x1.aa460340e1e99p-9, -0x1.eb4b4a831f012p-10,
        0x1.60dcf83b8de17p-11,
    },
    {
        0x1.fff18ebe2b0e1p-1, 0x1.4ee1429bf7ccp-11, -0x1.c9d7f9113d1b2p-10,
        0x1.85661421613eep-9, -0x1.c812e5f5ec8ecp-9, 0x1.7e02d8c9b8316p-9,
        -0x1.c5252508fddaap-10, 0x1.582ec3f885dddp-11,
    },
    {
        0x1.fff3f634b79f9p-1, 0x1.19ff4663ae9dfp-11, -0x1.85f2ff55d7ddap-10,
        0x1.4ffc12dad3efbp-9, -0x1.8f9cbcc97f91p-9, 0x1.554691b37e777p-9,
        -0x1.a01cf17ddb2fep-10, 0x1.4c8be66e0a5a1p-11,
    },
    {
        0x1.fff5fbfc8a439p-1, 0x1.da01102b5f851p-12, -0x1.4b6ebe4e54418p-10,
        0x1.213dde148cb0dp-9, -0x1.5d3f64c65b32bp-9, 0x1.2ff2c30828f1ap-9,
        -0x1.7c7c701988215p-10, 0x1.3e9682f88433p-11,
    },
    {
        0x1.fff7aebcff755p-1, 0x1.8d986a4187285p-12, -0x1.191cc3205512dp-10,
        0x1.f0e1870a2954ep-10, -0x1.307553e04699bp-9, 0x1.0de2e5f18af8ap-9,
        -0x1.5a7c86c720649p-10, 0x1.2ee09709d5e98p-11,
    },
    {
        0x1.fff91b102fca8p-1, 0x1.4cda5374ea275p-12, -0x1.dbe0235127db1p-11,
        0x1.a9d4c55f9aa58p-10, -0x1.08bf161020715p-9, 0x1.dddbade273474p-10,
        -0x1.3a47069a2c923p-10, 0x1.1debf0f017af2p-11,
    },
    {
        0x1.fffa4bc63ee9ap-1, 0x1.161be46ad3b5p-12, -0x1.91f45022671c1p-11,
        0x1.6c1fbf82e88a8p-10, -0x1.cb47d54312077p-10, 0x1.a5ce555a9dfa7p-10,
        -0x1.1bf86d9a60e4fp-10, 0x1.0c2a7988b32a3p-11,
    },
    {
        0x1.fffb4a210b172p-1, 0x1.cfd4a5adec5cp-13, -0x1.52d055060ccb8p-11,
        0x1.36aa0be7f974ap-10, -0x1.8d645f0b8dff5p-10, 0x1.7340b221069e3p-10,
        -0x1.ff43394d9b85bp-11, 0x1.f3fd83e17b586p-12,
    },
    {
        0x1.fffc1e08f25f5p-1, 0x1.8208bc334a6a5p-13, -0x1.1d0072f1df13ep-11,
        0x1.0876bea3f35b2p-10, -0x1.56ff42283f9b3p-10, 0x1.45d3805d6ca5fp-10,
        -0x1.ca92f5909b783p-11, 0x1.cf798e34edc42p-12,
    },
    {
        0x1.fffcce3b57bffp-1, 0x1.40a8c1949f75ep-13, -0x1.de7bd0dbc82ecp-12,
        0x1.c1451ba393a58p-11, -0x1.2752e8b54f563p-10, 0x1.1d2701d964546p-10,
        -0x1.99dd018e88f4bp-11, 0x1.ab55bc7bdf71bp-12,
    },
    {
        0x1.fffd607387b07p-1, 0x1.09d5f819c9e29p-13, -0x1.90d4a016e4942p-12,
        0x1.7cc3e6ea30282p-11, -0x1.fb514727adf35p-11, 0x1.f1b8df55be646p-11,
        -0x1.6d10526a7695p-11, 0x1.88057c9fb1601p-12,
    },
    {
        0x1.fffdd98e903b2p-1, 0x1.b7e94604479dcp-14, -0x1.4f16b05544a44p-12,
        0x1.41fea82bbf5efp-11, -0x1.b2b0d67b80c81p-11, 0x1.b12e534e593cbp-11,
        -0x1.441084a8469cp-11, 0x1.65e537ed4c3bp-12,
    },
    {
        0x1.fffe3daa95b18p-1, 0x1.6b4702d7d5849p-14, -0x1.178da530194ccp-12,
        0x1.0fb26009af246p-11, -0x1.7390ebf73f2f1p-11, 0x1.77fb52db1409cp-11,
        -0x1.1eb840b22c9a7p-11, 0x1.453c9d9d60809p-12,
    },
    {
        0x1.fffe904222101p-1, 0x1.2b6875310f785p-14, -0x1.d17c663249d05p-13,
        0x1.c981902804ef4p-12, -0x1.3cd958ea56bc7p-11, 0x1.45747e138751ep-11,
        -0x1.f9b6bddae43acp-12, 0x1.2640f04d4116p-12,
    },
    {
        0x1.fffed443e2787p-1, 0x1.ec929a665b449p-15, -0x1.82bf1b3a61302p-13,
        0x1.8059f4bcd68f5p-12, -0x1.0d8c0947825a4p-11, 0x1.18f73a6f4b124p-11,
        -0x1.bc91979191d54p-12, 0x1.0917495a4ef97p-12,
    },
    {
        0x1.ffff0c273bea2p-1, 0x1.94637d5bacfdbp-15, -0x1.40aae467b5766p-13,
        0x1.42308999d181bp-12, -0x1.c98728fa935ffp-12, 0x1.e3d4ecd7bbfa1p-12,
        -0x1.85985af174493p-12, 0x1.dbad8f20f3297p-13,
    },
    {
        0x1.ffff39fe16963p-1, 0x1.4b581b8d170fcp-15, -0x1.09558e0ffe81fp-13,
        0x1.0d7e57ddda89dp-12, -0x1.83636b3d0b36cp-12, 0x1.9f7e4786b5016p-12,
        -0x1.545e9c3b043d4p-12, 0x1.a91541dda4fc7p-13,
    },
    {
        0x1.ffff5f8435efcp-1, 0x1.0ef6c4c84a0fep-15, -0x1.b633123bed5d7p-14,
        0x1.c1da7f4290637p-13, -0x1.473b6af1fb20fp-12, 0x1.63e0e61d9f591p-12,
        -0x1.28769bac5d592p-12, 0x1.7a6822c711da4p-13,
    },
    {
        0x1.ffff7e2c6aea2p-1, 0x1.ba4f035d60e02p-16, -0x1.691a81bf41349p-14,
        0x1.76a58fc2f20bep-13, -0x1.13c59f27eaf6ap-12, 0x1.3007b5efd3439p-12,
        -0x1.017341aa487ccp-12, 0x1.4f98448b42ac6p-13,
    },
    {
        0x1.ffff972be5c59p-1, 0x1.684c227fcacefp-16, -0x1.28f6c06f58cffp-14,
        0x1.3756aa0a5b5b9p-13, -0x1.cfba662b0b337p-13, 0x1.0311e8a047df1p-12,
        -0x1.bdd377a2d3719p-13, 0x1.288a8ff7864d2p-13,
    },
    {
        0x1.ffffab83e54b8p-1, 0x1.24eb7254ccf83p-16, -0x1.e76fcc412581ep-15,
        0x1.022b893340e32p-13, -0x1.84fdcb4c0950dp-13, 0x1.b864ce22fca1p-13,
        -0x1.80e5887736fadp-13, 0x1.0519a9580d5f9p-13,
    },
    {
        0x1.ffffbc09fa7cdp-1, 0x1.db5ad0b27805cp-17, -0x1.8f394545ea63ep-15,
        0x1.ab3dae357e2a7p-14, -0x1.458c06f150d3bp-13, 0x1.755e1c9672c55p-13,
        -0x1.4b5738c5eb7cbp-13, 0x1.ca31000860bddp-14,
    },
    {
        0x1.ffffc96f1165ep-1, 0x1.80f439b4ee04ap-17, -0x1.464f04ea64904p-15,
        0x1.60c1cc7c03d7fp-14, -0x1.0fd3056426c5cp-13, 0x1.3bbf8790f3391p-13,
        -0x1.1c6d89d9c068ep-13, 0x1.90a9144820abp-14,
    },
    {
        0x1.ffffd4456a10dp-1, 0x1.37231085c7d9ap-17, -0x1.0a2aff22780aap-15,
        0x1.22a23fa862b82p-14, -0x1.c4e5181c01dc7p-14, 0x1.0a5ad9d20063dp-13,
        -0x1.e6f1ed5f28748p-14, 0x1.5d2f608a42aadp-14,
    },
    {
        0x1.ffffdd05a75eap-1, 0x1.f5f7d88472604p-18, -0x1.b156f5ea618a7p-16,
        0x1.dde06f5ee3b23p-15, -0x1.786e2aceb204cp-14, 0x1.c0434e7440bacp-14,
        -0x1.9fac1842e99cap-14, 0x1.2f53daf82c952p-14,
    },
    {
        0x1.ffffe41314e06p-1, 0x1.94219bfcb4928p-18, -0x1.600946e12adbcp-16,
        0x1.88095fd2f4f28p-15, -0x1.382a0e7c1799ap-14, 0x1.784603597f04ep-14,
        -0x1.61db5b934ce84p-14, 0x1.06a5534b89a64p-14,
    },
    {
        0x1.ffffe9bf4098cp-1, 0x1.44ba864670881p-18, -0x1.1d67f003f1564p-16,
        0x1.40ee07ac51e48p-15, -0x1.02488ac02a2fep-14, 0x1.3b124f6a10e28p-14,
        -0x1.2c6a2c7ba2299p-14, 0x1.c5674f8261a99p-15,
    },
    {
        0x1.ffffee4d01cd6p-1, 0x1.046aeabcfcdecp-18, -0x1.cdd59c4b3743p-17,
        0x1.062927473a346p-15, -0x1.aa7082cf292adp-15, 0x1.072e7111a21a2p-14,
        -0x1.fcb67f905c82bp-15, 0x1.86230e7f38f59p-15,
    },
    {
        0x1.fffff1f302bc1p-1, 0x1.a0df0f0c626dbp-19, -0x1.74e7887621024p-17,
        0x1.ab658621a92e3p-16, -0x1.5f3e8499baeebp-15, 0x1.b69bdaa861073p-15,
        -0x1.ad9188ef17f0cp-15, 0x1.4eab9b2dd527ap-15,
    },
    {
        0x1.fffff4dde0118p-1, 0x1.4d0231928c6f9p-19, -0x1.2c7cfabb48057p-17,
        0x1.5ba646432c4d1p-16, -0x1.20a89e4a5c93dp-15, 0x1.6c9a814202069p-15,
        -0x1.69c6b83148d5ap-15, 0x1.1e390d182d2e7p-15,
    },
    {
        0x1.fffff731ee681p-1, 0x1.097f6156f32c4p-19, -0x1.e349df305a488p-18,
        0x1.1a2ed95e583e4p-16, -0x1.d9631e366dc17p-16, 0x1.2e5b8bbeb1738p-15,
        -0x1.2fe1c63ff825dp-15, 0x1.e81e8f9e50898p-16,
    },
    {
        0x1.fffff90cb3c81p-1, 0x1.a6852c6b58391p-20, -0x1.83dc3fc69afb1p-18,
        0x1.c91eb18a8bbf5p-17, -0x1.834cd1006e8dap-16, 0x1.f4476cd76e8cap-16,
        -0x1.fd2c631413101p-16, 0x1.9efdc845e1d8cp-16,
    },
    {
        0x1.fffffa8621251p-1, 0x1.4f8c96f26a26ap-20, -0x1.36a527be7aefp-18,
        0x1.7178ac1a4ca6ap-17, -0x1.3c299d89f1ffp-16, 0x1.9ce52576554efp-16,
        -0x1.a978ce21fe3c2p-16, 0x1.5fcb57c7bd4e4p-16,
    },
    {
        0x1.fffffbb196132p-1, 0x1.09f5cf4dd2876p-20, -0x1.f098f913684ecp-19,
        0x1.29ffa262c97a2p-17, -0x1.01849d3d559d6p-16, 0x1.53f7c048fcd9ep-16,
        -0x1.629db519e118cp-16, 0x1.295d7783547fp-16,
    },
    {
        0x1.fffffc9eb76acp-1, 0x1.a4c89e08ef4f2p-21, -0x1.8c20dcc67ee43p-19,
        0x1.dfb0e3de077ccp-18, -0x1.a292c7c36f7b8p-17, 0x1.1742e162b7305p-16,
        -0x1.26ce3eb4827b3p-16, 0x1.f54973b09fa17p-17,
    },
    {
        0x1.fffffd5a2041fp-1, 0x1.4c37c0394d093p-21, -0x1.3b58eb767693dp-19,
        0x1.8144e1ff7824bp-18, -0x1.536cf81fec198p-17, 0x1.c9b65ec1d25e4p-17,
        -0x1.e8ec40fd5fa57p-17, 0x1.a556987819ecep-17,
    },
    {
        0x1.fffffdedf37edp-1, 0x1.05c803e4831cp-21, -0x1.f510d77382602p-20,
        0x1.34c8694cc7b44p-18, -0x1.12a317e774f38p-17, 0x1.76387ad10aa79p-17,
        -0x1.9468438aab585p-17, 0x1.6127c717ee0bep-17,
    },
    {
        0x1.fffffe62534d4p-1, 0x1.9bc09f112b493p-22, -0x1.8d46d979ab6f8p-20,
        0x1.edec73cfb36ccp-19, -0x1.bb73e4dde050fp-18, 0x1.313eecff6a2dcp-17,
        -0x1.4da9c3fc62cf2p-17, 0x1.2730d483e3839p-17,
    },
    {
        0x1.fffffebdc2ec6p-1, 0x1.43302cc4a0da7p-22, -0x1.3a59db8b5705dp-20,
        0x1.8a353185c198ep-19, -0x1.653b93c6d62a8p-18, 0x1.f0cff1e3d5d0ap-18,
        -0x1.129bdc02ed9b8p-17, 0x1.ec22128a375e2p-18,
    },
    {
        0x1.ffffff0576917p-1, 0x1.fa5b4f49cc6bp-23, -0x1.f07786bd818p-21, 0x1.39f6e46b96b38p-19,
        -0x1.1f256adb8b854p-18, 0x1.935daba41090dp-18, -0x1.c2e4ad8439e2ep-18,
        0x1.991feec6750e6p-18,
    },
    {
        0x1.ffffff3d9480fp-1, 0x1.8be4f8f6c951dp-23, -0x1.87414a0c04fb6p-21,
        0x1.f3107ddd6ce6p-20, -0x1.cc9c83b7c992bp-19, 0x1.46bdb656d080fp-18,
        -0x1.7142774b173d2p-18, 0x1.533472e3abcc9p-18,
    },
    {
        0x1.ffffff6969fb8p-1, 0x1.34ecf8a3c1249p-23, -0x1.33b80bab383d3p-21,
        0x1.8bd13a7877ef8p-20, -0x1.70a0bb816d9aap-19, 0x1.081065464f793p-18,
        -0x1.2daa1fac893f3p-18, 0x1.187c61e9e70a7p-18,
    }
};
#endif
