#include "soak/options.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

soak::options read(std::vector<const char*> words) {
    return soak::read_options(words);
}

TEST(soak_options, are_parsed) {
    const auto options =
        read({"--operations", "1000000000", "--seed", "0x10", "--allocator", "heap/checked"});
    EXPECT_EQ(options.wrong, "");
    EXPECT_EQ(options.operations, 1'000'000'000U);
    EXPECT_EQ(options.seed, 16U);
    EXPECT_EQ(options.allocator, "heap/checked");
    EXPECT_FALSE(options.seconds || options.turn || options.list);
    EXPECT_EQ(read({"--seconds", "2.5"}).seconds, 2.5);
    EXPECT_EQ(read({"--seed", "18446744073709551615", "--turn", "0"}).turn, 0U);
    EXPECT_TRUE(read({"--list"}).list);
    EXPECT_TRUE(read({}).wrong.empty());
}

TEST(soak_options, report_errors) {
    EXPECT_EQ(read({"--operation", "5"}).wrong, "there is no option \"--operation\"");
    EXPECT_EQ(read({"5"}).wrong, "there is no option \"5\"");
    EXPECT_EQ(read({"--seed"}).wrong, "--seed takes a value");
    EXPECT_EQ(read({"--operations", "0"}).wrong, "--operations takes a whole number above 0, not \"0\"");
    EXPECT_EQ(read({"--operations", "1e9"}).wrong, "--operations takes a whole number above 0, not \"1e9\"");
    EXPECT_EQ(read({"--operations", "-1"}).wrong, "--operations takes a whole number above 0, not \"-1\"");
    EXPECT_EQ(read({"--seed", "18446744073709551616"}).wrong,
              "--seed takes a whole number, not \"18446744073709551616\"");
    for (const char* seconds : {"0", "-2", "nan", "inf", "5s", ""}) {
        EXPECT_NE(read({"--seconds", seconds}).wrong, "") << seconds;
    }
    EXPECT_NE(read({"--turn", "5"}).wrong.find("--seed"), std::string::npos);
}

TEST(soak_options, choose_allocators_by_complete_names) {
    EXPECT_TRUE(soak::chooses("", "heap/plain/direct"));
    EXPECT_TRUE(soak::chooses("heap", "heap/plain/direct"));
    EXPECT_TRUE(soak::chooses("heap/plain", "heap/plain/direct"));
    EXPECT_TRUE(soak::chooses("heap/plain/direct", "heap/plain/direct"));
    EXPECT_FALSE(soak::chooses("heap", "heap_over_pages/plain/direct"));
    EXPECT_FALSE(soak::chooses("plain", "heap/plain/direct"));
}

} // namespace
