#include "trace/command_line.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using mallard::trace::command_line;
using mallard::trace::usage_error;

command_line parse(const std::vector<std::string>& words) {
    return {words, {"--all"}, {"-o", "--name"}};
}

TEST(command_line, options_stand_around_the_words) {
    const command_line line = parse({"-o", "-", "a", "--name=b=c", "-", "--all", "--", "--name", "--"});
    EXPECT_EQ(line.value("-o"), "-");
    EXPECT_EQ(line.value("--name"), "b=c");
    EXPECT_TRUE(line.has("--all"));
    EXPECT_EQ(line.words(), (std::vector<std::string>{"a", "-", "--name", "--"}));
    EXPECT_FALSE(parse({}).has("--all"));
    EXPECT_FALSE(parse({}).value("-o").has_value());
}

TEST(command_line, unknown_and_incomplete_options_are_refused) {
    for (const char* const word : {"--al", "--all=x", "-o=x", "-x", "--other=x", "--name"}) {
        EXPECT_THROW(parse({word}), usage_error) << word;
    }
}

} // namespace
