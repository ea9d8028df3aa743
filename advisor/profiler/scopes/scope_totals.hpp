/// Sums over the activations of one scope.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mallard::advisor {

/// A function by its number, or a marked scope by its number.
using scope_id = std::uint32_t;
inline constexpr scope_id no_scope = 0xffff'ffff;

/// The addition of an ended activation to the totals of its scope.
struct scope_addition {
    // In the order of `scope_totals`, so that the processor adds several at a time.
    std::uint64_t ticks = 0;
    std::uint64_t frees = 0;
    std::uint64_t allocations = 0;
    std::uint64_t bytes = 0;
    std::uint64_t contained = 0;
    std::uint64_t contained_bytes = 0;
    std::uint64_t peak = 0;
    std::uint64_t pages = 0;
    std::uint64_t returns = 0;
    double region_area = 0;
    double live_area = 0;
    std::uint64_t most_between_returns = 0;
    std::uint32_t class_of_bytes = 0;
    std::uint32_t class_of_peak = 0;
    bool frees_older = false;
    bool at_end = false; ///< it is still open when the recording ends
};

struct scope_totals {
    std::uint64_t ticks = 0;
    std::uint64_t frees = 0;
    std::uint64_t allocations = 0;
    std::uint64_t bytes = 0;
    std::uint64_t contained = 0;
    std::uint64_t contained_bytes = 0;
    std::uint64_t peaks = 0;   ///< sum of the highest live bytes
    std::uint64_t pages = 0;   ///< that a fresh region would touch
    std::uint64_t returns = 0; ///< of the live bytes to zero
    double region_area = 0;    ///< bytes times ticks that a region would hold
    double live_area = 0;

    std::uint64_t seen = 0;
    std::uint64_t allocating = 0; ///< activations with an allocation
    std::uint64_t emptied = 0;    ///< allocating activations that ended with all blocks freed
    std::uint64_t highest_peak = 0;
    std::uint64_t most_bytes = 0; ///< of an activation
    std::uint64_t most_between_returns = 0;
    std::uint64_t open = 0;    ///< activations at the end of the recording
    std::uint64_t freeing = 0; ///< activations that freed a block older than themselves
    /// Allocating activations by the size class of their bytes, and of their highest live bytes.
    std::vector<std::array<std::uint32_t, 2>> classes;
    const void* last_thread = nullptr; ///< the stack of scopes that added last
    std::uint32_t threads = 0;

    std::uint64_t owned = 0; ///< contained, and in no inner scope
    std::uint64_t owned_bytes = 0;
    std::uint64_t steps_back = 0;

    // From snapshots of the heap.
    std::uint64_t snapshots = 0;
    std::uint64_t neighbours = 0;
    std::uint64_t foreign_neighbours = 0;
    std::uint64_t pages_spanned = 0;
    std::uint64_t pages_needed = 0;

    void prefetch(const scope_addition& ended) const noexcept {
        if (ended.class_of_bytes < classes.size()) {
            __builtin_prefetch(&classes[ended.class_of_bytes]);
        }
        __builtin_prefetch(&highest_peak);
    }

    void add(const scope_addition& ended) {
        ticks += ended.ticks;
        frees += ended.frees;
        allocations += ended.allocations;
        bytes += ended.bytes;
        contained += ended.contained;
        contained_bytes += ended.contained_bytes;
        peaks += ended.peak;
        pages += ended.pages;
        returns += ended.returns;
        region_area += ended.region_area;
        live_area += ended.live_area;
        ++seen;
        open += ended.at_end;
        freeing += ended.frees_older;
        if (ended.allocations == 0) {
            return;
        }
        ++allocating;
        emptied += !ended.at_end && ended.contained == ended.allocations;
        highest_peak = std::max(highest_peak, ended.peak);
        most_bytes = std::max(most_bytes, ended.bytes);
        most_between_returns = std::max(most_between_returns, ended.most_between_returns);
        const std::size_t needed = std::size_t{std::max(ended.class_of_bytes, ended.class_of_peak)} + 1;
        if (classes.size() < needed) {
            classes.resize(needed);
        }
        ++classes[ended.class_of_bytes][0];
        ++classes[ended.class_of_peak][1];
    }
};

} // namespace mallard::advisor
