/* Preloaded: mallard-record gets no memory for large arrays. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void* aligned_alloc(size_t alignment, size_t bytes) {
    if (strcmp(program_invocation_short_name, "mallard-record") == 0)
        return NULL;
    void* (*const next)(size_t, size_t) = (void* (*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
    return next(alignment, bytes);
}
