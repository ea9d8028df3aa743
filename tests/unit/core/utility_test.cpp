#include <mallard/core/utility.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace {

namespace core = mallard::core;

TEST(utility, chooses_the_smaller_and_the_larger) {
    static_assert(core::min(2, 3) == 2 && core::min(3, 2) == 2 && core::min(2, 2) == 2);
    static_assert(core::max(2, 3) == 3 && core::max(3, 2) == 3 && core::max(2, 2) == 2);
    static_assert(core::max<std::size_t>(0, 1) == 1);
    EXPECT_EQ(core::min(-1, 1), -1);
    EXPECT_EQ(core::max(-1, 1), 1);
}

TEST(utility, clamps_to_both_bounds) {
    static_assert(core::clamp(1, 2, 4) == 2 && core::clamp(2, 2, 4) == 2);
    static_assert(core::clamp(3, 2, 4) == 3);
    static_assert(core::clamp(4, 2, 4) == 4 && core::clamp(5, 2, 4) == 4);
    static_assert(core::clamp(5, 2, 2) == 2);
}

struct hides_its_address {
    hides_its_address* operator&() const { return nullptr; } // NOLINT(google-runtime-operator)
    int value = 0;
};

TEST(utility, finds_an_address_that_an_operator_hides) {
    hides_its_address object;
    EXPECT_EQ(&object, nullptr);
    EXPECT_EQ(static_cast<void*>(core::address_of(object)), static_cast<void*>(&object.value));
}

} // namespace
