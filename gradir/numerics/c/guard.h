/* @needs base
 *
 * The mode that the bits need (NUM-2): subnormals kept, as operands and results, and rounding to
 * nearest.  A library linked with -ffast-math turns flushing on for the whole process when it is
 * loaded; other code may leave another rounding mode behind.
 *
 * gir_mode_enter(&saved)   sets the mode in this thread; 1 if something had to be changed
 * gir_mode_leave(saved)    puts back what was there
 * gir_mode_ok()            1 if the mode is right, 0 if not
 *
 * Every entry of generated code enters first and leaves last, in each of its threads.  Compilers
 * do not know that arithmetic depends on the mode: what is computed between must come from memory
 * and go to memory, or stand in functions that are not inlined.  On targets without a
 * known control register nothing can be set: the arithmetic itself is tried.
 */
#ifndef GIR_GUARD_H
#define GIR_GUARD_H

#if defined(__x86_64__) || (defined(__i386__) && defined(__SSE__))
/* FTZ, both bits of the rounding mode, DAZ; the exceptions' masks (bits 7-12) must be set. */
#define GIR_MXCSR_WRONG 0xe040u
#define GIR_MXCSR_MASKS 0x1f80u

GIR_FUNCTION uint64_t gir_mode_read(void) { return __builtin_ia32_stmxcsr(); }
GIR_FUNCTION void gir_mode_write(uint64_t mode) {
    __asm__ volatile("" : : : "memory");
    __builtin_ia32_ldmxcsr((uint32_t)mode);
    __asm__ volatile("" : : : "memory");
}
GIR_FUNCTION uint64_t gir_mode_right(uint64_t mode) {
    return (mode & ~(uint64_t)GIR_MXCSR_WRONG) | GIR_MXCSR_MASKS;
}
#elif defined(__aarch64__)
/* FIZ, AH, NEP (0-2), the traps (8-15), FZ16, the rounding mode (22-23), FZ, DN. */
#define GIR_FPCR_WRONG 0x3c8ff07u

GIR_FUNCTION uint64_t gir_mode_read(void) {
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}
GIR_FUNCTION void gir_mode_write(uint64_t mode) {
    __asm__ volatile("msr fpcr, %0" : : "r"(mode) : "memory");
}
GIR_FUNCTION uint64_t gir_mode_right(uint64_t mode) { return mode & ~(uint64_t)GIR_FPCR_WRONG; }
#else
#define GIR_MODE_UNKNOWN 1
#endif

/* Tried at run time: the operands are volatile, so that nothing is computed by the compiler. */
static __attribute__((noinline, unused)) int gir_mode_tried(void) {
    volatile float least = 0x1p-126f, half = 0.5f, one = 1.0f, tie = 0x1p-24f;
    volatile double least64 = 0x1p-1022, half64 = 0.5, one64 = 1.0, tie64 = 0x1p-53;
    volatile float subnormal = least * half;
    volatile double subnormal64 = least64 * half64;
    int kept = gir_bits_f32(subnormal) == 0x00400000u && gir_bits_f32(subnormal * 2) != 0 &&
               gir_bits_f64(subnormal64) == 0x0008000000000000u &&
               gir_bits_f64(subnormal64 * 2) != 0;
    volatile float up = one + 2 * tie; /* the next after 1: a tie there goes up, at 1 down */
    volatile double up64 = one64 + 2 * tie64;
    int nearest = one + tie == one && up + tie == up + 2 * tie && -one - tie == -one &&
                  -up - tie == -up - 2 * tie && one64 + tie64 == one64 &&
                  up64 + tie64 == up64 + 2 * tie64 && -one64 - tie64 == -one64 &&
                  -up64 - tie64 == -up64 - 2 * tie64;
    return kept && nearest;
}

GIR_FUNCTION int gir_mode_ok(void) {
#ifndef GIR_MODE_UNKNOWN
    uint64_t mode = gir_mode_read();
    if (gir_mode_right(mode) != mode) return 0;
#endif
    return gir_mode_tried();
}

GIR_FUNCTION int gir_mode_enter(uint64_t *saved) {
#ifdef GIR_MODE_UNKNOWN
    *saved = 0;
    return 0;
#else
    *saved = gir_mode_read();
    uint64_t right = gir_mode_right(*saved);
    if (right == *saved) return 0;
    gir_mode_write(right);
    return 1;
#endif
}

GIR_FUNCTION void gir_mode_leave(uint64_t saved) {
#ifdef GIR_MODE_UNKNOWN
    (void)saved;
#else
    gir_mode_write(saved);
#endif
}
#endif
