/* host_in_c LIBRARY FUNCTION ...: a program in C loads a library for itself alone, and calls its functions. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** words) {
    void* const library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    const char* const error = dlerror();
    if (error != NULL) {
        puts(error);
        return 2;
    }
    for (int each = 2; each < count; ++each) {
        int (*const function)(void) = (int (*)(void))dlsym(library, words[each]);
        printf("%s %d\n", words[each], function());
    }
    const char* const later = dlerror();
    puts(later == NULL ? "no error" : later);
    return 0;
}
