#include "equipment/slots_on_ledger.hpp"

#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/last_freed.hpp>
#include <mallard/slab/address_heap.hpp>
#include <mallard/slab/linked_slots.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

template <class Links>
using linked = mallard::slab::linked_slots<Links, mallard::slab::address_heap<mallard::slab::slab_header>>;

constexpr mallard::slab::slab_geometry geometry =
    mallard::slab::whole_slabs(24, 4096, mallard::slab::slot_metadata::lists);

template <class Links>
class linked_slots : public ::testing::Test, protected equipment::slots_on_ledger<linked<Links>> {
protected:
    linked_slots() : equipment::slots_on_ledger<linked<Links>>(geometry) {}
};

using all_links = ::testing::Types<mallard::reuse::first_freed_links, mallard::reuse::last_freed_links>;
TYPED_TEST_SUITE(linked_slots, all_links);

TYPED_TEST(linked_slots, are_carved_by_address) {
    const std::vector<void*> all = this->pop(150);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end())) << "one block has that many";
}

TYPED_TEST(linked_slots, are_apart_in_any_order) {
    std::mt19937 order(1);
    for (int round = 0; round < 5; ++round) {
        std::vector<void*> all = this->pop(3000);
        EXPECT_EQ(std::set<void*>(all.begin(), all.end()).size(), all.size());
        std::shuffle(all.begin(), all.end(), order);
        this->push(all);
        EXPECT_LE(this->source.outstanding_bytes(), geometry.slab_bytes);
    }
}

TYPED_TEST(linked_slots, come_and_go_many_at_a_time) {
    mallard::block_chain chain;
    this->slots.pop_many(1000, chain, this->source);
    EXPECT_EQ(chain.size(), 1000U);
    this->slots.push_many(std::move(chain), this->source);
    EXPECT_LE(this->source.outstanding_bytes(), geometry.slab_bytes);
}

using last_freed_slots = linked_slots<mallard::reuse::last_freed_links>;

TEST_F(last_freed_slots, of_a_block_come_last_freed_first) {
    const std::vector<void*> all = pop(10);
    push({all[3], all[7], all[1]});
    EXPECT_EQ(pop(3), (std::vector<void*>{all[1], all[7], all[3]}));
}

using first_freed_slots = linked_slots<mallard::reuse::first_freed_links>;

TEST_F(first_freed_slots, of_a_block_come_first_freed_first) {
    const std::vector<void*> all = pop(10);
    push({all[3], all[7], all[1]});
    EXPECT_EQ(pop(3), (std::vector<void*>{all[3], all[7], all[1]}));
}

TEST_F(first_freed_slots, come_from_the_lowest_block) {
    std::vector<void*> all = pop(900);
    std::sort(all.begin(), all.end());
    push({all[600], all[10], all[300]});
    EXPECT_EQ(pop(), all[10]);
    EXPECT_EQ(pop(), all[300]);
}

} // namespace
