/// The large blocks that are live, whose resident pages are counted when they end.
///
///     | address / 16 : 44 bits | size / 64 KiB : 20 bits |     a word for each hash of an address
///
/// Data model: a table of words, 0 for an empty place. A new block evicts the previous one of its place, which is then not counted: the
/// figures are a sample. Thread-safe, without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace mallard::recorder {

class large_blocks {
public:
    static constexpr std::size_t least_bytes = std::size_t{256} << 10;

    struct block {
        std::uintptr_t address;
        std::size_t bytes; ///< at most; whole units of 64 KiB
    };

    /// Requires: the block has `least_bytes` or more.
    void add(const void* address, std::size_t bytes) noexcept {
        const std::size_t units = bytes >> unit_bits;
        const std::uint64_t word = key(address) | (units < most_units ? units : most_units);
        if (place_for(key(address)).exchange(word, std::memory_order_relaxed) == 0) {
            count_.fetch_add(1, std::memory_order_relaxed);
        }
    }

    /// Returns: true if a block may be in the table.
    [[nodiscard]] bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }

    /// Effects: removes the block that begins at the address.
    /// Returns: the block; nothing if it was not in the table.
    std::optional<block> take(const void* address) noexcept {
        return take(place_for(key(address)), key(address));
    }

    /// Effects: removes all blocks, and calls `function` with each.
    template <typename Function>
    void take_all(Function function) noexcept {
        for (std::atomic<std::uint64_t>& place : places_) {
            const std::uint64_t word = place.load(std::memory_order_relaxed);
            if (const auto taken = take(place, word & ~most_units)) {
                function(*taken);
            }
        }
    }

private:
    static constexpr unsigned unit_bits = 16;
    static constexpr unsigned size_bits = 20;
    static constexpr std::uint64_t most_units = (std::uint64_t{1} << size_bits) - 1;
    static constexpr unsigned place_bits = 12;

    static std::uint64_t key(const void* address) noexcept {
        return std::uint64_t{reinterpret_cast<std::uintptr_t>(address) >> 4} << size_bits;
    }

    std::atomic<std::uint64_t>& place_for(std::uint64_t block_key) noexcept {
        return places_[static_cast<std::size_t>((block_key >> size_bits) * 0x9e3779b97f4a7c15U >>
                                                (64 - place_bits))];
    }

    std::optional<block> take(std::atomic<std::uint64_t>& place, std::uint64_t block_key) noexcept {
        std::uint64_t word = place.load(std::memory_order_relaxed);
        if (word == 0 || (word & ~most_units) != block_key || !place.compare_exchange_strong(word, 0)) {
            return std::nullopt;
        }
        count_.fetch_sub(1, std::memory_order_relaxed);
        return block{static_cast<std::uintptr_t>(word >> size_bits << 4),
                     static_cast<std::size_t>(word & most_units) << unit_bits};
    }

    std::atomic<std::uint32_t> count_{0};
    std::array<std::atomic<std::uint64_t>, std::size_t{1} << place_bits> places_{};
};

} // namespace mallard::recorder
