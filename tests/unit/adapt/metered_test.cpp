#include <mallard/adapt/adaptor.hpp>
#include <mallard/adapt/metered.hpp>
#include <mallard/local/monotonic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace {

/// The smallest hook of this kind: it counts the allocated bytes.
struct summing : mallard::adapt::metered<> {
    using metered::operator();

    template <class Mechanism, class Call>
    void* operator()(Mechanism&, const mallard::adapt::allocation& request, Call call) {
        void* const p = call(request);
        bytes_in_use_ += request.bytes;
        return p;
    }
};

template <class A>
class summed : public mallard::adapt::adaptor<A, summing> {
public:
    using mallard::adapt::adaptor<A, summing>::adaptor;
    [[nodiscard]] std::size_t bytes_in_use() const noexcept { return this->hook_.bytes_in_use(); }
};

TEST(metered, tracks_use_through_rollback_rewind_and_release) {
    summed<mallard::monotonic<>> adapted;
    static_assert(mallard::rewindable<decltype(adapted)>);

    void* const p = adapted.allocate(10, 1);
    const auto mark = adapted.mark();
    static_cast<void>(adapted.allocate(100, 1));
    EXPECT_EQ(adapted.bytes_in_use(), 110U);
    adapted.rollback(mark);
    EXPECT_EQ(adapted.bytes_in_use(), 10U);
    adapted.deallocate(p, 10, 1);
    EXPECT_EQ(adapted.bytes_in_use(), 0U);

    static_cast<void>(adapted.allocate(7, 1));
    adapted.rewind();
    EXPECT_EQ(adapted.bytes_in_use(), 0U);
    static_cast<void>(adapted.allocate(7, 1));
    adapted.release();
    EXPECT_EQ(adapted.bytes_in_use(), 0U);
}

/// The sum cannot tell older blocks from those that the rollback ends, and counts too much rather than too little.
TEST(metered, rollback_counts_deallocated_blocks_only_for_ended_ones) {
    for (const std::size_t ended : {0U, 20U, 60U, 200U}) {
        summed<mallard::monotonic<>> adapted;
        static_cast<void>(adapted.allocate(40, 1));
        void* const older = adapted.allocate(60, 1);
        const auto mark = adapted.mark();
        static_cast<void>(adapted.allocate(ended, 1));
        adapted.deallocate(older, 60, 1);
        adapted.rollback(mark);
        EXPECT_EQ(adapted.bytes_in_use(), 40U + std::min<std::size_t>(ended, 60)) << ended;
    }
}

template <class T>
class tally : public ::testing::Test {};

using both_tallies =
    ::testing::Types<mallard::adapt::tally</*Shared=*/false>, mallard::adapt::tally</*Shared=*/true>>;
TYPED_TEST_SUITE(tally, both_tallies);

TYPED_TEST(tally, adds_up_to_its_limit) {
    TypeParam number;
    EXPECT_EQ(number, 0U);
    EXPECT_TRUE(number.add_within(0, 0)) << "nothing can always be added";
    EXPECT_FALSE(number.add_within(1, 0));
    EXPECT_FALSE(number.add_within(11, 10));
    EXPECT_TRUE(number.add_within(10, 10));
    EXPECT_EQ(number, 10U);
    EXPECT_TRUE(number.add_within(0, 10));
    EXPECT_FALSE(number.add_within(1, 10));
    EXPECT_TRUE(number.add_within(0, 5)) << "more than the limit, by rounding";
    EXPECT_FALSE(number.add_within(1, 5));
    EXPECT_FALSE(number.add_within(SIZE_MAX, SIZE_MAX)) << "the sum wraps";
    EXPECT_EQ(number, 10U);
    EXPECT_TRUE(number.add_within(SIZE_MAX - 10, SIZE_MAX));
    EXPECT_EQ(number, SIZE_MAX);
}

TYPED_TEST(tally, adds_what_is_left_of_its_limit) {
    TypeParam number;
    number = 6;
    std::size_t more = 8;
    EXPECT_FALSE(number.add_within(5, more, 10));
    EXPECT_EQ(number, 6U);
    more = 8;
    EXPECT_TRUE(number.add_within(4, more, 10));
    EXPECT_EQ(more, 4U);
    EXPECT_EQ(number, 10U);
    more = 8;
    EXPECT_TRUE(number.add_within(0, more, 5)) << "more than the limit, by rounding";
    EXPECT_EQ(more, 0U);
    EXPECT_EQ(number, 10U);
}

TYPED_TEST(tally, returns_sums) {
    TypeParam number;
    EXPECT_EQ(++number, 1U);
    EXPECT_EQ(number += 6, 7U);
    EXPECT_EQ(--number, 6U);
    EXPECT_EQ(number -= 4, 2U);
    number.raise_to(1);
    EXPECT_EQ(number, 2U);
    number.raise_to(3);
    EXPECT_EQ(number, 3U);
    number = 0;
    EXPECT_EQ(number, 0U);
}

} // namespace
