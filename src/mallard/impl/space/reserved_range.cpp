#include "../../platform/memory.hpp"

#include <mallard/core/sanitizer.hpp>
#include <mallard/impl/space/reserved_range.hpp>
#include <mallard/upstream/pages.hpp>

#ifdef MALLARD_ASAN
#include <sanitizer/lsan_interface.h>
#endif

#include <atomic>
#include <cstdint>

namespace mallard::space::reserved_range { inline namespace MALLARD_LIBRARY {

namespace {

constinit std::atomic<std::size_t> ranges{0};

/// Returns: the sum, or SIZE_MAX if it is larger.
std::size_t saturating_add(std::size_t bytes, std::size_t more) noexcept {
    return bytes > SIZE_MAX - more ? SIZE_MAX : bytes + more;
}

} // namespace

std::byte* reserve(std::size_t bytes) noexcept {
    if (ranges.fetch_add(1, std::memory_order_relaxed) >= most_ranges) {
        ranges.fetch_sub(1, std::memory_order_relaxed);
        return nullptr;
    }
    std::byte* const p = platform::reserve(bytes);
    if (p == nullptr) {
        ranges.fetch_sub(1, std::memory_order_relaxed);
        return nullptr;
    }
#ifdef MALLARD_ASAN
    __lsan_register_root_region(p, bytes); // the checker skips the parts that cannot be read
#endif
    return p;
}

bool commit(std::byte* begin, std::size_t old_bytes, std::size_t new_bytes) noexcept {
    if (!platform::commit(begin + old_bytes, new_bytes - old_bytes)) {
        return false;
    }
    if (new_bytes >= huge_from_bytes) {
        // The whole range: a huge page may lie across the old end.
        platform::request_huge_pages(begin, new_bytes);
    }
    return true;
}

bool decommit(std::byte* begin, std::size_t old_bytes, std::size_t new_bytes) noexcept {
    return platform::decommit(begin + new_bytes, old_bytes - new_bytes);
}

bool shorten(std::byte* begin, std::size_t old_bytes, std::size_t new_bytes) noexcept {
    if (!platform::release_end(begin + new_bytes, old_bytes - new_bytes)) {
        return false;
    }
#ifdef MALLARD_ASAN
    __lsan_unregister_root_region(begin, old_bytes);
    __lsan_register_root_region(begin, new_bytes);
#endif
    return true;
}

void offer(std::byte* begin, std::size_t bytes) noexcept {
    platform::offer(begin, bytes);
}

void give_back(std::byte* begin, std::size_t bytes) noexcept {
#ifdef MALLARD_ASAN
    __lsan_unregister_root_region(begin, bytes);
#endif
    platform::release(begin, bytes);
    ranges.fetch_sub(1, std::memory_order_relaxed);
}

std::size_t count() noexcept {
    return ranges.load(std::memory_order_relaxed);
}

std::size_t rounded(const std::byte* begin, std::size_t bytes) noexcept {
    // As integers, because a pointer may not point so far.
    const std::uintptr_t end =
        (bytes < huge_from_bytes ? 0 : reinterpret_cast<std::uintptr_t>(begin)) + bytes;
    const std::size_t unit = bytes < huge_from_bytes ? pages::page_bytes() : pages::huge_page_bytes();
    return saturating_add(bytes, -end & (unit - 1));
}

}} // namespace mallard::space::reserved_range::MALLARD_LIBRARY
