#include <mallard/core/contract.hpp>

#include <gtest/gtest.h>

namespace {

TEST(contract_check, names_the_condition_and_the_place) {
    EXPECT_DEATH(mallard::core::contract_broken("size > 0", "some_file.hpp", 42),
                 "some_file.hpp:42: mallard: a caller broke the contract: size > 0");
}

#ifdef NDEBUG

TEST(contract_check, costs_nothing_in_an_optimised_build) {
    int evaluated = 0;
    MALLARD_EXPECTS(++evaluated == 0);
    EXPECT_EQ(evaluated, 0) << "the condition is not even evaluated";
}

#else

TEST(contract_check, traps_only_on_violated_condition) {
    int evaluated = 0;
    MALLARD_EXPECTS(++evaluated == 1);
    EXPECT_EQ(evaluated, 1);
    EXPECT_DEATH(MALLARD_EXPECTS(evaluated == 2), "a caller broke the contract: evaluated == 2");
}

#endif

} // namespace
