#include "equipment/slots_on_ledger.hpp"

#include <mallard/impl/slab/address_heap.hpp>
#include <mallard/impl/slab/bitmap_slots.hpp>
#include <mallard/impl/slab/fullness_buckets.hpp>
#include <mallard/impl/slab/recent_slots.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace {

using bits_type = mallard::slab::bitmap_slots<mallard::slab::address_heap<mallard::slab::slab_header>>;
using slots_type = mallard::slab::recent_slots<bits_type>;

constexpr mallard::slab::slab_geometry geometry = mallard::slab::undivided_slabs(24, 4096);

class recent_slots : public ::testing::Test, protected equipment::slots_on_ledger<slots_type> {
protected:
    recent_slots() : slots_on_ledger(geometry) {}
};

TEST_F(recent_slots, return_last_freed_then_lowest) {
    const std::vector<void*> all = pop(100);
    push({all[30], all[90], all[10], all[60]});
    EXPECT_EQ(pop(4), (std::vector<void*>{all[60], all[10], all[30], all[90]}));
}

TEST_F(recent_slots, reuse_slot_without_bitmap_update) {
    std::vector<void*> all = pop(1000);
    while (void* p = slots.pop()) {
        mallard::core::unpoison(p, slots.slot_bytes());
        all.push_back(p);
    }
    for (void* p : all) {
        push(p);
        ASSERT_EQ(slots.bits_type::pop(), nullptr);
        ASSERT_EQ(pop(), p);
    }
}

TEST_F(recent_slots, keep_one_slab_until_the_next_deallocation) {
    const std::vector<void*> all = pop(10'000);
    const std::vector<void*> others(all.begin() + 2, all.end());
    push(others);
    const std::size_t held = source.outstanding_bytes();
    push(all[1]);
    EXPECT_LT(source.outstanding_bytes(), held) << "all but the first one's";
    push(all[0]);
    EXPECT_LE(source.outstanding_bytes(), geometry.slab_bytes);
}

TEST_F(recent_slots, bursts_keep_single_allocation_order) {
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
        const std::vector<void*> first{all[10], all[30], all[90]};
        for (std::size_t i = 0; i != std::min(count, first.size()); ++i) {
            EXPECT_EQ(taken[i], first[i]);
        }
        for (std::size_t i = 3; i < count; ++i) {
            EXPECT_EQ(std::ranges::count(all, taken[i]), 0) << "those are in use";
        }
        slots.release(source);
    }
}

template <class Slots>
class emptied_slots : public ::testing::Test, protected equipment::slots_on_ledger<Slots> {
protected:
    emptied_slots() : equipment::slots_on_ledger<Slots>(geometry) {}
};

using by_fullness = mallard::slab::fullness_buckets<mallard::slab::slab_header>;
using preferences =
    ::testing::Types<slots_type, mallard::slab::recent_slots<mallard::slab::bitmap_slots<by_fullness>>>;
TYPED_TEST_SUITE(emptied_slots, preferences);

/// A random walk of single slots and bursts that often ends with none in use.
TYPED_TEST(emptied_slots, last_frees_empty_slab_in_any_order) {
    std::mt19937 random(1);
    std::vector<void*> used;
    std::size_t ends = 0;
    for (int step = 0; step != 50'000; ++step) {
        const std::size_t count = 1 + random() % (step / 100 % 10 == 0 ? 300 : 3);
        const bool one_by_one = random() % 2 == 0;
        if (used.empty() || random() % 5 < 2) {
            mallard::block_chain chain;
            this->slots.pop_many(one_by_one ? 0 : count, chain, this->source);
            while (void* p = chain.pop_front()) {
                used.push_back(p);
            }
            const std::vector<void*> taken = this->pop(one_by_one ? count : 0);
            used.insert(used.end(), taken.begin(), taken.end());
            continue;
        }
        mallard::block_chain chain;
        for (std::size_t i = std::min(count, used.size()); i != 0; --i) {
            std::swap(used[random() % used.size()], used.back());
            one_by_one ? this->push(used.back()) : chain.push_back(used.back());
            used.pop_back();
        }
        this->slots.push_many(std::move(chain), this->source);
        if (used.empty()) {
            ++ends;
            ASSERT_LE(this->source.outstanding_bytes(), this->slots.geometry().slab_bytes) << "step " << step;
        }
    }
    EXPECT_GT(ends, 1000U);
}

#ifdef MALLARD_ASAN
TEST_F(recent_slots, are_poisoned) {
    void* const p = pop();
    push(p);
    EXPECT_TRUE(__asan_address_is_poisoned(p));
}
#endif

} // namespace
