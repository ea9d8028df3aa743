/// Plan: options with values and without; an error names the missing, misspelt or too large one.
#include "bench/harness/arguments.hpp"

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

TEST(arguments, gives_what_was_given_and_defaults_for_the_rest) {
    std::vector<std::string> words{"--size", "14", "--allow-unoptimised", "--name", "x"};
    bench::arguments given = parse(words);
    EXPECT_EQ(given.number("size", 6, 0, 20), 14);
    EXPECT_EQ(given.number("seed", 7, 0, 20), 7);
    EXPECT_TRUE(given.flag("allow-unoptimised"));
    EXPECT_EQ(given.choice("name", {"x", "y"}), "x");
    EXPECT_EQ(given.text("other", "none"), "none");
    given.finish();
}

template <class Do>
std::string error_of(Do something) {
    try {
        something();
    } catch (const bench::usage_error& error) {
        return error.what();
    }
    return "no error";
}

TEST(arguments, names_the_value_and_what_is_allowed) {
    std::vector<std::string> words{"--size", "14x", "--name", "z"};
    bench::arguments given = parse(words);
    EXPECT_EQ(error_of([&] { static_cast<void>(given.number("size", 1, 0, 9)); }),
              "--size '14x': allowed are whole numbers from 0 to 9");
    EXPECT_EQ(error_of([&] { static_cast<void>(given.choice("name", {"x", "y"})); }),
              "--name 'z': allowed are x, y");
}

TEST(arguments, refuses_what_nobody_knows) {
    std::vector<std::string> words{"--colour", "red"};
    bench::arguments given = parse(words);
    static_cast<void>(given.text("size", ""));
    EXPECT_EQ(error_of([&] { given.finish(); }), "unknown option --colour: allowed are size");
}

TEST(arguments, refuses_words_that_are_no_options_and_options_without_values) {
    std::vector<std::string> stray{"fast"};
    EXPECT_EQ(error_of([&] { static_cast<void>(parse(stray)); }),
              "unexpected word 'fast': options are --name value");
    std::vector<std::string> bare{"--size"};
    EXPECT_EQ(error_of([&] { static_cast<void>(parse(bare)); }), "--size needs a value");
}

} // namespace
