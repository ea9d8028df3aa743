/// Where the next block lies, and which one is freed next: what a writer and a reader expect alike.
///
///     alive:     0 <-> 3 <-> 4 <-> 9      in the order of their allocation
///     free:      size 32: 7 -> 2 -> 0     the one freed last is first
///
/// Data model: the blocks that the frame's events have allocated, numbered from 1; 0 is none. Alive ones are a list in the
/// order of their allocation. Freed ones are a stack for each size, because allocators mostly give the one freed last.
/// Invariant: both sides tell the model the same events, so it expects the same for both.
#pragma once

#include "trace/large_memory.hpp"
#include "trace/raw_record.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace mallard::trace {

using block_id = std::uint32_t;

/// The ways in which a block that is allocated may be found.
enum class place_way : std::uint8_t {
    freed_last,   ///< of its size
    freed_second, ///< of its size, before the last one
    freed_third,
    freed_earlier,  ///< of its size; its rank follows
    after_carved,   ///< behind the last one that was found in none of the ways of freed blocks
    after_last,     ///< behind the last one
    freed_just_now, ///< of whatever size: the old block of a realloc that stays
    near_class,     ///< the distance from the last one of its size follows
    near_last,      ///< the distance from the last one follows
    after_highest,  ///< behind the one with the highest address
};
inline constexpr unsigned place_ways = 10;

/// The ways in which a block that is freed may be found.
enum class release_way : std::uint8_t {
    newest,  ///< allocated last, of those alive
    later,   ///< allocated next after the one that was freed before, of those alive
    earlier, ///< allocated last before that one
    second_newest,
    same_lag, ///< so many blocks ago as the last one that was freed at the site
    second_later,
    second_earlier,
    third_newest,
    lag,     ///< the number of blocks allocated since follows
    foreign, ///< its address follows, as the distance from the last such block
};
inline constexpr unsigned release_ways = 10;

class block_model {
public:
    static constexpr unsigned most_rank = 24; ///< that `freed_earlier` has

    struct block {
        std::uint64_t address = 0;
        block_id earlier = 0; ///< of those alive; in a stack of freed ones the next one
        block_id later = 0;
        std::uint16_t size_class = 0;
        bool alive = false;
    };

    void begin();
    /// Effects: so many blocks are added without a copy of the others.
    void reserve(std::size_t blocks) { blocks_.reserve(blocks + 1); }

    /// Returns: a class of sizes that an allocator may treat alike.
    static std::uint16_t size_class_of(record_kind kind, std::uint64_t bytes) noexcept;
    /// Returns: the bytes from the block to the next one, if they lie side by side.
    static std::uint64_t stride_of(record_kind kind, std::uint64_t bytes) noexcept;

    /// Returns: the freed block of that rank, 0 if there is none.
    [[nodiscard]] block_id freed(std::uint16_t size_class, std::uint64_t rank) const noexcept;
    /// Returns: the rank of the freed block with that address; `most_rank` if it has none below that.
    [[nodiscard]] unsigned rank_of(std::uint64_t address, std::uint16_t size_class) const noexcept;
    [[nodiscard]] std::uint64_t after_carved() const noexcept { return after_carved_; }
    [[nodiscard]] std::uint64_t after_last() const noexcept { return after_last_; }
    [[nodiscard]] std::uint64_t after_highest() const noexcept { return after_highest_; }
    [[nodiscard]] std::uint64_t freed_just_now() const noexcept { return freed_just_now_; }
    [[nodiscard]] std::uint64_t last_of_class(std::uint16_t size_class) const noexcept {
        return last_of_class_[size_class];
    }
    [[nodiscard]] std::uint64_t last() const noexcept { return last_; }

    /// Effects: a block is alive, which was found in that way; with a rank for freed ones.
    /// Returns: its number.
    block_id allocated(std::uint64_t address, std::uint16_t size_class, std::uint64_t stride, place_way way,
                       std::uint64_t rank);

    /// Returns: the block that is found in that way, 0 if there is none. Not for `lag` and `foreign`.
    [[nodiscard]] block_id found(release_way way, std::uint32_t last_lag) const noexcept;
    [[nodiscard]] block_id with_lag(std::uint64_t lag) const noexcept;
    [[nodiscard]] std::uint32_t lag_of(block_id which) const noexcept {
        return static_cast<std::uint32_t>(blocks_.size()) - which;
    }
    [[nodiscard]] std::uint64_t address_of(block_id which) const noexcept { return blocks_[which].address; }
    [[nodiscard]] std::uint64_t last_foreign() const noexcept { return last_foreign_; }

    /// Requires: the block is alive.
    void freed(block_id which) noexcept;
    void freed_foreign(std::uint64_t address) noexcept { last_foreign_ = freed_just_now_ = address; }

private:
    static constexpr std::uint16_t size_classes = 1024;

    large_vector<block> blocks_; ///< [0] is the end of the list of those alive
    std::array<block_id, size_classes> freed_{};
    std::array<std::uint64_t, size_classes> last_of_class_{};
    std::uint64_t after_carved_ = 0;
    std::uint64_t after_last_ = 0;
    std::uint64_t after_highest_ = 0;
    std::uint64_t freed_just_now_ = 0;
    std::uint64_t last_ = 0;
    std::uint64_t last_foreign_ = 0;
    block_id later_ = 0; ///< neighbours of the one that was freed before
    block_id earlier_ = 0;
};

} // namespace mallard::trace
