/// Predicts the address of the next allocation, and the next block to be freed. The writer and the reader use the same model.
///
///     alive:     0 <-> 3 <-> 4 <-> 9      in order of allocation
///     free:      size 32: 7 -> 2 -> 0     the last freed one is first
///
/// Data model: the blocks allocated by the frame's events, numbered from 1; 0 means none. Live blocks are a list in
/// order of allocation. Freed blocks are a stack for each size, because allocators mostly return the last freed one.
/// Invariant: both sides pass the same events to the model, so their predictions agree.
#pragma once

#include "trace/large_memory.hpp"
#include "trace/raw_record.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace mallard::trace {

using block_id = std::uint32_t;

/// The methods by which an allocated block is found.
enum class place_way : std::uint8_t {
    freed_last,   ///< of its size
    freed_second, ///< of its size, before the last one
    freed_third,
    freed_earlier,  ///< of its size; the rank follows
    behind_carved,  ///< behind the last block that was not found among freed ones
    behind_last,    ///< behind the last block
    freed_any_size, ///< the last freed block of any size: the old block of a realloc in place
    near_class,     ///< the distance from the last block of its size follows
    near_last,      ///< the distance from the last block follows
    behind_highest, ///< behind the block with the highest address
};
inline constexpr unsigned place_ways = 10;

/// The methods by which a freed block is found.
enum class release_way : std::uint8_t {
    newest,  ///< the last allocated live block
    later,   ///< the live block allocated next after the previously freed one
    earlier, ///< the live block allocated last before the previously freed one
    second_newest,
    equal_lag, ///< the lag of the last block freed at the site
    second_later,
    second_earlier,
    third_newest,
    lag,     ///< the number of blocks allocated since then follows
    foreign, ///< the address follows, as the distance from the last foreign block
};
inline constexpr unsigned release_ways = 10;

class block_model {
public:
    static constexpr unsigned most_rank = 24; ///< limit of `freed_earlier`

    struct block {
        std::uint64_t address = 0;
        block_id earlier = 0; ///< in the list of live blocks; for a freed one the next in its stack
        block_id later = 0;
        std::uint16_t size_class = 0;
        bool alive = false;
    };

    void begin();
    /// Effects: reserves room for `blocks` blocks.
    void reserve(std::size_t blocks) { blocks_.reserve(blocks + 1); }

    /// Returns: the class of sizes that allocators are likely to treat alike.
    static std::uint16_t to_size_class(record_kind kind, std::uint64_t bytes) noexcept;
    /// Returns: the bytes from the block to the next one, if both are adjacent.
    static std::uint64_t block_stride(record_kind kind, std::uint64_t bytes) noexcept;

    /// Returns: the freed block with that rank, or 0.
    [[nodiscard]] block_id freed(std::uint16_t size_class, std::uint64_t rank) const noexcept;
    /// Returns: the rank of the freed block with that address; at most `most_rank`.
    [[nodiscard]] unsigned find_rank(std::uint64_t address, std::uint16_t size_class) const noexcept;
    [[nodiscard]] std::uint64_t behind_carved() const noexcept { return behind_carved_; }
    [[nodiscard]] std::uint64_t behind_last() const noexcept { return behind_last_; }
    [[nodiscard]] std::uint64_t behind_highest() const noexcept { return behind_highest_; }
    [[nodiscard]] std::uint64_t last_freed() const noexcept { return last_freed_; }
    [[nodiscard]] std::uint64_t last_of_class(std::uint16_t size_class) const noexcept {
        return last_of_class_[size_class];
    }
    [[nodiscard]] std::uint64_t last() const noexcept { return last_; }

    /// Effects: adds a live block that was found by `method`; with a rank for freed ones.
    /// Returns: the block's number.
    block_id allocated(std::uint64_t address, std::uint16_t size_class, std::uint64_t stride,
                       place_way method, std::uint64_t rank);

    /// Returns: the block found by `method`, or 0. Not for `lag` and `foreign`.
    [[nodiscard]] block_id find(release_way method, std::uint32_t last_lag) const noexcept;
    [[nodiscard]] block_id with_lag(std::uint64_t lag) const noexcept;
    [[nodiscard]] std::uint32_t current_lag(block_id index) const noexcept {
        return static_cast<std::uint32_t>(blocks_.size()) - index;
    }
    [[nodiscard]] std::uint64_t address_at(block_id index) const noexcept { return blocks_[index].address; }
    [[nodiscard]] std::uint64_t last_foreign() const noexcept { return last_foreign_; }

    /// Requires: the block is alive.
    void freed(block_id index) noexcept;
    void freed_foreign(std::uint64_t address) noexcept { last_foreign_ = last_freed_ = address; }

private:
    static constexpr std::uint16_t size_classes = 1024;

    large_vector<block> blocks_; ///< [0] is the end of the list of live blocks
    std::array<block_id, size_classes> freed_{};
    std::array<std::uint64_t, size_classes> last_of_class_{};
    std::uint64_t behind_carved_ = 0;
    std::uint64_t behind_last_ = 0;
    std::uint64_t behind_highest_ = 0;
    std::uint64_t last_freed_ = 0;
    std::uint64_t last_ = 0;
    std::uint64_t last_foreign_ = 0;
    block_id later_ = 0; ///< neighbours of the previously freed block
    block_id earlier_ = 0;
};

} // namespace mallard::trace
