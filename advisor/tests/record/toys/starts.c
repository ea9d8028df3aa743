/* starts HOW PROGRAM [ARGUMENT ...]: starts the program in that way, and waits for it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void by_vfork(char** words) {
    const pid_t child = vfork();
    if (child == 0) {
        execv(words[0], words);
        _exit(127);
    }
    waitpid(child, NULL, 0);
}

static void* in_thread(void* words) {
    by_vfork(words);
    return NULL;
}

static void by_spawn(char** words, int searches) {
    pid_t child = 0;
    if ((searches ? posix_spawnp : posix_spawn)(&child, words[0], NULL, NULL, words, environ) == 0)
        waitpid(child, NULL, 0);
}

static void without_rights(char** words) {
    const pid_t child = fork();
    if (child == 0) {
        if (setgid(65534) != 0 || setuid(65534) != 0)
            _exit(1);
        free(malloc(100));
        _exit(words == NULL);
    }
    waitpid(child, NULL, 0);
}

/* As a shell does without execvp: each folder is tried. */
static void by_search(char** words) {
    char* const none[] = {NULL};
    char path[4096];
    for (int each = 0; each < 5; ++each) {
        snprintf(path, sizeof path, "/no/folder%d/%s", each, words[0]);
        execve(path, words, none);
    }
    printf("%d\n", errno);
}

int main(int count, char** words) {
    const char* const how = words[1];
    char** const program = words + 2;
    free(malloc(100));
    if (strcmp(how, "vfork") == 0)
        by_vfork(program);
    if (strcmp(how, "vfork-in-thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, in_thread, program);
        pthread_join(thread, NULL);
    }
    if (strcmp(how, "spawn") == 0)
        by_spawn(program, 0);
    if (strcmp(how, "spawnp") == 0)
        by_spawn(program, 1);
    if (strcmp(how, "system") == 0 && system(program[0]) == -1)
        return 1;
    if (strcmp(how, "popen") == 0) {
        FILE* const stream = popen(program[0], "r");
        while (fgetc(stream) != EOF) {
        }
        pclose(stream);
    }
    if (strcmp(how, "execvp") == 0)
        execvp(program[0], program);
    if (strcmp(how, "execlp") == 0)
        execlp(program[0], program[0], program[1], program[2], NULL);
    if (strcmp(how, "without-rights") == 0)
        without_rights(program);
    if (strcmp(how, "searches") == 0)
        by_search(program);
    return count < 3;
}
