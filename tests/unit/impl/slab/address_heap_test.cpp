#include <mallard/impl/slab/address_heap.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

namespace {

struct item {
    std::array<item*, 3> links{};
};

class address_heap : public ::testing::Test {
protected:
    std::vector<item> items_{1000};
    mallard::slab::address_heap<item> heap_;
};

TEST_F(address_heap, has_nothing_at_first) {
    EXPECT_TRUE(heap_.empty());
    EXPECT_EQ(heap_.take(), nullptr);
}

TEST_F(address_heap, pops_lowest_address_first) {
    std::vector<item*> order;
    for (item& i : items_) {
        order.push_back(&i);
    }
    std::mt19937 random(1);
    for (int round = 0; round < 3; ++round) {
        std::shuffle(order.begin(), order.end(), random);
        for (item* i : order) {
            heap_.insert(*i);
        }
        for (item& expected : items_) {
            ASSERT_EQ(heap_.take(), &expected);
        }
        EXPECT_TRUE(heap_.empty());
    }
}

TEST_F(address_heap, is_right_however_items_come_and_go) {
    std::mt19937 random(2);
    std::set<item*> inside;
    for (int step = 0; step < 20'000; ++step) {
        item& any = items_[random() % items_.size()];
        if (inside.contains(&any)) {
            heap_.remove(any);
            inside.erase(&any);
        } else if (random() % 4 != 0) {
            heap_.insert(any);
            inside.insert(&any);
        } else {
            item* const lowest = inside.empty() ? nullptr : *inside.begin();
            ASSERT_EQ(heap_.take(), lowest) << "step " << step;
            inside.erase(lowest);
        }
        ASSERT_EQ(heap_.empty(), inside.empty());
    }
}

TEST_F(address_heap, clear_removes_all_items) {
    heap_.insert(items_[3]);
    heap_.insert(items_[1]);
    heap_.clear();
    EXPECT_TRUE(heap_.empty());
    heap_.insert(items_[2]);
    EXPECT_EQ(heap_.take(), &items_[2]);
}

} // namespace
