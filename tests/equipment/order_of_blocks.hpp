/// The fixture for tests of an order of reuse: blocks of 24 bytes by number, without a pool around them; in
/// the order of their addresses.
#pragma once

#include <mallard/core/sanitizer.hpp>
#include <mallard/reuse/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace equipment {

template <mallard::reuse_order Order>
class order_of_blocks : public ::testing::Test {
protected:
    static constexpr std::size_t index = mallard::eighth_classes::index(24);
    static constexpr int none = -1;

    order_of_blocks() {
        order_.serve(index, index + 1, room_); // which it does not use
        std::generate(blocks_.begin(), blocks_.end(), [this] {
            void* p = order_.pop(index);
            return p != nullptr ? p : order_.carve(cursor_, std::end(room_), index);
        });
    }

    ~order_of_blocks() override { mallard::core::unpoison(room_, sizeof room_); }

    void free(int number) { EXPECT_TRUE(order_.push(blocks_.at(static_cast<std::size_t>(number)), index)); }

    /// Returns: the number of the block that is given out next, or `none` if none is free.
    int next() {
        const void* p = order_.pop(index);
        return p == nullptr
                   ? none
                   : static_cast<int>(std::find(blocks_.begin(), blocks_.end(), p) - blocks_.begin());
    }

    typename Order::template by_class<mallard::eighth_classes> order_;

private:
    alignas(16) std::byte room_[2048];
    std::byte* cursor_ = room_;
    std::array<void*, 16> blocks_;
};

} // namespace equipment
