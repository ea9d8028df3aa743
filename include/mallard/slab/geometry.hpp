/// Where the slots of one size and the books of them lie in an aligned block.
///
///     one block:     [c| 0 | 1 | ... | 7 ][ header | bits | summary ][ 13 | 14 | ... | n - 1 |.]
///                     ^ of a chunk's first block only                                          ^ a remainder
///     sub-blocks:    [h c books | 8 | 9 | ... ][h| 41 | 42 | ... ][h| 83 | ...     ]
///                     ^ address of the books    ^ the same          ^ the same
///
/// A block begins at a multiple of its own size, a power of two, so that masking the address of a slot finds
/// it. Slot i lies at i times the slot size from there, whether the books lie in front of it, behind it, or
/// on it: then it is never given out. So the number of a slot is a quotient, wherever the books are.
///
/// If all books stood at the beginning of their blocks, they would fall into a few sets of the cache, in
/// which there is room for some dozens of them. So where they stand depends on bits of the block's address,
/// which costs a multiplication and no memory. The bits of blocks of 128 KiB and more have whole pages of
/// their own: they are first written to when a slot is freed, and a block from which nothing was ever freed
/// has none.
///
/// A block that is divided into sub-blocks need not be a power of two in size, and needs the alignment of a
/// sub-block only. Each sub-block begins with the address of the books, so that finding them takes another
/// read. Blocks and sub-blocks can follow one another without anything between them.
///
/// Source: Gaztañaga, "Applying classic memory allocation strategies to C++ containers", chapter 3 (blocks
/// found by masking, sub-blocks); J. Bonwick, "The slab allocator", USENIX 1994 (colouring).
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mallard::slab::inline MALLARD_MODE {

/// Numbers [first, end) of slots.
struct slot_range {
    std::uint32_t first = 0;
    std::uint32_t end = 0;

    /// Returns: the bits of those among slots 64 `word` to 64 `word` + 63 that are in the range.
    [[nodiscard]] constexpr std::uint64_t bits(std::uint32_t word) const noexcept {
        const std::uint32_t begin = word * 64;
        if (end <= begin || first >= begin + 64) {
            return 0;
        }
        const std::uint64_t from = ~std::uint64_t{0} << (first > begin ? first - begin : 0);
        return end - begin >= 64 ? from : from & ((std::uint64_t{1} << (end - begin)) - 1);
    }
};

/// What the books of a block begin with, in bytes (slab/supply.hpp).
inline constexpr std::size_t slab_header_bytes = 64;
/// What the first block of a chunk has to spare for the books of the chunk, at its beginning.
inline constexpr std::size_t chunk_header_bytes = 64;

struct slab_geometry {
    std::uint64_t reciprocal = 0; ///< of the slot size, times 2^32, rounded up
    std::uint32_t slot_bytes = 0;
    std::uint32_t slots = 0;          ///< of a block, those under the books counted too
    std::uint32_t block_bytes = 0;    ///< from a block to the next
    std::uint32_t alignment = 0;      ///< what addresses are masked with: that of a block, or of a sub-block
    std::uint32_t metadata_bytes = 0; ///< header, bits and summary
    std::uint32_t first_offset = 0;   ///< of the header from the beginning of the block, at the least
    std::uint32_t gap_mask = 63;      ///< the bits begin at the next multiple of one more behind the header
    std::uint32_t colour_step = 0;
    std::uint32_t colour_mask = 0;
    std::uint32_t alignment_log2 = 0;
    bool divided = false; ///< into sub-blocks, each of which begins with the address of the books

    [[nodiscard]] constexpr std::uint32_t words() const noexcept { return (slots + 63) / 64; }
    [[nodiscard]] constexpr std::uint32_t summary_words() const noexcept { return (words() + 63) / 64; }

    /// Returns: how far from its beginning the block at `address` has the header of its books.
    [[nodiscard]] constexpr std::size_t metadata_offset(std::uintptr_t address) const noexcept {
        return ((address >> alignment_log2) * colour_step & colour_mask) + first_offset;
    }

    /// Returns: where the bits are of the books whose header is at `header`, an address or an offset.
    [[nodiscard]] constexpr std::uintptr_t bits_at(std::uintptr_t header) const noexcept {
        return (header | gap_mask) + 1;
    }

    /// Returns: the slots under the bits and the summary of books whose header has that offset.
    [[nodiscard]] constexpr slot_range under_bits(std::size_t header_offset) const noexcept {
        return touched_by(bits_at(header_offset), metadata_bytes - slab_header_bytes);
    }

    /// Returns: the number of the slot that begins `offset` bytes behind the block's beginning.
    /// Requires: a slot begins there. The quotient of a multiple of the slot size below 2^32 is exact.
    [[nodiscard]] constexpr std::uint64_t slot_at(std::uint64_t offset) const noexcept {
        return offset * reciprocal >> 32;
    }

    /// Returns: the slots that the bytes [begin, begin + bytes) of a block touch.
    [[nodiscard]] constexpr slot_range touched_by(std::size_t begin, std::size_t bytes) const noexcept {
        return {static_cast<std::uint32_t>(begin / slot_bytes),
                static_cast<std::uint32_t>((begin + bytes + slot_bytes - 1) / slot_bytes)};
    }

    /// Returns: the bits of those of slots 64 `word` to 64 `word` + 63 that may be given out. `header` are
    /// the slots under the header of the books, `rest` those under the bits and the summary; `first` tells
    /// whether the block is the first of its chunk.
    [[nodiscard]] constexpr std::uint64_t usable(std::uint32_t word, slot_range header, slot_range rest,
                                                 bool first) const noexcept {
        std::uint64_t bits = slot_range{0, slots}.bits(word) & ~header.bits(word) & ~rest.bits(word);
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

    /// Returns: how many slots of a block can be given out, at the least; one that is not the first of its
    /// chunk.
    [[nodiscard]] constexpr std::uint32_t usable_slots() const noexcept {
        // Both parts of the books touch one slot more, or one less, as their place varies.
        const auto at_most = [this](std::size_t begin, std::size_t bytes) {
            const auto first = static_cast<std::uint32_t>(begin / slot_bytes);
            return slot_range{first, first + touched_by(0, bytes).end + 1};
        };
        const slot_range header = at_most(first_offset, slab_header_bytes);
        const slot_range rest = at_most(bits_at(first_offset), metadata_bytes - slab_header_bytes);
        std::uint32_t sum = 0;
        for (std::uint32_t word = 0; word != words(); ++word) {
            sum += static_cast<std::uint32_t>(std::popcount(usable(word, header, rest, false)));
        }
        return sum;
    }

    /// Returns: the same of a block that is the first of its chunk, and has the header of the chunk besides.
    [[nodiscard]] constexpr std::uint32_t usable_slots_of_first() const noexcept {
        const std::uint32_t usable = usable_slots();
        const std::uint32_t under_head = divided ? touched_by(0, sizeof(void*)).end : 0;
        return usable - std::min(usable, touched_by(0, chunk_header_bytes).end - under_head);
    }

    /// Returns: what of a block is not slots that can be given out, at the most, in percent of those slots.
    [[nodiscard]] constexpr double overhead_percent() const noexcept {
        const double given_out = static_cast<double>(usable_slots()) * slot_bytes;
        return usable_slots() == 0 ? 1e9 : (block_bytes - given_out) * 100 / given_out;
    }
};

/// Whether the books have a bit for each slot. Otherwise free slots are in lists, through themselves.
enum class slot_metadata : bool { lists, bits };

/// Returns: the geometry of blocks of `block_bytes` bytes, each with its own alignment.
/// Requires: `block_bytes` is a power of two, from 1 KiB to 1 GiB, and holds two slots and the books. A pool needs
/// usable_slots_of_first() besides: a block without a slot would never become empty.
[[nodiscard]] constexpr slab_geometry whole_slabs(std::size_t slot_bytes, std::size_t block_bytes,
                                                  slot_metadata metadata) noexcept {
    constexpr std::size_t page_bytes = 4096;
    constexpr std::size_t worth_pages = std::size_t{128} << 10;

    slab_geometry g;
    g.slot_bytes = static_cast<std::uint32_t>(slot_bytes);
    g.reciprocal = ((std::uint64_t{1} << 32) + slot_bytes - 1) / slot_bytes;
    g.slots = static_cast<std::uint32_t>(block_bytes / slot_bytes);
    g.block_bytes = static_cast<std::uint32_t>(block_bytes);
    g.alignment = g.block_bytes;
    g.alignment_log2 = static_cast<std::uint32_t>(std::countr_zero(block_bytes));
    g.metadata_bytes = slab_header_bytes;
    g.first_offset = chunk_header_bytes;
    std::size_t unit = cache_line_bytes;
    std::size_t gap_bytes = 0;
    if (metadata == slot_metadata::bits) {
        std::size_t bit_bytes = g.words() * sizeof(std::uint64_t);
        if (block_bytes >= worth_pages) {
            // The header stands anywhere in a page, the bits in the next ones, the summary behind them.
            unit = page_bytes;
            gap_bytes = page_bytes;
            g.gap_mask = page_bytes - 1;
            bit_bytes = core::align_up(bit_bytes, page_bytes);
        }
        g.metadata_bytes += static_cast<std::uint32_t>(bit_bytes + g.summary_words() * sizeof(std::uint64_t));
    }
    // Odd multiples of a line, so that all lines are used; with pages of bits, odd multiples of a page
    // besides.
    const std::size_t lines = core::align_up(g.metadata_bytes, unit) | unit;
    g.colour_step =
        static_cast<std::uint32_t>(unit == cache_line_bytes ? lines : lines + 5 * cache_line_bytes);
    const std::size_t places_bytes = block_bytes - g.first_offset - gap_bytes - g.metadata_bytes;
    g.colour_mask = static_cast<std::uint32_t>((std::bit_floor(places_bytes) - 1) & ~(cache_line_bytes - 1));
    return g;
}

/// Returns: the geometry of the smallest whole blocks of at least `least_slots` slots.
[[nodiscard]] constexpr slab_geometry blocks_of(std::size_t slot_bytes, std::size_t least_slots,
                                                slot_metadata metadata) noexcept {
    std::size_t block_bytes = std::bit_ceil(std::max<std::size_t>(least_slots * slot_bytes, 1024));
    while (whole_slabs(slot_bytes, block_bytes, metadata).usable_slots_of_first() < least_slots) {
        block_bytes *= 2;
    }
    return whole_slabs(slot_bytes, block_bytes, metadata);
}

/// Returns: the geometry of blocks of at least `least_slots` slots, divided into the smallest sub-blocks with
/// which the overhead is at most `overhead_percent`; where none are small enough for that, into the largest.
[[nodiscard]] constexpr slab_geometry divided_slabs(std::size_t slot_bytes, std::size_t least_slots,
                                                    std::size_t overhead_percent,
                                                    slot_metadata metadata) noexcept {
    constexpr std::size_t largest_sub_block = std::size_t{1} << 20;

    slab_geometry g;
    g.slot_bytes = static_cast<std::uint32_t>(slot_bytes);
    g.reciprocal = ((std::uint64_t{1} << 32) + slot_bytes - 1) / slot_bytes;
    g.first_offset = static_cast<std::uint32_t>(chunk_header_bytes);
    g.divided = true;
    for (std::size_t sub_block = std::bit_ceil(std::max<std::size_t>(4 * slot_bytes, 512));
         sub_block <= largest_sub_block; sub_block *= 2) {
        g.alignment = static_cast<std::uint32_t>(sub_block);
        g.alignment_log2 = static_cast<std::uint32_t>(std::countr_zero(sub_block));
        std::size_t count = (least_slots * slot_bytes + sub_block - 1) / sub_block;
        for (std::size_t missing = 1; missing != 0; count += missing * slot_bytes / sub_block + 1) {
            g.block_bytes = static_cast<std::uint32_t>(count * sub_block);
            g.slots = static_cast<std::uint32_t>(g.block_bytes / slot_bytes);
            g.metadata_bytes = static_cast<std::uint32_t>(slab_header_bytes);
            if (metadata == slot_metadata::bits) {
                g.metadata_bytes +=
                    static_cast<std::uint32_t>((g.words() + g.summary_words()) * sizeof(std::uint64_t));
            }
            missing = least_slots - std::min<std::size_t>(least_slots, g.usable_slots_of_first());
        }
        const bool metadata_fits = g.first_offset + g.metadata_bytes <= sub_block;
        if (metadata_fits && g.overhead_percent() <= static_cast<double>(overhead_percent)) {
            break;
        }
    }
    return g;
}

} // namespace mallard::slab::inline MALLARD_MODE
