#include "equipment/order_of_blocks.hpp"

#include <mallard/reuse/last_freed.hpp>

namespace {

using last_freed = equipment::order_of_blocks<mallard::last_freed>;

TEST_F(last_freed, gives_the_last_freed_block_first) {
    free(3);
    free(1);
    free(2);
    EXPECT_EQ(next(), 2);
    free(0);
    EXPECT_EQ(next(), 0);
    EXPECT_EQ(next(), 1);
    EXPECT_EQ(next(), 3);
    EXPECT_EQ(next(), none);
}

} // namespace
