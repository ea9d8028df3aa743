/// The allocator that the program would have without the recorder: the next one in symbol lookup order.
#pragma once

#include <cstddef>

namespace mallard::recorder {

struct next_allocator {
    void* (*malloc)(std::size_t) = nullptr;
    void* (*calloc)(std::size_t, std::size_t) = nullptr;
    void* (*realloc)(void*, std::size_t) = nullptr;
    void (*free)(void*) = nullptr;
    void* (*memalign)(std::size_t, std::size_t) = nullptr;
    void* (*aligned_alloc)(std::size_t, std::size_t) = nullptr;
    int (*posix_memalign)(void**, std::size_t, std::size_t) = nullptr;
    void* (*valloc)(std::size_t) = nullptr;
    void* (*pvalloc)(std::size_t) = nullptr;
};

/// Returns: the functions; resolves them at the first call, which precedes all constructors.
const next_allocator& next() noexcept;

/// Returns: true if `block` was allocated before the functions were resolved. It is never freed.
bool is_early(const void* block) noexcept;

} // namespace mallard::recorder
