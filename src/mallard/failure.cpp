#include <mallard/core/failure.hpp>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace mallard {

namespace {

std::atomic<out_of_memory_handler> installed_handler{nullptr};

} // namespace

out_of_memory_handler set_out_of_memory_handler(out_of_memory_handler handler) noexcept {
    return installed_handler.exchange(handler);
}

void fail_allocation(std::size_t bytes, std::size_t alignment) {
    if (out_of_memory_handler handler = installed_handler.load();
        handler != nullptr && !unheard_failures::expected()) {
        handler(bytes, alignment);
    }
#ifdef __cpp_exceptions
    throw std::bad_alloc();
#else
    std::fprintf(stderr, "mallard: out of memory: %zu bytes at alignment %zu\n", bytes, alignment);
    std::abort();
#endif
}

void fail_length(std::size_t asked, std::size_t most) {
    std::array<char, 160> text;
    std::snprintf(text.data(), text.size(),
                  "mallard: a fixed block holds %zu objects, and %zu were asked for: take larger blocks, or "
                  "reserve what is needed at once",
                  most, asked);
#ifdef __cpp_exceptions
    throw std::length_error(text.data());
#else
    std::fprintf(stderr, "%s\n", text.data());
    std::abort();
#endif
}

} // namespace mallard
