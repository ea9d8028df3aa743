// When a third thread has come, the first one gets ten of the signals by which setuid interrupts each thread, in quick succession.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SETUID_SIGNAL = 33 }; // of glibc

static pid_t process;

static unsigned count_threads(void) {
    struct stat status;
    return stat("/proc/self/task", &status) == 0 ? (unsigned)status.st_nlink - 2 : 0;
}

static void* send_signals(void* unused) {
    siginfo_t info = {.si_code = SI_QUEUE}; // the handler ignores what is not from setuid
    for (;;) {
        if (count_threads() > 2) {
            for (int signals = 0; signals < 10; ++signals) {
                syscall(SYS_rt_tgsigqueueinfo, process, process, SETUID_SIGNAL, &info);
                for (int calls = 0; calls < 20; ++calls) {
                    count_threads();
                }
            }
            while (count_threads() > 2) {
                usleep(1000);
            }
        }
    }
    return unused;
}

int main(void) {
    process = getpid();
    pthread_t thread;
    pthread_create(&thread, NULL, send_signals, NULL);
    for (;;) {
        usleep(10000);
    }
}
