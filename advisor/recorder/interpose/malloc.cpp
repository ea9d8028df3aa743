/// malloc and its family, as the program calls them.

#include MALLARD_EVENT_HEADER
#include "recorder/interpose/next_allocator.hpp"
#include "recorder/interpose/next_operator.hpp"

#include <cerrno>
#include <cstddef>

using namespace mallard::recorder;

MALLARD_INTERPOSED void* malloc(std::size_t bytes) {
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::malloc, bytes, [&] { return next().malloc(bytes); });
}

MALLARD_INTERPOSED void* calloc(std::size_t count, std::size_t bytes) {
    std::size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) [[unlikely]] {
        return next().calloc(count, bytes);
    }
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::calloc, total, [&] { return next().calloc(count, bytes); });
}

MALLARD_INTERPOSED void free(void* block) {
    if (is_early(block)) [[unlikely]] {
        return;
    }
    if (block == deleted_by_library) [[unlikely]] {
        deleted_by_library = nullptr;
        next().free(block);
        return;
    }
    event current(MALLARD_FRAME);
    current.freed(record_kind::free, block, [&] { next().free(block); });
}

namespace {

/// Moves a block from before malloc was found to malloc's memory.
void* out_of_early_memory(const void* old, std::size_t bytes) noexcept {
    auto* const block = static_cast<std::byte*>(next().malloc(bytes));
    const auto* const from = static_cast<const std::byte*>(old);
    for (std::size_t index = 0; block != nullptr && index < bytes && is_early(from + index); ++index) {
        block[index] = from[index];
    }
    return block;
}

} // namespace

namespace {

[[gnu::always_inline]] inline void* realloc_from(const void* frame, void* old, std::size_t bytes) noexcept {
    event current(frame);
    if (is_early(old)) [[unlikely]] {
        return current.allocated(record_kind::realloc, bytes,
                                 [&] { return out_of_early_memory(old, bytes); });
    }
    return current.reallocated(old, bytes, [&] { return next().realloc(old, bytes); });
}

} // namespace

MALLARD_INTERPOSED void* realloc(void* old, std::size_t bytes) {
    return realloc_from(MALLARD_FRAME, old, bytes);
}

MALLARD_INTERPOSED void* reallocarray(void* old, std::size_t count, std::size_t bytes) {
    std::size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) {
        errno = ENOMEM;
        return nullptr;
    }
    return realloc_from(MALLARD_FRAME, old, total);
}

MALLARD_INTERPOSED void* memalign(std::size_t alignment, std::size_t bytes) {
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::aligned, bytes, [&] { return next().memalign(alignment, bytes); });
}

MALLARD_INTERPOSED void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::aligned, bytes,
                             [&] { return next().aligned_alloc(alignment, bytes); });
}

MALLARD_INTERPOSED int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
    event current(MALLARD_FRAME);
    int result = 0;
    current.allocated(record_kind::aligned, bytes, [&]() -> void* {
        result = next().posix_memalign(block, alignment, bytes);
        return result == 0 ? *block : nullptr;
    });
    return result;
}

MALLARD_INTERPOSED void* valloc(std::size_t bytes) {
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::aligned, bytes, [&] { return next().valloc(bytes); });
}

MALLARD_INTERPOSED void* pvalloc(std::size_t bytes) {
    event current(MALLARD_FRAME);
    return current.allocated(record_kind::aligned, bytes, [&] { return next().pvalloc(bytes); });
}
