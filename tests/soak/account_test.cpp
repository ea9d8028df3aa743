#include "soak/account.hpp"

#include <gtest/gtest.h>

namespace {

const soak::account some{.seed = 7,
                         .operations = 3'000'000,
                         .turns = 60,
                         .seconds = 1.5,
                         .by_allocator = {{"heap", 2'000'000}, {"monotonic", 1'000'000}}};

TEST(soak_account, is_a_line_for_people) {
    EXPECT_EQ(soak::format_line(some),
              "3.0 million operations in 1.5 s, 2.00 million a second, 60 turns, seed 7");
    EXPECT_EQ(soak::format_line({.by_allocator = {}}), "0.0 million operations in 0.0 s, 0 turns, seed 0");
}

TEST(soak_account, is_a_line_of_json) {
    const soak::build build_info{
        .commit = "abc", .compiler = "g++ 12", .flags = "-O3 \"x\"", .sanitizers = ""};
    EXPECT_EQ(
        soak::format_json(some, build_info),
        R"({"format": 1, "operations": 3000000, "seconds": 1.5, "seed": 7, "turns": 60, "commit": "abc", )"
        R"("compiler": "g++ 12", "flags": "-O3 \"x\"", "sanitizers": "", )"
        R"("allocators": {"heap": 2000000, "monotonic": 1000000}})");
}

} // namespace
