/* keys: takes all keys of thread-specific data before the first allocation. Exits with 0 if each value is still there behind it,
 * in this thread and in others. */
#include <pthread.h>
#include <stdlib.h>

enum { most_keys = 1024, threads = 50 };

static pthread_key_t keys[most_keys];
static int count = 0;

static void* allocate(void* unused) {
    char values[most_keys];
    for (int each = 0; each < count; ++each)
        pthread_setspecific(keys[each], values + each);
    free(malloc(10));
    for (int each = 0; each < count; ++each)
        if (pthread_getspecific(keys[each]) != values + each)
            exit(1);
    return unused;
}

int main(void) {
    while (count < most_keys && pthread_key_create(&keys[count], NULL) == 0)
        ++count;
    allocate(NULL);
    for (int each = 0; each < threads; ++each) {
        pthread_t thread;
        pthread_create(&thread, NULL, allocate, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
