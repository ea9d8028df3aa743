#include "memory.hpp"

#include <cstdint>
#include <cstring>
#include <new>

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

std::size_t page_bytes() noexcept {
    return 4096;
}

std::size_t huge_page_bytes() noexcept {
    return 0;
}

bool gives_huge_pages() noexcept {
    return false;
}

std::byte* map(std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes > PTRDIFF_MAX - alignment) {
        return nullptr; // some operators new round a size up, and past zero
    }
    void* const p = ::operator new(bytes, std::align_val_t{alignment}, std::nothrow);
    return p == nullptr ? nullptr : static_cast<std::byte*>(std::memset(p, 0, bytes));
}

void unmap(std::byte* p, std::size_t, std::size_t alignment) noexcept {
    ::operator delete(p, std::align_val_t{alignment});
}

void request_huge_pages(std::byte*, std::size_t) noexcept {}

bool populate(std::byte*, std::size_t) noexcept {
    return true; // map() has written to every page
}

void offer(std::byte*, std::size_t) noexcept {}

void discard(std::byte*, std::size_t) noexcept {}

// Addresses without memory do not exist: a heap takes its large blocks from its upstream, as it does where a system has
// none left.
std::byte* reserve(std::size_t) noexcept {
    return nullptr;
}

bool commit(std::byte*, std::size_t) noexcept {
    return false;
}

bool decommit(std::byte*, std::size_t) noexcept {
    return false;
}

bool release_end(std::byte*, std::size_t) noexcept {
    return false;
}

void release(std::byte*, std::size_t) noexcept {}

void* map_wiped_page(std::size_t) noexcept {
    return nullptr;
}

void unmap_wiped_page(void*, std::size_t) noexcept {}

}} // namespace mallard::platform::MALLARD_LIBRARY
