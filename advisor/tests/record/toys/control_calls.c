// control_calls SCENE COUNT: calls malloc_trim, mallinfo, mallinfo2 and mallopt before main, and malloc_trim COUNT times: "rounds", in a
// function; "handler", in a signal handler; "small-stack", in one on the smallest stack; "thread", when a thread ends; "fork", in a
// child. Prints whether the functions worked.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

enum { blocks = 100, block_bytes = 16000 };

static int early_results = 0;
static volatile sig_atomic_t trims = 0;

static void trim(void) {
    const int result = malloc_trim(0);
    trims += result == 0 || result == 1;
}

__attribute__((constructor)) static void before_main(void) {
    malloc_trim(0);
    early_results = mallopt(M_MXFAST, 64) == 1 && mallopt(M_MXFAST, 1 << 20) == 0;
}

static void __attribute__((noinline)) handle(void) {
    char* made[blocks];
    for (int at = 0; at < blocks; ++at) {
        made[at] = malloc(block_bytes);
        memset(made[at], at, block_bytes);
    }
    char* const above = malloc(block_bytes); // below it malloc_trim gives pages back
    for (int at = 0; at < blocks; ++at) {
        free(made[at]);
    }
    const int result = malloc_trim(0); // line: handle
    trims += result == 0 || result == 1;
    free(above);
}

static void on_signal(int number) {
    (void)number;
    trim();
}

static void on_thread_end(void* block) {
    free(block);
    trim();
}

static pthread_key_t key;

static void* in_thread(void* unused) {
    pthread_setspecific(key, malloc(100));
    return unused;
}

static void run(const char* scene) {
    if (strcmp(scene, "rounds") == 0) {
        handle();
    } else if (strcmp(scene, "handler") == 0 || strcmp(scene, "small-stack") == 0) {
        raise(SIGUSR1);
    } else if (strcmp(scene, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_join(thread, NULL);
    } else {
        const pid_t child = fork();
        if (child == 0) {
            trim();
            _exit(trims == 0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        trims += status == 0;
    }
}

int main(int words, char** arguments) {
    (void)words;
    pthread_key_create(&key, on_thread_end);
    struct sigaction action = {.sa_handler = on_signal};
    if (strcmp(arguments[1], "small-stack") == 0) {
        const unsigned long least = getauxval(AT_MINSIGSTKSZ);
        const stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = least > 2048 ? least : 2048};
        sigaltstack(&stack, NULL);
        action.sa_flags = SA_ONSTACK;
    }
    sigaction(SIGUSR1, &action, NULL);
    char* const kept = malloc(1 << 16);
    const int count = atoi(arguments[2]);
    for (int at = 0; at < count; ++at) {
        run(arguments[1]);
    }
    const int counts_heap = mallinfo2().uordblks >= 1 << 16 && mallinfo().uordblks >= 1 << 16;
    free(kept);
    printf("%d %d %d\n", early_results, (int)trims, counts_heap);
    return 0;
}
