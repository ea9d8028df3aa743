// alternate BYTES: allocates in a signal handler with a stack of BYTES, in front of which nothing can be written
// thread BYTES: allocates in a thread with a stack of BYTES; 0 for the smallest one
// used: how many bytes of a stack the first calls of the allocator take, and the third ones from the same places
// _GNU_SOURCE is for pthread_attr_setstacksize and makecontext.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { page = 4096, painted = 262144, paint = 0xa5 };

static volatile int handled = 0;

static void allocate(int signal) {
    (void)signal;
    void* block = malloc(50);
    free(block);
    handled = handled + 1;
}

static int alternate(size_t bytes) {
    const size_t rounded = (bytes + page - 1) / page * page;
    char* memory = mmap(NULL, rounded + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + page, rounded, PROT_READ | PROT_WRITE);
    const stack_t stack = {.ss_sp = memory + page, .ss_size = bytes};
    struct sigaction action = {.sa_flags = SA_ONSTACK};
    action.sa_handler = allocate;
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0) {
        perror("sigaltstack");
        return 2;
    }
    for (int i = 0; i < 100; ++i) {
        raise(SIGUSR1);
    }
    printf("%d\n", handled);
    return 0;
}

static void* allocate_in_thread(void* unused) {
    allocate(0);
    return unused;
}

static int thread(size_t bytes) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    const size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);
    if (pthread_attr_setstacksize(&attributes, bytes == 0 ? least : bytes) != 0) {
        return 2;
    }
    for (int i = 0; i < 100; ++i) {
        pthread_t one;
        if (pthread_create(&one, &attributes, allocate_in_thread, NULL) != 0) {
            return 2;
        }
        pthread_join(one, NULL);
    }
    printf("%d\n", handled);
    return 0;
}

static ucontext_t outside;
static ucontext_t inside;

static void call_all(void) {
    void* block = malloc(100);
    block = realloc(block, 5000);
    free(block);
    free(calloc(3, 7));
}

static int used(void) {
    // setcontext returns into the midst of the loop, so the compiler is told to keep its variable.
    unsigned char* stack = mmap(NULL, painted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (volatile int i = 0; i < 3; ++i) {
        memset(stack, paint, painted);
        getcontext(&inside);
        inside.uc_stack.ss_sp = stack;
        inside.uc_stack.ss_size = painted;
        inside.uc_link = &outside;
        makecontext(&inside, call_all, 0);
        swapcontext(&outside, &inside);
        int left = 0;
        while (stack[left] == paint) {
            ++left;
        }
        if (i != 1) {
            printf("%d\n", painted - left);
        }
    }
    return 0;
}

int main(int count, char** words) {
    if (count < 2 || strcmp(words[1], "used") == 0) {
        return used();
    }
    const size_t bytes = (size_t)strtoul(words[2], NULL, 10);
    return strcmp(words[1], "thread") == 0 ? thread(bytes) : alternate(bytes);
}
