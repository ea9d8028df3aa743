/* Sleeps, then allocates. */
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    sleep(1);
    free(malloc(100));
    return 0;
}
