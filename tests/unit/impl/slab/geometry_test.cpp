#include <mallard/impl/slab/geometry.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace {

using mallard::slab::slab_geometry;
using mallard::slab::slot_range;

constexpr std::size_t kib = 1024;

TEST(slot_range, bits_cover_slots) {
    const slot_range range{60, 130};
    EXPECT_EQ(range.bits(0), std::uint64_t{0xF} << 60);
    EXPECT_EQ(range.bits(1), ~std::uint64_t{0});
    EXPECT_EQ(range.bits(2), 3U);
    EXPECT_EQ(range.bits(3), 0U);
    EXPECT_EQ((slot_range{64, 64}.bits(1)), 0U);
    EXPECT_EQ((slot_range{0, 64}.bits(0)), ~std::uint64_t{0});
    EXPECT_EQ((slot_range{5, 7}.bits(0)), 0x60U);
    EXPECT_EQ(slot_range{}.bits(0), 0U);
}

bool overlap(std::size_t begin, std::size_t end, std::size_t other_begin, std::size_t other_end) {
    return begin < other_end && other_begin < end;
}

/// The slots are those that overlap neither the metadata nor anything else in a block.
void expect_all_but_overlaps(const slab_geometry& g, std::uintptr_t address, bool first) {
    const std::size_t metadata = g.divided ? g.first_offset : g.metadata_offset(address);
    const std::size_t header_end = metadata + mallard::slab::slab_header_bytes;
    const std::size_t tail = g.bits_at(metadata);
    const std::size_t tail_end = tail + g.metadata_bytes - mallard::slab::slab_header_bytes;
    ASSERT_LE(tail_end, g.slab_bytes);
    ASSERT_EQ(metadata % 64, 0U);
    ASSERT_GE(tail, header_end);
    const slot_range header = g.touched_by(metadata, mallard::slab::slab_header_bytes);
    std::uint32_t usable = 0;
    for (std::uint32_t slot = 0; slot != g.words() * 64; ++slot) {
        const std::size_t begin = std::size_t{slot} * g.slot_bytes;
        const std::size_t end = begin + g.slot_bytes;
        const bool is_whole = !g.divided || (begin % g.alignment >= sizeof(void*) &&
                                             begin % g.alignment + g.slot_bytes <= g.alignment);
        const bool is_free = end <= g.slab_bytes && is_whole && !overlap(begin, end, metadata, header_end) &&
                             !overlap(begin, end, tail, tail_end) &&
                             !(first && overlap(begin, end, 0, mallard::slab::chunk_header_bytes));
        const bool is_usable =
            (g.usable(slot / 64, header, g.under_bits(metadata), first) >> slot % 64 & 1) != 0;
        ASSERT_EQ(is_usable, is_free) << "slot " << slot;
        ASSERT_EQ(g.slot_at(begin), slot);
        usable += is_usable;
    }
    if (!first) {
        ASSERT_GE(usable, g.usable_slots());
        ASSERT_LE(usable, g.usable_slots() + 3) << "the metadata vary by a few slots";
    }
}

TEST(slab_geometry, slots_avoid_metadata_of_undivided_slabs) {
    for (const std::size_t slot_bytes : {1U, 2U, 4U, 12U, 16U, 24U, 64U}) {
        for (const std::size_t slab_bytes : {4 * kib, 64 * kib, 128 * kib}) {
            const slab_geometry g = mallard::slab::undivided_slabs(slot_bytes, slab_bytes);
            for (std::uintptr_t slab = 0; slab != 5; ++slab) {
                expect_all_but_overlaps(g, slab * slab_bytes, slab == 0);
            }
        }
    }
}

TEST(slab_geometry, slots_avoid_sub_slab_headers) {
    for (const std::size_t slot_bytes : {8U, 12U, 24U, 40U, 100U, 1024U}) {
        for (const std::size_t nodes : {1U, 16U, 256U, 5000U}) {
            const slab_geometry g = mallard::slab::divided_slabs(slot_bytes, nodes, 2);
            expect_all_but_overlaps(g, 0, true);
            expect_all_but_overlaps(g, 0, false);
        }
    }
}

