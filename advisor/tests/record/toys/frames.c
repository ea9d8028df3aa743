/* Allocates at the ends of chains of calls, in main and in a thread. */
#include <pthread.h>
#include <stdlib.h>

enum { rounds = 100, depth = 12, callback_numbers = 8 };

/* Work behind a call keeps the compiler from making a jump of it. */
static volatile int work;

static __attribute__((noinline)) void allocate(size_t bytes) {
    free(malloc(bytes));
    work = work + 1;
}

static __attribute__((noinline)) void one_way(int left);

static __attribute__((noinline)) void other_way(int left) {
    one_way(left - 1);
    work = work + 1;
    one_way(left - 2);
    work = work + 1;
}

static __attribute__((noinline)) void one_way(int left) {
    if (left > 0)
        other_way(left);
    else
        allocate(16);
    work = work + 1;
}

/* libc calls it, through frames without frame pointers. */
static int compare(const void* left, const void* right) {
    allocate(24);
    return *(const int*)left - *(const int*)right;
}

static __attribute__((noinline)) void sort(void) {
    int numbers[callback_numbers] = {3, 1, 4, 15, 9, 2, 6, 5};
    qsort(numbers, callback_numbers, sizeof *numbers, compare);
    work = work + 1;
}

static void* in_thread(void* unused) {
    one_way(depth);
    return unused;
}

int main(void) {
    for (int each = 0; each < rounds; ++each) {
        one_way(each % depth);
        sort();
    }
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
}
