#include "containers/global_heap.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> living = 0;

constexpr std::size_t default_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

/// Returns: a block aligned to `alignment` and, below the default alignment, to no larger power of two; null if out of
/// memory.
void* take(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t block_alignment = std::max(alignment, default_alignment);
    const std::size_t skipped = alignment % default_alignment;
    const std::size_t block_bytes = (bytes + skipped + block_alignment - 1) & ~(block_alignment - 1);
    void* const p = block_bytes < bytes
                        ? nullptr
                        : std::aligned_alloc(block_alignment, std::max(block_bytes, block_alignment));
    if (p == nullptr) {
        return nullptr;
    }
    ++living;
    return static_cast<std::byte*>(p) + skipped;
}

/// Returns: the alignment that the language guarantees for a block of this size, which is the largest that an object of
/// this size can have.
std::size_t alignment_for(std::size_t bytes) noexcept {
    return bytes % default_alignment == 0 ? default_alignment : bytes & (~bytes + 1);
}

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const p = take(bytes, alignment);
    if (p == nullptr) {
#ifdef __cpp_exceptions
        throw std::bad_alloc();
#else
        std::abort();
#endif
    }
    return p;
}

void give_back(void* p) noexcept {
    living -= p != nullptr ? 1 : 0;
    std::free(static_cast<std::byte*>(p) - reinterpret_cast<std::uintptr_t>(p) % default_alignment);
}

std::size_t number(std::align_val_t alignment) noexcept {
    return static_cast<std::size_t>(alignment);
}

} // namespace

// All overloads are replaced, because a sanitizer reports a mismatch between its operators and these.
void* operator new(std::size_t n) {
    return take_or_throw(n, alignment_for(n));
}
void* operator new[](std::size_t n) {
    return take_or_throw(n, default_alignment);
}
void* operator new(std::size_t n, std::align_val_t a) {
    return take_or_throw(n, number(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
    return take_or_throw(n, number(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    return take(n, alignment_for(n));
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
    return take(n, default_alignment);
}
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return take(n, number(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return take(n, number(a));
}
void operator delete(void* p) noexcept {
    give_back(p);
}
void operator delete[](void* p) noexcept {
    give_back(p);
}
void operator delete(void* p, std::size_t) noexcept {
    give_back(p);
}
void operator delete[](void* p, std::size_t) noexcept {
    give_back(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
    give_back(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
    give_back(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
    give_back(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
    give_back(p);
}
void operator delete(void* p, const std::nothrow_t&) noexcept {
    give_back(p);
}
void operator delete[](void* p, const std::nothrow_t&) noexcept {
    give_back(p);
}
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept {
    give_back(p);
}
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept {
    give_back(p);
}

long containers::blocks_on_global_heap() noexcept {
    return living;
}
