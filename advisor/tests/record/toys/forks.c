/* forks HOW: forks, as HOW says, and has the child allocate most. The child is killed if it hangs. */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { calls_of_child = 1000, longest_seconds = 30 };

void in_library(long times);

/* The first stack is without the library. All ways from here were gone before, by the parent. */
static __attribute__((noinline)) void call(long times) {
    free(malloc(16));
    in_library(times);
    __asm__ volatile("");
}

static int in_child(void) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(longest_seconds);
        call(calls_of_child);
        exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status;
}

static sem_t inside, enough;

static int stay_inside(struct dl_phdr_info* unused, size_t bytes, void* nothing) {
    (void)unused, (void)bytes, (void)nothing;
    sem_post(&inside);
    sem_wait(&enough);
    return 1;
}

static void* iterate(void* nothing) {
    dl_iterate_phdr(stay_inside, NULL);
    return nothing;
}

/* The loader's lock of the thread is locked in the child, where the thread is not. */
static int while_a_thread_iterates(void) {
    sem_init(&inside, 0, 0);
    sem_init(&enough, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, iterate, NULL);
    sem_wait(&inside);
    const int status = in_child();
    sem_post(&enough);
    pthread_join(thread, NULL);
    return status;
}

int main(int count, char** words) {
    call(1);
    return (count == 2 && strcmp(words[1], "iterating") == 0 ? while_a_thread_iterates() : in_child()) != 0;
}
