#include <mallard/checking/quarantine.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

TEST(quarantine, is_bounded_as_the_environment_and_the_program_say) {
    constexpr mallard::quarantine_bounds usual;
    const mallard::quarantine_bounds before = mallard::set_quarantine({.blocks = 3, .bytes = 100});
    EXPECT_EQ(before.blocks, usual.blocks);
    EXPECT_EQ(mallard::usual_quarantine().blocks, 3U);
    EXPECT_EQ(mallard::usual_quarantine().bytes, 100U);
    EXPECT_EQ(mallard::set_quarantine(before).bytes, 100U);
    EXPECT_EQ(mallard::usual_quarantine().blocks, usual.blocks);
}

/// Effects: writes the bytes that a quarantine has by default with this value in the environment, and exits.
[[noreturn]] void print_usual_bytes(const char* value) {
    setenv("MALLARD_QUARANTINE_BYTES", value, 1);
    std::fprintf(stderr, "bytes: %zu\n", mallard::usual_quarantine().bytes);
    std::_Exit(0);
}

// Each process reads the environment once, so each value has a process of its own.
TEST(quarantine, has_the_bytes_of_the_environment) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(print_usual_bytes("0"), ::testing::ExitedWithCode(0), "^bytes: 0\n$");
    EXPECT_EXIT(print_usual_bytes("4096"), ::testing::ExitedWithCode(0), "^bytes: 4096\n$");
}

TEST(quarantine, keeps_its_bytes_and_says_so_if_the_environment_has_no_number) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const std::string value : {"many", "", "-1", "1e6", "64k", " 64", "18446744073709551616"}) {
        EXPECT_EXIT(print_usual_bytes(value.c_str()), ::testing::ExitedWithCode(0),
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
