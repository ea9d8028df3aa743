/* Allocates, works and sleeps in turns, and tells its number, the CPU time of the turns and the time for which it slept, in
 * nanoseconds:
 *
 *     sleeps FILE HOW        HOW: returns, _exit */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { turns = 10, blocks = 500, work_ns = 5 * 1000 * 1000, sleep_ns = 30 * 1000 * 1000 };

static long long cpu_time(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * 1000000000LL + used.tv_nsec;
}

static void work(void) {
    for (const long long begin = cpu_time(); cpu_time() - begin < work_ns;) {
    }
}

static void allocate(void) {
    for (int each = 0; each < blocks; ++each) {
        free(malloc(100));
    }
}

int main(int count, char** words) {
    if (count != 3) {
        return 2;
    }
    allocate(); /* the recorder begins with the first block */
    const long long before = cpu_time();
    for (int turn = 0; turn < turns; ++turn) {
        allocate();
        work();
        const struct timespec pause = {0, sleep_ns};
        nanosleep(&pause, NULL);
    }
    FILE* const file = fopen(words[1], "w");
    fprintf(file, "%d %lld %lld\n", getpid(), cpu_time() - before, (long long)turns * sleep_ns);
    fclose(file);
    if (strcmp(words[2], "_exit") == 0) {
        _exit(0);
    }
    return 0;
}
