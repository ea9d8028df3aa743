#include "trace/growing_array.hpp"

#include <cstring>

namespace mallard::trace {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Returns: `bytes` of address space without memory, from a huge page on.
std::byte* reserve(std::size_t bytes) {
    void* const range =
        ::mmap(nullptr, bytes + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
        throw std::bad_alloc();
    }
    auto* const first = static_cast<std::byte*>(range);
    const std::size_t unaligned_bytes =
        (huge_page - reinterpret_cast<std::uintptr_t>(first) % huge_page) % huge_page;
    if (unaligned_bytes != 0) {
        ::munmap(first, unaligned_bytes);
    }
    ::munmap(first + unaligned_bytes + bytes, huge_page - unaligned_bytes);
    return first + unaligned_bytes;
}

} // namespace

void growing_memory::grow() {
    const std::size_t larger = bytes_ == 0 ? first_bytes : bytes_ * 2;
    if (larger < huge_page) {
        void* const moved = std::realloc(begin_, larger);
        if (moved == nullptr) {
            throw std::bad_alloc();
        }
        begin_ = static_cast<std::byte*>(moved);
        bytes_ = larger;
        return;
    }
    std::byte* const range = reserve(larger);
    void* moved = MAP_FAILED;
    if (bytes_ >= huge_page) {
        moved = ::mremap(begin_, bytes_, larger, MREMAP_MAYMOVE | MREMAP_FIXED, range);
    } else {
        moved = ::mmap(range, larger, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }
    if (moved == MAP_FAILED) {
        ::munmap(range, larger);
        throw std::bad_alloc();
    }
    // Without huge pages the call fails, and the memory has normal ones.
    (void)::madvise(moved, larger, MADV_HUGEPAGE);
    if (bytes_ < huge_page && begin_ != nullptr) {
        std::memcpy(moved, begin_, bytes_);
        std::free(begin_);
    }
    begin_ = static_cast<std::byte*>(moved);
    bytes_ = larger;
}

} // namespace mallard::trace
