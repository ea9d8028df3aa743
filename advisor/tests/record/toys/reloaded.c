/* A plug-in, whose code lies where that of another FUNCTION does. */
#include <stdlib.h>

void FUNCTION(void) {
    for (int count = 0; count < 10; ++count)
        free(malloc(24));
}

void work(void) {
    for (int count = 0; count < 10; ++count)
        FUNCTION();
}
