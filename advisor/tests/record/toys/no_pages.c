/* Preloaded behind the recorder: the system has no memory for pages of files, after some that it had. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { populate_for_writing = 23, first_ones = 6 };

int madvise(void* begin, size_t bytes, int advice) {
    static int asked = 0;
    if (advice == populate_for_writing && ++asked > first_ones) {
        errno = NUMBER;
        return -1;
    }
    return (int)syscall(SYS_madvise, begin, bytes, advice);
}
