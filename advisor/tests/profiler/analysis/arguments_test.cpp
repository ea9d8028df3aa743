#include "profiler/program/arguments.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advisor::arguments;
using mallard::advisor::read_arguments;
using mallard::advisor::usage_error;

TEST(profile_arguments, are_read_in_any_order_and_form) {
    const arguments parsed = read_arguments({"--process", "12", "a.trace", "--scope=std::f(int)"});
    EXPECT_EQ(parsed.trace, "a.trace");
    EXPECT_EQ(parsed.process, "12");
    EXPECT_EQ(parsed.scope, "std::f(int)");
    EXPECT_EQ(read_arguments({"--", "--odd"}).trace, "--odd");
    const auto between = read_arguments({"a", "--between", "0.25,1.5s"}).between.value();
    EXPECT_EQ(between.first.value, 0.25);
    EXPECT_TRUE(between.first.is_share);
    EXPECT_EQ(between.second.value, 1.5);
    EXPECT_FALSE(between.second.is_share);
    EXPECT_FALSE(parsed.all_rows);
    EXPECT_TRUE(read_arguments({"a", "--all"}).all_rows);
}

TEST(profile_arguments, are_refused_if_invalid) {
    EXPECT_THROW(read_arguments({}), usage_error);
    EXPECT_THROW(read_arguments({"a", "b"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--scope"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--scoop", "b"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--events=yes"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--all=yes"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--all", "--symbols", "b"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--all", "--stacks"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--process", ""}), usage_error);
    for (const char* const range :
         {"", "1s", "1s,", ",1s", "0.1,1.1", "-1s,2s", "1h,2h", "nan,1", "1s,2s,3s"}) {
        EXPECT_THROW(read_arguments({"a", "--between", range}), usage_error) << range;
    }
    EXPECT_THROW(read_arguments({"a", "--between", "0,1", "--events"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--rules", ":1", "--events"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--stacks", "--history"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--except", ":1"}), usage_error);
}

} // namespace
