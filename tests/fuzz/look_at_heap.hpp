/// Invariants of a heap.
#pragma once

#include "fuzz/shadow_heap.hpp"

#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/heap_sanity.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fuzz {

/// Returns: the fault found by the heap's own check or, if it knows the exact block sizes, by comparison with the shadow
/// heap; null if there is none.
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
            return; // not merged with its neighbours yet
        }
        if (!info.in_use) {
            wrong = end_of_free + mallard::space::heap_block::tag_bytes == begin
                        ? "two free blocks that are neighbours"
                        : wrong;
            end_of_free = begin + info.bytes;
            return;
        }
        ++used;
        const std::uintptr_t* const end = shadow.find_end(info.p);
        if (end == nullptr) {
            wrong = "a block in use that nobody has";
        } else if (*end > begin + std::max<std::size_t>(info.bytes, 1)) {
            wrong = "a block that is shorter than its user thinks";
        }
    });
    return wrong == nullptr && used != shadow.size() ? "blocks that the heap has lost" : wrong;
}

} // namespace fuzz
