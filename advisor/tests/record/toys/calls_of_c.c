/* Calls each function of malloc's family, also with requests that fail, and prints how each call ended. Sizes tell the calls apart in
 * a trace: each size stands for one call. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile size_t huge = SIZE_MAX / 4;
static volatile size_t half = SIZE_MAX / 2 + 2;

static void say(const char* what, const void* block, size_t alignment) {
    printf("%s: %s, aligned %d, errno %d, room %d\n", what, block == NULL ? "null" : "block",
           block != NULL && (uintptr_t)block % alignment == 0, block == NULL ? errno : 0,
           block != NULL && malloc_usable_size((void*)block) != 0);
}

static void* fill(void* block, size_t bytes) {
    return block == NULL ? NULL : memset(block, 'x', bytes);
}

static void usual(void) {
    void* block = fill(malloc(1001), 1001);
    say("malloc", block, 16);
    free(block);
    char* const zeros = calloc(7, 143);
    say("calloc", zeros, 16);
    printf("calloc: first %d, last %d\n", zeros[0], zeros[1000]);
    free(zeros);
    block = fill(malloc(1003), 1003);
    char* const moved = realloc(block, 200003);
    say("realloc", moved, 16);
    printf("realloc: keeps %d\n", moved[0] == 'x' && moved[1002] == 'x');
    free(moved);
    block = reallocarray(NULL, 5, 201);
    say("reallocarray", block, 16);
    free(block);
    block = NULL;
    printf("posix_memalign: %d\n", posix_memalign(&block, 64, 1006));
    say("posix_memalign", block, 64);
    free(block);
    block = aligned_alloc(128, 1024);
    say("aligned_alloc", block, 128);
    free(block);
    block = memalign(256, 1008);
    say("memalign", block, 256);
    free(block);
    block = valloc(1009);
    say("valloc", block, 4096);
    free(block);
    block = pvalloc(1010);
    say("pvalloc", block, 4096);
    free(block);
}

static void failing(void) {
    errno = 0;
    say("malloc", malloc(huge), 16);
    errno = 0;
    say("calloc", calloc(huge, 1), 16);
    errno = 0;
    say("calloc that overflows", calloc(half, 2), 16);
    char* block = malloc(1011);
    block[0] = 'y';
    errno = 0;
    say("realloc", realloc(block, huge), 16);
    printf("realloc: keeps %d\n", block[0] == 'y');
    errno = 0;
    say("reallocarray that overflows", reallocarray(block, half, 2), 16);
    printf("reallocarray: keeps %d\n", block[0] == 'y');
    errno = 5;
    free(block);
    free(NULL);
    printf("free: errno %d\n", errno);
    void* none = (void*)1;
    errno = 5;
    printf("posix_memalign: %d", posix_memalign(&none, 3, 1012));
    printf(" %d", posix_memalign(&none, 64, huge));
    printf(", block %d, errno %d\n", none == (void*)1, errno);
    errno = 0;
    say("memalign", memalign(64, huge), 64);
    errno = 0;
    say("aligned_alloc", aligned_alloc(64, huge), 64);
    errno = 0;
    say("valloc", valloc(huge), 4096);
    errno = 0;
    say("pvalloc", pvalloc(SIZE_MAX - 10), 4096);
    block = malloc(1013);
    errno = 0;
    printf("realloc to 0: %s\n", realloc(block, 0) == NULL ? "null" : "block");
    block = malloc(0);
    printf("malloc of 0: %s\n", block == NULL ? "null" : "block");
    free(block);
}

int main(void) {
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    usual();
    failing();
    return 0;
}
