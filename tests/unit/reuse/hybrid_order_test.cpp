#include "equipment/order_of_blocks.hpp"

#include <mallard/reuse/hybrid_order.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace {

class hybrid_order : public equipment::order_of_blocks<mallard::hybrid_order> {
protected:
    ~hybrid_order() override { mallard::core::unpoison(table_, sizeof table_); }

    void allocate_another_size() { order_.serve(index + 1, index + 2, table_); }

    alignas(16) std::byte table_[1024];
};

TEST_F(hybrid_order, reuses_in_fifo_order_while_there_is_one_size) {
    for (const int block : {3, 1, 2, 0, 7}) {
        free(block);
    }
    for (const int expected : {2, 0, 7, 1, 3, none}) { // the first two hold the addresses
        EXPECT_EQ(next(), expected);
    }
}

TEST_F(hybrid_order, reuses_in_lifo_order_among_several_sizes) {
    allocate_another_size();
    for (const int block : {3, 1, 2, 0, 7}) {
        free(block);
    }
    for (const int expected : {7, 0, 2, 1, 3, none}) {
        EXPECT_EQ(next(), expected);
    }
}

TEST_F(hybrid_order, a_second_size_keeps_free_blocks) {
    free(4);
    free(6);
    allocate_another_size();
    EXPECT_NE(next(), none);
    EXPECT_NE(next(), none);
    EXPECT_EQ(next(), none);
}

} // namespace
