#include "equipment/slots_on_ledger.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/impl/slab/address_heap.hpp>
#include <mallard/impl/slab/bitmap_slots.hpp>
#include <mallard/impl/slab/fullness_buckets.hpp>
#include <mallard/impl/slab/supply.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <random>
#include <vector>

namespace {

using slots_type = mallard::slab::bitmap_slots<mallard::slab::address_heap<mallard::slab::slab_header>>;

constexpr std::size_t slab_bytes = 4096;
constexpr mallard::slab::slab_geometry geometry = mallard::slab::whole_slabs(64, slab_bytes);

class slab_supply : public ::testing::Test, protected equipment::slots_on_ledger<slots_type> {
protected:
    slab_supply() : slots_on_ledger(geometry) {}
};

TEST_F(slab_supply, ask_for_nothing_before_they_grow) {
    EXPECT_EQ(slots.pop(), nullptr);
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(slots.chunks(), 0U);
}

TEST_F(slab_supply, take_larger_chunks_every_time_but_none_of_half_the_largest_size) {
    pop(6000);
    const std::size_t expected[] = {1, 2, 4, 8, 32, 32};
    ASSERT_GE(source.granted().size(), std::size(expected));
    for (std::size_t i = 0; i != std::size(expected); ++i) {
        EXPECT_EQ(source.granted()[i].bytes, expected[i] * slab_bytes);
        EXPECT_EQ(source.granted()[i].alignment, slab_bytes);
    }
    EXPECT_EQ(slots.grants(), source.granted().size());
    EXPECT_EQ(slots.chunk_bytes(), source.outstanding_bytes());
}

TEST_F(slab_supply, waste_nothing_between_blocks) {
    const std::size_t usable = slab_bytes / 64 - 3;
    pop(15 * usable);
    EXPECT_EQ(source.granted().size(), 4U) << "1 + 2 + 4 + 8 blocks, each of which has metadata";
}

TEST_F(slab_supply, give_every_empty_chunk_but_a_small_one_back_whatever_the_order) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        std::vector<void*> all = pop(10'000);
        std::shuffle(all.begin(), all.end(), std::mt19937(seed));
        push(all);
        EXPECT_LE(source.outstanding_bytes(), slab_bytes) << "seed " << seed;
        EXPECT_EQ(slots.chunk_bytes(), source.outstanding_bytes());
    }
}

TEST_F(slab_supply, keep_a_spare_chunk_of_an_eighth_so_that_the_border_costs_nothing) {
    pop(40'000);
    push(pop(4000));
    const std::size_t before = source.granted().size();
    for (int i = 0; i < 100; ++i) {
        push(pop(1500));
    }
    EXPECT_LE(source.granted().size(), before + 1) << "one chunk comes and goes, and is kept";
}

TEST_F(slab_supply, give_back_what_is_empty_where_asked) {
    std::vector<void*> all = pop(100);
    void* const stays = all.front();
    all.erase(all.begin());
    push(all);
    slots.trim(source);
    EXPECT_EQ(source.outstanding(), 1U) << "the chunk of the one that stays";
    push(stays);
    slots.trim(source);
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(slots.chunks(), 0U);
    pop();
    EXPECT_EQ(source.granted().back().bytes, slab_bytes) << "it begins with a small chunk again";
}

TEST_F(slab_supply, forget_a_chunk_that_went_back_before_all_of_its_blocks_were_used) {
    pop(slab_bytes / 64 - 3);
    push(pop());
    EXPECT_EQ(source.granted().size(), 2U);
    EXPECT_EQ(source.outstanding(), 1U) << "one of two blocks was used, and the chunk was empty again";
    pop(2);
    EXPECT_EQ(source.granted().size(), 3U);
}

TEST_F(slab_supply, use_the_rest_of_a_chunk_after_another_one_went_back) {
    const std::size_t usable = slab_bytes / 64 - 3;
    const std::vector<void*> first = pop(usable);
    pop();
    push(first);
    slots.trim(source);
    EXPECT_EQ(source.outstanding(), 1U);
    pop(2 * usable - 1);
    EXPECT_EQ(source.granted().size(), 2U) << "two blocks are in the chunk that is left";
}

using by_fullness = mallard::slab::fullness_buckets<mallard::slab::slab_header>;

/// Slots of slabs that are divided into sub-slabs.
class divided_slabs : public ::testing::Test,
                      protected equipment::slots_on_ledger<mallard::slab::bitmap_slots<by_fullness, true>> {
protected:
    static constexpr std::size_t slot_bytes = 40;
    divided_slabs() : slots_on_ledger(mallard::slab::divided_slabs(slot_bytes, 256, 5)) {}
};

TEST_F(divided_slabs, find_the_metadata_of_each_slot_and_keep_slots_apart) {
    std::mt19937 order(1);
    for (int round = 0; round < 3; ++round) {
        std::vector<void*> all = pop(1500);
        std::shuffle(all.begin(), all.end(), order);
        for (std::size_t i = 0; i != all.size(); ++i) {
            std::memset(all[i], static_cast<int>(i % 251), slot_bytes);
        }
        for (std::size_t i = 0; i != all.size(); ++i) {
            const auto* const bytes = static_cast<const unsigned char*>(all[i]);
            ASSERT_TRUE(
                std::all_of(bytes, bytes + slot_bytes, [i](unsigned char byte) { return byte == i % 251; }));
        }
        push(all);
        EXPECT_LE(source.outstanding_bytes(), slots.geometry().slab_bytes);
    }
}

#ifdef __cpp_exceptions
TEST_F(slab_supply, are_as_they_were_where_the_upstream_has_nothing) {
    pop();
    source.fail({.at = 1, .for_ever = true});
    while (slots.pop() != nullptr) {
    }
    EXPECT_THROW(slots.grow(source), std::bad_alloc);
    EXPECT_EQ(slots.pop(), nullptr);
    EXPECT_EQ(slots.chunks(), 1U);
    source.fail({.at = 0});
    pop(100);
}
#endif

} // namespace
