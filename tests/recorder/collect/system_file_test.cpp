#include "recorder/collect/system_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace {

using mallard::collect::text_of_system_file;

TEST(system_file, has_its_text_with_the_zeros) {
    const std::string facts = text_of_system_file("/proc/self/stat");
    EXPECT_TRUE(facts.starts_with(std::to_string(::getpid()) + " (")) << facts;
    EXPECT_NE(text_of_system_file("/proc/self/cmdline").find('\0'), std::string::npos);
}

TEST(system_file, is_empty_if_it_is_not_there) {
    EXPECT_EQ(text_of_system_file("/proc/no/such/file"), "");
}

// A folder can be opened and not be read, as the file of a process that has ended since it was opened.
TEST(system_file, is_empty_if_it_cannot_be_read) {
    EXPECT_EQ(text_of_system_file("/proc"), "");
}

} // namespace
