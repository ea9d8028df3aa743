/* orphan WAIT PROGRAM [ARGUMENT ...]: leaves a process of a process behind, which allocates nothing, waits so many milliseconds,
   and becomes the program. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int count, char** words) {
    const long wait = atol(words[1]);
    const struct timespec pause = {wait / 1000, wait % 1000 * 1000000};
    (void)count;
    free(malloc(100));
    if (fork() != 0)
        return 0;
    if (fork() != 0)
        _exit(0);
    close(STDERR_FILENO); /* nobody reads to its end, which comes late */
    nanosleep(&pause, NULL);
    execv(words[2], words + 2);
    _exit(127);
}
