#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/core/tracked_list.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

class tracked_list : public ::testing::Test {
protected:
    ~tracked_list() override {
        EXPECT_EQ(source_.outstanding(), 0U);
        EXPECT_EQ(source_.complaints(), equipment::no_complaints);
    }

    equipment::ledger source_;
    mallard::tracked_list list_;
};

TEST_F(tracked_list, aligns_blocks_and_returns_them_in_any_order) {
    std::vector<void*> blocks;
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        blocks.push_back(list_.allocate(source_, 1000 + alignment, alignment));
        EXPECT_TRUE(mallard::is_aligned(blocks.back(), alignment));
    }
    EXPECT_EQ(list_.count(), 13U);
    EXPECT_EQ(list_.bytes(), source_.outstanding_bytes());
    // The first, the last, then those between.
    list_.deallocate(source_, blocks.front());
    list_.deallocate(source_, blocks.back());
    for (std::size_t i = 1; i + 1 < blocks.size(); ++i) {
        list_.deallocate(source_, blocks[i]);
        EXPECT_EQ(list_.bytes(), source_.outstanding_bytes());
    }
    EXPECT_EQ(list_.count(), 0U);
}

TEST_F(tracked_list, returns_what_was_not_deallocated) {
    for (std::size_t i = 0; i < 5; ++i) {
        static_cast<void>(list_.allocate(source_, 100 * i, 64));
    }
    list_.release(source_);
    EXPECT_EQ(list_.count(), 0U);
    EXPECT_EQ(source_.outstanding(), 0U);
}

TEST_F(tracked_list, refuses_what_has_no_size) {
    for (const std::size_t alignment :
         {std::size_t{8}, std::size_t{64}, std::size_t{1} << 62, std::size_t{1} << 63}) {
        for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 64, SIZE_MAX / 2 + 1}) {
            EXPECT_OUT_OF_MEMORY(static_cast<void>(list_.allocate(source_, bytes, alignment)))
                << bytes << " at " << alignment;
        }
    }
    EXPECT_EQ(list_.count(), 0U);
}

} // namespace
