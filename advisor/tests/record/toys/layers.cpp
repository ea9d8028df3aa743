// Two functions of the program, which allocate through a function with a name of the library. With SILENT, parse() allocates
// nothing and is inlined.
#include <cstdio>
#include <cstdlib>

namespace mallard::chunks {

__attribute__((noinline)) void* grow(unsigned bytes) {
    void* const block = std::malloc(bytes);
    static_cast<char*>(block)[0] = 1;
    return block;
}

__attribute__((noinline)) void drop(void* block) {
    std::free(block);
}

} // namespace mallard::chunks

namespace {

volatile int sink = 0;

#ifdef SILENT
inline __attribute__((always_inline)) void parse() {
    sink = sink + 1;
}
#else
__attribute__((noinline)) void parse() {
    mallard::chunks::drop(mallard::chunks::grow(32));
    sink = sink + 1;
}
#endif

__attribute__((noinline)) void read() {
    mallard::chunks::drop(mallard::chunks::grow(64));
    mallard::chunks::drop(mallard::chunks::grow(64));
    sink = sink + 2;
}

} // namespace

int main() {
    for (int round = 0; round < 4; ++round) {
        parse();
        read();
    }
    std::printf("%d\n", sink);
}
