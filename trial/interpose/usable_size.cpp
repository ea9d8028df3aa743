/// The one function of the malloc family that tells about a block, and gives none.

#include "trial/interpose/event.hpp"

#include <dlfcn.h>

#include <cstddef>

using namespace mallard::trial;

MALLARD_INTERPOSED std::size_t malloc_usable_size(void* block) noexcept {
    if (the_region.holds(block)) {
        return server::bytes_of(block);
    }
    using function = std::size_t (*)(void*);
    static const auto next = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "malloc_usable_size"));
    return next == nullptr ? 0 : next(block);
}
