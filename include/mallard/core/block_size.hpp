/// What a block has to hold, where somebody chooses the size of all blocks of a pool.
///
///     block_size{20, 4}  ->  a block of 20 bytes at multiples of 4
///     with_zones():          [ guard zone, 16 | 20 | guard zone, 16 ]     (core/block_books.hpp)
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>

#include <algorithm>
#include <cstddef>

namespace mallard::inline MALLARD_LIBRARY {

/// The bytes of a guard zone.
inline constexpr std::size_t guard_zone_bytes = 16;

/// Returns: what lies before the caller's part of a block that has guard zones.
[[nodiscard]] constexpr std::size_t bytes_before(std::size_t alignment) noexcept {
    return align_up(guard_zone_bytes, alignment);
}

/// What a block of a fixed_pool has to hold.
struct block_size {
    std::size_t bytes = 0;
    std::size_t alignment = 1;

    template <class T>
    [[nodiscard]] static constexpr block_size of() noexcept {
        return {sizeof(T), alignof(T)};
    }

    /// Returns: the size of the blocks that hold this, and of which alignment they are then.
    [[nodiscard]] constexpr block_size of_block() const noexcept {
        const std::size_t step = std::max<std::size_t>(alignment, 4);
        const std::size_t whole = align_up(std::max(bytes, sizeof(void*)), step);
        return {whole, std::max(alignment, std::min(whole & (~whole + 1), fundamental_alignment))};
    }

    /// Returns: what blocks have to hold in which every block that holds this lies between guard zones.
    [[nodiscard]] constexpr block_size with_zones() const noexcept {
        const block_size block = of_block();
        return {bytes_before(block.alignment) + block.bytes + guard_zone_bytes, block.alignment};
    }

    /// Returns: the size of the blocks that have become this block by with_zones() and of_block().
    [[nodiscard]] constexpr std::size_t bytes_without_zones() const noexcept {
        return bytes - 2 * bytes_before(alignment);
    }

    /// Returns: whether there can be such blocks: of at most 2^30 bytes, and at multiples of no more than
    /// that.
    [[nodiscard]] constexpr bool is_possible() const noexcept {
        constexpr std::size_t most = std::size_t{1} << 30;
        return bytes <= most && alignment <= most && is_power_of_two(alignment);
    }
};

} // namespace mallard::inline MALLARD_LIBRARY
