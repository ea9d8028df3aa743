/* Preloaded: getpid and a clock that gains a day with each reading. Both allocate, as libfaketime does at its first call. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

pid_t getpid(void) {
    free(malloc(100));
    return (pid_t)syscall(SYS_getpid);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
    static long days;
    free(malloc(100));
    const long result = syscall(SYS_clock_gettime, clock, time);
    time->tv_sec += 86400 * __atomic_add_fetch(&days, 1, __ATOMIC_RELAXED);
    return (int)result;
}
