#include "equipment/slots_on_ledger.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/impl/slab/address_heap.hpp>
#include <mallard/impl/slab/bitmap_slots.hpp>
#include <mallard/impl/slab/fullness_buckets.hpp>
#include <mallard/impl/slab/supply.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

using slots_type = mallard::slab::bitmap_slots<mallard::slab::address_heap<mallard::slab::slab_header>>;

template <class Slots>
struct exposing : Slots {
    using Slots::only_in_use;
    using Slots::Slots;
};

constexpr std::size_t slab_bytes = 4096;
constexpr mallard::slab::slab_geometry geometry = mallard::slab::undivided_slabs(64, slab_bytes);

class slab_supply : public ::testing::Test, protected equipment::slots_on_ledger<slots_type> {
protected:
    slab_supply() : slots_on_ledger(geometry) {}
};

TEST_F(slab_supply, grow_chunks_up_to_half_limit) {
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

TEST_F(slab_supply, keep_spare_chunk_up_to_an_eighth) {
    pop(40'000);
    push(pop(4000));
    const std::size_t old_count = source.granted().size();
    for (int i = 0; i < 100; ++i) {
        push(pop(1500));
    }
    EXPECT_LE(source.granted().size(), old_count + 1) << "one chunk comes and goes, and is kept";
}

TEST_F(slab_supply, trim_returns_empty_chunks) {
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

TEST_F(slab_supply, forget_returned_partially_used_chunk) {
    pop(slab_bytes / 64 - 3);
    push(pop());
    EXPECT_EQ(source.granted().size(), 2U);
    EXPECT_EQ(source.outstanding(), 1U) << "one of two blocks was used, and the chunk was empty again";
    pop(2);
    EXPECT_EQ(source.granted().size(), 3U);
}

TEST_F(slab_supply, use_remaining_slabs_of_older_chunk) {
    const std::size_t usable = slab_bytes / 64 - 3;
    const std::vector<void*> first = pop(usable);
    pop();
    push(first);
    slots.trim(source);
    EXPECT_EQ(source.outstanding(), 1U);
    pop(2 * usable - 1);
    EXPECT_EQ(source.granted().size(), 2U) << "two blocks are in the chunk that is left";
}

class slots_in_use : public ::testing::Test, protected equipment::slots_on_ledger<exposing<slots_type>> {
protected:
    slots_in_use() : slots_on_ledger(geometry) {}
};

TEST_F(slots_in_use, have_a_last_one_after_slabs_were_emptied) {
    for (const std::size_t count : {2U, 100U, 1000U}) {
        std::vector<void*> all = pop(count);
        void* const last = all.front();
        void* const last_but_one = all.back();
        all.erase(all.begin());
        all.pop_back();
        push(all);
        EXPECT_FALSE(slots.only_in_use(last)) << count;
        push(last_but_one);
        EXPECT_TRUE(slots.only_in_use(last)) << count;
        push(last);
    }
}

} // namespace
