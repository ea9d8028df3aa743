#include <mallard/checking/allocation_site.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <thread>

namespace {

using mallard::allocation_site;

TEST(allocation_sites, are_those_of_the_innermost_scope) {
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
    const allocation_site here;
    std::thread([] { EXPECT_EQ(allocation_site::current(), nullptr); }).join();
}

class allocation_stacks : public ::testing::Test {
protected:
    allocation_stacks() : before_(mallard::keep_stack_frames(8)) {
        if (mallard::keep_stack_frames(8) == 0) {
            unavailable_ = true;
        }
    }
    ~allocation_stacks() override { mallard::keep_stack_frames(before_); }

    [[gnu::noinline]] std::span<void*> capture() { return mallard::checking::capture_stack(room_); }

    std::array<void*, mallard::most_stack_frames> room_{};
    bool unavailable_ = false;

private:
    std::size_t before_;
};

TEST_F(allocation_stacks, are_as_deep_as_it_was_asked_for) {
    if (unavailable_) {
        GTEST_SKIP() << "this system has no <execinfo.h>";
    }
    EXPECT_LE(capture().size(), 8U);
    EXPECT_GE(capture().size(), 1U);
    EXPECT_EQ(mallard::keep_stack_frames(1000), 8U);
    EXPECT_EQ(mallard::keep_stack_frames(0), mallard::most_stack_frames);
    EXPECT_TRUE(capture().empty());
}

TEST_F(allocation_stacks, have_names_where_the_system_has_tables) {
    char** const names = mallard::checking::names_of_frames(capture());
    EXPECT_EQ(names == nullptr, unavailable_);
    std::free(static_cast<void*>(names));
}

} // namespace
