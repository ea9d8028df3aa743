/// The only function of the malloc family that inspects a block.

#include "trial/interpose/event.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>

using namespace mallard::trial;

MALLARD_INTERPOSED std::size_t malloc_usable_size(void* block) noexcept {
    if (the_region.holds(block)) {
        return thread_arena::usable_bytes(block);
    }
    using function = std::size_t (*)(void*);
    // Without a compiler's guard, which a fork during the first call would leave locked in the child.
    static constinit std::atomic<function> next{nullptr};
    function function_pointer = next.load(std::memory_order_relaxed);
    if (function_pointer == nullptr) {
        function_pointer = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "malloc_usable_size"));
        next.store(function_pointer, std::memory_order_relaxed);
    }
    return function_pointer == nullptr ? 0 : function_pointer(block);
}
