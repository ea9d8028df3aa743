// Answers each byte of its standard input with the same byte:
//   a  frees the block of the last time, allocates one, and makes CALLS pairs of calls
//   f  forks; the child goes on, and the parent exits with its status
//   x  executes itself again
//   j  goes on in an empty root folder, as another user
//   u  goes on as another user, with the rights of this one
//   s  restricts its system calls, none of which it forbids
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 1000, OWN_STATUS = 3, NOBODY = 65534 };

static void fork_and_wait(void) {
    const pid_t child = fork();
    if (child != 0) {
        int status = 0;
        waitpid(child, &status, 0);
        _exit(WEXITSTATUS(status));
    }
}

static int restrict_calls(void) {
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {1, &allow};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) | prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int count, char** words) {
    void* kept = NULL;
    char request = 0;
    (void)count;
    while (read(0, &request, 1) == 1) {
        int failed = 0;
        switch (request) {
        case 'a':
            free(kept);
            kept = malloc(10);
            for (int call = 0; call < CALLS; ++call) {
                free(malloc(20));
            }
            break;
        case 'f':
            fork_and_wait();
            break;
        case 'x':
            failed = write(1, &request, 1) != 1;
            execv("/proc/self/exe", words);
            return 1;
        case 'j':
            failed = chdir(words[1]) | chroot(".") | setgid(NOBODY) | setuid(NOBODY);
            break;
        case 'u':
            failed = setreuid(NOBODY, -1);
            break;
        case 's':
            failed = restrict_calls();
            break;
        default:
            break;
        }
        if (failed || write(1, &request, 1) != 1) {
            return 1;
        }
    }
    return OWN_STATUS;
}
