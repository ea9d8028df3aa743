// addresses: kB of address space that the process has, after some events
// limit: allocates a million blocks when the process may take no more than 8 MiB beyond what it has
// lock, lock-all, lock-on-fault: allocates when all memory is locked, with that of the future, as far as it is used
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { events = 1000000, mebibyte = 1048576 };

static long addresses(void) {
    char line[256];
    long kilobytes = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmSize:", 7) == 0) {
            kilobytes = strtol(line + 7, NULL, 10);
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return kilobytes;
}

static void allocate(int count) {
    for (int i = 0; i < count; ++i) {
        free(malloc((size_t)(i % 700)));
    }
}

int main(int count, char** words) {
    if (count < 2) {
        return 2;
    }
    allocate(10);
    if (strcmp(words[1], "addresses") == 0) {
        printf("%ld\n", addresses());
    } else if (strcmp(words[1], "limit") == 0) {
        const rlim_t bytes = (rlim_t)addresses() * 1024 + 8 * mebibyte;
        const struct rlimit most = {bytes, bytes};
        printf("%d\n", setrlimit(RLIMIT_AS, &most));
        void* block = malloc(6 * mebibyte);
        printf("%s\n", block != NULL ? "6 MiB" : "none");
        free(block);
    } else {
        const int what = strcmp(words[1], "lock") == 0       ? MCL_CURRENT
                         : strcmp(words[1], "lock-all") == 0 ? MCL_CURRENT | MCL_FUTURE
                                                             : MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
        printf("%d\n", mlockall(what));
    }
    allocate(events);
    printf("end\n");
    return 0;
}
