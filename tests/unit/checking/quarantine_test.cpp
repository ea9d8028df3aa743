#include <mallard/checking/quarantine.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

TEST(quarantine, follows_environment_and_program) {
    constexpr mallard::quarantine_bounds defaults;
    const mallard::quarantine_bounds previous = mallard::set_quarantine({.blocks = 3, .bytes = 100});
    EXPECT_EQ(previous.blocks, defaults.blocks);
    EXPECT_EQ(mallard::default_quarantine().blocks, 3U);
    EXPECT_EQ(mallard::default_quarantine().bytes, 100U);
    EXPECT_EQ(mallard::set_quarantine(previous).bytes, 100U);
    EXPECT_EQ(mallard::default_quarantine().blocks, defaults.blocks);
}

/// Effects: writes the bytes that a quarantine has by default with this value in the environment, and exits.
[[noreturn]] void print_default_bytes(const char* value) {
    setenv("MALLARD_QUARANTINE_BYTES", value, 1);
    std::fprintf(stderr, "bytes: %zu\n", mallard::default_quarantine().bytes);
    std::_Exit(0);
}

// Each process reads the environment once, so each value needs a separate process.
TEST(quarantine, has_the_bytes_of_the_environment) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(print_default_bytes("0"), ::testing::ExitedWithCode(0), "^bytes: 0\n$");
    EXPECT_EXIT(print_default_bytes("4096"), ::testing::ExitedWithCode(0), "^bytes: 4096\n$");
}

TEST(quarantine, warns_and_keeps_default_for_invalid_number) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const std::string value : {"many", "", "-1", "1e6", "64k", " 64", "18446744073709551616"}) {
        EXPECT_EXIT(print_default_bytes(value.c_str()), ::testing::ExitedWithCode(0),
                    "^mallard: MALLARD_QUARANTINE_BYTES is '" + value +
                        "'; allowed are whole numbers from 0 to 18446744073709551615; 262144 is used\n"
                        "bytes: 262144\n$");
    }
}

TEST(quarantine, may_be_bounded_to_nothing) {
    EXPECT_EQ(mallard::no_quarantine.blocks, 0U);
    EXPECT_EQ(mallard::no_quarantine.bytes, 0U);
}

TEST(quarantine, fills_blocks_with_the_byte_that_is_documented) {
    EXPECT_EQ(mallard::checking::freed_byte, std::byte{0xDF}) << "docs/library/checked.md";
}

} // namespace
