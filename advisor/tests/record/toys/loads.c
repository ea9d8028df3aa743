/* loads LIBRARY FUNCTION: calls a function of the library with a number. */
#include <dlfcn.h>

int main(int count, char** words) {
    void* const library = dlopen(words[1], RTLD_NOW);
    void (*const function)(long) = (void (*)(long))dlsym(library, words[count - 1]);
    function(20000);
    return 0;
}
