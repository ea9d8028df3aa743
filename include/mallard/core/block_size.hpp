/// The size and alignment that all blocks of a pool must hold.
///
///     block_size{20, 4}  ->  a block of 20 bytes at multiples of 4
///     with_zones():          [ guard zone, 16 | 20 | guard zone, 16 ]     (impl/checking/block_registry.hpp)
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/core/utility.hpp>

#include <cstddef>

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// The bytes of a guard zone.
inline constexpr std::size_t guard_zone_bytes = 16;

/// The most bytes that a block of a pool of one size has, and its strictest alignment.
inline constexpr std::size_t most_block_bytes = std::size_t{1} << 30;

/// Returns: the bytes in front of the caller's part of a block with guard zones.
[[nodiscard]] constexpr std::size_t front_zone_bytes(std::size_t alignment) noexcept {
    return align_up(guard_zone_bytes, alignment);
}

}} // namespace mallard::core::MALLARD_LIBRARY

namespace mallard { inline namespace MALLARD_LIBRARY {

/// The size and alignment that a block of a fixed_pool must hold.
struct block_size {
    std::size_t bytes = 0;
    std::size_t alignment = 1;

    template <class T>
    [[nodiscard]] static constexpr block_size of() noexcept {
        return {sizeof(T), alignof(T)};
    }

    /// Returns: the size and alignment of the blocks that hold this.
    [[nodiscard]] constexpr block_size of_block() const noexcept {
        const std::size_t step = core::max<std::size_t>(alignment, 4);
        const std::size_t rounded = core::align_up(core::max(bytes, sizeof(void*)), step);
        return {rounded, core::max(alignment, core::min(rounded & (~rounded + 1), fundamental_alignment))};
    }

    /// Returns: the size and alignment of blocks with room for this and a guard zone on both sides.
    [[nodiscard]] constexpr block_size with_zones() const noexcept {
        const block_size block = of_block();
        return {core::front_zone_bytes(block.alignment) + block.bytes + core::guard_zone_bytes,
                block.alignment};
    }

    /// Returns: the size of the blocks that became this block by with_zones() and of_block().
    [[nodiscard]] constexpr std::size_t bytes_without_zones() const noexcept {
        return bytes - 2 * core::front_zone_bytes(alignment);
    }

    /// Returns: true if such blocks can exist: at most 2^30 bytes, at an alignment of at most 2^30.
    [[nodiscard]] constexpr bool is_possible() const noexcept {
        return bytes <= core::most_block_bytes && alignment <= core::most_block_bytes &&
               is_power_of_two(alignment);
    }
};

}} // namespace mallard::MALLARD_LIBRARY

namespace mallard::core { inline namespace MALLARD_LIBRARY {

/// Returns: the size and alignment of the blocks of a pool that is made for `size`.
/// Throws: refused_request if such blocks cannot exist. In a constant expression this does not compile.
[[nodiscard]] constexpr block_size expect_possible(block_size size) {
    if (!size.is_possible()) {
        refuse_block_size(size.bytes, size.alignment, most_block_bytes, most_block_bytes);
    }
    return size.of_block();
}

}} // namespace mallard::core::MALLARD_LIBRARY
