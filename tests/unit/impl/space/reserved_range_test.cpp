#include "equipment/resident_pages.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/impl/space/reserved_range.hpp>
#include <mallard/upstream/pages.hpp>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

namespace reserved_range = mallard::space::reserved_range;

class ranges : public ::testing::Test {
protected:
    static constexpr std::size_t bytes = std::size_t{1} << 30;

    ranges() { EXPECT_NE(begin_, nullptr); }
    ~ranges() override { reserved_range::give_back(begin_, bytes); }

    std::size_t page_ = mallard::pages::page_bytes();
    std::byte* begin_ = reserved_range::reserve(bytes);
};

TEST_F(ranges, begin_at_a_page_and_have_no_memory) {
    EXPECT_TRUE(mallard::core::is_aligned(begin_, page_));
    EXPECT_EQ(equipment::resident_pages(begin_, 16), 0U);
    EXPECT_DEATH(begin_[0] = std::byte{1}, "");
}

TEST_F(ranges, decommit_and_recommit) {
    const std::size_t most = reserved_range::rounded(begin_, std::size_t{8} << 20);
    ASSERT_TRUE(reserved_range::commit(begin_, 0, most));
    std::memset(begin_, 1, most);
    EXPECT_EQ(equipment::resident_pages(begin_, most / page_), most / page_);
    const std::size_t fewer = reserved_range::rounded(begin_, std::size_t{1} << 20);
    ASSERT_TRUE(reserved_range::decommit(begin_, most, fewer));
    EXPECT_EQ(equipment::resident_pages(begin_, most / page_), fewer / page_);
    EXPECT_EQ(begin_[fewer - 1], std::byte{1});
    EXPECT_DEATH(begin_[fewer] = std::byte{1}, "");
    ASSERT_TRUE(reserved_range::commit(begin_, fewer, most));
    EXPECT_EQ(begin_[fewer], std::byte{0}) << "as new";
}

TEST_F(ranges, large_ranges_use_huge_page_units) {
    for (const std::size_t wanted : {std::size_t{1}, page_, page_ + 1, std::size_t{100000}}) {
        const std::size_t rounded = reserved_range::rounded(begin_, wanted);
        EXPECT_GE(rounded, wanted);
        EXPECT_LT(rounded, wanted + page_);
    }
    const std::size_t huge = reserved_range::rounded(begin_, reserved_range::huge_from_bytes + 1);
    EXPECT_GE(huge, reserved_range::huge_from_bytes + 1);
    EXPECT_TRUE(mallard::core::is_aligned(begin_ + huge, mallard::pages::huge_page_bytes()));
}

TEST_F(ranges, give_addresses_back_that_nobody_needs) {
    std::byte* const begin = reserved_range::reserve(16 * page_);
    ASSERT_NE(begin, nullptr);
    ASSERT_TRUE(reserved_range::commit(begin, 0, 4 * page_));
    std::memset(begin, 1, 4 * page_);
    ASSERT_TRUE(reserved_range::shorten(begin, 16 * page_, 4 * page_));
    unsigned char in_core = 0;
    EXPECT_EQ(mincore(begin + 3 * page_, 1, &in_core), 0);
    EXPECT_NE(mincore(begin + 4 * page_, 1, &in_core), 0) << "nothing is mapped there any more";
    EXPECT_EQ(begin[4 * page_ - 1], std::byte{1});
    reserved_range::give_back(begin, 4 * page_);
}

TEST_F(ranges, rounding_never_shrinks) {
    for (unsigned k = 0; k != 64; ++k) {
        for (std::size_t less = 0; less != 3; ++less) {
            const std::size_t wanted = (std::size_t{1} << k) + 1 - less;
            EXPECT_GE(reserved_range::rounded(begin_, wanted), wanted) << wanted;
        }
    }
    for (const std::size_t wanted : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - page_ + 2}) {
        EXPECT_EQ(reserved_range::rounded(begin_, wanted), SIZE_MAX);
    }
}

TEST(reserving, fails_at_range_limit) {
    const std::size_t old_count = reserved_range::count();
    std::vector<std::byte*> all;
    while (std::byte* const p = reserved_range::reserve(std::size_t{1} << 16)) {
        all.push_back(p);
    }
    EXPECT_EQ(all.size() + old_count, reserved_range::most_ranges);
    EXPECT_EQ(reserved_range::count(), reserved_range::most_ranges);
    EXPECT_EQ(reserved_range::reserve(1 << 16), nullptr);
    EXPECT_EQ(reserved_range::count(), reserved_range::most_ranges);
    reserved_range::give_back(all.back(), std::size_t{1} << 16);
    all.back() = reserved_range::reserve(std::size_t{1} << 16);
    EXPECT_NE(all.back(), nullptr) << "there is one again";
    for (std::byte* const p : all) {
        reserved_range::give_back(p, std::size_t{1} << 16);
    }
    EXPECT_EQ(reserved_range::count(), old_count);
    EXPECT_EQ(reserved_range::reserve(std::size_t{1} << 60), nullptr);
    EXPECT_EQ(reserved_range::count(), old_count) << "what was refused is not counted";
}

TEST(reserving, fails_without_address_space) {
    EXPECT_EQ(reserved_range::reserve(std::size_t{1} << 60), nullptr);
}

} // namespace
