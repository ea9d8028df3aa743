/// Blocks that are kept when they are freed, for the next requests of the scope: what a function does that owns a buffer.
///
/// Data model: places for one block each, which the bounded number of live blocks limits.
///
///     slice:   | place 0                              | place 1 | ...        the first slice of the arena
///     place:   | size | block ... ready_bytes | addresses that were not used yet |
///
/// A block begins at the front of its place, so that it can grow up to the end of the place without being copied. A
/// place that is too small gets slices of its own; the block that it had was freed.
/// Invariants: a place has at most one block. `ready_bytes` of a place are counted as memory of the region.
/// Bound: a place takes as much memory as its largest block, on whose sizes the next blocks do not depend.
#pragma once

#include "trial/serve/region.hpp"
#include "trial/serve/region_upstream.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mallard::trial {

/// Not thread-safe.
template <unsigned Places>
class kept_blocks {
public:
    static constexpr std::size_t largest_bytes = std::size_t{1} << 30;
    static constexpr std::size_t most_granules = 0; ///< each block has its size in front, because it may grow

    explicit kept_blocks(region_upstream& upstream) noexcept : upstream_(upstream) {
        std::byte* begin = upstream.first_slice();
        for (place& each : places_) {
            // Blocks whose addresses differ by a power of two would share a set of the processor's cache.
            const auto shift = static_cast<std::size_t>(&each - places_.data()) * shift_bytes;
            if (begin != nullptr) {
                each = {begin + shift, place_bytes - shift, 0};
                begin += place_bytes;
            }
        }
    }

    /// Returns: the largest request that allocate() serves; 0 if there is no free place.
    [[nodiscard]] std::size_t next_bytes() const noexcept {
        return free_ != 0 ? places_[next()].ready_bytes : 0;
    }

    /// Effects: makes the next place large enough.
    /// Returns: false if all places have blocks, or there is no memory.
    bool make_room(std::size_t bytes) noexcept {
        if (free_ == 0) {
            return false;
        }
        place& chosen = places_[next()];
        if (bytes > chosen.bytes) {
            const std::size_t slices = (std::bit_ceil(bytes) + region::slice_bytes - 1) / region::slice_bytes;
            std::byte* const begin = upstream_.take_slices(slices);
            if (begin == nullptr) {
                return false;
            }
            upstream_.give_back(chosen.begin, chosen.ready_bytes);
            chosen = {begin, slices * region::slice_bytes, 0};
        }
        return ready(chosen, bytes);
    }

    /// Requires: `bytes` is at most next_bytes().
    void* allocate(std::size_t /*bytes*/) noexcept {
        std::byte* const block = places_[next()].begin;
        free_ &= free_ - 1;
        return block;
    }

    void deallocate(void* block, std::size_t /*bytes*/) noexcept {
        free_ |= std::uint32_t{1} << (find(block) - places_.data());
    }

    /// Returns: true if the block has room for so many bytes where it is.
    bool resize(void* block, std::size_t bytes) noexcept {
        place* const its_place = find(block);
        return bytes <= its_place->bytes && ready(*its_place, bytes);
    }

private:
    static constexpr std::size_t place_bytes = region::slice_bytes / Places;
    static constexpr std::size_t shift_bytes = std::size_t{17} * 64;
    static constexpr std::size_t page_bytes = 4096;
    static_assert(Places <= 32);

    struct place {
        std::byte* begin = nullptr;
        std::size_t bytes = 0;
        std::size_t ready_bytes = 0; ///< of the largest block, rounded up to pages
    };

    /// The lowest free place, so that few places are in use.
    [[nodiscard]] unsigned next() const noexcept { return static_cast<unsigned>(std::countr_zero(free_)); }

    place* find(const void* block) noexcept {
        place* at = places_.data();
        while (at->begin != block) {
            ++at;
        }
        return at;
    }

    bool ready(place& chosen, std::size_t bytes) noexcept {
        if (bytes <= chosen.ready_bytes) {
            return true;
        }
        const std::size_t needed = std::min((bytes + page_bytes - 1) / page_bytes * page_bytes, chosen.bytes);
        if (!upstream_.reserves(needed - chosen.ready_bytes)) {
            return false;
        }
        chosen.ready_bytes = needed;
        return true;
    }

    region_upstream& upstream_;
    std::uint32_t free_ = Places == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << Places) - 1;
    std::array<place, Places> places_{};
};

} // namespace mallard::trial
