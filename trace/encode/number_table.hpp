/// Finds numbers of things by what they are, for the encoder alone.
///
/// Data model: open addressing. A place has a number; 0 is an empty one. The things themselves are elsewhere, so the caller
/// says how they are hashed and compared.
#pragma once

#include "trace/large_memory.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mallard::trace {

constexpr std::uint64_t mixed_hash(std::uint64_t one, std::uint64_t other) noexcept {
    const std::uint64_t both = (one ^ other * 0x9e3779b97f4a7c15U) * 0xff51afd7ed558ccdU;
    return both ^ both >> 32;
}

class number_table {
public:
    /// Effects: the table is empty, and has room for so many.
    void begin(std::size_t most) {
        places_.assign(std::bit_ceil(most * 2 + 2), 0);
        mask_ = places_.size() - 1;
    }

    /// Effects: the table has room for `most`, if it had room for half of them.
    template <typename Hash>
    void make_room(std::size_t most, Hash hash_of) {
        if (most * 2 <= places_.size()) {
            return;
        }
        large_vector<std::uint32_t> larger(places_.size() * 2);
        mask_ = larger.size() - 1;
        for (const std::uint32_t number : places_) {
            if (number == 0) {
                continue;
            }
            std::size_t at = hash_of(number) & mask_;
            while (larger[at] != 0) {
                at = (at + 1) & mask_;
            }
            larger[at] = number;
        }
        places_.swap(larger);
    }

    /// Returns: the place of the number for which `is_it` is true, or the empty one where it belongs.
    template <typename Predicate>
    std::uint32_t& find(std::uint64_t hash, Predicate is_it) {
        std::size_t at = hash & mask_;
        while (places_[at] != 0 && !is_it(places_[at])) {
            at = (at + 1) & mask_;
        }
        return places_[at];
    }

    /// Effects: the place is empty.
    /// Requires: `hash_of` has the hash of each number in the table.
    template <typename Hash>
    void erase(std::uint32_t& place, Hash hash_of) {
        auto empty = static_cast<std::size_t>(&place - places_.data());
        for (std::size_t at = (empty + 1) & mask_; places_[at] != 0; at = (at + 1) & mask_) {
            const std::size_t home = hash_of(places_[at]) & mask_;
            // The number may move to the empty place if that is not in front of its home.
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
