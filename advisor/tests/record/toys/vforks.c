// The child of a vfork, which does not execute a program. Prints its number.
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

int main(void) {
    if (vfork() == 0) {
        printf("%d\n", getpid());
        fflush(stdout);
        pause();
        _exit(0);
    }
}
