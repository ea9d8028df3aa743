/// Touches memory, so that its pages are there before a deadline.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/sanitizer.hpp>

#include <cstddef>

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// Effects: overwrites the first byte of [p, p + bytes), the last one, and one every 4 KiB between them: no system has smaller
/// pages. The memory may be poisoned.
MALLARD_READS_POISONED inline void prefault(void* p, std::size_t bytes) noexcept {
    const poisoned_access access;
    auto* const begin = static_cast<volatile std::byte*>(p);
    for (std::size_t offset = 0; offset < bytes; offset += 4096) {
        begin[offset] = std::byte{0};
    }
    if (bytes != 0) {
        begin[bytes - 1] = std::byte{0};
    }
}

}} // namespace mallard::core::MALLARD_LIBRARY
