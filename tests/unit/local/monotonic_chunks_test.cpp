// The memory that a monotonic allocator holds: large requests among small ones, and chunks after a rollback.
#include "equipment/ledger.hpp"

#include <mallard/local/monotonic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace {

using arena_type = mallard::monotonic<equipment::ledger>;

std::byte* as_bytes(void* p) {
    return static_cast<std::byte*>(p);
}

// ---- large requests among small ones

constexpr mallard::monotonic_options small_chunks{
    .growth = {.first_chunk_bytes = 64, .largest_chunk_bytes = 8192}};

/// Effects: allocates small and large blocks in turn.
/// Returns: their bytes.
std::size_t alternate(arena_type& arena, std::size_t large, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        std::fill_n(as_bytes(arena.allocate(24, 8)), 24, std::byte{1});
        std::fill_n(as_bytes(arena.allocate(large, 8)), large, std::byte{1});
    }
    return static_cast<std::size_t>(rounds) * (large + 24);
}

TEST(monotonic_large_requests, leave_the_region_to_small_ones) {
    for (const std::size_t large : {600U, 3000U, 4095U, 5000U, 8192U, 9000U, 20'000U}) {
        equipment::ledger source;
        arena_type arena(source, small_chunks);
        const std::size_t bytes = alternate(arena, large, 100);
        EXPECT_LE(source.outstanding_bytes(), bytes + bytes / 10) << large;
    }
}

TEST(monotonic_large_requests, rewind_keeps_large_chunks_separate) {
    for (const int rounds : {4, 100}) {
        equipment::ledger source;
        arena_type arena(source, small_chunks);
        alternate(arena, 9000, rounds);
        const std::size_t held = source.outstanding_bytes();
        for (int use = 0; use < 3; ++use) {
            arena.rewind();
            alternate(arena, 9000, rounds);
            EXPECT_LE(source.outstanding_bytes(), held);
        }
    }
}

TEST(monotonic_large_requests, go_on_in_the_initial_buffer) {
    equipment::ledger source;
    alignas(16) std::array<std::byte, 256> buffer;
    arena_type arena(buffer, source, small_chunks);
    void* const small = arena.allocate(24, 8);
    static_cast<void>(arena.allocate(9000, 8));
    EXPECT_EQ(arena.allocate(24, 8), as_bytes(small) + 24);
    arena.rewind();
    EXPECT_EQ(arena.allocate(24, 8), small);
    static_cast<void>(arena.allocate(9000, 8));
    EXPECT_EQ(source.granted().size(), 1U);
}

TEST(monotonic_large_requests, grow_the_plan_by_one_step) {
    equipment::ledger source;
    arena_type arena(source, small_chunks);
    static_cast<void>(arena.allocate(24, 8));
    static_cast<void>(arena.allocate(9000, 8));
    static_cast<void>(arena.allocate(48, 8));
    EXPECT_EQ(source.granted().back().bytes, 256U) << "not the largest size for a few bytes";
}

TEST(monotonic_large_requests, are_resized_within_their_chunk) {
    equipment::ledger source;
    arena_type arena(source, small_chunks);
    static_cast<void>(arena.allocate(8, 8));
    void* const p = arena.allocate(9000, 8);
    EXPECT_FALSE(arena.resize_last(p, 9000, 9100));
    EXPECT_TRUE(arena.resize_last(p, 9000, 8000));
    std::fill_n(as_bytes(p), 8000, std::byte{1});
    EXPECT_EQ(arena.allocate(8, 8), as_bytes(p) + 8000) << "the rest is larger than that of the region";
}

TEST(monotonic_large_requests, give_their_chunk_back_by_a_resize) {
    equipment::ledger source;
    arena_type arena(source, small_chunks);
    void* const small = arena.allocate(8, 8);
    for (std::size_t bytes = 9000; bytes < 100'000; bytes += 1000) {
        EXPECT_TRUE(arena.resize_last(arena.allocate(bytes, 8), bytes, 0));
        EXPECT_LE(source.outstanding_bytes(), bytes + 200);
    }
    EXPECT_EQ(arena.allocate(8, 8), as_bytes(small) + 8);
}

// ---- rollbacks

/// A checkpoint is a use of the memory, as what lies between two rewinds is.
TEST(monotonic_rollback, holds_twice_the_largest_use) {
    equipment::ledger source;
    arena_type arena(source, small_chunks);
    for (std::size_t kib = 9; kib < 59; ++kib) {
        const auto mark = arena.mark();
        static_cast<void>(arena.allocate(kib << 10, 8));
        EXPECT_LE(source.outstanding_bytes(), (2 * kib + 1) << 10);
        arena.rollback(mark);
        EXPECT_LE(source.outstanding_bytes(), (kib + 1) << 10);
    }
}

TEST(monotonic_rollback, chunks_are_freed_following_a_peak) {
    equipment::ledger source;
    arena_type arena(source, small_chunks);
    static_cast<void>(arena.allocate(24, 8));
    const auto use = [&](int requests) {
        const auto mark = arena.mark();
        for (int i = 0; i < requests; ++i) {
            static_cast<void>(arena.allocate(100, 8));
        }
        arena.rollback(mark);
    };
    use(10'000);
    EXPECT_GE(source.outstanding_bytes(), 1'000'000U);
    for (int i = 0; i < 200; ++i) {
        use(10);
    }
    EXPECT_LE(source.outstanding_bytes(), 8192U);
    const std::size_t calls = source.granted().size();
    for (int i = 0; i < 20; ++i) {
        use(10);
    }
    EXPECT_EQ(source.granted().size(), calls) << "a steady use needs nothing from the upstream";
}

TEST(monotonic_rollback, restores_marked_region) {
    equipment::ledger source;
    arena_type arena(source, small_chunks);
    void* const first = arena.allocate(8, 8);
    const auto mark = arena.mark();
    static_cast<void>(arena.allocate(9000, 8));
    EXPECT_EQ(arena.allocate(8, 8), as_bytes(first) + 8) << "next to a large block";
    static_cast<void>(arena.allocate(9000, 8));
    arena.rollback(mark);
    EXPECT_EQ(arena.allocate(8, 8), as_bytes(first) + 8);
    std::fill_n(as_bytes(arena.allocate(32, 8)), 32, std::byte{1});
}

} // namespace
