/* Allocates at the bottom of a recursion: deep LEVELS ROUNDS. */
#include <stdlib.h>

enum { block_bytes = 16 };

/* Work behind a call keeps the compiler from making a jump of it. */
static volatile int work;

static __attribute__((noinline)) void down(int left, int rounds) {
    if (left > 1)
        down(left - 1, rounds);
    else
        for (int each = 0; each < rounds; ++each)
            free(malloc(block_bytes));
    work = work + 1;
}

int main(int count, char** arguments) {
    if (count != 3)
        return 2;
    down(atoi(arguments[1]), atoi(arguments[2]));
    return 0;
}
