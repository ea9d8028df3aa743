#include <mallard/reuse/recent_blocks.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

class recent_blocks : public ::testing::Test {
protected:
    void push(int i) {
        recent_.push(&numbers_[i], [this](void* p) { given_.push_back(number_of(p)); });
    }

    int pop() {
        void* const p =
            recent_.pop([this]() -> void* { return next_ < last_ ? &numbers_[next_++] : nullptr; });
        return p == nullptr ? -1 : number_of(p);
    }

    [[nodiscard]] int number_of(void* p) const { return static_cast<int>(static_cast<int*>(p) - numbers_); }

    int numbers_[100];
    int next_ = 0; ///< what the store gives next
    int last_ = 0;
    std::vector<int> given_;
    mallard::reuse::recent_blocks recent_;
};

TEST_F(recent_blocks, gives_the_last_one_first) {
    push(3);
    push(9);
    EXPECT_EQ(pop(), 9);
    EXPECT_EQ(pop(), 3);
    EXPECT_EQ(pop(), -1);
    EXPECT_TRUE(recent_.empty());
}

TEST_F(recent_blocks, hands_the_older_half_over_when_it_is_full) {
    for (int i = 0; i != 13; ++i) {
        push(i);
    }
    EXPECT_EQ(given_, (std::vector{0, 1, 2, 3, 4, 5}));
    for (int i = 12; i >= 6; --i) {
        EXPECT_EQ(pop(), i);
    }
}

TEST_F(recent_blocks, takes_half_of_its_capacity_in_their_order_when_it_is_empty) {
    last_ = 8;
    for (int i = 0; i != 8; ++i) {
        EXPECT_EQ(pop(), i);
        EXPECT_EQ(next_, i < 6 ? 6 : 8);
    }
    EXPECT_EQ(pop(), -1);
}

TEST_F(recent_blocks, hands_everything_over_where_asked) {
    push(1);
    push(2);
    recent_.flush([this](void* p) { given_.push_back(number_of(p)); });
    EXPECT_EQ(given_, (std::vector{1, 2}));
    EXPECT_TRUE(recent_.empty());
    push(3);
    recent_.clear();
    EXPECT_TRUE(recent_.empty());
}

} // namespace
