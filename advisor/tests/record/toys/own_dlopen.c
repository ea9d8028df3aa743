// Allocates for ever, when it is ready. A call of dlopen or dlclose by the recorder ends the program.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void* dlopen(const char* file, int mode) {
    (void)file;
    (void)mode;
    abort();
}

int dlclose(void* file) {
    (void)file;
    abort();
}

int main(void) {
    puts("ready");
    fflush(stdout);
    for (;;) {
        free(malloc(10));
        usleep(1000);
    }
}
