/* What the programs of the proof share: the functions' numbers, the hash of a block of results.
 *
 * The 2^32 arguments are cut into 65536 blocks of 65536: block b holds the arguments whose upper
 * 16 bits are b.  A block's hash is the sum of bits(result i) * weight i modulo 2^64, weights
 * odd, NaN counted as its canonical bits: one wrong result always changes the hash, modulo 2^32
 * too, since an odd weight times a nonzero 32-bit difference is not 0.
 */
#ifndef GIR_PROOF_H
#define GIR_PROOF_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 65536, BLOCK = 65536 };
enum function { EXP, EXP2, LOG, LOG2, SIN, COS, TANH, ERF, FUNCTIONS };

static const char *const function_names[FUNCTIONS] = {"exp", "exp2", "log",  "log2",
                                                      "sin", "cos",  "tanh", "erf"};

static int function_number(const char *name) {
    for (int f = 0; f < FUNCTIONS; f++)
        if (!strcmp(name, function_names[f])) return f;
    fprintf(stderr, "no function '%s'\n", name);
    exit(2);
}

static inline float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static inline uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static inline uint32_t canonical(uint32_t bits) {
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}

/* Splitmix64 (Steele, Lea, Flood): a bijection that looks random. */
static inline uint64_t scrambled(uint64_t n) {
    n += 0x9e3779b97f4a7c15u;
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
    return n ^ (n >> 31);
}

static uint64_t weights[BLOCK];

static void fill_weights(void) {
    for (uint64_t i = 0; i < BLOCK; i++) weights[i] = scrambled(i) | 1;
}

static inline uint64_t block_hash(const uint32_t *results) {
    uint64_t sum = 0;
    for (int i = 0; i < BLOCK; i++) sum += canonical(results[i]) * weights[i];
    return sum;
}
#endif
