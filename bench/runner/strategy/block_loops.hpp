/// Loops over blocks of one size, equal for all strategies: a function for each source.
///
/// For the abstract base and the inline base the functions are compiled in block_loops_abstract.cpp, where the
/// compiler sees no resource that it could call directly.
#pragma once

#include "runner/harness/escape.hpp"

#include <mallard/bind/inline_resource.hpp>

#include <cstddef>
#include <memory_resource>
#include <span>

namespace bench {

/// Enough for a node of any kind.
inline constexpr std::size_t block_alignment = 16;

/// Returns: a new block, whose first byte was incremented, so that its page is present.
template <class Source>
std::byte* touched_block(Source& source, std::size_t block_bytes) {
    auto* block = static_cast<std::byte*>(source.allocate(block_bytes, block_alignment));
    auto& first = *reinterpret_cast<volatile unsigned char*>(block);
    first = static_cast<unsigned char>(first + 1);
    escape(block);
    return block;
}

/// Effects: `count` times allocates a block, touches it and deallocates it.
template <class Source>
[[gnu::noinline]] void allocate_and_deallocate(Source& source, std::size_t block_bytes, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        source.deallocate(touched_block(source, block_bytes), block_bytes, block_alignment);
    }
}

/// Effects: fills every place of `ring` with a block.
template <class Source>
[[gnu::noinline]] void fill_ring(Source& source, std::size_t block_bytes, std::span<std::byte*> ring) {
    for (std::byte*& place : ring) {
        place = touched_block(source, block_bytes);
    }
}

/// Effects: `count` times deallocates the oldest block and allocates a new one.
/// Requires: the first place of `ring` holds the oldest block.
/// Returns: the place of the oldest block.
template <class Source>
[[gnu::noinline]] std::size_t churn_ring(Source& source, std::size_t block_bytes, std::span<std::byte*> ring,
                                         std::size_t count) {
    std::size_t oldest = 0;
    for (std::size_t i = 0; i != count; ++i) {
        source.deallocate(ring[oldest], block_bytes, block_alignment);
        ring[oldest] = touched_block(source, block_bytes);
        oldest = oldest + 1 == ring.size() ? 0 : oldest + 1;
    }
    return oldest;
}

/// Effects: deallocates every block of `ring`, the oldest first.
template <class Source>
[[gnu::noinline]] void empty_ring(Source& source, std::size_t block_bytes, std::span<std::byte*> ring,
                                  std::size_t oldest) {
    for (std::byte* block : ring.subspan(oldest)) {
        source.deallocate(block, block_bytes, block_alignment);
    }
    for (std::byte* block : ring.first(oldest)) {
        source.deallocate(block, block_bytes, block_alignment);
    }
}

extern template void allocate_and_deallocate(std::pmr::memory_resource&, std::size_t, std::size_t);
extern template void fill_ring(std::pmr::memory_resource&, std::size_t, std::span<std::byte*>);
extern template std::size_t churn_ring(std::pmr::memory_resource&, std::size_t, std::span<std::byte*>,
                                       std::size_t);
extern template void empty_ring(std::pmr::memory_resource&, std::size_t, std::span<std::byte*>, std::size_t);
extern template void allocate_and_deallocate(mallard::inline_resource&, std::size_t, std::size_t);
extern template void fill_ring(mallard::inline_resource&, std::size_t, std::span<std::byte*>);
extern template std::size_t churn_ring(mallard::inline_resource&, std::size_t, std::span<std::byte*>,
                                       std::size_t);
extern template void empty_ring(mallard::inline_resource&, std::size_t, std::span<std::byte*>, std::size_t);

} // namespace bench
