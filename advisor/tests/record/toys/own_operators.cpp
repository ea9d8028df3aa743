// A program, or with -shared a library, that defines operator new. It takes blocks from malloc, with a header of HEADER bytes
// in front of each, or carves them out of a static array.
#include <cstddef>
#include <cstdlib>
#include <new>

#ifndef HEADER
#define HEADER 0
#endif

#ifdef CUTS_BLOCKS
static char room[1 << 20];
static std::size_t used = 0;
#endif

void* operator new(std::size_t bytes) {
#ifdef CUTS_BLOCKS
    void* const block = room + used;
    used += (bytes + 15) / 16 * 16;
    return block;
#else
    return static_cast<char*>(std::malloc(HEADER + bytes)) + HEADER;
#endif
}

void operator delete(void* block) noexcept {
#ifdef CUTS_BLOCKS
    static_cast<void>(block);
#else
    if (block != nullptr) {
        std::free(static_cast<char*>(block) - HEADER);
    }
#endif
}
void operator delete(void* block, std::size_t) noexcept {
    operator delete(block);
}
