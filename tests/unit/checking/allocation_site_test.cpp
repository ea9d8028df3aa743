#include <mallard/checking/allocation_site.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <source_location>
#include <span>
#include <string>
#include <thread>
#include <vector>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define MALLARD_TEST_HAS_BACKTRACE
#endif

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

/// A call at the end of its function, so that each function has a frame.
template <class Next, int Caller>
[[gnu::noinline]] std::vector<void*> call_from(Next next) {
    std::vector<void*> stack = next();
    asm volatile("" : : "r"(stack.data()) : "memory");
    return stack;
}

/// Two callers with equal frames, the same depth and the same callee.
TEST_F(allocation_stacks, tell_callers_of_equal_frames_apart) {
    const auto innermost = [this] {
        const std::span<void*> stack = capture();
        return std::vector<void*>(stack.begin(), stack.end());
    };
    using next = decltype(innermost);
    std::array<std::vector<void*>, 2> first;
    for (int round = 0; round < 3; ++round) {
        std::array<std::vector<void*>, 2> stacks;
        for (std::size_t caller = 0; caller < 2; ++caller) {
            stacks[caller] = caller == 0 ? call_from<next, 0>(innermost) : call_from<next, 1>(innermost);
        }
        EXPECT_EQ(stacks[0] == stacks[1], unavailable_);
        if (round == 0) {
            first = stacks;
        }
        EXPECT_EQ(stacks, first) << "the same calls";
    }
}

TEST_F(allocation_stacks, deepen_when_more_frames_are_kept) {
    for (const std::size_t frames : {2U, 3U, 3U, 1U}) {
        mallard::keep_stack_frames(frames);
        EXPECT_EQ(capture().size(), unavailable_ ? 0 : frames);
    }
}

#ifdef MALLARD_TEST_HAS_BACKTRACE
/// Random walks up and down, by two functions, against the system's own unwinder.
[[gnu::noinline]] void expect_equal_stacks(std::minstd_rand& random, int depth, std::size_t& compared);

[[gnu::noinline]] std::span<void*> capture_once(std::span<void*, mallard::most_stack_frames> room) {
    const std::span<void*> stack = mallard::checking::capture_stack(room);
    asm volatile("" : : "r"(stack.data()) : "memory"); // not a tail call, which has no frame
    return stack;
}

template <int Function>
[[gnu::noinline]] void descend(std::minstd_rand& random, int depth, std::size_t& compared) {
    for (int i = 0; i < 3; ++i) {
        expect_equal_stacks(random, depth - 1, compared);
    }
    asm volatile("" : : "r"(&depth) : "memory");
}

void expect_equal_stacks(std::minstd_rand& random, int depth, std::size_t& compared) {
    std::array<void*, mallard::most_stack_frames> room{};
    std::array<void*, 64> system_frames{};
    const std::span<void*> stack = capture_once(room);
    const auto count = static_cast<std::size_t>(backtrace(system_frames.data(), 64));
    // The innermost address differs: two calls of one function. A sanitizer's backtrace() begins with a frame of its own.
    ASSERT_GE(stack.size(), 2U);
    const auto* const own = std::find(system_frames.begin() + 1, system_frames.begin() + 3, stack[1]);
    ASSERT_NE(own, system_frames.begin() + 3) << "at depth " << depth;
    const auto others = static_cast<std::size_t>(own - system_frames.begin()) - 1;
    ASSERT_LE(stack.size(), count - others);
    for (std::size_t i = 1; i < stack.size(); ++i) {
        ASSERT_EQ(stack[i], system_frames[i + others]) << "frame " << i << " at depth " << depth;
    }
    ++compared;
    if (depth != 0) {
        random() % 2 == 0 ? descend<0>(random, depth, compared) : descend<1>(random, depth, compared);
    }
}

TEST_F(allocation_stacks, equal_those_of_the_system_in_threads) {
    mallard::keep_stack_frames(mallard::most_stack_frames);
    std::vector<std::thread> threads;
    std::array<std::size_t, 3> compared{};
    for (unsigned seed = 0; seed < compared.size(); ++seed) {
        threads.emplace_back([seed, &compared] {
            std::minstd_rand random(seed);
            expect_equal_stacks(random, 7, compared[seed]);
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(compared[0], 3280U);
}
#endif

} // namespace
