/// Plan: separators at every depth, escapes, numbers.
#include "runner/harness/json.hpp"

#include <gtest/gtest.h>

namespace {

TEST(json, separates_members_and_elements_at_every_depth) {
    bench::json_writer json;
    json.open('{').member("a", 1).key("b").open('[').value(2).open('{').close('}').value("x").close(']');
    json.member("c", true).close('}');
    EXPECT_EQ(json.text(), R"({"a":1,"b":[2,{},"x"],"c":true})");
}

TEST(json, escapes_quotes_backslashes_and_control_characters) {
    bench::json_writer json;
    json.value(std::string("a\"b\\c\n"));
    EXPECT_EQ(json.text(), R"("a\"b\\c\u000a")");
}

TEST(json, writes_large_integers_in_full) {
    bench::json_writer json;
    json.open('[').value(std::int64_t{9007199254740993}).value(0.25).close(']');
    EXPECT_EQ(json.text(), "[9007199254740993,0.25]");
}

} // namespace
