/// The geometry of a slab: the places of its slots and of its metadata.
///
///     a slab:        [c| 0 | 1 | ... | 7 ][ header | bits | summary ][ 13 | 14 | ... | n - 1 |.]
///                     ^ of a chunk's first slab only                                          ^ a remainder
///     sub-slabs:     [h c metadata | 8 | 9 | ... ][h| 41 | 42 | ... ][h| 83 | ...     ]
///                     ^ address of the metadata     ^ again            ^ again
///
/// A slab begins at a multiple of its own size, a power of two, so that masking the address of a slot finds it.
/// Slot i lies at i times the slot size from there, even if the metadata lie on it: then it is never given out.
/// So the number of a slot is a quotient, for any place of the metadata.
///
/// If all metadata stood at the beginning of their slabs, they would share a few sets of the cache, which hold
/// some dozens of them. So their place depends on bits of the slab's address, which costs a multiplication and no
/// memory. The bits of slabs of 128 KiB and more have separate pages: the first write comes when a slot is
/// freed, and a slab without a deallocation has no such page.
///
/// A slab that is divided into sub-slabs need not be a power of two in size, and needs the alignment of a
/// sub-slab only. Each sub-slab begins with the address of the metadata, so that finding them takes another read.
/// Slabs and sub-slabs follow one another without a gap.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 3 (slabs found
/// by masking, sub-slabs); J. Bonwick, "The slab allocator", USENIX 1994 (colouring).
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/utility.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace mallard::slab { inline namespace MALLARD_MODE {

/// Numbers [first, end) of slots.
struct slot_range {
    std::uint32_t first = 0;
    std::uint32_t end = 0;

    /// Returns: the bits of the slots of the range among slots 64 `word` to 64 `word` + 63.
    [[nodiscard]] constexpr std::uint64_t bits(std::uint32_t word) const noexcept {
        const std::uint32_t begin = word * 64;
        if (end <= begin || first >= begin + 64) {
            return 0;
        }
        const std::uint64_t from = ~std::uint64_t{0} << (first > begin ? first - begin : 0);
        return end - begin >= 64 ? from : from & ((std::uint64_t{1} << (end - begin)) - 1);
    }
};

/// The bytes of a slab's header (impl/slab/header.hpp).
inline constexpr std::size_t slab_header_bytes = 64;
/// The bytes at the beginning of a chunk's first slab for the header of the chunk.
inline constexpr std::size_t chunk_header_bytes = 64;

struct slab_geometry {
    std::uint64_t reciprocal = 0; ///< of the slot size, times 2^32, rounded up
    std::uint32_t slot_bytes = 0;
    std::uint32_t slots = 0;          ///< of a slab, those under the metadata counted too
    std::uint32_t slab_bytes = 0;     ///< from a slab to the next
    std::uint32_t alignment = 0;      ///< the mask of addresses: alignment of a slab, or of a sub-slab
    std::uint32_t metadata_bytes = 0; ///< header, bits and summary
    std::uint32_t first_offset = 0;   ///< of the header from the beginning of the slab, at the least
    std::uint32_t gap_mask = 63;      ///< the bits begin at the next multiple of one more behind the header
    std::uint32_t colour_step = 0;
    std::uint32_t colour_mask = 0;
    std::uint32_t alignment_log2 = 0;
    bool divided = false; ///< into sub-slabs, each of which begins with the address of the metadata

    [[nodiscard]] constexpr std::uint32_t words() const noexcept { return (slots + 63) / 64; }
    [[nodiscard]] constexpr std::uint32_t summary_words() const noexcept { return (words() + 63) / 64; }

    /// Returns: the offset of the header in the slab at `address`.
    [[nodiscard]] constexpr std::size_t metadata_offset(std::uintptr_t address) const noexcept {
        return ((address >> alignment_log2) * colour_step & colour_mask) + first_offset;
    }

    /// Returns: the place of the bits behind the header at `header`, an address or an offset.
    [[nodiscard]] constexpr std::uintptr_t bits_at(std::uintptr_t header) const noexcept {
        return (header | gap_mask) + 1;
    }

    /// Returns: the slots under the bits and the summary behind a header at that offset.
    [[nodiscard]] constexpr slot_range under_bits(std::size_t header_offset) const noexcept {
        return touched_by(bits_at(header_offset), metadata_bytes - slab_header_bytes);
    }

    /// Returns: the number of the slot that begins `offset` bytes behind the slab's beginning.
    /// Requires: a slot begins there. The quotient of a multiple of the slot size below 2^32 is exact.
    [[nodiscard]] constexpr std::uint64_t slot_at(std::uint64_t offset) const noexcept {
        return offset * reciprocal >> 32;
    }

    /// Returns: the slots that the bytes [begin, begin + bytes) of a slab touch.
    [[nodiscard]] constexpr slot_range touched_by(std::size_t begin, std::size_t bytes) const noexcept {
        return {static_cast<std::uint32_t>(begin / slot_bytes),
                static_cast<std::uint32_t>((begin + bytes + slot_bytes - 1) / slot_bytes)};
    }

    /// Returns: the bits of slots 64 `word` to 64 `word` + 63 that may be given out. `header` are the slots under
    /// the header, `tail` those under the bits and the summary; `first` says whether the slab is the first of its
    /// chunk.
    [[nodiscard]] constexpr std::uint64_t usable(std::uint32_t word, slot_range header, slot_range tail,
                                                 bool first) const noexcept {
        std::uint64_t bits = slot_range{0, slots}.bits(word) & ~header.bits(word) & ~tail.bits(word);
        if (first) {
            bits &= ~touched_by(0, chunk_header_bytes).bits(word);
        }
        if (divided) {
            const std::size_t end = std::size_t{word + 1} * 64 * slot_bytes;
            for (std::size_t head = core::align_down(std::size_t{word} * 64 * slot_bytes, alignment);
                 head < end; head += alignment) {
                bits &= ~touched_by(head, sizeof(void*)).bits(word);
            }
        }
        return bits;
    }

    /// Returns: the fewest slots that a slab can give out, if it is not the first of its chunk.
    [[nodiscard]] constexpr std::uint32_t usable_slots() const noexcept {
        // Header and rest touch one slot more or less as their place varies.
        const auto at_most = [this](std::size_t begin, std::size_t bytes) {
            const auto first = static_cast<std::uint32_t>(begin / slot_bytes);
            return slot_range{first, first + touched_by(0, bytes).end + 1};
        };
        const slot_range header = at_most(first_offset, slab_header_bytes);
        const slot_range tail = at_most(bits_at(first_offset), metadata_bytes - slab_header_bytes);
        std::uint32_t sum = 0;
        for (std::uint32_t word = 0; word != words(); ++word) {
            sum += static_cast<std::uint32_t>(std::popcount(usable(word, header, tail, false)));
        }
        return sum;
    }

    /// Returns: the fewest slots that the first slab of a chunk can give out.
    [[nodiscard]] constexpr std::uint32_t usable_slots_of_first() const noexcept {
        const std::uint32_t usable = usable_slots();
        const std::uint32_t under_head = divided ? touched_by(0, sizeof(void*)).end : 0;
        return usable - core::min(usable, touched_by(0, chunk_header_bytes).end - under_head);
    }

    /// Returns: the most overhead of a slab, in percent of the slots that it can give out.
    [[nodiscard]] constexpr double overhead_percent() const noexcept {
        const double slot_area = static_cast<double>(usable_slots()) * slot_bytes;
        return usable_slots() == 0 ? 1e9 : (slab_bytes - slot_area) * 100 / slot_area;
    }
};

/// Returns: slab_geometry::reciprocal of slots of `slot_bytes` bytes.
[[nodiscard]] constexpr std::uint64_t scaled_reciprocal(std::size_t slot_bytes) noexcept {
    return ((std::uint64_t{1} << 32) + slot_bytes - 1) / slot_bytes;
}

/// Returns: the geometry of slabs of `slab_bytes` bytes, each at a multiple of its size.
/// Requires: `slab_bytes` is a power of two, from 1 KiB to 1 GiB, and holds two slots and the metadata. A pool
/// also needs a slot in usable_slots_of_first(): a slab without one would never become empty.
[[nodiscard]] constexpr slab_geometry undivided_slabs(std::size_t slot_bytes,
                                                      std::size_t slab_bytes) noexcept {
    constexpr std::size_t page_bytes = 4096;
    constexpr std::size_t worth_pages = std::size_t{128} << 10;

    slab_geometry g;
    g.slot_bytes = static_cast<std::uint32_t>(slot_bytes);
    g.reciprocal = scaled_reciprocal(slot_bytes);
    g.slots = static_cast<std::uint32_t>(slab_bytes / slot_bytes);
    g.slab_bytes = static_cast<std::uint32_t>(slab_bytes);
    g.alignment = g.slab_bytes;
    g.alignment_log2 = static_cast<std::uint32_t>(std::countr_zero(slab_bytes));
    g.first_offset = chunk_header_bytes;
    std::size_t unit = cache_line_bytes;
    std::size_t gap_bytes = 0;
    std::size_t bit_bytes = g.words() * sizeof(std::uint64_t);
    if (slab_bytes >= worth_pages) {
        // The header stands anywhere in a page, the bits in the next ones, the summary behind them.
        unit = page_bytes;
        gap_bytes = page_bytes;
        g.gap_mask = page_bytes - 1;
        bit_bytes = core::align_up(bit_bytes, page_bytes);
    }
    g.metadata_bytes =
        static_cast<std::uint32_t>(slab_header_bytes + bit_bytes + g.summary_words() * sizeof(std::uint64_t));
    // Odd multiples of a line, so that all lines are used; with pages of bits, odd multiples of a page too.
    const std::size_t lines = core::align_up(g.metadata_bytes, unit) | unit;
    g.colour_step =
        static_cast<std::uint32_t>(unit == cache_line_bytes ? lines : lines + 5 * cache_line_bytes);
    const std::size_t places_bytes = slab_bytes - g.first_offset - gap_bytes - g.metadata_bytes;
    g.colour_mask = static_cast<std::uint32_t>((std::bit_floor(places_bytes) - 1) & ~(cache_line_bytes - 1));
    return g;
}

/// Returns: the geometry of the smallest whole slabs of at least `least_slots` slots.
[[nodiscard]] constexpr slab_geometry slabs_for(std::size_t slot_bytes, std::size_t least_slots) noexcept {
    std::size_t slab_bytes = std::bit_ceil(core::max<std::size_t>(least_slots * slot_bytes, 1024));
    while (undivided_slabs(slot_bytes, slab_bytes).usable_slots_of_first() < least_slots) {
        slab_bytes *= 2;
    }
    return undivided_slabs(slot_bytes, slab_bytes);
}

/// Returns: the geometry of slabs of at least `least_slots` slots, divided into the smallest sub-slabs with at
/// most `overhead_percent` overhead, or into the largest if none is small enough.
[[nodiscard]] constexpr slab_geometry divided_slabs(std::size_t slot_bytes, std::size_t least_slots,
                                                    std::size_t overhead_percent) noexcept {
    constexpr std::size_t largest_sub_slab = std::size_t{1} << 20;

    slab_geometry g;
    g.slot_bytes = static_cast<std::uint32_t>(slot_bytes);
    g.reciprocal = scaled_reciprocal(slot_bytes);
    g.first_offset = static_cast<std::uint32_t>(chunk_header_bytes);
    g.divided = true;
    for (std::size_t sub_slab = std::bit_ceil(core::max<std::size_t>(4 * slot_bytes, 512));
         sub_slab <= largest_sub_slab; sub_slab *= 2) {
        g.alignment = static_cast<std::uint32_t>(sub_slab);
        g.alignment_log2 = static_cast<std::uint32_t>(std::countr_zero(sub_slab));
        std::size_t count = (least_slots * slot_bytes + sub_slab - 1) / sub_slab;
        for (std::size_t missing = 1; missing != 0; count += missing * slot_bytes / sub_slab + 1) {
            g.slab_bytes = static_cast<std::uint32_t>(count * sub_slab);
            g.slots = static_cast<std::uint32_t>(g.slab_bytes / slot_bytes);
            g.metadata_bytes = static_cast<std::uint32_t>(
                slab_header_bytes + (g.words() + g.summary_words()) * sizeof(std::uint64_t));
            missing = least_slots - core::min<std::size_t>(least_slots, g.usable_slots_of_first());
        }
        const bool metadata_fits = g.first_offset + g.metadata_bytes <= sub_slab;
        if (metadata_fits && g.overhead_percent() <= static_cast<double>(overhead_percent)) {
            break;
        }
    }
    return g;
}

}} // namespace mallard::slab::MALLARD_MODE
