/// The blocks that are alive, by address.
///
/// Data model: open addressing with linear probing in one array, whose length is a power of two; address 0 is an empty
/// place. Invariants: at most three quarters of the places are taken; no place between a block and its first choice is
/// empty.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mallard::advisor {

struct live_block {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t number = 0; ///< of the event that allocated it
    std::uint64_t ticks = 0;  ///< since the beginning of the process
    std::uint64_t clock = 0;  ///< bytes that the process had allocated before
    std::uint32_t call = 0;   ///< in the table of calls
    std::uint32_t marked = 0; ///< in the table of marked calls
    std::uint32_t thread = 0;
    bool has_complete_stack = false;
};

class block_table {
public:
    block_table() : places_(first_places), shift_(64 - std::countr_zero(first_places)) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// All places, the empty ones too.
    [[nodiscard]] std::span<const live_block> places() const noexcept { return places_; }

    void prefetch(std::uint64_t address) const noexcept {
        __builtin_prefetch(&places_[first_choice(address)]);
    }

    /// Returns: the block at that address; null if there is none. It stays until the table changes.
    [[nodiscard]] const live_block* find(std::uint64_t address) const noexcept {
        std::size_t at = first_choice(address);
        while (places_[at].address != address) {
            if (places_[at].address == 0) {
                return nullptr;
            }
            at = (at + 1) & (places_.size() - 1);
        }
        return &places_[at];
    }

    /// Requires: the address is not 0, and no block of the table has it.
    void insert(const live_block& block) {
        if ((size_ + 1) * 4 > places_.size() * 3) {
            grow();
        }
        std::size_t at = first_choice(block.address);
        while (places_[at].address != 0) {
            at = (at + 1) & (places_.size() - 1);
        }
        places_[at] = block;
        ++size_;
    }

    /// Requires: `block` is in the table.
    void erase(const live_block* block) noexcept {
        const std::size_t mask = places_.size() - 1;
        auto hole = static_cast<std::size_t>(block - places_.data());
        for (std::size_t at = (hole + 1) & mask; places_[at].address != 0; at = (at + 1) & mask) {
            const std::size_t choice = first_choice(places_[at].address);
            if (((at - choice) & mask) >= ((at - hole) & mask)) {
                places_[hole] = places_[at];
                hole = at;
            }
        }
        places_[hole].address = 0;
        --size_;
    }

private:
    static constexpr std::size_t first_places = std::size_t{1} << 12;

    [[nodiscard]] std::size_t first_choice(std::uint64_t address) const noexcept {
        return static_cast<std::size_t>((address >> 3) * 0x9e3779b97f4a7c15U >> shift_);
    }

    void grow() {
        std::vector<live_block> old(places_.size() * 2);
        old.swap(places_);
        --shift_;
        for (const live_block& block : old) {
            if (block.address == 0) {
                continue;
            }
            std::size_t at = first_choice(block.address);
            while (places_[at].address != 0) {
                at = (at + 1) & (places_.size() - 1);
            }
            places_[at] = block;
        }
    }

    std::vector<live_block> places_;
    std::size_t size_ = 0;
    int shift_;
};

} // namespace mallard::advisor
