#include <mallard/checking/allocation_site.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <span>
#include <string>
#include <thread>

namespace {

using mallard::allocation_site;

TEST(allocation_sites, innermost_scope_wins) {
    EXPECT_EQ(allocation_site::current(), nullptr);
    {
        const allocation_site outer;
        const auto line_of_outer = std::source_location::current().line() - 1;
        ASSERT_NE(allocation_site::current(), nullptr);
        EXPECT_EQ(allocation_site::current()->line(), line_of_outer);
        {
            const auto elsewhere = std::source_location::current();
            const allocation_site inner(elsewhere);
            EXPECT_EQ(allocation_site::current()->line(), elsewhere.line());
        }
        EXPECT_EQ(allocation_site::current()->line(), line_of_outer);
    }
    EXPECT_EQ(allocation_site::current(), nullptr);
}

TEST(allocation_sites, are_a_matter_of_their_thread) {
    const allocation_site site;
    std::thread([] { EXPECT_EQ(allocation_site::current(), nullptr); }).join();
}

class allocation_stacks : public ::testing::Test {
protected:
    allocation_stacks() : previous_frames_(mallard::keep_stack_frames(8)) {
        if (mallard::keep_stack_frames(8) == 0) {
            unavailable_ = true;
        }
    }
    ~allocation_stacks() override { mallard::keep_stack_frames(previous_frames_); }

    [[gnu::noinline]] std::span<void*> capture() { return mallard::checking::capture_stack(room_); }

    std::array<void*, mallard::most_stack_frames> room_{};
    bool unavailable_ = false;

private:
    std::size_t previous_frames_;
};

TEST_F(allocation_stacks, have_configured_depth) {
    if (unavailable_) {
        GTEST_SKIP() << "this system has no <execinfo.h>";
    }
    EXPECT_LE(capture().size(), 8U);
    EXPECT_GE(capture().size(), 1U);
    EXPECT_EQ(mallard::keep_stack_frames(1000), 8U);
    EXPECT_EQ(mallard::keep_stack_frames(0), mallard::most_stack_frames);
    EXPECT_TRUE(capture().empty());
}

/// Effects: writes the number of frames that are kept with this value in the environment, and exits.
[[noreturn]] void print_kept_frames(const char* value) {
    setenv("MALLARD_STACK_FRAMES", value, 1);
    std::fprintf(stderr, "frames: %zu\n", mallard::keep_stack_frames(0));
    std::_Exit(0);
}

// Each process reads the environment once, so each value needs a separate process. The fixture above would read it
// first.
TEST(allocation_stacks_of_the_environment, use_number_of_environment_variable) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(print_kept_frames("0"), ::testing::ExitedWithCode(0), "^frames: 0\n$");
    EXPECT_EXIT(print_kept_frames("32"), ::testing::ExitedWithCode(0), "^frames: (32|0)\n$");
}

TEST(allocation_stacks_of_the_environment, warn_and_keep_default_for_invalid_number) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const std::string value : {"deep", "33", "-1", ""}) {
        EXPECT_EXIT(print_kept_frames(value.c_str()), ::testing::ExitedWithCode(0),
                    "^mallard: MALLARD_STACK_FRAMES is '" + value +
                        "'; allowed are whole numbers from 0 to 32; 16 is used\nframes: (16|0)\n$");
    }
}

} // namespace
