/* The exact results: correctly rounded, by exact.h.
 *
 * reference values FUNCTION              reads arguments as little-endian u32, writes results
 * reference FUNCTION FIRST LAST FILE HARD    hashes of the results of blocks FIRST … LAST-1.
 *
 * Writes two little-endian u64 a block to FILE: its hash, and that of the block 32768 further on
 * if the function is odd or even, else 0.  (So FIRST … LAST-1 lie below 32768 for such a
 * function.)  Every argument that MPFR decided goes to HARD as "argument result" in hexadecimal.
 * Of each block, four random results more are compared with MPFR.  Prints a line of counts for
 * the caller; exits 1 if a cross-check fails.
 */
#include "exact.h"

static uint32_t results[BLOCK];

static long cross_check(int function, uint32_t block, long *failed) {
    long done = 0;
    for (uint64_t i = 0; i < 4; i++) {
        uint32_t bits = block << 16 | (uint32_t)(scrambled((uint64_t)block * 4 + i) >> 48);
        float x = float_of(bits);
        /* Where the value is certain MPFR would only take long: exponents of 2^30 and such. */
        if (x != x || ((function == EXP || function == EXP2) && fabsf(x) > 200)) continue;
        if ((function == ERF || function == TANH) && fabsf(x) > 30) continue;
        uint32_t expected = by_mpfr(function, x), found = results[bits & 0xffffu];
        done++;
        if (expected == found) continue;
        (*failed)++;
        fprintf(stderr, "cross-check of %s: %08x gives %08x, MPFR %08x\n",
                function_names[function], bits, found, expected);
    }
    return done;
}

static int write_values(int function) {
    uint32_t argument;
    while (fread(&argument, 4, 1, stdin) == 1) {
        int hard;
        uint32_t result = exact(function, argument, &hard);
        if (fwrite(&result, 4, 1, stdout) != 1) return 2;
    }
    return 0;
}

int main(int count, char **arguments) {
    if (count == 3 && !strcmp(arguments[1], "values"))
        return write_values(function_number(arguments[2]));
    if (count != 6) {
        fprintf(stderr, "usage: reference FUNCTION FIRST LAST FILE HARD\n");
        return 2;
    }
    int function = function_number(arguments[1]);
    uint32_t first = (uint32_t)atol(arguments[2]), last = (uint32_t)atol(arguments[3]);
    FILE *file = fopen(arguments[4], "wb"), *hard_file = fopen(arguments[5], "w");
    if (!file || !hard_file) {
        perror("reference");
        return 2;
    }
    fill_weights();
    long hard_count = 0, checked = 0, failed = 0;
    for (uint32_t block = first; block < last; block++) {
        for (uint32_t i = 0; i < BLOCK; i++) {
            int hard;
            uint32_t bits = block << 16 | i;
            results[i] = exact(function, bits, &hard);
            if (!hard) continue;
            hard_count++;
            fprintf(hard_file, "%08x %08x\n", bits, results[i]);
        }
        checked += cross_check(function, block, &failed);
        uint64_t hashes[2] = {block_hash(results), 0};
        if (is_symmetric(function)) {
            for (int i = 0; i < BLOCK; i++) results[i] = mirrored(function, results[i]);
            hashes[1] = block_hash(results);
        }
        if (fwrite(hashes, 8, 2, file) != 2) {
            perror("reference");
            return 2;
        }
    }
    if (fclose(file) || fclose(hard_file)) {
        perror("reference");
        return 2;
    }
    printf("%ld %ld %ld\n", hard_count, checked, failed);
    return failed != 0;
}
