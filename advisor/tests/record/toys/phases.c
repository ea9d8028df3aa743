/* Three phases with known requests: blocks before the phase, temporary, kept and freed ones in it, and its end. */

#include <stdlib.h>

enum { before = 10, temporary = 50, kept = 20, freed = 4 };

static void* blocks[before + kept];

int main(void) {
    for (int at = 0; at < before; ++at) {
        blocks[at] = malloc(100);
    }
    void* const begin = malloc(1001);
    for (int at = 0; at < temporary; ++at) {
        free(malloc(64));
    }
    for (int at = 0; at < kept; ++at) {
        blocks[before + at] = malloc(200); /* line: kept */
    }
    for (int at = 0; at < freed; ++at) {
        free(blocks[at]);
    }
    void* const end = malloc(1002);
    for (int at = freed; at < before + kept; ++at) {
        free(blocks[at]);
    }
    free(begin);
    free(end);
    return 0;
}
