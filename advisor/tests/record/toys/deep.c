/* Allocates at the bottom of a recursion, there or in the handler of a signal: deep LEVELS ROUNDS there|handler. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { block_bytes = 16 };

/* Work behind a call keeps the compiler from making a jump of it. */
static volatile int work;
static int rounds;

static void allocate(int signal) {
    for (int each = 0; each < rounds; ++each)
        free(malloc(block_bytes));
    work = signal;
}

static __attribute__((noinline)) void down(int left, void (*act)(int)) {
    if (left > 1)
        down(left - 1, act);
    else
        act(SIGUSR1);
    work = work + 1;
}

static void send(int number) {
    raise(number);
    work = work + 1;
}

int main(int count, char** arguments) {
    if (count != 4)
        return 2;
    rounds = atoi(arguments[2]);
    signal(SIGUSR1, allocate);
    down(atoi(arguments[1]), strcmp(arguments[3], "handler") == 0 ? send : allocate);
    return 0;
}
