/* Allocates and frees in a loop, from a stack whose depth is known:
 *
 *     hot LEVELS NEW EVENTS WORK
 *
 * LEVELS: return addresses in the stack of every event. NEW: how many of the innermost ones are other calls than those of the
 * event before. WORK: multiplications between two events, each of which waits for the one before. */
#include <stdint.h>
#include <stdlib.h>

enum {
    outer_levels = 4, /* main, and three of libc that begin it */
    live_blocks = 64,
    smallest = 16,
};

static void* blocks[live_blocks];
static volatile uint64_t worked;

/* Keeps a call from becoming a jump. */
#define NOT_LAST __asm__ volatile("")

static __attribute__((noinline)) void act(long event) {
    void** const place = &blocks[event / 2 % live_blocks];
    if (event % 2 == 0) {
        free(*place);
        NOT_LAST;
    } else {
        *place = malloc((size_t)smallest << event % 5);
        NOT_LAST;
    }
}

static __attribute__((noinline)) void descend(int left, long event) {
    if (left > 0) {
        descend(left - 1, event);
    } else {
        act(event);
    }
    NOT_LAST;
}

static void multiply(long times) {
    uint64_t number = worked;
    for (long each = 0; each < times; ++each) {
        number = number * 6364136223846793005U + 1;
    }
    worked = number;
}

static __attribute__((noinline)) void one_new(long events, long work) {
    for (long event = 0; event < events; ++event) {
        multiply(work);
        act(event);
    }
}

/* Two events after each other come from two calls. */
static __attribute__((noinline)) void two_new(long events, long work) {
    for (long event = 0; event < events; event += 2) {
        multiply(work);
        act(event);
        multiply(work);
        act(event + 1);
    }
}

static __attribute__((noinline)) void more_new(int new, long events, long work) {
    for (long event = 0; event < events; event += 2) {
        multiply(work);
        descend(new - 3, event);
        multiply(work);
        descend(new - 3, event + 1);
    }
}

static __attribute__((noinline)) void deepen(int left, int new, long events, long work) {
    if (left > 0) {
        deepen(left - 1, new, events, work);
    } else if (new == 1) {
        one_new(events, work);
    } else if (new == 2) {
        two_new(events, work);
    } else {
        more_new(new, events, work);
    }
    NOT_LAST;
}

int main(int count, char** words) {
    if (count != 5) {
        return 2;
    }
    const int levels = atoi(words[1]);
    const int new = atoi(words[2]);
    const int outer = levels - outer_levels - (new > 2 ? new : 2) - 1;
    if (outer < 0 || new < 1) {
        return 2;
    }
    deepen(outer, new, atol(words[3]), atol(words[4]));
}
