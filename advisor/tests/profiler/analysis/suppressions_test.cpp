#include "profiler/analysis/story.hpp"
#include "profiler/report/suppressions.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace {

using mallard::advisor::matches_suppression;
using mallard::advisor::read_suppressions;
using mallard::advisor::wrong_suppression;
using mallard::test::story;

TEST(suppressions, are_read_without_comments_and_blanks) {
    std::istringstream from("# ours\n\n  leak:libfoo.so \r\nleak:^a*b$");
    EXPECT_EQ(read_suppressions(from, "f"), (std::vector<std::string>{"libfoo.so", "^a*b$"}));
}

TEST(suppressions, refuse_other_lines_with_their_number) {
    for (const char* const line : {"leak:", "race:x", "libfoo.so"}) {
        std::istringstream from("# ours\n" + std::string(line));
        try {
            read_suppressions(from, "f");
            ADD_FAILURE() << line;
        } catch (const wrong_suppression& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("--suppress f, line 2: '" + std::string(line)))
                << error.what();
        }
    }
}

TEST(suppressions, match_parts_wildcards_and_ends) {
    for (const auto& [pattern, name] : std::vector<std::pair<const char*, const char*>>{{"oo", "foo()"},
                                                                                        {"f*)", "foo()"},
                                                                                        {"^foo", "foo()"},
                                                                                        {"()$", "foo()"},
                                                                                        {"^foo()$", "foo()"},
                                                                                        {"^f*()$", "foo()"},
                                                                                        {"a$", "aba"},
                                                                                        {"*", "x"}}) {
        EXPECT_TRUE(matches_suppression(pattern, name)) << pattern;
    }
    for (const auto& [pattern, name] : std::vector<std::pair<const char*, const char*>>{{"bar", "foo()"},
                                                                                        {"^oo", "foo()"},
                                                                                        {"foo$", "foo()"},
                                                                                        {"o*f", "foo()"},
                                                                                        {"^f*o$", "foo()"},
                                                                                        {"^a*a$", "a"}}) {
        EXPECT_FALSE(matches_suppression(pattern, name)) << pattern;
    }
}

/// A block of 10 bytes by alpha, two of 100 by beta called from alpha, and a freed one.
void leak(story& program) {
    program.call("main").call("alpha");
    program.allocate(10);
    program.call("beta", 2);
    program.allocate(100, 3);
    program.allocate(100, 3);
    program.free(program.allocate(1000, 4), 5);
    program.leave().leave();
}

TEST(suppressions, take_the_blocks_of_the_innermost_match) {
    story program;
    leak(program);
    program.suppressions = {"alph", "nowhere", "^beta$"};
    const std::string profile = program.profile();
    EXPECT_NE(profile.find(R"("suppressions":[{"pattern":"alph","allocations":1,"bytes":10},)"
                           R"({"pattern":"nowhere","allocations":0,"bytes":0},)"
                           R"({"pattern":"^beta$","allocations":2,"bytes":200}])"),
              std::string::npos)
        << profile;
    EXPECT_NE(profile.find(R"("leaks":[],"leaks_not_listed":{"sites":0)"), std::string::npos) << profile;
    EXPECT_NE(profile.find(R"("alive":{"allocations":3,"bytes":210})"), std::string::npos) << profile;
}

TEST(suppressions, leave_other_leaks) {
    story program;
    leak(program);
    program.suppressions = {"beta"};
    const std::string profile = program.profile();
    const std::size_t leaks = profile.find(R"("leaks":[{"place":)");
    ASSERT_NE(leaks, std::string::npos) << profile;
    EXPECT_NE(profile.find(R"("allocations":1,"bytes":10,"stack":)", leaks), std::string::npos) << profile;
    EXPECT_NE(profile.find(R"("peak_bytes":1210,"alive_bytes":10})"), std::string::npos) << profile;
}

} // namespace
