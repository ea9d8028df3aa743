/* A library that allocates. */
#include <stdlib.h>

void in_library(long times) {
    for (long each = 0; each < times; ++each)
        free(malloc(32));
}