/// Returns: the number of slots of the block at `address` that can be given out.
std::size_t slots_to_give_out(const slab_geometry& g, std::uintptr_t address, bool first) {
    const std::size_t metadata = g.divided ? g.first_offset : g.metadata_offset(address);
    const slot_range header = g.touched_by(metadata, mallard::slab::slab_header_bytes);
    std::size_t sum = 0;
    for (std::uint32_t word = 0; word != g.words(); ++word) {
        sum += static_cast<std::size_t>(std::popcount(g.usable(word, header, g.under_bits(metadata), first)));
    }
    return sum;
}

TEST(slab_geometry, first_slab_has_requested_slots) {
    for (const std::size_t least : {1U, 2U, 7U, 16U, 64U, 256U}) {
        for (std::size_t slot_bytes = 8; slot_bytes <= 1024; slot_bytes += 4) {
            const slab_geometry geometry = mallard::slab::slabs_for(slot_bytes, least);
            const slab_geometry divided = mallard::slab::divided_slabs(slot_bytes, least, 5);
            for (std::uintptr_t slab = 0; slab != 32; ++slab) {
                ASSERT_GE(slots_to_give_out(geometry, slab * geometry.slab_bytes, true), least) << slot_bytes;
            }
            ASSERT_GE(slots_to_give_out(divided, 0, true), least) << slot_bytes;
        }
    }
}

TEST(slab_geometry, places_metadata_in_many_sets_of_the_cache) {
    const slab_geometry g = mallard::slab::undivided_slabs(32, 64 * kib);
    std::set<std::size_t> offsets;
    for (std::uintptr_t slab = 0; slab != 512; ++slab) {
        offsets.insert(g.metadata_offset(slab * 64 * kib));
    }
    EXPECT_EQ(offsets.size(), 512U) << "the places are used before one is used again";
}

TEST(slab_geometry, bitmaps_use_own_pages_from_128_kib) {
    const slab_geometry large = mallard::slab::undivided_slabs(16, 128 * kib);
    const slab_geometry small = mallard::slab::undivided_slabs(16, 64 * kib);
    for (std::uintptr_t slab = 0; slab != 16; ++slab) {
        EXPECT_EQ(large.bits_at(large.metadata_offset(slab * large.slab_bytes)) % 4096, 0U);
        const std::size_t header = small.metadata_offset(slab * small.slab_bytes);
        EXPECT_EQ(small.bits_at(header), header + mallard::slab::slab_header_bytes);
    }
    EXPECT_EQ(large.metadata_bytes, 64 + 4096 + large.summary_words() * 8);
    EXPECT_EQ(small.metadata_bytes, 64 + (small.words() + small.summary_words()) * 8);
}

TEST(slab_geometry, respects_overhead_limit) {
    for (std::size_t slot_bytes = 8; slot_bytes <= 1024; slot_bytes += 4) {
        for (const std::size_t percent : {2U, 5U, 20U}) {
            const slab_geometry g = mallard::slab::divided_slabs(slot_bytes, 256, percent);
            ASSERT_LE(g.overhead_percent(), static_cast<double>(percent)) << slot_bytes;
            ASSERT_GE(g.usable_slots(), 256U) << slot_bytes;
        }
    }
}

TEST(slab_geometry, reports_overhead) {
    std::set<std::uint32_t> seen;
    for (std::size_t slot_bytes = 8; slot_bytes <= 512; slot_bytes += 4) {
        const slab_geometry g = mallard::slab::undivided_slabs(slot_bytes, kib);
        const std::uint32_t slots = g.usable_slots();
        seen.insert(slots);
        const double usable = static_cast<double>(slots) * g.slot_bytes;
        const double overhead = usable * g.overhead_percent() / 100;
        if (slots != 0) {
            ASSERT_NEAR(usable + overhead, static_cast<double>(kib), 1e-6) << slot_bytes;
        } else {
            ASSERT_GE(g.overhead_percent(), 1e9) << slot_bytes;
        }
    }
    EXPECT_TRUE(seen.contains(0) && seen.contains(1) && seen.contains(2));
}

