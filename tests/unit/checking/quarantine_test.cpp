#include <mallard/checking/quarantine.hpp>

#include <gtest/gtest.h>

#include <cstddef>

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

TEST(quarantine, may_be_bounded_to_nothing) {
    EXPECT_EQ(mallard::no_quarantine.blocks, 0U);
    EXPECT_EQ(mallard::no_quarantine.bytes, 0U);
}

TEST(quarantine, fills_blocks_with_the_byte_that_is_documented) {
    EXPECT_EQ(mallard::checking::freed_byte, std::byte{0xDF}) << "docs/checked.md";
}

} // namespace
