/* starts_while_loading LIBRARY PROGRAM [ARGUMENT ...]: starts the program while another thread is inside of a constructor of the
 * library, so that the loader's lock is taken. With -DLIBRARY it is the library. */
#include <pthread.h>

#ifdef LIBRARY

void constructor_runs(void);

__attribute__((constructor)) static void construct(void) {
    constructor_runs();
}

#else

#include <dlfcn.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { longest = 20 }; /* seconds until a program that waits in vain is ended */

extern char** environ;
static sem_t begun;
static sem_t ended;

__attribute__((visibility("default"))) void constructor_runs(void) {
    sem_post(&begun);
    sem_wait(&ended);
}

static void* load(void* library) {
    return dlopen(library, RTLD_NOW);
}

int main(int count, char** words) {
    sem_init(&begun, 0, 0);
    sem_init(&ended, 0, 0);
    alarm(longest);
    pthread_t loader;
    void* loaded = NULL;
    pid_t child = 0;
    int status = 1;
    pthread_create(&loader, NULL, load, words[1]);
    sem_wait(&begun);
    if (posix_spawn(&child, words[2], NULL, NULL, words + 2, environ) == 0)
        waitpid(child, &status, 0);
    sem_post(&ended);
    pthread_join(loader, &loaded);
    return count < 3 || loaded == NULL ? 1 : WEXITSTATUS(status);
}

#endif
