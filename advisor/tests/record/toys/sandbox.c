// FILTER CALL: a million blocks behind a filter of system calls. FILTER is kill or errno: what a call brings that is not allowed.
// CALL is prctl, seccomp or raw: how the filter is set. Before a raw one there are some events.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { events = 1000000, blocks = 1000 };

#define ALLOW(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static long raw_prctl(long first, long second, const void* third) {
    long result = SYS_prctl;
    register long fourth __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(first), "S"(second), "d"(third), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}

static long restrict_calls(const char* call, const struct sock_fprog* filter) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (strcmp(call, "raw") == 0) {
        free(malloc(10));
        return raw_prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter);
    }
    return strcmp(call, "prctl") == 0 ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter)
                                      : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter);
}

static void deep(int levels) {
    char frame[4096];
    memset(frame, levels, sizeof frame);
    if (levels > 0) {
        deep(levels - 1);
    }
    free(malloc((size_t)frame[17] + 1));
}

int main(int count, char** words) {
    if (count < 3) {
        return 2;
    }
    const unsigned otherwise = strcmp(words[1], "kill") == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(write),
        ALLOW(brk),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(fstat),
        ALLOW(newfstatat),
        ALLOW(getrandom),
        ALLOW(exit_group),
        BPF_STMT(BPF_RET | BPF_K, otherwise),
    };
    const struct sock_fprog filter = {sizeof code / sizeof *code, code};
    if (restrict_calls(words[2], &filter) != 0) {
        perror("seccomp");
        return 2;
    }
    for (int i = 0; i < events; ++i) {
        free(malloc((size_t)(i % 3000)));
    }
    static void* kept[blocks];
    for (int i = 0; i < blocks; ++i) {
        kept[i] = malloc((size_t)i * 10);
    }
    for (int i = 0; i < blocks; ++i) {
        free(kept[i]);
    }
    deep(100);
    printf("restricted, and well\n");
    return 0;
}
