#include "containers/global_heap.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> living = 0;

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

/// Returns: a block at a multiple of `alignment`, and of nothing more if that is less than usual; null if there
/// is no memory.
void* take(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t whole_alignment = std::max(alignment, usual);
    const std::size_t skipped = alignment % usual;
    const std::size_t whole = (bytes + skipped + whole_alignment - 1) & ~(whole_alignment - 1);
    void* const p =
        whole < bytes ? nullptr : std::aligned_alloc(whole_alignment, std::max(whole, whole_alignment));
    if (p == nullptr) {
        return nullptr;
    }
    ++living;
    return static_cast<std::byte*>(p) + skipped;
}

/// Returns: the alignment that the language promises for a block of this size: an object of this size may lie there.
std::size_t alignment_for(std::size_t bytes) noexcept {
    return bytes % usual == 0 ? usual : bytes & (~bytes + 1);
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
    std::free(static_cast<std::byte*>(p) - reinterpret_cast<std::uintptr_t>(p) % usual);
}

std::size_t number(std::align_val_t alignment) noexcept {
    return static_cast<std::size_t>(alignment);
}

} // namespace

// All of them: a sanitizer has its own ones, and compares the function that allocated with the one that frees.
void* operator new(std::size_t n) {
    return take_or_throw(n, alignment_for(n));
}
void* operator new[](std::size_t n) {
    return take_or_throw(n, usual);
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
    return take(n, usual);
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
