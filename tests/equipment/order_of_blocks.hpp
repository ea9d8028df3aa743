/// The fixture for tests of an order of reuse: blocks of 24 bytes by number, without a pool around them.
#pragma once

#include <mallard/core/reuse.hpp>
#include <mallard/core/sanitizer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace equipment {

template <mallard::reuse_order Order>
class order_of_blocks : public ::testing::Test {
protected:
    static constexpr std::size_t classes = mallard::size_class(1024) + 1;
    static constexpr std::size_t index = mallard::size_class(24);
    static constexpr int none = -1;

    /// The books of a list take the first block that is freed; that one has no number.
    order_of_blocks() {
        void* first = order_.carve(cursor_, std::end(room_), index);
        if (!order_.push(first, index)) {
            order_.reach(first, index, classes);
        }
        while (order_.pop(index) != nullptr) {
        }
        std::generate(blocks_.begin(), blocks_.end(),
                      [this] { return order_.carve(cursor_, std::end(room_), index); });
    }

    ~order_of_blocks() override { mallard::unpoison(room_, sizeof room_); }

    void free(int number) { EXPECT_TRUE(order_.push(blocks_.at(static_cast<std::size_t>(number)), index)); }

    /// Returns: the number of the block that is given out next, or `none` where none is free.
    int next() {
        const void* p = order_.pop(index);
        return p == nullptr
                   ? none
                   : static_cast<int>(std::find(blocks_.begin(), blocks_.end(), p) - blocks_.begin());
    }

    Order order_;

private:
    alignas(16) std::byte room_[1024];
    std::byte* cursor_ = room_;
    std::array<void*, 8> blocks_;
};

} // namespace equipment
