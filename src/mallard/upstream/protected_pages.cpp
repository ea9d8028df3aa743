#include "../platform/protection.hpp"

#include <mallard/core/failure.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/upstream/pages.hpp>
#include <mallard/upstream/protected_pages.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <new>

namespace mallard { inline namespace MALLARD_LIBRARY {

struct protected_pages::chunk {
    std::byte* begin;
    std::size_t bytes; // whole pages, without this one
    std::atomic<chunk*> next;
    chunk* previous;
};

namespace {

constinit std::array<std::atomic<const protected_pages*>, protected_pages::most_named> named{};

// A part of a huge page cannot be protected without splitting it.
pages source() noexcept {
    return pages({.huge = huge_pages::never});
}

/// Returns: the length in whole pages; 0 if it is too large.
std::size_t whole_pages(std::size_t bytes) noexcept {
    const std::size_t page = pages::page_bytes();
    return bytes > PTRDIFF_MAX - 2 * page ? 0 : core::align_up(core::max<std::size_t>(bytes, 1), page);
}

} // namespace

protected_pages::protected_pages(const char* name) noexcept : name_(name) {
    for (std::atomic<const protected_pages*>& place : named) {
        const protected_pages* nobody = nullptr;
        if (place.compare_exchange_strong(nobody, this)) {
            place_ = &place;
            return;
        }
    }
}

protected_pages::~protected_pages() {
    if (place_ != nullptr) {
        place_->store(nullptr);
    }
}

void* protected_pages::allocate(std::size_t bytes, std::size_t alignment) {
    void* const p = try_allocate(bytes, alignment);
    if (p == nullptr) {
        core::fail_allocation(bytes, alignment);
    }
    return p;
}

void* protected_pages::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t chunk_bytes = whole_pages(bytes);
    void* const p =
        chunk_bytes == 0 ? nullptr : source().try_allocate(chunk_bytes + pages::page_bytes(), alignment);
    if (p == nullptr) {
        return nullptr;
    }
    auto* const begin = static_cast<std::byte*>(p);
    chunk* const first = first_.load();
    auto* const new_chunk = ::new (begin + chunk_bytes) chunk{begin, chunk_bytes, first, nullptr};
    if (first != nullptr) {
        first->previous = new_chunk;
    }
    first_.store(new_chunk);
    return p;
}

void protected_pages::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t chunk_bytes = whole_pages(bytes);
    const auto* const ended = reinterpret_cast<chunk*>(static_cast<std::byte*>(p) + chunk_bytes);
    chunk* const next = ended->next.load();
    if (next != nullptr) {
        next->previous = ended->previous;
    }
    (ended->previous == nullptr ? first_ : ended->previous->next).store(next);
    source().deallocate(p, chunk_bytes + pages::page_bytes(), alignment);
}

bool protected_pages::set_writable(bool writable) noexcept {
    bool agreed = true;
    for (const chunk* c = first_.load(); c != nullptr; c = c->next.load()) {
        agreed = platform::set_writable(c->begin, c->bytes, writable) && agreed;
    }
    return agreed;
}

bool protected_pages::owns(const void* address) const noexcept {
    const auto* const byte = static_cast<const std::byte*>(address);
    const std::less<> is_lower;
    for (const chunk* c = first_.load(); c != nullptr; c = c->next.load()) {
        if (!is_lower(byte, c->begin) && is_lower(byte, c->begin + c->bytes)) {
            return true;
        }
    }
    return false;
}

const char* protected_pages::owner(const void* address) noexcept {
    for (const std::atomic<const protected_pages*>& place : named) {
        if (const protected_pages* const candidate = place.load();
            candidate != nullptr && candidate->owns(address)) {
            return candidate->name_;
        }
    }
    return nullptr;
}

bool protected_pages::report_writes() noexcept {
    return platform::report_writes_to_read_only(&protected_pages::owner);
}

}} // namespace mallard::MALLARD_LIBRARY
