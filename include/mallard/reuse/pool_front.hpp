/// The front of a pool of many sizes: the words that nearly all of its calls need, and no others.
///
///     offset  bytes
///      0      10     free_        the free blocks of each size class (reuse/free_lists.hpp)
///     10       2     classes_     the smaller classes are pooled; the highest bit: a block of 8 bytes was carved
///     12       4     limit_low_   the lower half of the limit's address
///     16       8     cursor_      the room [cursor_, limit), from which new blocks are cut
///
/// A call that finds no block here, or no list to free one to, is the pool's. An abstract base that leads to a front
/// (bind/inline_resource.hpp) is part of the interface of compiled code, so this layout does not change.
///
/// Invariants: the cursor and the limit are multiples of 8, less than 4 GiB apart, so that the lower half of
/// the limit's address is enough to know it. No list holds a block of a class from `classes_` on.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/utility.hpp>
#include <mallard/reuse/order.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <cstddef>
#include <cstdint>

namespace mallard::reuse { inline namespace MALLARD_LIBRARY {

/// `FreeBlocks` is an order of reuse by class (reuse/order.hpp) of the classes `Classes`.
template <reuse_by_class FreeBlocks, size_class_policy Classes>
class pool_front {
public:
    /// Requires: there are at least `classes` size classes.
    explicit constexpr pool_front(std::size_t classes) noexcept
        : classes_(static_cast<std::uint16_t>(classes)) {}

    pool_front(const pool_front&) = delete;
    pool_front& operator=(const pool_front&) = delete;

    /// Returns: a block of `bytes` bytes, free or new; null if the front has none; the caller asks the pool.
    /// Requires: `alignment` is at most fundamental_alignment.
    [[nodiscard, gnu::always_inline]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t index = Classes::index(bytes, alignment);
        if (void* block = free_.pop(index)) {
            hand_out(block, bytes);
            return block;
        }
        return free_.serves(index) ? carve(index, bytes) : nullptr;
    }

    /// Effects: makes the block free.
    /// Requires: `alignment` is at most fundamental_alignment.
    /// Returns: false, with no effect, if the front has no list for it; the caller asks the pool.
    [[nodiscard, gnu::always_inline]] bool deallocate(void* p, std::size_t bytes,
                                                      std::size_t alignment) noexcept {
        if (core::poisons_memory && classes_ != 0) { // a front without classes belongs to no pool
            core::expect_usable(p);
        }
        return free_.push(p, Classes::index(bytes, alignment));
    }

    /// Returns: a new block of class `index` for `bytes` bytes; null if the room is too short.
    [[nodiscard, gnu::always_inline]] void* carve(std::size_t index, std::size_t bytes) noexcept {
        void* const block = cut(cursor_, limit(), index);
        if (block != nullptr) [[likely]] {
            hand_out(block, bytes);
        }
        return block;
    }

    /// Returns: a new block of class `index` from the front of [cursor, limit), a part of the room; null if that is too short.
    [[nodiscard, gnu::always_inline]] void* cut(std::byte*& cursor, std::byte* limit,
                                                std::size_t index) noexcept {
        if constexpr (requires { free_.carve(cursor, limit, index, carved{*this}); }) {
            return free_.carve(cursor, limit, index, carved{*this});
        } else {
            return free_.carve(cursor, limit, index);
        }
    }

    /// Returns: true if a block of 8 bytes may be in use.
    [[nodiscard]] bool may_have_words() const noexcept { return classes_ >= has_words; }

    /// The bytes added by rounding up to a class stay poisoned, except for one, which detects a second
    /// deallocation.
    [[gnu::always_inline]] static void hand_out(void* block, std::size_t bytes) noexcept {
        core::unpoison(block, core::max<std::size_t>(bytes, 1));
    }

    [[nodiscard, gnu::always_inline]] FreeBlocks& free() noexcept { return free_; }
    [[nodiscard]] std::size_t classes() const noexcept { return classes_ & (has_words - 1U); }

    [[nodiscard, gnu::always_inline]] std::byte*& cursor() noexcept { return cursor_; }
    [[nodiscard, gnu::always_inline]] std::byte* limit() const noexcept {
        return cursor_ + (limit_low_ - static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(cursor_)));
    }

    /// Returns: the bytes of the room.
    [[nodiscard]] std::size_t room_bytes() const noexcept {
        return static_cast<std::size_t>(limit() - cursor_);
    }

    /// Requires: `begin` is a multiple of 8; `bytes` too, and less than 2^32.
    void set_room(std::byte* begin, std::size_t bytes) noexcept {
        cursor_ = begin;
        limit_low_ = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(begin) + bytes);
    }

    /// Effects: forgets all free blocks and the room.
    void clear() noexcept {
        free_.clear();
        set_room(nullptr, 0);
        classes_ = static_cast<std::uint16_t>(classes());
    }

private:
    static constexpr std::uint16_t has_words = 1U << 15;

    /// What carving says about a chunk.
    struct carved {
        pool_front& front;

        void on_word() const noexcept { front.classes_ |= has_words; }
        void on_gap(std::byte* gap) const noexcept {
            if constexpr (requires { front.free_.donate_gap(gap); }) {
                front.free_.donate_gap(gap);
            }
        }
    };

    [[MALLARD_NO_UNIQUE_ADDRESS]] FreeBlocks free_; // lends its last bytes to the next members
    std::uint16_t classes_;
    std::uint32_t limit_low_ = 0;
    std::byte* cursor_ = nullptr;
};

}} // namespace mallard::reuse::MALLARD_LIBRARY
