// Operators of a library, as another malloc has them: they replace the ones of the standard library.

#include <cstdlib>
#include <new>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE void* operator new(std::size_t bytes) {
    if (void* const block = std::malloc(bytes == 0 ? 1 : bytes)) {
        return block;
    }
    throw std::bad_alloc();
}
VISIBLE void operator delete(void* block) noexcept {
    std::free(block);
}
VISIBLE void operator delete(void* block, std::size_t) noexcept {
    std::free(block);
}
