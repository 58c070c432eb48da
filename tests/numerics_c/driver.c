/* Calls the functions of exports.c by name for a process that cannot load them: another machine's
 * code under an emulator.  Compiled behind exports.c.
 *
 * A request on standard input is a name and a count of arguments, both fixed in size, then each
 * argument: its length in bytes and its bytes, or length -1 and an i64.  The answer is the first
 * argument's bytes after the call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void any(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
#define ENTRY(name) {#name, (any *)(uintptr_t)name},
static const struct {
    const char *name;
    any *function;
} entries[] = {ENTRIES};

static void take(void *to, size_t n) {
    if (n && fread(to, 1, n, stdin) != n) exit(feof(stdin) ? 0 : 2);
}

int main(void) {
    for (;;) {
        char name[32];
        int64_t count, length, first = 0;
        uintptr_t value[6] = {0};
        void *room[6] = {0};
        take(name, sizeof name);
        take(&count, 8);
        for (int64_t i = 0; i < count && i < 6; i++) {
            take(&length, 8);
            if (length < 0) {
                int64_t number;
                take(&number, 8);
                value[i] = (uintptr_t)number;
                continue;
            }
            room[i] = aligned_alloc(64, ((size_t)length + 127) / 64 * 64);
            if (!room[i]) return 2;
            take(room[i], (size_t)length);
            value[i] = (uintptr_t)room[i];
            if (i == 0) first = length;
        }
        any *function = 0;
        for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
            if (!strcmp(entries[i].name, name)) function = entries[i].function;
        if (!function) return 3;
        function(value[0], value[1], value[2], value[3], value[4], value[5]);
        if (fwrite(room[0], 1, (size_t)first, stdout) != (size_t)first) return 2;
        fflush(stdout);
        for (int i = 0; i < 6; i++) free(room[i]);
    }
}
