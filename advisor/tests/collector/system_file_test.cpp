#include "collector/system_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace {

using mallard::collector::text_of_system_file;

TEST(system_file, returns_the_text_with_zeros) {
    const std::string facts = text_of_system_file("/proc/self/stat");
    EXPECT_TRUE(facts.starts_with(std::to_string(::getpid()) + " (")) << facts;
    EXPECT_NE(text_of_system_file("/proc/self/cmdline").find('\0'), std::string::npos);
}

TEST(system_file, returns_nothing_for_a_missing_file) {
    EXPECT_EQ(text_of_system_file("/proc/no/such/file"), "");
}

// A folder can be opened but not read, like the file of a process that has exited since it was opened.
TEST(system_file, returns_nothing_for_an_unreadable_file) {
    EXPECT_EQ(text_of_system_file("/proc"), "");
}

} // namespace
