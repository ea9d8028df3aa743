/// The one function of the malloc family that tells about a block, and gives none.

#include "trial/interpose/event.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>

using namespace mallard::trial;

MALLARD_INTERPOSED std::size_t malloc_usable_size(void* block) noexcept {
    if (the_region.holds(block)) {
        return server::bytes_of(block);
    }
    using function = std::size_t (*)(void*);
    // No guard of the compiler's, which a fork during the first call would leave locked in the child.
    static constinit std::atomic<function> next{nullptr};
    function found = next.load(std::memory_order_relaxed);
    if (found == nullptr) {
        found = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "malloc_usable_size"));
        next.store(found, std::memory_order_relaxed);
    }
    return found == nullptr ? 0 : found(block);
}
