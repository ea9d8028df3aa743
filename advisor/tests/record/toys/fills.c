/* Fills a disk, and allocates after that. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char** words) {
    static const char zeros[4096];
    const int file = open(words[count - 1], O_WRONLY | O_CREAT, 0600);
    while (write(file, zeros, sizeof zeros) > 0) {
    }
    free(malloc(100));
    return 0;
}
