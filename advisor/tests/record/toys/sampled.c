/* sampled ROUNDS: events whose order is known. Round i has
 *
 *     act      six blocks of distinct sizes, a realloc of one that fails, the ends of three
 *     main     a block, its end, and the ends of the other three blocks of round i - later
 *
 * The other blocks of the last rounds go at the end. */
#include <stdint.h>
#include <stdlib.h>

enum { blocks = 6, kept = 3, later = 100, smallest = 16 };

static void* others[later][kept];
static volatile size_t too_many = PTRDIFF_MAX;

static __attribute__((noinline)) void act(long round) {
    void* made[blocks];
    for (int each = 0; each < blocks; ++each)
        made[each] = malloc(smallest + round * blocks + each);
    if (realloc(made[kept], too_many) != NULL)
        abort();
    for (int each = 0; each < kept; ++each) {
        others[round % later][each] = made[each];
        free(made[kept + each]);
    }
    __asm__ volatile("");
}

int main(int count, char** words) {
    const long rounds = atol(words[count - 1]);
    for (long round = 0; round < rounds + later; ++round) {
        void* before[kept];
        for (int each = 0; each < kept; ++each) {
            before[each] = others[round % later][each];
            others[round % later][each] = NULL;
        }
        if (round < rounds)
            act(round);
        free(malloc(1));
        for (int each = 0; each < kept; ++each)
            free(before[each]);
    }
}
