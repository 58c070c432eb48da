/* Threads: a kernel's outermost loop in parts. What a part computes does not depend on how many
 * there are, so no bit does. Workers are made when first wanted and sleep in between; a second run
 * that finds them busy does its kernels alone, and so does a process after a fork.
 */
#include <pthread.h>
#include <unistd.h>

typedef int (*gir_part)(const gir_run *r, void *const *m, int64_t first, int64_t last);

enum { GIR_MOST_THREADS = 64 };
/* Below this many operations a kernel is done before a worker is awake. GIR_FINE_PARTS divides
 * whatever can be divided, at any iteration: for tests that no bit depends on it. */
#ifdef GIR_FINE_PARTS
#define GIR_WORTH 0
#else
#define GIR_WORTH 65536
#endif

static struct {
    pthread_mutex_t busy; /* held by the run whose kernel the workers do */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    int made, waiting;
    pid_t process;
    uint64_t turn;
    gir_part part;
    const gir_run *run;
    void *const *memory;
    int64_t count, grain, parts;
} gir_pool = {.busy = PTHREAD_MUTEX_INITIALIZER,
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .wake = PTHREAD_COND_INITIALIZER,
              .done = PTHREAD_COND_INITIALIZER};

/* Part `at` of the loop: whole grains, as equal as they come. */
static void gir_do_part(int64_t at) {
    const int64_t grains = (gir_pool.count + gir_pool.grain - 1) / gir_pool.grain;
    int64_t first = grains * at / gir_pool.parts * gir_pool.grain;
    int64_t last = grains * (at + 1) / gir_pool.parts * gir_pool.grain;
    if (last > gir_pool.count) last = gir_pool.count;
    if (first < last) gir_pool.part(gir_pool.run, gir_pool.memory, first, last);
}

static void *gir_worker(void *own) {
    const int64_t at = (int64_t)(intptr_t)own;
    uint64_t mode, turn = 0;
    gir_mode_enter(&mode);
    pthread_mutex_lock(&gir_pool.lock);
    for (;;) {
        while (gir_pool.turn == turn || at >= gir_pool.parts) {
            turn = gir_pool.turn;
            pthread_cond_wait(&gir_pool.wake, &gir_pool.lock);
        }
        turn = gir_pool.turn;
        pthread_mutex_unlock(&gir_pool.lock);
        gir_do_part(at);
        pthread_mutex_lock(&gir_pool.lock);
        if (--gir_pool.waiting == 0) pthread_cond_signal(&gir_pool.done);
    }
    return 0;
}

/* As many workers as parts but one, which the caller does; fewer if the system gives no more. */
static int64_t gir_make_workers(int64_t parts) {
    while (gir_pool.made < parts - 1) {
        pthread_t thread;
        if (pthread_create(&thread, 0, gir_worker, (void *)(intptr_t)(gir_pool.made + 1))) break;
        pthread_detach(thread);
        gir_pool.made++;
    }
    return gir_pool.made + 1 < parts ? gir_pool.made + 1 : parts;
}

/* The loop from 0 to count, in as many parts as pay; `cost` is operations an iteration. */
static int gir_each(const gir_run *r, gir_part part, void *const *m, int64_t count, int64_t cost,
                    int64_t grain) {
    const int64_t most = r->threads < GIR_MOST_THREADS ? r->threads : GIR_MOST_THREADS;
#ifdef GIR_FINE_PARTS
    grain = 1;
#endif
    if (most <= 1 || count < 2 * grain || count * cost < GIR_WORTH) return part(r, m, 0, count);
    if (pthread_mutex_trylock(&gir_pool.busy)) return part(r, m, 0, count);
    if (gir_pool.process != getpid()) { /* a fork has no workers of its parent's */
        gir_pool.made = 0;
        gir_pool.process = getpid();
    }
    const int64_t parts = gir_make_workers(most);
    pthread_mutex_lock(&gir_pool.lock);
    gir_pool.part = part;
    gir_pool.run = r;
    gir_pool.memory = m;
    gir_pool.count = count;
    gir_pool.grain = grain;
    gir_pool.parts = parts;
    gir_pool.waiting = (int)parts - 1;
    gir_pool.turn++;
    pthread_cond_broadcast(&gir_pool.wake);
    pthread_mutex_unlock(&gir_pool.lock);
    gir_do_part(0);
    pthread_mutex_lock(&gir_pool.lock);
    while (gir_pool.waiting) pthread_cond_wait(&gir_pool.done, &gir_pool.lock);
    gir_pool.parts = 0;
    pthread_mutex_unlock(&gir_pool.lock);
    pthread_mutex_unlock(&gir_pool.busy);
    return 0;
}
