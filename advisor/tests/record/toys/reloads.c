/* reloads FIRST SECOND [threads]: runs a plug-in, unloads it, and runs a second one at the same addresses. With `threads`, one of
   more threads than a trial serves replaces the plug-in. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { most_threads = 1100 };

static char** plug_ins;
static void* loaded;
static pthread_barrier_t all_began, replaced;

static void load(const char* path) {
    loaded = dlopen(path, RTLD_NOW);
    if (loaded == NULL)
        exit(1);
}

static void run(void) {
    ((void (*)(void))dlsym(loaded, "work"))();
}

static void replace(void) {
    dlclose(loaded);
    load(plug_ins[1]);
}

static void* begin_and_wait(void* unused) {
    free(malloc(24));
    pthread_barrier_wait(&all_began);
    pthread_barrier_wait(&replaced);
    return unused;
}

static void* begin_and_replace(void* unused) {
    free(malloc(24));
    replace();
    return unused;
}

static void replace_on_a_thread(void) {
    static pthread_t threads[most_threads];
    pthread_barrier_init(&all_began, NULL, most_threads + 1);
    pthread_barrier_init(&replaced, NULL, most_threads + 1);
    for (int index = 0; index < most_threads; ++index)
        pthread_create(&threads[index], NULL, begin_and_wait, NULL);
    pthread_barrier_wait(&all_began);
    pthread_t last;
    pthread_create(&last, NULL, begin_and_replace, NULL);
    pthread_join(last, NULL);
    pthread_barrier_wait(&replaced);
    for (int index = 0; index < most_threads; ++index)
        pthread_join(threads[index], NULL);
}

int main(int count, char** words) {
    plug_ins = words + 1;
    load(plug_ins[0]);
    run();
    if (count > 3)
        replace_on_a_thread();
    else
        replace();
    run();
    return 0;
}
