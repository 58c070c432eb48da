/* Threads: a kernel's outermost loop in parts. What a part computes does not depend on how many
 * there are, so no bit does. Workers are made when first wanted; in between they look for work for
 * a while, then they sleep: a sleeper is slow to wake. A second run that finds them busy does its
 * kernels alone, and so does a process after a fork.
 */
#include <pthread.h>
#include <unistd.h>

typedef int (*gir_part)(const gir_run *r, void *const *m, int64_t first, int64_t last);

enum { GIR_MOST_THREADS = 64, GIR_LOOKS = 1000 };
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
    long processors;
    int made;
    int looks; /* for work, before a thread sleeps; none if threads are more than processors */
    pid_t process;
    uint32_t turn;
    gir_part part;
    const gir_run *run;
    void *const *memory;
    int64_t count, grain, parts, next, undone;
} gir_pool = {.busy = PTHREAD_MUTEX_INITIALIZER,
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .wake = PTHREAD_COND_INITIALIZER,
              .done = PTHREAD_COND_INITIALIZER};

#define GIR_SEEN(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define GIR_SHOW(x, value) __atomic_store_n(&(x), value, __ATOMIC_RELEASE)
#if defined(__x86_64__) || defined(__i386__)
#define GIR_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define GIR_PAUSE() __asm__ volatile("isb")
#else
#define GIR_PAUSE() ((void)0)
#endif

/* The lock is held for moments only. */
static void gir_lock_pool(void) {
    for (int look = 0; look < 64; look++) {
        if (!pthread_mutex_trylock(&gir_pool.lock)) return;
        GIR_PAUSE();
    }
    pthread_mutex_lock(&gir_pool.lock);
}

/* Part `at` of the loop: whole grains, as equal as they come. */
static void gir_do_part(int64_t at) {
    const int64_t grains = (gir_pool.count + gir_pool.grain - 1) / gir_pool.grain;
    int64_t first = grains * at / gir_pool.parts * gir_pool.grain;
    int64_t last = grains * (at + 1) / gir_pool.parts * gir_pool.grain;
    if (last > gir_pool.count) last = gir_pool.count;
    if (first < last) gir_pool.part(gir_pool.run, gir_pool.memory, first, last);
}

/* The parts that nobody has begun; with the lock. So none waits for a thread that is not awake. */
static void gir_do_parts(void) {
    while (gir_pool.next < gir_pool.parts) {
        const int64_t at = gir_pool.next++;
        pthread_mutex_unlock(&gir_pool.lock);
        gir_do_part(at);
        gir_lock_pool();
        GIR_SHOW(gir_pool.undone, gir_pool.undone - 1);
        if (!gir_pool.undone) pthread_cond_signal(&gir_pool.done);
    }
}

static void *gir_worker(void *unused) {
    uint64_t mode;
    (void)unused;
    gir_mode_enter(&mode);
    gir_lock_pool();
    for (;;) {
        gir_do_parts();
        const uint32_t turn = gir_pool.turn;
        int looks = gir_pool.looks;
        pthread_mutex_unlock(&gir_pool.lock);
        while (looks-- > 0 && GIR_SEEN(gir_pool.turn) == turn) GIR_PAUSE();
        gir_lock_pool();
        while (gir_pool.turn == turn) pthread_cond_wait(&gir_pool.wake, &gir_pool.lock);
    }
    return 0;
}

/* As many workers as parts but one, which the caller does; fewer if the system gives no more. */
static int64_t gir_make_workers(int64_t parts) {
    if (!gir_pool.processors) gir_pool.processors = sysconf(_SC_NPROCESSORS_ONLN);
    while (gir_pool.made < parts - 1) {
        pthread_t thread;
        if (pthread_create(&thread, 0, gir_worker, 0)) break;
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
    int looks = parts > gir_pool.processors ? 0 : GIR_LOOKS;
    gir_lock_pool();
    gir_pool.looks = looks;
    gir_pool.part = part;
    gir_pool.run = r;
    gir_pool.memory = m;
    gir_pool.count = count;
    gir_pool.grain = grain;
    gir_pool.parts = parts;
    gir_pool.next = 0;
    GIR_SHOW(gir_pool.undone, parts);
    GIR_SHOW(gir_pool.turn, gir_pool.turn + 1);
    pthread_cond_broadcast(&gir_pool.wake);
    gir_do_parts();
    pthread_mutex_unlock(&gir_pool.lock);
    while (looks-- > 0 && GIR_SEEN(gir_pool.undone)) GIR_PAUSE();
    gir_lock_pool();
    while (gir_pool.undone) pthread_cond_wait(&gir_pool.done, &gir_pool.lock);
    pthread_mutex_unlock(&gir_pool.lock);
    pthread_mutex_unlock(&gir_pool.busy);
    return 0;
}
