#include "equipment/order_of_blocks.hpp"

#include <mallard/reuse/first_freed.hpp>

#include <deque>
#include <random>

namespace {

using first_freed = equipment::order_of_blocks<mallard::first_freed>;

TEST_F(first_freed, gives_the_first_freed_block_first) {
    free(3);
    free(1);
    free(2);
    EXPECT_EQ(next(), 3);
    free(0);
    EXPECT_EQ(next(), 1);
    EXPECT_EQ(next(), 2);
    EXPECT_EQ(next(), 0);
    EXPECT_EQ(next(), none);
}

TEST_F(first_freed, keeps_the_order_however_allocation_and_deallocation_mix) {
    std::mt19937 random(1);
    std::deque<int> freed;
    std::deque<int> used;
    for (int i = 0; i < 16; ++i) {
        used.push_back(i);
    }
    for (int step = 0; step < 5000; ++step) {
        if (random() % 2 == 0 && !used.empty()) {
            const auto which = used.begin() + static_cast<std::ptrdiff_t>(random() % used.size());
            free(*which);
            freed.push_back(*which);
            used.erase(which);
        } else if (freed.empty()) {
            ASSERT_EQ(next(), none);
        } else {
            ASSERT_EQ(next(), freed.front()) << "step " << step;
            used.push_back(freed.front());
            freed.pop_front();
        }
    }
}

TEST(first_freed_of_8_bytes, gives_the_last_freed_block_first) {
    alignas(16) std::byte blocks[4][8];
    mallard::first_freed::by_class<mallard::eighth_classes> order;
    order.reach(blocks[0], 0, 1);
    EXPECT_TRUE(order.push(blocks[1], 0));
    EXPECT_TRUE(order.push(blocks[2], 0));
    for (const int expected : {2, 1, 0}) {
        EXPECT_EQ(order.pop(0), blocks[expected]);
    }
    EXPECT_EQ(order.pop(0), nullptr);
    mallard::core::unpoison(blocks, sizeof blocks);
}

TEST_F(first_freed, begins_again_after_the_last_block) {
    for (int round = 0; round < 3; ++round) {
        free(5);
        EXPECT_EQ(next(), 5);
        EXPECT_EQ(next(), none);
    }
}

TEST_F(first_freed, keeps_a_queue_in_the_order_of_its_blocks) {
    for (int i = 0; i < 4; ++i) {
        free(i);
    }
    for (int element = 0; element < 20; ++element) {
        const int block = next();
        EXPECT_EQ(block, element % 4);
        free(block);
    }
}

} // namespace
