#include "equipment/order_of_blocks.hpp"

#include <mallard/reuse/hybrid_reuse.hpp>

namespace {

using hybrid_reuse = equipment::order_of_blocks<mallard::hybrid_reuse>;

TEST_F(hybrid_reuse, gives_the_last_of_few_freed_blocks_first) {
    free(3);
    free(9);
    free(1);
    EXPECT_EQ(next(), 1);
    EXPECT_EQ(next(), 9);
    EXPECT_EQ(next(), 3);
    EXPECT_EQ(next(), none);
}

/// Thirteen blocks are more than a magazine holds: the six freed first go to the runs.
TEST_F(hybrid_reuse, gives_the_older_half_by_address) {
    for (const int i : {5, 2, 4, 0, 3, 1, 12, 6, 11, 7, 10, 8, 9}) {
        free(i);
    }
    for (const int i : {9, 8, 10, 7, 11, 6, 12}) {
        EXPECT_EQ(next(), i) << "from the magazine";
    }
    for (const int i : {0, 1, 2, 3, 4, 5}) {
        EXPECT_EQ(next(), i) << "from the runs";
    }
    EXPECT_EQ(next(), none);
}

TEST_F(hybrid_reuse, puts_a_freed_block_before_those_of_the_refill) {
    for (int i = 0; i < 13; ++i) {
        free(i);
    }
    for (int i = 0; i < 8; ++i) {
        static_cast<void>(next());
    }
    free(15);
    EXPECT_EQ(next(), 15);
    EXPECT_EQ(next(), 1);
}

} // namespace
