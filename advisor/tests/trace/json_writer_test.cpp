#include "trace/json_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using mallard::trace::json_writer;

TEST(json_writer, sets_commas_between_values_only) {
    json_writer to;
    to.begin_object()
        .field("a", 1U)
        .key("b")
        .begin_list()
        .value(2U)
        .begin_list()
        .end_list()
        .value("c")
        .end_list();
    to.field("d", true).key("e").begin_object().end_object().end_object();
    EXPECT_EQ(to.text(), R"({"a":1,"b":[2,[],"c"],"d":true,"e":{}})");
}

TEST(json_writer, writes_nan_and_infinity_as_null) {
    json_writer to;
    to.begin_list()
        .value(std::numeric_limits<double>::quiet_NaN())
        .value(std::numeric_limits<double>::infinity());
    to.value(std::optional<double>()).value(std::optional<double>(0.5)).value(json_writer::null{}).end_list();
    EXPECT_EQ(to.text(), "[null,null,null,0.5,null]");
}

TEST(json_writer, escapes_control_characters_and_replaces_invalid_utf8) {
    const auto written = [](std::string_view text) {
        json_writer to;
        to.value(text);
        return to.text();
    };
    EXPECT_EQ(written("a\"b\\c\n\x7f"), R"("a\"b\\c\u000a\u007f")");
    EXPECT_EQ(written("\xc3\xa4\xe2\x82\xac\xf0\x9f\xa6\x86"), "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\xa6\x86\"");
    EXPECT_EQ(written("\xff"), R"("\ufffd")");
    EXPECT_EQ(written("\xc3"), R"("\ufffd")");
    EXPECT_EQ(written("\xc0\xaf"), R"("\ufffd\ufffd")");
    EXPECT_EQ(written("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
    EXPECT_EQ(written("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
}

TEST(json_writer, writes_what_is_not_known_as_null) {
    json_writer json;
    json.begin_object().optional_field("a", true, [] { return 1; });
    json.optional_field("b", false, [] { return 2; }).end_object();
    EXPECT_EQ(json.text(), R"({"a":1,"b":null})");
}

} // namespace
