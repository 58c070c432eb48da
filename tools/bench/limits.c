/* The machine's limits: floating-point operations without memory, and memory by its levels.

   limits THREADS prints lines "name median least most unit", each over REPEATS repeats. Vectors
   are as long as the processor's. Built with -ffp-contract=fast, a product and the sum after it
   are one operation; with -ffp-contract=off they are two, as in code that must round twice. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif

enum { REPEATS = 9, MOST_THREADS = 8, CHAINS = BYTES == 64 ? 16 : 12 };

typedef float f32s __attribute__((vector_size(BYTES)));
typedef double f64s __attribute__((vector_size(BYTES)));

/* A vector that the compiler must take for one that could be anything; it stays in a register. */
#if defined(__AVX512F__)
#define OPAQUE(value) __asm__ volatile("" : "+v"(value))
#elif defined(__x86_64__)
#define OPAQUE(value) __asm__ volatile("" : "+x"(value))
#else
#define OPAQUE(value) __asm__ volatile("" : "+w"(value))
#endif
#define UNROLLED _Pragma("GCC unroll 16")

typedef struct task {
    void (*work)(struct task *);
    long rounds, length;
    float *a, *b, *c;
} task;

/* Independent chains, enough to hide the latency of each; all in registers. */
#define ARITHMETIC(NAME, VECTOR, NUMBER)                                                          \
    static void NAME(task *given) {                                                               \
        VECTOR chain[CHAINS], factor = (VECTOR){0} + (NUMBER)0.999999,                            \
                              term = (VECTOR){0} + (NUMBER)1e-7;                                  \
        UNROLLED for (int i = 0; i < CHAINS; i++) chain[i] = (VECTOR){0} + (NUMBER)(0.1 * i);     \
        OPAQUE(factor);                                                                           \
        OPAQUE(term);                                                                             \
        for (long round = 0; round < given->rounds; round++) {                                    \
            UNROLLED for (int i = 0; i < CHAINS; i++) STEP(chain[i], factor, term);               \
        }                                                                                         \
        UNROLLED for (int i = 0; i < CHAINS; i++) OPAQUE(chain[i]);                               \
    }

#ifdef FUSED
#define STEP(sum, factor, term) sum = sum * factor + term
#else
/* As in a matrix product: the product does not wait for the sum. */
#define STEP(sum, factor, term)    \
    {                              \
        OPAQUE(factor);            \
        sum = sum + factor * term; \
    }
#endif
ARITHMETIC(arithmetic_f32, f32s, float)
ARITHMETIC(arithmetic_f64, f64s, double)

#ifndef FUSED
static void triad(task *given) {
    long count = given->length * (long)sizeof(float) / BYTES;
    f32s *a = (f32s *)given->a, *b = (f32s *)given->b, *c = (f32s *)given->c;
    for (long round = 0; round < given->rounds; round++) {
        for (long i = 0; i < count; i += 2) {
            a[i] = b[i] + c[i] * 3.0f;
            a[i + 1] = b[i + 1] + c[i + 1] * 3.0f;
        }
        __asm__ volatile("" ::: "memory");
    }
}

static void reading(task *given) {
    long count = given->length * (long)sizeof(float) / BYTES;
    f32s *a = (f32s *)given->a, sums[4] = {{0}, {0}, {0}, {0}};
    for (long round = 0; round < given->rounds; round++) {
        for (long i = 0; i < count; i += 4) {
            UNROLLED for (int k = 0; k < 4; k++) sums[k] += a[i + k];
        }
        __asm__ volatile("" ::: "memory");
    }
    UNROLLED for (int k = 0; k < 4; k++) OPAQUE(sums[k]);
}

#endif

static pthread_barrier_t barrier;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *between_barriers(void *given) {
    pthread_barrier_wait(&barrier);
    ((task *)given)->work(given);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static double seconds(task *tasks, int threads) {
    pthread_t running[MOST_THREADS];
    pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&running[i], NULL, between_barriers, &tasks[i])) abort();
    }
    pthread_barrier_wait(&barrier);
    double began = now();
    pthread_barrier_wait(&barrier);
    double took = now() - began;
    for (int i = 0; i < threads; i++) pthread_join(running[i], NULL);
    pthread_barrier_destroy(&barrier);
    return took;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* `amount` is what one thread does: operations or bytes. */
static void measure(const char *name, task *tasks, int threads, double amount, const char *unit) {
    double rates[REPEATS];
    for (int i = 0; i < REPEATS; i++) rates[i] = amount * threads / seconds(tasks, threads) * 1e-9;
    qsort(rates, REPEATS, sizeof *rates, by_size);
    printf("%s %.4g %.4g %.4g %s\n", name, rates[REPEATS / 2], rates[0], rates[REPEATS - 1], unit);
    fflush(stdout);
}

static void arithmetic(const char *name, void (*work)(task *), int lanes, int threads) {
    task tasks[MOST_THREADS];
    long rounds = 10000000;
    for (int i = 0; i < threads; i++) tasks[i] = (task){.work = work, .rounds = rounds};
    measure(name, tasks, threads, 2.0 * lanes * CHAINS * (double)rounds, "GFLOP/s");
}

#ifndef FUSED
static float *filled(long length) {
    float *found = aligned_alloc(4096, (size_t)length * sizeof *found);
    if (!found) abort();
    for (long i = 0; i < length; i++) found[i] = 1.0f; /* pages exist from the first write on */
    return found;
}

/* `moved`: bytes for each number of an array; `total`: numbers in all rounds, about. */
static void memory(
    const char *name, void (*work)(task *), long length, int moved, long total, int threads
) {
    task tasks[MOST_THREADS];
    long rounds = total / length > 1 ? total / length : 1;
    for (int i = 0; i < threads; i++) {
        float *a = filled(length), *b = work == triad ? filled(length) : NULL;
        float *c = work == triad ? filled(length) : NULL;
        tasks[i] = (task){work, rounds, length, a, b, c};
    }
    measure(name, tasks, threads, (double)moved * (double)length * (double)rounds, "GB/s");
    for (int i = 0; i < threads; i++) {
        free(tasks[i].a);
        free(tasks[i].b);
        free(tasks[i].c);
    }
}
#endif

int main(int count, char **words) {
    int threads = count > 1 ? atoi(words[1]) : 1;
    if (threads < 1 || threads > MOST_THREADS) return 2;
#ifdef FUSED
    arithmetic("f32_fused", arithmetic_f32, BYTES / 4, threads);
    arithmetic("f64_fused", arithmetic_f64, BYTES / 8, threads);
#else
    const long kib = 256, mib = 1024 * kib; /* in numbers of f32 */
    arithmetic("f32_product_and_sum", arithmetic_f32, BYTES / 4, threads);
    arithmetic("f64_product_and_sum", arithmetic_f64, BYTES / 8, threads);
    memory("triad_in_memory", triad, 128 * mib, 12, 128 * mib, threads);
    memory("triad_in_3_x_192_KiB", triad, 192 * kib, 12, 128 * mib, threads);
    memory("read_memory", reading, 128 * mib, 4, 256 * mib, threads);
    memory("read_8_MiB", reading, 8 * mib, 4, 2048 * mib, threads);
    memory("read_512_KiB", reading, 512 * kib, 4, 2048 * mib, threads);
    memory("read_16_KiB", reading, 16 * kib, 4, 2048 * mib, threads);
#endif
    return 0;
}
