/// An allocator for strings with blocks of one size: that of the longest string.
///
///     mallard::fixed_string<256> line;     // at most 255 characters, always in a block of 256 bytes
///
///     block:  [ characters ............ 0 | not used ]
///             |<------------ BlockBytes ----------->|
///
/// A string that grows asks for one size after the other, which no pool of one size could serve. If the longest
/// string is known, each string gets a block for it at once: an allocation then costs as much as that of a
/// fixed_pool, however the string is built, and the price is memory. A string that reserves its length before it
/// grows (reserve) needs one block instead of several, which saves more than an allocator can.
///
/// A longer string is refused with std::length_error: by the string itself, unchanged, if its max_size() can be
/// the capacity of a block; any other request, such as that of a vector that grows, is refused here, with both
/// numbers.
///
/// Data model: an empty class. A pool tag names the pool (bind/pool_tag.hpp); by default that is the pool of all such
/// strings (bind/common_pool.hpp), so that they may change threads, and outlive the thread that filled them.
/// Invariants: every request to the pool has one size and one alignment. The standard library
/// computes a string's max_length() from max_size(), each library differently. libc++ writes past a string of
/// max_size(), so there the limit is the block, twice the request.
///
/// Source: Optimized C++, chapter 13, "A Fixed-Block Allocator for Strings".
#pragma once

#include <mallard/bind/common_pool.hpp>
#include <mallard/bind/pool_tag.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/failure.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace mallard { inline namespace MALLARD_MODE {

template <class T, std::size_t BlockBytes, pool_tag Tag = common_pool>
class fixed_block_allocator {
    static_assert(
        BlockBytes >= 32 && BlockBytes % 16 == 0,
        "blocks for strings have 32, 48, 64, ... bytes: standard libraries round what they ask for");
    static_assert(alignof(T) <= fundamental_alignment);

public:
    using value_type = T;
    using propagate_on_container_move_assignment = std::true_type;
    using is_always_equal = std::true_type;

    template <class U>
    struct rebind {
        using other = fixed_block_allocator<U, BlockBytes, Tag>;
    };

    fixed_block_allocator() = default;

    template <class U>
    fixed_block_allocator(const fixed_block_allocator<U, BlockBytes, Tag>&) noexcept {}

    /// Returns: the greatest length of a string.
    [[nodiscard]] static constexpr std::size_t max_length() noexcept { return BlockBytes / sizeof(T) - 1; }

    /// Returns: a block, for any `n`.
    /// Throws: std::length_error if `n` objects do not fit; std::bad_alloc.
    [[nodiscard]] T* allocate(std::size_t n) {
        if (n > pooled_bytes / sizeof(T)) [[unlikely]] {
            core::fail_length(n, pooled_bytes / sizeof(T));
        }
        return static_cast<T*>(Tag::pool().allocate(pooled_bytes, fundamental_alignment));
    }

    /// Requires: `p` came from allocate() and was not deallocated since; a pool of each thread frees only its own blocks.
    void deallocate(T* p, std::size_t) noexcept {
        Tag::pool().deallocate(p, pooled_bytes, fundamental_alignment);
    }

    /// Returns: the max_size() of the allocator that gives a string the max_size() max_length().
    [[nodiscard]] static std::size_t max_size() noexcept {
#ifdef _LIBCPP_VERSION
        return PTRDIFF_MAX / sizeof(T);
#else
        // Some libraries keep a little of an allocator's max_size() for themselves, others half of it.
        constexpr std::size_t probe_max_size = max_size_teller::max_size();
        const std::size_t characters =
            std::basic_string<T, std::char_traits<T>, max_size_teller>().max_size();
        return characters > probe_max_size / 2 ? max_length() + (probe_max_size - characters)
                                               : 2 * max_length() + (probe_max_size - 2 * characters);
#endif
    }

    [[nodiscard]] static tag_pool_t<Tag>& mechanism() noexcept { return Tag::pool(); }

private:
#ifdef _LIBCPP_VERSION
    static constexpr std::size_t pooled_bytes = 2 * BlockBytes;
#else
    static constexpr std::size_t pooled_bytes = BlockBytes;

    /// An allocator of a string that stays empty, for its max_size() only.
    struct max_size_teller : std::allocator<T> {
        template <class>
        struct rebind {
            using other = max_size_teller;
        };

        [[nodiscard]] static constexpr std::size_t max_size() noexcept { return std::size_t{1} << 20; }
    };
#endif
};

template <class T, class U, std::size_t BlockBytes, class Tag>
[[nodiscard]] constexpr bool operator==(const fixed_block_allocator<T, BlockBytes, Tag>&,
                                        const fixed_block_allocator<U, BlockBytes, Tag>&) noexcept {
    return true;
}

/// A string of at most `BlockBytes - 1` characters.
template <std::size_t BlockBytes, pool_tag Tag = common_pool>
using fixed_string =
    std::basic_string<char, std::char_traits<char>, fixed_block_allocator<char, BlockBytes, Tag>>;

}} // namespace mallard::MALLARD_MODE
