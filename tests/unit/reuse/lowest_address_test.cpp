#include "equipment/order_of_blocks.hpp"

#include <mallard/reuse/lowest_address.hpp>

namespace {

using lowest_address = equipment::order_of_blocks<mallard::lowest_address>;

TEST_F(lowest_address, gives_the_lowest_free_block_first) {
    free(3);
    free(9);
    free(1);
    EXPECT_EQ(next(), 1);
    free(2);
    EXPECT_EQ(next(), 2);
    EXPECT_EQ(next(), 3);
    EXPECT_EQ(next(), 9);
    EXPECT_EQ(next(), none);
}

TEST_F(lowest_address, gives_all_blocks_in_the_order_of_their_addresses) {
    for (const int i : {7, 12, 0, 15, 3, 14, 1, 8, 2, 9, 13, 4, 10, 6, 11, 5}) {
        free(i);
    }
    for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(next(), i);
    }
    EXPECT_EQ(next(), none);
}

} // namespace
