#include <mallard/impl/slab/address_heap.hpp>

#include <gtest/gtest.h>

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

} // namespace
