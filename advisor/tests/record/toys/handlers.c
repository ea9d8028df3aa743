// A signal handler that never returns, after it has interrupted the program in a call of the C library, where the thread may hold
// a lock. Argument: "large", with 1.5 MiB on the stack; "nested", in another handler; "alternate", on a stack of its own;
// "restorer", which returns to code of the program.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { large_bytes = 3 << 19 };

static void stay(void) {
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        sleep(1000);
    }
}

static void with_large_frame(int number) {
    char frame[large_bytes];
    asm volatile("" ::"r"(frame), "r"(number) : "memory");
    stay();
    asm volatile("" ::"r"(frame) : "memory");
}

static void small(int number) {
    (void)number;
    stay();
}

static void outer(int number) {
    (void)number;
    raise(SIGUSR2);
}

void own_restorer(void);
asm(".text\n"
    ".globl own_restorer\n"
    "own_restorer: mov $15, %eax\n"
    "syscall\n");

static void set_restorer(void) {
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        unsigned long mask;
    } action = {small, 0x04000000, own_restorer, 0}; // SA_RESTORER
    syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, sizeof action.mask);
}

int main(int count, char** words) {
    (void)count;
    const char* const kind = words[1];
    const stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = small};
    sigaction(SIGUSR2, &action, NULL);
    action.sa_handler = strcmp(kind, "large") == 0    ? with_large_frame
                        : strcmp(kind, "nested") == 0 ? outer
                                                      : small;
    action.sa_flags = strcmp(kind, "alternate") == 0 ? SA_ONSTACK : 0;
    sigaction(SIGUSR1, &action, NULL);
    if (strcmp(kind, "restorer") == 0) {
        set_restorer();
    }
    raise(SIGUSR1);
}
