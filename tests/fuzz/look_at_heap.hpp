/// Conditions that hold for a heap at any time.
#pragma once

#include "fuzz/shadow_heap.hpp"

#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/heap_sanity.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fuzz {

/// Returns: the fault of the heap by its own account and, if it knows the sizes of its users' blocks, by the shadow
/// heap's; null if there is none.
template <bool KnowsSizes, class Heap>
const char* look_at_heap(const Heap& heap, const shadow_heap& shadow) {
    const mallard::heap_sanity sanity = heap.check_sanity();
    if (!sanity.sound()) {
        return sanity.defect;
    }
    if constexpr (!KnowsSizes) {
        return nullptr;
    }
    const char* wrong = nullptr;
    std::size_t used = 0;
    std::uintptr_t end_of_free = 0;
    heap.for_each_block([&](const mallard::heap_block_info& info) {
        const auto begin = reinterpret_cast<std::uintptr_t>(info.p);
        if (info.waits) {
            return; // its neighbours are not merged with it yet
        }
        if (!info.in_use) {
            wrong = end_of_free + mallard::space::heap_block::tag_bytes == begin
                        ? "two free blocks that are neighbours"
                        : wrong;
            end_of_free = begin + info.bytes;
            return;
        }
        ++used;
        const std::uintptr_t* const end = shadow.end_of(info.p);
        if (end == nullptr) {
            wrong = "a block in use that nobody has";
        } else if (*end > begin + std::max<std::size_t>(info.bytes, 1)) {
            wrong = "a block that is shorter than its user thinks";
        }
    });
    return wrong == nullptr && used != shadow.size() ? "blocks that the heap has lost" : wrong;
}

} // namespace fuzz