/// A change of these changes the memory of a pool, and its time by the sets of the caches.
TEST(slab_geometry, of_undivided_slabs_is_known) {
    struct {
        std::size_t slot_bytes, slab_bytes;
        std::uint32_t metadata_bytes, colour_step, colour_mask, usable, usable_of_first;
    } const known[] = {
        {1, 1024, 200, 320, 448, 823, 759},
        {8, 4096, 136, 192, 1984, 494, 486},
        {24, 65536, 416, 448, 32704, 2711, 2708},
        {16, 131072, 4176, 12608, 65472, 7929, 7925},
        {4, 1048576, 33344, 37184, 524224, 253806, 253790},
    };
    for (const auto& expected : known) {
        const slab_geometry g = mallard::slab::undivided_slabs(expected.slot_bytes, expected.slab_bytes);
        SCOPED_TRACE(::testing::Message() << expected.slot_bytes << ", " << expected.slab_bytes);
        EXPECT_EQ(g.slots, expected.slab_bytes / expected.slot_bytes);
        EXPECT_EQ(g.slab_bytes, expected.slab_bytes);
        EXPECT_EQ(g.metadata_bytes, expected.metadata_bytes);
        EXPECT_EQ(g.colour_step, expected.colour_step);
        EXPECT_EQ(g.colour_mask, expected.colour_mask);
        EXPECT_EQ(g.usable_slots(), expected.usable);
        EXPECT_EQ(g.usable_slots_of_first(), expected.usable_of_first);
    }
}

TEST(slab_geometry, of_divided_slabs_is_known) {
    struct {
        std::size_t slot_bytes, least_slots, overhead_percent;
        std::uint32_t slab_bytes, alignment, metadata_bytes, usable, usable_of_first;
    } const known[] = {
        {8, 1, 2, 32768, 32768, 584, 4021, 4014},     {8, 256, 5, 4096, 2048, 136, 492, 485},
        {24, 256, 2, 16384, 16384, 160, 673, 671},    {24, 256, 50, 6656, 512, 112, 258, 256},
        {40, 5000, 5, 209920, 1024, 736, 5023, 5022}, {512, 64, 0, 1048576, 1048576, 328, 2046, 2046},
    };
    for (const auto& expected : known) {
        const slab_geometry g = mallard::slab::divided_slabs(expected.slot_bytes, expected.least_slots,
                                                             expected.overhead_percent);
        SCOPED_TRACE(::testing::Message() << expected.slot_bytes << ", " << expected.least_slots);
        EXPECT_EQ(g.slab_bytes, expected.slab_bytes);
        EXPECT_EQ(g.slots, expected.slab_bytes / expected.slot_bytes);
        EXPECT_EQ(g.alignment, expected.alignment);
        EXPECT_EQ(g.metadata_bytes, expected.metadata_bytes);
        EXPECT_EQ(g.usable_slots(), expected.usable);
        EXPECT_EQ(g.usable_slots_of_first(), expected.usable_of_first);
    }
}

TEST(slab_geometry, is_of_the_smallest_sufficient_slabs) {
    EXPECT_EQ(mallard::slab::slabs_for(8, 108).slab_bytes, kib);
    EXPECT_EQ(mallard::slab::slabs_for(8, 109).slab_bytes, 2 * kib);
    EXPECT_EQ(mallard::slab::slabs_for(64, 0).slab_bytes, kib);
    EXPECT_EQ(mallard::slab::slabs_for(1000, 2).slab_bytes, 8 * kib);
}

} // namespace
