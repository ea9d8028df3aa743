// LeakSanitizer follows pointers into and out of pages: an arena alive at exit is not a leak, but memory that its objects
// fail to free is.
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using arena_type = mallard::monotonic<>;
using strings = std::vector<std::string, mallard::allocator<std::string, arena_type>>;

using heap_type = mallard::heap<>;
using strings_of_heap = std::vector<std::string, mallard::allocator<std::string, heap_type>>;

constexpr const char* text = "a string that is longer than the small buffer of its own";

TEST(leaks, accept_an_arena_alive_at_exit) {
    EXPECT_EXIT(
        {
            static auto& arena = *new arena_type;
            static auto& names = *new strings(arena);
            // Enough for the arena's larger chunks, and the vector's table, to be pages.
            for (int i = 0; i < 20000; ++i) {
                names.emplace_back(text);
            }
            std::exit(0);
        },
        ::testing::ExitedWithCode(0), "");
}

/// Small enough to come from operator new.
TEST(leaks, accept_chunks_that_a_rewind_keeps) {
    EXPECT_EXIT(
        {
            static auto& arena = *new arena_type;
            for (int i = 0; i < 400; ++i) {
                static_cast<void>(arena.allocate(100));
            }
            arena.rewind();
            std::exit(0);
        },
        ::testing::ExitedWithCode(0), "");
}

TEST(leaks, accept_large_blocks_alive_at_exit) {
    EXPECT_EXIT(
        {
            static auto& heap = *new heap_type;
            static auto& names = *new strings_of_heap(heap);
            // Enough for the vector's table to be a large block, which lies in a range of its own.
            for (int i = 0; i < 100000; ++i) {
                names.emplace_back(text);
            }
            std::exit(0);
        },
        ::testing::ExitedWithCode(0), "");
}

TEST(leaks, are_reported_for_a_released_arena) {
    EXPECT_EXIT(
        {
            static auto& arena = *new arena_type;
            auto& names = *::new (arena.allocate(sizeof(strings))) strings(arena);
            for (int i = 0; i < 20000; ++i) {
                names.emplace_back(text);
            }
            arena.release();
            std::exit(0);
        },
        [](int status) { return status != 0; }, "LeakSanitizer: detected memory leaks");
}

} // namespace
