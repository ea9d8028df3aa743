/* cancelled: a thread of a fork's child allocates while its cancellation is pending, and ends at the next cancellation point
 * alone. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t begun;
static sem_t is_pending;
static volatile int allocated = 0;

static void* allocate(void* unused) {
    int before = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    sem_post(&begun);
    sem_wait(&is_pending);
    pthread_setcancelstate(before, NULL);
    for (int each = 0; each < 50000; ++each)
        free(malloc(each % 5000));
    allocated = 1;
    pthread_testcancel();
    return unused;
}

static int run_thread(void) {
    pthread_t thread;
    void* result = NULL;
    sem_init(&begun, 0, 0);
    sem_init(&is_pending, 0, 0);
    pthread_create(&thread, NULL, allocate, NULL);
    sem_wait(&begun);
    pthread_cancel(thread);
    sem_post(&is_pending);
    pthread_join(thread, &result);
    return allocated && result == PTHREAD_CANCELED ? 0 : 1;
}

int main(void) {
    const pid_t child = fork();
    if (child == 0)
        _exit(run_thread());
    int status = 1;
    waitpid(child, &status, 0);
    return status != 0 || run_thread() != 0;
}
