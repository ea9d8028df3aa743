/// Maps keys to numbers, for the encoder.
///
/// Data model: open addressing. A place has a number; 0 marks an empty one. The keys are stored elsewhere, so the caller
/// hashes and compares them.
#pragma once

#include "trace/large_memory.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mallard::trace {

constexpr std::uint64_t mixed_hash(std::uint64_t first, std::uint64_t second) noexcept {
    const std::uint64_t product = (first ^ second * 0x9e3779b97f4a7c15U) * 0xff51afd7ed558ccdU;
    return product ^ product >> 32;
}

class number_table {
public:
    /// Effects: empties the table, and makes room for `most` numbers.
    void begin(std::size_t most) {
        places_.assign(std::bit_ceil(most * 2 + 2), 0);
        mask_ = places_.size() - 1;
    }

    /// Effects: doubles the table if it has no room for `most` numbers.
    template <typename Hash>
    void make_room(std::size_t most, Hash hasher) {
        if (most * 2 <= places_.size()) {
            return;
        }
        large_vector<std::uint32_t> larger(places_.size() * 2);
        mask_ = larger.size() - 1;
        for (const std::uint32_t number : places_) {
            if (number == 0) {
                continue;
            }
            std::size_t at = hasher(number) & mask_;
            while (larger[at] != 0) {
                at = (at + 1) & mask_;
            }
            larger[at] = number;
        }
        places_.swap(larger);
    }

    /// Returns: the place of the number for which `matches` is true, or the empty place for it.
    template <typename Predicate>
    std::uint32_t& find(std::uint64_t hash, Predicate matches) {
        std::size_t at = hash & mask_;
        while (places_[at] != 0 && !matches(places_[at])) {
            at = (at + 1) & mask_;
        }
        return places_[at];
    }

    /// Effects: empties the place.
    /// Requires: `hasher` returns the hash of each number in the table.
    template <typename Hash>
    void erase(std::uint32_t& place, Hash hasher) {
        auto empty = static_cast<std::size_t>(&place - places_.data());
        for (std::size_t at = (empty + 1) & mask_; places_[at] != 0; at = (at + 1) & mask_) {
            const std::size_t home = hasher(places_[at]) & mask_;
            // The number may move to the empty place unless that is in front of its home.
            if (((at - home) & mask_) >= ((at - empty) & mask_)) {
                places_[empty] = places_[at];
                empty = at;
            }
        }
        places_[empty] = 0;
    }

private:
    large_vector<std::uint32_t> places_;
    std::size_t mask_ = 0;
};

} // namespace mallard::trace
