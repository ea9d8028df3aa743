/// The figures that an allocator has about itself.
#pragma once

#include <mallard/core/build_mode.hpp>

#include <cstddef>

namespace mallard { inline namespace MALLARD_MODE {

/// Counted in the slow paths only: they cost nothing until they are read.
struct allocator_stats {
    std::size_t chunks = 0;         ///< chunks held now, those kept for reuse included
    std::size_t chunk_bytes = 0;    ///< their bytes, headers included
    std::size_t large_blocks = 0;   ///< blocks that were too large for a pool and went straight upstream
    std::size_t large_bytes = 0;    ///< their bytes, headers included
    std::size_t spills = 0;         ///< chunks taken because the initial buffer was full, since construction
    std::size_t upstream_calls = 0; ///< requests that the upstream granted, since construction

    /// Returns: the figures of two allocators together.
    [[nodiscard]] friend constexpr allocator_stats operator+(allocator_stats a,
                                                             const allocator_stats& b) noexcept {
        a.chunks += b.chunks;
        a.chunk_bytes += b.chunk_bytes;
        a.large_blocks += b.large_blocks;
        a.large_bytes += b.large_bytes;
        a.spills += b.spills;
        a.upstream_calls += b.upstream_calls;
        return a;
    }
};

}} // namespace mallard::MALLARD_MODE
