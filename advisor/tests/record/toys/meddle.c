// Preloaded into the collector, meddles with its calls. MEDDLE:
// "kill N": the collector is killed before its call N of ptrace, except for those that read or write a word;
// "hide N": after N stops, the process seems not to stop;
// "fault": the first registers that are set have no code;
// "execute": before its first thread is stopped, the process gets SIGUSR1, upon which it executes another program;
// "deny": the memory of processes cannot be opened;
// "maps": the collector is aborted if it reads the mappings of a process while it traces a thread.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static int traced = 0;

static int is(const char* word, int* number) {
    const char* const wanted = getenv("MEDDLE");
    const size_t length = strlen(word);
    if (wanted == NULL || strncmp(wanted, word, length) != 0) {
        return 0;
    }
    *number = atoi(wanted + length);
    return 1;
}

static void execute(pid_t process) {
    char link[64];
    char before[4096] = "";
    char after[4096] = "";
    snprintf(link, sizeof link, "/proc/%d/exe", process);
    (void)!readlink(link, before, sizeof before - 1);
    kill(process, SIGUSR1);
    do {
        usleep(1000);
        (void)!readlink(link, after, sizeof after - 1);
    } while (strcmp(before, after) == 0);
    usleep(100000); // the loader of the other program
}

long ptrace(enum __ptrace_request request, ...) {
    static int calls = 0;
    int number = 0;
    va_list list;
    va_start(list, request);
    const pid_t process = va_arg(list, pid_t);
    void* const at = va_arg(list, void*);
    void* data = va_arg(list, void*);
    va_end(list);
    if (request != PTRACE_PEEKDATA && request != PTRACE_POKEDATA && is("kill", &number) &&
        ++calls == number) {
        kill(getpid(), SIGKILL);
    }
    struct user_regs_struct changed;
    if (request == PTRACE_SETREGS && is("fault", &number) && calls++ == 0) {
        changed = *(struct user_regs_struct*)data;
        changed.rip = 16;
        data = &changed;
    }
    if (request == PTRACE_SEIZE && is("execute", &number) && calls++ == 0) {
        execute(process);
    }
    traced += (request == PTRACE_SEIZE) - (request == PTRACE_DETACH);
    long (*next)(enum __ptrace_request, ...) =
        (long (*)(enum __ptrace_request, ...))dlsym(RTLD_NEXT, "ptrace");
    return next(request, process, at, data);
}

pid_t waitpid(pid_t process, int* status, int options) {
    static int stops = 0;
    int number = 0;
    if ((options & WNOHANG) != 0 && is("hide", &number) && stops >= number) {
        return 0;
    }
    pid_t (*next)(pid_t, int*, int) = (pid_t(*)(pid_t, int*, int))dlsym(RTLD_NEXT, "waitpid");
    const pid_t result = next(process, status, options);
    stops += result > 0;
    return result;
}

int open(const char* path, int flags, ...) {
    int number = 0;
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (is("deny", &number) && strncmp(path, "/proc/", 6) == 0 && strstr(path, "/mem") != NULL) {
        errno = EACCES;
        return -1;
    }
    int (*next)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
    return next(path, flags, mode);
}

FILE* fopen64(const char* path, const char* mode) {
    int number = 0;
    if (is("maps", &number) && traced != 0 && strncmp(path, "/proc/", 6) == 0 &&
        strstr(path, "/maps") != NULL) {
        abort();
    }
    FILE* (*next)(const char*, const char*) =
        (FILE * (*)(const char*, const char*)) dlsym(RTLD_NEXT, "fopen64");
    return next(path, mode);
}
