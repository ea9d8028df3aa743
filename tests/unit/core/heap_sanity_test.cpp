#include <mallard/core/heap_sanity.hpp>

#include <gtest/gtest.h>

namespace {

TEST(heap_sanity, is_sound_without_a_message) {
    EXPECT_TRUE(mallard::heap_sanity{}.sound());
    EXPECT_FALSE((mallard::heap_sanity{.defect = "a damaged tag", .block = nullptr}.sound()));
}

} // namespace
