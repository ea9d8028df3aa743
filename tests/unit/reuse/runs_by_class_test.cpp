#include <mallard/reuse/hybrid_reuse.hpp>
#include <mallard/reuse/lowest_address.hpp>
#include <mallard/reuse/runs_by_class.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using size_classes = mallard::eighth_classes;

constexpr std::size_t classes = size_classes::index(2048) + 1;

/// What holds whatever the records are.
template <class Order>
class runs_by_class : public ::testing::Test {
protected:
    runs_by_class() { mallard::core::poison(room_, sizeof room_); }
    ~runs_by_class() override { mallard::core::unpoison(room_, sizeof room_); }

    void* allocate(std::size_t index) {
        void* p = order_.pop(index);
        return p != nullptr ? p : order_.carve(cursor_, std::end(room_), index);
    }

    alignas(16) std::byte room_[std::size_t{512} << 10];
    std::byte* cursor_ = room_;
    Order order_;
};

using orders = ::testing::Types<mallard::lowest_address::by_class<size_classes>,
                                mallard::hybrid_reuse::by_class<size_classes>>;
TYPED_TEST_SUITE(runs_by_class, orders);

TYPED_TEST(runs_by_class, have_nothing_at_first) {
    for (std::size_t index = 0; index < classes; ++index) {
        EXPECT_EQ(this->order_.pop(index), nullptr);
        EXPECT_FALSE(this->order_.push(this->room_, index));
    }
}

TYPED_TEST(runs_by_class, keep_classes_apart) {
    struct block {
        void* p;
        std::size_t index;
    };
    std::vector<block> blocks;
    for (int round = 0; round < 3; ++round) {
        for (const std::size_t index : {2U, 0U, 9U, 3U, 31U, 1U, 8U}) {
            blocks.push_back({this->allocate(index), index});
        }
    }
    for (std::size_t index = 0; index < classes; ++index) {
        while (this->order_.pop(index) != nullptr) {
        }
    }
    for (const block& b : blocks) {
        ASSERT_NE(b.p, nullptr);
        EXPECT_TRUE(this->order_.push(b.p, b.index));
        EXPECT_EQ(this->order_.pop(b.index), b.p) << "of class " << b.index;
    }
    EXPECT_EQ(this->order_.pop(5), nullptr);
    EXPECT_FALSE(this->order_.push(blocks[0].p, 5)) << "no block of that class was ever carved";
}

TYPED_TEST(runs_by_class, carve_where_there_is_room_enough_and_only_there) {
    for (const std::size_t index : {2U, 2U, 17U, 4U, 40U, 40U, 0U}) {
        const std::size_t bytes = this->order_.room_for(index);
        std::byte* cursor = this->cursor_;
        EXPECT_EQ(this->order_.carve(cursor, cursor + bytes - 8, index), nullptr);
        EXPECT_EQ(cursor, this->cursor_);
        EXPECT_NE(this->order_.carve(cursor, cursor + bytes, index), nullptr);
        EXPECT_LE(cursor, this->cursor_ + bytes);
        this->cursor_ += bytes;
        while (this->order_.pop(index) != nullptr) {
        }
    }
}

TYPED_TEST(runs_by_class, need_little_for_a_single_class) {
    EXPECT_LE(this->order_.room_for(2), 24U + 232U);
    static_cast<void>(this->allocate(2));
    EXPECT_LE(this->order_.room_for(2), 24U + 64U) << "the second run shares the books of the first";
}

TYPED_TEST(runs_by_class, make_blocks_of_a_remainder) {
    static_cast<void>(this->allocate(2));
    static_cast<void>(this->allocate(9));
    while (this->order_.pop(2) != nullptr || this->order_.pop(9) != nullptr) {
    }
    std::byte* const remainder = this->room_ + (256 << 10);
    this->order_.donate(remainder, 200, classes);
    EXPECT_NE(this->order_.pop(9), nullptr) << "of the largest class in use that it has room for";
    this->order_.donate(remainder + 200, 100, classes);
    EXPECT_NE(this->order_.pop(2), nullptr);
    this->order_.donate(remainder + 300, 16, classes);
    EXPECT_EQ(this->order_.pop(2), nullptr);
}

TYPED_TEST(runs_by_class, forget_everything) {
    void* const p = this->allocate(2);
    EXPECT_TRUE(this->order_.push(p, 2));
    this->order_.clear();
    EXPECT_EQ(this->order_.pop(2), nullptr);
    EXPECT_FALSE(this->order_.push(p, 2));
}

} // namespace
