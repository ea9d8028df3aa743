#include <mallard/core/failure.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace mallard {

namespace {

std::atomic<out_of_memory_handler> installed_handler{nullptr};

} // namespace

out_of_memory_handler set_out_of_memory_handler(out_of_memory_handler handler) noexcept {
    return installed_handler.exchange(handler);
}

void fail_allocation(std::size_t bytes, std::size_t alignment) {
    if (out_of_memory_handler handler = installed_handler.load()) {
        handler(bytes, alignment);
    }
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    std::fprintf(stderr, "mallard: out of memory: %zu bytes at alignment %zu\n", bytes, alignment);
    std::abort();
#endif
}

} // namespace mallard
