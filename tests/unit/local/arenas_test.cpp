#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"

#include <mallard/local/arenas.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>

namespace {

using free_blocks_type = mallard::last_freed::of_one_size;

const free_blocks_type free_blocks_of_24(24);

TEST(static_arena, is_one_room) {
    static mallard::static_arena<1000> arena;
    EXPECT_EQ(arena.capacity(free_blocks_of_24, 8), 41U);
    const std::span<std::byte> room = arena.next_room(free_blocks_of_24, 8, 1);
    EXPECT_EQ(room.size(), 1000U);
    EXPECT_TRUE(mallard::core::is_aligned(room.data(), mallard::fundamental_alignment));
    EXPECT_TRUE(arena.next_room(free_blocks_of_24, 8, 1).empty());
    arena.release();
    EXPECT_EQ(arena.next_room(free_blocks_of_24, 8, 1).data(), room.data());
    EXPECT_EQ(arena.stats().chunk_bytes, 0U) << "it is unused";
    EXPECT_TRUE(arena.owns(room.data()));
    EXPECT_TRUE(arena.owns(room.data() + 999));
    EXPECT_FALSE(arena.owns(room.data() + 1000));
    EXPECT_FALSE(arena.owns(&room));
}

TEST(static_arena, accounts_for_strict_alignment) {
    mallard::static_arena<1000> arena;
    const std::span<std::byte> room = arena.next_room(free_blocks_type(64), 64, 1);
    EXPECT_TRUE(mallard::core::is_aligned(room.data(), 64));
    EXPECT_GE(room.size(), 1000U - 48);
    EXPECT_EQ(arena.capacity(free_blocks_type(64), 64), room.size() / 64);
}

TEST(buffer_arena, uses_aligned_part_of_buffer) {
    alignas(16) std::array<std::byte, 100> buffer{};
    {
        mallard::buffer_arena arena{std::span<std::byte>(buffer).subspan(3)};
        EXPECT_EQ(arena.capacity(free_blocks_of_24, 8), 3U);
        const std::span<std::byte> room = arena.next_room(free_blocks_of_24, 8, 1);
        EXPECT_EQ(room.data(), buffer.data() + 16);
        EXPECT_EQ(room.size(), 84U);
        EXPECT_TRUE(arena.next_room(free_blocks_of_24, 8, 1).empty());
        arena.release();
        EXPECT_FALSE(arena.next_room(free_blocks_of_24, 8, 1).empty());
    }
    EXPECT_EQ(buffer.back(), std::byte{0}) << "the buffer is the caller's again";
}

TEST(buffer_arena, refuses_short_buffer) {
    alignas(16) std::array<std::byte, 32> buffer{};
    mallard::buffer_arena none{std::span<std::byte>{}};
    EXPECT_TRUE(none.next_room(free_blocks_of_24, 8, 1).empty());
    mallard::buffer_arena skewed{std::span<std::byte>(buffer).subspan(1, 10)};
    EXPECT_TRUE(skewed.next_room(free_blocks_type(8), 8, 1).empty());
    EXPECT_EQ(skewed.capacity(free_blocks_type(8), 8), 0U);
}

class arenas : public equipment::on_ledger {};

TEST_F(arenas, single_arena_holds_configured_blocks) {
    mallard::single_arena<equipment::ledger> arena(100, source_);
    EXPECT_TRUE(source_.granted().empty());
    EXPECT_EQ(arena.next_room(free_blocks_of_24, 8, 1).size(), 2400U);
    EXPECT_EQ(arena.capacity(free_blocks_of_24, 8), 100U);
    EXPECT_TRUE(arena.next_room(free_blocks_of_24, 8, 1).empty());
    EXPECT_EQ(source_.granted().size(), 1U);
    EXPECT_EQ(arena.stats().chunk_bytes, 2400U);
    arena.release();
    EXPECT_EQ(source_.outstanding(), 0U);
    EXPECT_EQ(arena.stats().chunks, 0U);
    EXPECT_EQ(arena.stats().upstream_calls, 1U) << "since construction";
    const std::span<std::byte> room = arena.next_room(free_blocks_type(128), 128, 1);
    EXPECT_EQ(arena.stats().upstream_calls, 2U);
    EXPECT_TRUE(mallard::core::is_aligned(room.data(), 128));
    EXPECT_EQ(source_.granted().back(), (equipment::ledger::request{12'800, 128}));
}

TEST_F(arenas, single_arena_of_one_block_holds_it) {
    mallard::single_arena<equipment::ledger> arena(1, source_);
    const std::span<std::byte> room = arena.next_room(free_blocks_of_24, 8, 1);
    EXPECT_EQ(room.size(), 24U);
    EXPECT_EQ(arena.capacity(free_blocks_of_24, 8), 1U);
    EXPECT_TRUE(arena.owns(&room.back()));
    EXPECT_FALSE(arena.owns(room.data() + room.size()));
    EXPECT_TRUE(arena.next_room(free_blocks_of_24, 8, 1).empty());
    arena.release();

    mallard::single_arena<equipment::ledger> none(0, source_);
    EXPECT_TRUE(none.next_room(free_blocks_of_24, 8, 1).empty());
    EXPECT_EQ(source_.granted().size(), 1U);
}

TEST_F(arenas, that_grow_take_larger_and_larger_chunks) {
    mallard::growing_arena<equipment::ledger> arena(
        source_, {.growth = {.first_chunk_bytes = 64, .largest_chunk_bytes = 512}});
    std::size_t blocks = 0;
    for (const std::size_t expected : {64U, 128U, 256U, 512U, 512U}) {
        const std::span<std::byte> room = arena.next_room(free_blocks_of_24, 8, 1);
        EXPECT_EQ(source_.granted().back().bytes, expected);
        EXPECT_EQ(room.size(), expected - sizeof(mallard::chunks::chunk));
        blocks += room.size() / 24;
    }
    EXPECT_EQ(arena.capacity(free_blocks_of_24, 8), blocks);
    EXPECT_EQ(arena.stats().chunks, 5U);
    EXPECT_EQ(arena.stats().upstream_calls, 5U);
    arena.release();
    EXPECT_EQ(source_.outstanding(), 0U);
    static_cast<void>(arena.next_room(free_blocks_of_24, 8, 1));
    EXPECT_EQ(source_.granted().back().bytes, 64U) << "it begins again";
}

TEST_F(arenas, growing_arena_sizes_chunk_for_burst) {
    mallard::growing_arena<equipment::ledger> arena(
        source_, {.growth = {.first_chunk_bytes = 64, .largest_chunk_bytes = 4096}});
    EXPECT_GE(arena.next_room(free_blocks_of_24, 8, 100).size(), 2400U);
    EXPECT_LE(arena.next_room(free_blocks_of_24, 8, SIZE_MAX).size(), 4096U) << "at most the largest chunk";
    EXPECT_GE(arena.next_room(free_blocks_type(10'000), 16, 1).size(), 10'000U)
        << "but one block at the least";
}

} // namespace
