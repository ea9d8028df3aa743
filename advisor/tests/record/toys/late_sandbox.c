// Allocates for ever. After SIGUSR1, kill() ends the process, in all its threads.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t restricts = 0;

static void on_signal(int number) {
    restricts = number;
}

static void print(const char* line) {
    puts(line);
    fflush(stdout);
}

int main(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof code / sizeof *code, code};
    signal(SIGUSR1, on_signal);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    print("ready");
    int is_restricted = 0;
    for (int turn = 0;; ++turn) {
        free(malloc(10));
        usleep(1000);
        if (restricts != 0) {
            restricts = 0;
            turn = 0;
            if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0) {
                return 1;
            }
            is_restricted = 1;
            print("restricted");
        }
        if (is_restricted && turn == 500) {
            print("well");
        }
    }
}
