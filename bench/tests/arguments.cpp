/// Plan: options with values and without; an error names the missing, misspelt or too large one.
#include "runner/harness/arguments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

bench::arguments parse(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size());
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    return bench::arguments(pointers);
}

TEST(arguments, return_values_or_defaults) {
    std::vector<std::string> words{"--size", "14", "--allow-unoptimised", "--name", "x"};
    bench::arguments args = parse(words);
    EXPECT_EQ(args.number("size", 6, 0, 20), 14);
    EXPECT_EQ(args.number("seed", 7, 0, 20), 7);
    EXPECT_TRUE(args.flag("allow-unoptimised"));
    EXPECT_EQ(args.choice("name", {"x", "y"}), "x");
    EXPECT_EQ(args.text("other", "none"), "none");
    args.finish();
}

template <class Do>
std::string error_message(Do action) {
    try {
        action();
    } catch (const bench::usage_error& error) {
        return error.what();
    }
    return "no error";
}

TEST(arguments, name_the_value_and_the_allowed_ones) {
    std::vector<std::string> words{"--size", "14x", "--name", "z"};
    bench::arguments args = parse(words);
    EXPECT_EQ(error_message([&] { static_cast<void>(args.number("size", 1, 0, 9)); }),
              "--size '14x': allowed are whole numbers from 0 to 9");
    EXPECT_EQ(error_message([&] { static_cast<void>(args.choice("name", {"x", "y"})); }),
              "--name 'z': allowed are x, y");
}

TEST(arguments, refuse_unknown_options) {
    std::vector<std::string> words{"--colour", "red"};
    bench::arguments args = parse(words);
    static_cast<void>(args.text("size", ""));
    EXPECT_EQ(error_message([&] { args.finish(); }), "unknown option --colour: allowed are size");
}

TEST(arguments, refuse_stray_arguments_and_missing_values) {
    std::vector<std::string> stray{"fast"};
    EXPECT_EQ(error_message([&] { static_cast<void>(parse(stray)); }),
              "unexpected word 'fast': options are --name value");
    std::vector<std::string> bare{"--size"};
    EXPECT_EQ(error_message([&] { static_cast<void>(parse(bare)); }), "--size needs a value");
}

} // namespace
