/// The front of a region: the two words that nearly all calls of a monotonic allocator need.
///
///     offset  bytes
///     0       8      cursor_      [cursor_, limit_) is free, and poisoned under AddressSanitizer
///     8       8      limit_
///
/// A request that does not fit is the allocator's. An abstract base that leads to a front (bind/inline_resource.hpp)
/// is part of the interface of compiled code, so this layout does not change.
///
/// Invariants: cursor_ <= limit_. limit_ is a multiple of fundamental_alignment, so that rounding the cursor up
/// to a fundamental alignment never passes it. cursor_ is a multiple of 8, so that most requests need no
/// rounding and the next address depends on the last one by a single addition.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/free_block.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/utility.hpp>

#include <cstddef>

namespace mallard::chunks { inline namespace MALLARD_LIBRARY {

class region_front {
public:
    static constexpr std::size_t granule = 8;

    constexpr region_front() noexcept = default;
    region_front(const region_front&) = delete;
    region_front& operator=(const region_front&) = delete;

    /// Returns: the next `bytes` bytes; null, with no effect, if the region is too short.
    /// Requires: `alignment` is at most fundamental_alignment.
    [[nodiscard, gnu::always_inline]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        bytes += static_cast<std::size_t>(bytes == 0);
        std::byte* block = cursor_;
        if (alignment > granule) {
            block += core::padding_to(block, alignment);
        }
        // The room is a multiple of 8: a request that fits, fits rounded up too.
        if (bytes > static_cast<std::size_t>(limit_ - block)) [[unlikely]] {
            return nullptr;
        }
        set_cursor(block + core::align_up(bytes, granule));
        core::unpoison(block, bytes);
        return core::known(block);
    }

    /// Effects: the block must not be used any more. Its memory comes back with the region.
    static void deallocate(void* p, [[maybe_unused]] std::size_t bytes) noexcept {
        core::expect_usable(p);
        core::poison(p, core::max<std::size_t>(bytes, 1));
    }

    /// Effects: moves the end of the most recent block, `p` of `old_bytes` bytes, to `new_bytes`; 0 gives the block
    /// back.
    /// Requires: `p` does not end where the region begins.
    /// Returns: false, with no effect, if `p` is another block or the region is too short.
    [[nodiscard]] bool resize_last(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept {
        auto* const block = static_cast<std::byte*>(p);
        const auto room_bytes = static_cast<std::size_t>(limit_ - block);
        if (block + core::align_up(core::max<std::size_t>(old_bytes, 1), granule) != cursor_ ||
            new_bytes > room_bytes) {
            return false;
        }
        set_cursor(block + core::align_up(new_bytes, granule));
        core::poison(block, room_bytes);
        core::unpoison(block, new_bytes);
        return true;
    }

    [[nodiscard]] std::byte* cursor() const noexcept { return cursor_; }
    [[nodiscard]] std::byte* limit() const noexcept { return limit_; }
    [[nodiscard]] std::size_t free_bytes() const noexcept {
        return static_cast<std::size_t>(limit_ - cursor_);
    }

    /// Requires: the limit is not below `to`, a multiple of 8.
    void set_cursor(std::byte* to) noexcept { cursor_ = to; }

    /// Requires: both are multiples of fundamental_alignment, or null.
    constexpr void set_room(std::byte* begin, std::byte* end) noexcept {
        cursor_ = begin;
        limit_ = end;
    }

private:
    std::byte* cursor_ = nullptr;
    std::byte* limit_ = nullptr;
};

static_assert(sizeof(region_front) == 2 * sizeof(void*));

}} // namespace mallard::chunks::MALLARD_LIBRARY
