#include "equipment/order_of_blocks.hpp"

#include <mallard/core/first_freed.hpp>

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
