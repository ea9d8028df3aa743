// large_blocks ENDING: large blocks that are written in part: half a page of every 64, the first half, nothing, all. With `frees` they
// are freed, with `keeps` not; with `child` in a child of a fork.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bytes = 32 << 20, stride = 64 * 4096 };

static char* sparse(void) {
    char* const block = malloc(bytes); // line: sparse
    for (long at = 0; at < bytes; at += stride) {
        block[at] = 1;
    }
    return block;
}

static char* half(void) {
    char* const block = malloc(bytes); // line: half
    memset(block, 1, bytes / 2);
    return block;
}

static char* nothing(void) {
    return calloc(1, bytes); // line: nothing
}

static char* all(void) {
    char* const block = malloc(bytes); // line: all
    memset(block, 1, bytes);
    return block;
}

int main(int count, char** words) {
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); // a huge page is resident as a whole
    const char* const ending = count > 1 ? words[1] : "";
    char* const blocks[] = {sparse(), half(), nothing(), all()};
    if (strcmp(ending, "child") == 0) {
        const pid_t child = fork();
        if (child == 0) {
            exit(0);
        }
        waitpid(child, NULL, 0);
    }
    for (int at = 0; at < 4 && strcmp(ending, "frees") == 0; ++at) {
        free(blocks[at]);
    }
    printf("%d\n", blocks[0] != NULL);
    return 0;
}
