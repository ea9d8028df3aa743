#include "trace/printable.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::trace::printable;

TEST(printable, escapes_control_characters_and_replaces_invalid_utf8) {
    EXPECT_EQ(printable("a\nb\tc\x7f\x1b[1m"), R"(a\nb\tc\x7f\x1b[1m)");
    EXPECT_EQ(printable("\xc2\x9b \xe2\x80\xae \xef\xbb\xbf \xc2\xa1"), "\\x9b \\u202e \\ufeff \xc2\xa1");
    EXPECT_EQ(printable("caf\xc3\xa9 \xf0\x9f\xa6\x86"), "caf\xc3\xa9 \xf0\x9f\xa6\x86");
    for (const char* const wrong :
         {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\x80"}) {
        EXPECT_TRUE(printable(wrong).starts_with("\xef\xbf\xbd")) << wrong;
    }
}

} // namespace
