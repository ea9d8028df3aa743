/// The heaps of the list of kinds, for random tests and the fuzzer.
#pragma once

#include "model/kinds.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fuzz {

/// Returns: heaps by themselves or checked, with larger requests than in other suites: in a thorough build all of them, else
/// one over each kind of memory.
[[nodiscard]] inline std::vector<model::kind> heaps() {
    std::vector<model::kind> all = model::kinds_if([](const model::kind& k) {
        const bool chosen = k.allocator == "heap_of_small_chunks" || k.allocator == "heap_over_chunk_cache" ||
                            k.allocator == "heap_over_pages" || k.allocator == "heap_in_growing_region";
        return (chosen || MALLARD_THOROUGH) && k.allocator.starts_with("heap") && k.binding == "direct" &&
               (k.adaptor == "plain" || k.adaptor == "checked");
    });
    for (model::kind& k : all) {
        k.most.bytes = std::max(k.most.bytes, std::size_t{1} << 20);
        k.most.alignment = 8192;
        k.most.live_bytes = std::size_t{4} << 20;
    }
    return all;
}

} // namespace fuzz
