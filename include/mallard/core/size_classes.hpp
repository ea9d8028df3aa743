/// Size classes: which block sizes there are, and which of them serves a request.
///
///     request      1..8  9..16 ... 121..128 | 129..144 145..160 ... 241..256 | 257..288 ...
///     class        0     1     ... 15       | 16       17       ... 23       | 24       ...
///     block size   8     16    ... 128      | 144      160      ... 256      | 288      ...
///
/// 8 bytes apart up to 128, then eight to a doubling, so that a block wastes at most an eighth of the
/// request. Every block size is a multiple of 8; every one that is a multiple of 16 can be carved at 16-byte
/// addresses.
#pragma once

#include <bit>
#include <cstddef>
#include <limits>

namespace mallard {

/// So many zeros in front leave four bits to the class, which then are shifted by nothing.
inline constexpr unsigned leading_bit_of_class = std::numeric_limits<std::size_t>::digits - 4;

/// Returns: the class of the smallest block that holds `bytes`, and no fewer than one, at a multiple of
/// `alignment`.
/// Requires: `alignment` is 1, 2, 4, 8 or 16.
/// Complexity: constant, without a table.
[[nodiscard]] constexpr std::size_t size_class(std::size_t bytes, std::size_t alignment = 8) noexcept {
    // Counting from the last byte instead of the size, nothing can wrap; at 16 the eight behind it are taken
    // too.
    const std::size_t last = (bytes - static_cast<std::size_t>(bytes != 0)) | (alignment & 16) / 2;
    if (last < 128) [[likely]] {
        return last / 8;
    }
    // The leading four bits of `last` name the class within its doubling.
    const unsigned shift = leading_bit_of_class - static_cast<unsigned>(std::countl_zero(last));
    return 8 * std::size_t{shift} + (last >> shift) - 24;
}

/// Returns: the block size of class `index`, in bytes.
[[nodiscard]] constexpr std::size_t class_bytes(std::size_t index) noexcept {
    if (index < 16) {
        return (index + 1) * 8;
    }
    const std::size_t step = index - 16;
    return (9 + step % 8) << (4 + step / 8);
}

/// Returns: the class of the largest block that fits into `bytes`.
/// Requires: `bytes >= 8`.
[[nodiscard]] constexpr std::size_t size_class_within(std::size_t bytes) noexcept {
    return size_class(bytes + 1) - 1;
}

static_assert(size_class(0) == 0 && size_class(8) == 0 && size_class(8, 16) == 1 && size_class(24, 16) == 3);
static_assert(size_class(9) == 1 && size_class(128) == 15);
static_assert(size_class(129) == 16 && class_bytes(16) == 144 && class_bytes(23) == 256);
static_assert(size_class(32'768) == 79 && class_bytes(79) == 32'768);
static_assert(size_class_within(143) == 15 && size_class_within(144) == 16);

} // namespace mallard
