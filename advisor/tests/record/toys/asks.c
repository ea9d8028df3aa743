// Calls system() for ever, and ends when it answers otherwise than at first.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    const int first = system("exit 7");
    for (;;) {
        free(malloc(10));
        if (system("exit 7") != first) {
            return 1;
        }
        puts("asked");
        fflush(stdout);
        usleep(1000);
    }
}
