/* calls N HOW [STATUS]: calls malloc and free N times each, and then does what HOW says. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long count;

static void call(void) {
    for (long each = 0; each < count; ++each) {
        void* volatile block = malloc(16 + each % 100);
        free(block);
    }
}

static void* call_and_end_thread(void* unused) {
    call();
    syscall(SYS_exit, 0);
    return unused;
}

static void* call_in_thread(void* unused) {
    call();
    return unused;
}

static void in_thread(void* (*begin)(void*)) {
    pthread_t thread;
    pthread_create(&thread, NULL, begin, NULL);
    pthread_join(thread, NULL);
}

static void slowly(void) {
    for (int each = 0; each < 40; ++each) {
        call();
        usleep(50000);
        if (each == 20)
            raise(SIGSTOP); // until the test lets it go on
    }
}

static void in_child(char** words) {
    const pid_t child = fork();
    if (child == 0) {
        call();
        if (words != NULL)
            execv(words[0], words);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int argument_count, char** words) {
    count = atol(words[1]);
    const char* const how = words[2];
    char* again[] = {words[0], words[1], "calls", NULL};
    call();
    if (strcmp(how, "killed") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "aborts") == 0)
        abort();
    if (strcmp(how, "_exit") == 0)
        _exit(7);
    if (strcmp(how, "executes") == 0)
        execv(words[0], again);
    if (strcmp(how, "forks") == 0)
        in_child(NULL);
    if (strcmp(how, "forks-and-executes") == 0)
        in_child(again);
    if (strcmp(how, "thread") == 0)
        in_thread(call_in_thread);
    if (strcmp(how, "thread-dies") == 0)
        in_thread(call_and_end_thread);
    if (strcmp(how, "slowly") == 0)
        slowly();
    if (strcmp(how, "waits") == 0) {
        // The reader of standard output sees its end, and knows that all calls were made.
        close(STDOUT_FILENO);
        pause();
    }
    if (strcmp(how, "environment") == 0)
        execlp("env", "env", NULL);
    if (strcmp(how, "closes") == 0) {
        for (int each = 0; each < 1024; ++each)
            close(each);
        call();
    }
    return argument_count > 3 ? atoi(words[3]) : 0;
}
