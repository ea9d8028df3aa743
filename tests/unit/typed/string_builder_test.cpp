#include "equipment/ledger.hpp"

#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/typed/string_builder.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace {

using memory = equipment::ledger;

TEST(copy_string, copies_text_with_terminating_zero) {
    memory source;
    std::string text = "a text";
    const std::string_view copy = mallard::copy_string(source, text);
    text[0] = 'X';
    EXPECT_EQ(copy, "a text");
    EXPECT_EQ(std::strlen(copy.data()), 6U);
    EXPECT_EQ(source.outstanding_bytes(), 7U);
    mallard::deallocate_string(source, copy);
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(copy_string, copies_no_text_and_zeros) {
    memory source;
    const std::string_view none = mallard::copy_string(source, {});
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(*none.data(), 0);
    const std::string_view zeros = mallard::copy_string(source, std::string_view("a\0b", 3));
    EXPECT_EQ(zeros, std::string_view("a\0b", 3));
    mallard::deallocate_string(source, none);
    mallard::deallocate_string(source, zeros);
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(string_builder, puts_texts_together) {
    mallard::monotonic arena;
    mallard::string_builder path(arena);
    path.append("/var").append('/').append(std::string("log")).append('.').append(42).append(-7L);
    EXPECT_EQ(path.view(), "/var/log.42-7");
    EXPECT_EQ(path.size(), 13U);
    const std::string_view done = path.finish();
    EXPECT_EQ(done, "/var/log.42-7");
    EXPECT_EQ(std::strlen(done.data()), 13U);
    EXPECT_TRUE(path.empty());
    path.append("again");
    EXPECT_EQ(path.finish(), "again");
    EXPECT_EQ(done, "/var/log.42-7") << "another block";
}

TEST(string_builder, numbers_round_trip) {
    memory source;
    mallard::string_builder text(source);
    text.append(std::numeric_limits<std::int64_t>::min()).append(' ');
    text.append(std::numeric_limits<std::uint64_t>::max()).append(' ');
    text.append(0.1).append(' ').append(1e300).append(' ').append(static_cast<short>(-1));
    EXPECT_EQ(text.view(), "-9223372036854775808 18446744073709551615 0.1 1e+300 -1");
}

TEST(string_builder, appends_a_part_of_itself) {
    memory source;
    mallard::string_builder text(source);
    text.append("abc");
    for (int i = 0; i < 10; ++i) {
        text.append(text.view());
    }
    EXPECT_EQ(text.size(), 3U << 10);
    for (std::size_t i = 0; i < text.size(); ++i) {
        ASSERT_EQ(text.view()[i], "abc"[i % 3]);
    }
    text.clear();
    EXPECT_EQ(text.view(), "");
}

TEST(string_builder, finishes_an_empty_text) {
    memory source;
    {
        mallard::string_builder text(source);
        const std::string_view none = text.finish();
        EXPECT_EQ(none, "");
        EXPECT_EQ(*none.data(), 0);
        EXPECT_EQ(source.outstanding_bytes(), 1U);
        mallard::deallocate_string(source, none);
        text.reserve(1000);
        text.append("short");
        const std::string_view done = text.finish();
        EXPECT_EQ(source.outstanding_bytes(), 6U);
        mallard::deallocate_string(source, done);
    }
    EXPECT_EQ(source.outstanding(), 0U);
}

#ifdef __cpp_exceptions
TEST(string_builder, keeps_text_when_memory_runs_out) {
    memory source;
    mallard::string_builder text(source);
    text.append("abc");
    source.fail({.at = 1, .for_ever = true});
    EXPECT_THROW(text.append(std::string(1000, 'x')), std::bad_alloc);
    EXPECT_EQ(text.view(), "abc");
    EXPECT_THROW(static_cast<void>(text.finish()), std::bad_alloc);
    EXPECT_EQ(text.view(), "abc");
    source.fail({.at = 0});
    EXPECT_EQ(text.append('d').view(), "abcd");
}
#endif

} // namespace
