/// What a heap reports of itself: its blocks, their sums, and the block that shows damage.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard { inline namespace MALLARD_MODE {

/// A block in a walk.
struct heap_block_info {
    const void* p = nullptr; ///< the caller's address of it
    std::size_t bytes = 0;   ///< usable by the caller, or once usable
    bool in_use = false;
    bool waits = false; ///< free, and not merged yet
};

/// The sums of a heap. The bytes are those that callers may use, without tags.
struct heap_use {
    std::size_t used_blocks = 0;
    std::size_t used_bytes = 0;
    std::size_t free_blocks = 0;
    std::size_t waiting_blocks = 0; ///< of the free ones, those not merged yet (impl/space/quick_lists.hpp)
    std::size_t free_bytes = 0;
    std::size_t largest_free_bytes = 0;
    std::size_t held_bytes = 0; ///< of the upstream's, or of the region
};

struct heap_sanity {
    const char* defect = nullptr; ///< null if the heap is sound
    const void* block = nullptr;  ///< the caller's address of the block that shows the damage

    [[nodiscard]] bool sound() const noexcept { return defect == nullptr; }
};

}} // namespace mallard::MALLARD_MODE
