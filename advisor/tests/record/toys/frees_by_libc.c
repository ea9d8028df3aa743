// Frees blocks by the free() of libc, past a preloaded one, as foreign function interfaces do.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void (*libc_free)(void*);

__attribute__((noinline)) static void handle(void) {
    void* blocks[100];
    for (int index = 0; index < 100; ++index) {
        blocks[index] = malloc(16 + index);
    }
    for (int index = 0; index < 100; ++index) {
        libc_free(blocks[index]);
    }
}

int main(int count, char** words) {
    libc_free = (void (*)(void*))dlsym(dlopen("libc.so.6", RTLD_NOW), "free");
    const int requests = count > 1 ? atoi(words[1]) : 1;
    for (int request = 0; request < requests; ++request) {
        handle();
    }
    printf("%d\n", requests);
    return 0;
}
