#include <mallard/impl/reuse/class_table.hpp>

#include <gtest/gtest.h>

#include <array>

namespace {

class class_table_of_pointers : public ::testing::Test {
protected:
    int a_ = 0;
    int b_ = 0;
    mallard::reuse::class_table<int> pointers_;
};

TEST_F(class_table_of_pointers, has_no_places_at_first) {
    EXPECT_EQ(pointers_.size(), 0U);
    EXPECT_FALSE(pointers_.is_table());
    EXPECT_EQ(pointers_.find(0), nullptr);
    EXPECT_EQ(pointers_.find(500), nullptr);
}

TEST_F(class_table_of_pointers, has_a_place_for_one_class) {
    for (const std::size_t index : {0U, 7U, 300U}) {
        pointers_.use_word_for(index);
        ASSERT_NE(pointers_.find(index), nullptr);
        EXPECT_EQ(*pointers_.find(index), nullptr);
        *pointers_.find(index) = &a_;
        EXPECT_EQ(*pointers_.find(index), &a_);
        EXPECT_EQ(pointers_.find(index + 1), nullptr);
        EXPECT_EQ(pointers_.find(index == 0 ? 2 : index - 1), nullptr);
        EXPECT_EQ(pointers_.size(), index + 1);
    }
}

TEST_F(class_table_of_pointers, copies_pointers_into_larger_table) {
    pointers_.use_word_for(3);
    *pointers_.find(3) = &a_;
    std::array<int*, 5> small;
    pointers_.use_table(small.data(), small.size());
    EXPECT_TRUE(pointers_.is_table());
    EXPECT_EQ(pointers_.size(), 5U);
    EXPECT_EQ(small, (std::array<int*, 5>{nullptr, nullptr, nullptr, &a_, nullptr}));
    *pointers_.find(4) = &b_;
    EXPECT_EQ(pointers_.find(5), nullptr);

    std::array<int*, 7> large;
    pointers_.use_table(large.data(), large.size());
    EXPECT_EQ(large, (std::array<int*, 7>{nullptr, nullptr, nullptr, &a_, &b_, nullptr, nullptr}));
    EXPECT_EQ(pointers_.find(3), &large[3]);
}

TEST_F(class_table_of_pointers, makes_a_table_of_nothing) {
    std::array<int*, 2> table{&a_, &b_};
    pointers_.use_table(table.data(), table.size());
    EXPECT_EQ(table, (std::array<int*, 2>{}));
}

TEST_F(class_table_of_pointers, forgets_everything) {
    pointers_.use_word_for(3);
    pointers_.clear();
    EXPECT_EQ(pointers_.size(), 0U);
    EXPECT_EQ(pointers_.find(3), nullptr);
}

TEST_F(class_table_of_pointers, lends_unused_tail) {
    struct owner {
        [[no_unique_address]] mallard::reuse::class_table<int> pointers;
        std::uint16_t a = 0;
        std::uint32_t b = 0;
    };
    EXPECT_EQ(sizeof(owner), 16U);
}

} // namespace
