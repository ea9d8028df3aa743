#include "equipment/slots_on_ledger.hpp"

#include <mallard/core/address_heap.hpp>
#include <mallard/core/aligned_blocks.hpp>
#include <mallard/core/alignment.hpp>
#include <mallard/core/bitmap_slots.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <random>
#include <vector>

namespace {

using slots_type = mallard::bitmap_slots<mallard::address_heap<mallard::slot_block>>;

constexpr std::size_t block_bytes = 4096;
constexpr mallard::slot_geometry geometry = mallard::whole_blocks(64, block_bytes, mallard::slot_books::bits);

class aligned_blocks : public ::testing::Test, protected equipment::slots_on_ledger<slots_type> {
protected:
    aligned_blocks() : slots_on_ledger(geometry) {}
};

TEST_F(aligned_blocks, ask_for_nothing_before_they_grow) {
    EXPECT_EQ(slots.pop(), nullptr);
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(slots.chunks(), 0U);
}

TEST_F(aligned_blocks, take_larger_chunks_every_time_but_none_of_half_the_largest_size) {
    pop(6000);
    const std::size_t expected[] = {1, 2, 4, 8, 32, 32};
    ASSERT_GE(source.granted().size(), std::size(expected));
    for (std::size_t i = 0; i != std::size(expected); ++i) {
        EXPECT_EQ(source.granted()[i].bytes, expected[i] * block_bytes);
        EXPECT_EQ(source.granted()[i].alignment, block_bytes);
    }
    EXPECT_EQ(slots.grants(), source.granted().size());
    EXPECT_EQ(slots.chunk_bytes(), source.outstanding_bytes());
}

TEST_F(aligned_blocks, waste_nothing_between_blocks) {
    const std::size_t usable = block_bytes / 64 - 3;
    pop(15 * usable);
    EXPECT_EQ(source.granted().size(), 4U) << "1 + 2 + 4 + 8 blocks, each of which has books";
}

TEST_F(aligned_blocks, give_every_empty_chunk_but_a_small_one_back_whatever_the_order) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        std::vector<void*> all = pop(10'000);
        std::shuffle(all.begin(), all.end(), std::mt19937(seed));
        push(all);
        EXPECT_LE(source.outstanding_bytes(), block_bytes) << "seed " << seed;
        EXPECT_EQ(slots.chunk_bytes(), source.outstanding_bytes());
    }
}

TEST_F(aligned_blocks, keep_a_spare_chunk_of_an_eighth_so_that_the_border_costs_nothing) {
    pop(40'000);
    push(pop(4000));
    const std::size_t before = source.granted().size();
    for (int i = 0; i < 100; ++i) {
        push(pop(1500));
    }
    EXPECT_LE(source.granted().size(), before + 1) << "one chunk comes and goes, and is kept";
}

TEST_F(aligned_blocks, give_back_what_is_empty_where_asked) {
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
    EXPECT_EQ(source.granted().back().bytes, block_bytes) << "it begins with a small chunk again";
}

#ifdef __cpp_exceptions
TEST_F(aligned_blocks, are_as_they_were_where_the_upstream_has_nothing) {
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
