#include "equipment/slots_on_ledger.hpp"

#include <mallard/slab/address_heap.hpp>
#include <mallard/slab/bitmap_slots.hpp>
#include <mallard/slab/recent_slots.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using slots_type = mallard::slab::recent_slots<
    mallard::slab::bitmap_slots<mallard::slab::address_heap<mallard::slab::slab_header>>>;

constexpr mallard::slab::slab_geometry geometry =
    mallard::slab::whole_slabs(24, 4096, mallard::slab::slot_metadata::bits);

class recent_slots : public ::testing::Test, protected equipment::slots_on_ledger<slots_type> {
protected:
    recent_slots() : slots_on_ledger(geometry) {}
};

TEST_F(recent_slots, give_the_last_of_few_freed_first) {
    const std::vector<void*> all = pop(100);
    push({all[30], all[90], all[10]});
    EXPECT_EQ(pop(3), (std::vector<void*>{all[10], all[90], all[30]}));
}

TEST_F(recent_slots, give_the_lowest_of_many_freed) {
    std::vector<void*> all = pop(1000);
    push(all);
    pop(12);
    std::vector<void*> next = pop(100);
    EXPECT_TRUE(std::is_sorted(next.begin(), next.end()));
}

TEST_F(recent_slots, are_apart_and_go_back_when_they_are_trimmed) {
    std::mt19937 order(1);
    for (int round = 0; round < 5; ++round) {
        std::vector<void*> all = pop(3000);
        ASSERT_EQ(std::set<void*>(all.begin(), all.end()).size(), all.size());
        std::shuffle(all.begin(), all.end(), order);
        push(all);
        slots.trim(source);
        EXPECT_EQ(source.outstanding(), 0U);
    }
}

TEST_F(recent_slots, come_and_go_many_at_a_time) {
    push(pop(10));
    mallard::block_chain chain;
    slots.pop_many(1000, chain, source);
    EXPECT_EQ(chain.size(), 1000U);
    slots.push_many(std::move(chain), source);
    slots.trim(source);
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST_F(recent_slots, come_many_at_a_time_in_the_order_in_which_single_ones_would) {
    for (const std::size_t count : {1U, 2U, 3U, 4U, 50U}) {
        const std::vector<void*> all = pop(100);
        push({all[30], all[90], all[10]});
        mallard::block_chain chain;
        slots.pop_many(count, chain, source);
        ASSERT_EQ(chain.size(), count);
        std::vector<void*> taken;
        while (void* p = chain.pop_front()) {
            taken.push_back(p);
        }
        const std::vector<void*> first{all[10], all[90], all[30]};
        for (std::size_t i = 0; i != std::min(count, first.size()); ++i) {
            EXPECT_EQ(taken[i], first[i]);
        }
        for (std::size_t i = 3; i < count; ++i) {
            EXPECT_EQ(std::ranges::count(all, taken[i]), 0) << "those are in use";
        }
        slots.release(source);
    }
}

} // namespace
