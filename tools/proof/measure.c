/* What a build of the functions computes; linked with kernels.c, which may be built otherwise.
 *
 * measure hashes FUNCTION FIRST LAST    one little-endian u64 a block on standard output
 * measure values FUNCTION               reads arguments as little-endian u32, writes results
 * measure time FUNCTION LOW HIGH        nanoseconds an element, 4096 uniform elements between
 *                                       LOW and HIGH in the first cache: median, least, greatest
 */
#define _POSIX_C_SOURCE 199309L
#include <time.h>

#include "proof.h"

typedef void map(float *restrict out, const float *restrict in, long n);
map gir_map_exp, gir_map_exp2, gir_map_log, gir_map_log2;
map gir_map_sin, gir_map_cos, gir_map_tanh, gir_map_erf;
#pragma weak gir_map_exp /* one_kernels.c and map_kernels.c have not all of them */
#pragma weak gir_map_exp2
#pragma weak gir_map_log
#pragma weak gir_map_log2
#pragma weak gir_map_sin
#pragma weak gir_map_cos
#pragma weak gir_map_tanh
#pragma weak gir_map_erf
static map *const maps[FUNCTIONS] = {gir_map_exp, gir_map_exp2, gir_map_log,  gir_map_log2,
                                     gir_map_sin, gir_map_cos,  gir_map_tanh, gir_map_erf};

static float in[BLOCK], out[BLOCK];

static int write_hashes(map *f, uint32_t first, uint32_t last) {
    fill_weights();
    for (uint32_t block = first; block < last; block++) {
        for (uint32_t i = 0; i < BLOCK; i++) in[i] = float_of(block << 16 | i);
        f(out, in, BLOCK);
        static uint32_t results[BLOCK];
        memcpy(results, out, sizeof out);
        uint64_t hash = block_hash(results);
        if (fwrite(&hash, 8, 1, stdout) != 1) return 2;
    }
    return 0;
}

static int write_values(map *f) {
    size_t n;
    while ((n = fread(in, 4, BLOCK, stdin)) > 0) {
        f(out, in, (long)n);
        if (fwrite(out, 4, n, stdout) != n) return 2;
    }
    return 0;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int print_times(map *f, double low, double high) {
    enum { N = 4096, ROUNDS = 101, CALLS = 40 };
    double times[ROUNDS];
    for (uint64_t i = 0; i < N; i++)
        in[i] = (float)(low + (high - low) * (double)(scrambled(i) >> 11) * 0x1p-53);
    f(out, in, N);
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        for (int call = 0; call < CALLS; call++) {
            f(out, in, N);
            __asm__ volatile("" : : "r"(out) : "memory");
        }
        times[round] = (seconds() - start) / CALLS / N * 1e9;
    }
    qsort(times, ROUNDS, sizeof *times, ascending);
    printf("%.3f %.3f %.3f\n", times[ROUNDS / 2], times[0], times[ROUNDS - 1]);
    return 0;
}

int main(int count, char **arguments) {
    if (count >= 3) {
        const char *mode = arguments[1];
        map *f = maps[function_number(arguments[2])];
        if (!strcmp(mode, "values") && count == 3) return write_values(f);
        if (!strcmp(mode, "hashes") && count == 5)
            return write_hashes(f, (uint32_t)atol(arguments[3]), (uint32_t)atol(arguments[4]));
        if (!strcmp(mode, "time") && count == 5)
            return print_times(f, atof(arguments[3]), atof(arguments[4]));
    }
    fprintf(stderr, "usage: measure hashes|values|time FUNCTION ...\n");
    return 2;
}
