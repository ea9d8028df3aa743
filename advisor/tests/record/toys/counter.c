/* Preloaded behind the recorder: counts the events that the recorder should see, in shared memory of the file that COUNTER names.
   It counts each call that the recorder hands on; not those of the collector, which is started with it too. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t number, size_t bytes);
extern void* __libc_realloc(void* old, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void* block);

static _Atomic(atomic_long*) counter;

static void add(long events) {
    if (strcmp(program_invocation_short_name, "mallard-record") == 0)
        return;
    atomic_long* now = atomic_load(&counter);
    if (now == NULL) {
        const char* const name = getenv("COUNTER");
        const int file = name == NULL ? -1 : open(name, O_RDWR | O_CREAT, 0600);
        if (file < 0 || ftruncate(file, sizeof(long)) != 0)
            return;
        now = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        atomic_store(&counter, now);
    }
    atomic_fetch_add(now, events);
}

void* malloc(size_t bytes) {
    add(1);
    return __libc_malloc(bytes);
}

void* calloc(size_t number, size_t bytes) {
    add(1);
    return __libc_calloc(number, bytes);
}

void* realloc(void* old, size_t bytes) {
    add(old == NULL ? 1 : 2);
    return __libc_realloc(old, bytes);
}

void* memalign(size_t alignment, size_t bytes) {
    add(1);
    return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
    add(1);
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** block, size_t alignment, size_t bytes) {
    add(1);
    *block = __libc_memalign(alignment, bytes);
    return *block == NULL ? ENOMEM : 0;
}

void free(void* block) {
    if (block != NULL)
        add(1);
    __libc_free(block);
}
