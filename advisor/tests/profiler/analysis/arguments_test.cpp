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
    EXPECT_TRUE(read_arguments({"--help"}).help);
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
    EXPECT_THROW(read_arguments({"a", "--all", "--export", "folded", "-o", "b"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--process", ""}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--rules", ":1", "--events"}), usage_error);
    EXPECT_THROW(read_arguments({"a", "--except", ":1"}), usage_error);
}

} // namespace
