#include "recorder/code/unloads.hpp"

#include "recorder/code/code_objects.hpp"

#include <link.h>

namespace mallard::recorder {

namespace {

std::uint64_t unload_count() noexcept {
    std::uint64_t count = 0;
    ::dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void* result) {
            *static_cast<std::uint64_t*>(result) = file->dlpi_subs;
            return 1; // all files have the same count
        },
        &count);
    return count;
}

} // namespace

void unloads::begin() noexcept {
    unwind::code_object loader;
    if (!unwind::object_at(_r_debug.r_brk, loader)) {
        return;
    }
    loader_ = loader.begin;
    loader_bytes_ = loader.end - loader.begin;
    seen_.store(unload_count(), std::memory_order_relaxed);
}

bool unloads::happened() noexcept {
    const std::uint64_t count = unload_count();
    return seen_.exchange(count, std::memory_order_relaxed) != count;
}

} // namespace mallard::recorder
