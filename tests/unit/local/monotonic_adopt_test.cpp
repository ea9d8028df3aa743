// adopt(): a monotonic allocator takes over the blocks of another one, with their chunks.
#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/failing.hpp>
#include <mallard/adapt/limited.hpp>
#include <mallard/adapt/recorded.hpp>
#include <mallard/adapt/synchronized.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/lifetime/checkpoint.hpp>
#include <mallard/lifetime/wink_out.hpp>
#include <mallard/local/concurrent_monotonic.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/new_delete.hpp>
#include <mallard/upstream/upstream_ref.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace {

using arena_type = mallard::monotonic<equipment::ledger>;

constexpr mallard::monotonic_options small{.growth = {.first_chunk_bytes = 256, .largest_chunk_bytes = 1024}};

std::byte* filled(void* p, std::size_t bytes) {
    std::memset(p, static_cast<int>(bytes % 251), bytes);
    return static_cast<std::byte*>(p);
}

bool is_filled(const std::byte* p, std::size_t bytes) {
    for (std::size_t i = 0; i != bytes; ++i) {
        if (p[i] != static_cast<std::byte>(bytes % 251)) {
            return false;
        }
    }
    return true;
}

/// Two arenas over one ledger, whose complaints are reported at the end.
class adopt : public equipment::on_ledger {
protected:
    ~adopt() override { other_.reset(); }

    arena_type arena_{source_, small};
    std::optional<arena_type> other_{std::in_place, source_, small};
};

TEST_F(adopt, keeps_blocks_beyond_the_other_arena) {
    std::vector<std::byte*> blocks;
    for (std::size_t bytes = 1; bytes != 100; ++bytes) {
        blocks.push_back(filled(other_->allocate(bytes, 8), bytes));
    }
    const std::size_t requests = source_.granted().size();
    ASSERT_TRUE(arena_.adopt(*other_));
    EXPECT_EQ(source_.granted().size(), requests) << "without a copy";
    EXPECT_TRUE(arena_.owns(blocks.front()));
    EXPECT_FALSE(other_->owns(blocks.front()));
    EXPECT_EQ(other_->bytes_in_use(), 0U);
    EXPECT_EQ(other_->stats().chunks, 0U);
    other_.reset();
    for (std::size_t i = 0; i != blocks.size(); ++i) {
        EXPECT_TRUE(is_filled(blocks[i], i + 1));
    }
    arena_.release();
    EXPECT_EQ(source_.outstanding(), 0U);
}

TEST_F(adopt, has_no_effect_on_itself_or_of_an_empty_arena) {
    std::byte* const p = filled(arena_.allocate(40, 8), 40);
    const std::size_t bytes_left = arena_.bytes_left();
    EXPECT_TRUE(arena_.adopt(arena_));
    EXPECT_TRUE(arena_.adopt(*other_));
    EXPECT_EQ(arena_.bytes_left(), bytes_left);
    EXPECT_EQ(arena_.stats().chunks, 1U);
    EXPECT_TRUE(arena_.resize_last(p, 40, 48));
}

TEST_F(adopt, into_an_empty_arena_takes_the_region_too) {
    static_cast<void>(other_->allocate(40, 8));
    const std::size_t bytes_left = other_->bytes_left();
    ASSERT_TRUE(arena_.adopt(*other_));
    EXPECT_EQ(arena_.bytes_left(), bytes_left);
    const std::size_t requests = source_.granted().size();
    static_cast<void>(arena_.allocate(bytes_left, 8));
    EXPECT_EQ(source_.granted().size(), requests);
    EXPECT_EQ(other_->bytes_left(), 0U);
}

TEST_F(adopt, goes_on_with_the_larger_region) {
    static_cast<void>(arena_.allocate(200, 8));
    static_cast<void>(other_->allocate(8, 8));
    ASSERT_GT(other_->bytes_left(), arena_.bytes_left());
    const std::size_t more = other_->bytes_left();
    ASSERT_TRUE(arena_.adopt(*other_));
    EXPECT_EQ(arena_.bytes_left(), more);

    static_cast<void>(other_->allocate(200, 8));
    ASSERT_LT(other_->bytes_left(), arena_.bytes_left());
    ASSERT_TRUE(arena_.adopt(*other_));
    EXPECT_EQ(arena_.bytes_left(), more);
}

TEST_F(adopt, counts_bytes_in_use_of_both) {
    for (int i = 0; i != 100; ++i) {
        static_cast<void>(arena_.allocate(30, 8));
        static_cast<void>(other_->allocate(50, 8));
    }
    const std::size_t sum = arena_.bytes_in_use() + other_->bytes_in_use();
    const std::size_t lost = std::min(arena_.bytes_left(), other_->bytes_left());
    const std::size_t chunks = arena_.stats().chunks + other_->stats().chunks;
    ASSERT_TRUE(arena_.adopt(*other_));
    EXPECT_EQ(arena_.bytes_in_use(), sum + lost);
    EXPECT_EQ(arena_.stats().chunks, chunks);
    EXPECT_EQ(arena_.stats().chunk_bytes, source_.outstanding_bytes());
    arena_.rewind();
    EXPECT_EQ(arena_.bytes_in_use(), 0U);
}

/// A block of the other arena's newest chunk is not alone in it, whichever region goes on.
TEST_F(adopt, resizes_no_block_among_others) {
    static_cast<void>(arena_.allocate(8, 8));
    std::byte* const first = filled(other_->allocate(100, 8), 100);
    std::byte* const second = filled(other_->allocate(100, 8), 100);
    ASSERT_GT(arena_.bytes_left(), other_->bytes_left());
    ASSERT_TRUE(arena_.adopt(*other_));
    EXPECT_FALSE(arena_.resize_last(first, 100, 8));
    EXPECT_FALSE(arena_.resize_last(first, 100, 0));
    EXPECT_FALSE(arena_.resize_last(second, 100, 104));
    static_cast<void>(arena_.allocate(200, 8));
    EXPECT_TRUE(is_filled(first, 100));
    EXPECT_TRUE(is_filled(second, 100));
    std::byte* const last = filled(arena_.allocate(40, 8), 40);
    EXPECT_TRUE(arena_.resize_last(last, 40, 16));
}

TEST_F(adopt, ends_with_a_checkpoint_around_it) {
    std::byte* const older = filled(arena_.allocate(100, 8), 100);
    const std::size_t bytes_in_use = arena_.bytes_in_use();
    for (const bool has_chunk : {false, true}) {
        const mallard::checkpoint end(arena_);
        if (has_chunk) {
            static_cast<void>(arena_.allocate(600, 8));
        }
        for (int i = 0; i != 50; ++i) {
            static_cast<void>(filled(other_->allocate(50, 8), 50));
        }
        ASSERT_TRUE(arena_.adopt(*other_));
        static_cast<void>(filled(arena_.allocate(300, 8), 300));
    }
    EXPECT_EQ(arena_.bytes_in_use(), bytes_in_use);
    EXPECT_TRUE(is_filled(older, 100));
    static_cast<void>(filled(arena_.allocate(50, 8), 50));
    EXPECT_TRUE(is_filled(older, 100));
}

TEST_F(adopt, outlives_a_checkpoint_after_it) {
    static_cast<void>(arena_.allocate(200, 8));
    std::byte* const adopted = filled(other_->allocate(100, 8), 100);
    ASSERT_TRUE(arena_.adopt(*other_));
    {
        const mallard::checkpoint end(arena_);
        for (int i = 0; i != 50; ++i) {
            static_cast<void>(filled(arena_.allocate(60, 8), 60));
        }
    }
    EXPECT_TRUE(arena_.owns(adopted));
    EXPECT_TRUE(is_filled(adopted, 100));
}

TEST_F(adopt, ends_with_a_mark_of_the_empty_arena) {
    const auto empty = arena_.mark();
    static_cast<void>(other_->allocate(100, 8));
    ASSERT_TRUE(arena_.adopt(*other_));
    arena_.rollback(empty);
    EXPECT_EQ(arena_.bytes_in_use(), 0U);
}

TEST_F(adopt, rewinds_what_was_adopted) {
    for (int round = 0; round != 5; ++round) {
        for (int i = 0; i != 50; ++i) {
            static_cast<void>(filled(arena_.allocate(60, 8), 60));
            static_cast<void>(filled(other_->allocate(60, 8), 60));
        }
        ASSERT_TRUE(arena_.adopt(*other_));
        arena_.rewind();
        EXPECT_EQ(arena_.bytes_in_use(), 0U);
    }
    std::byte* const p = filled(arena_.allocate(2000, 8), 2000);
    EXPECT_TRUE(arena_.resize_last(p, 2000, 1000)) << "as if nothing had been adopted";
}

TEST_F(adopt, refuses_another_upstream) {
    equipment::ledger another;
    arena_type foreign(another, small);
    static_cast<void>(foreign.allocate(100, 8));
    EXPECT_FALSE(arena_.adopt(foreign));
    EXPECT_EQ(arena_.stats().chunks, 0U);
    EXPECT_EQ(foreign.stats().chunks, 1U);
}

TEST_F(adopt, refuses_an_initial_buffer) {
    std::array<std::byte, 512> buffer;
    arena_type local(std::span<std::byte>(buffer), source_, small);
    static_cast<void>(local.allocate(2000, 8));
    EXPECT_FALSE(arena_.adopt(local));
    EXPECT_EQ(local.stats().chunks, 1U);
    static_cast<void>(arena_.allocate(100, 8));
    EXPECT_TRUE(local.adopt(arena_)) << "the buffer is the adopter's";
    EXPECT_EQ(local.stats().chunks, 2U);
}

TEST_F(adopt, compares_references_to_upstreams) {
    equipment::ledger another;
    mallard::monotonic<mallard::upstream_ref> a{mallard::upstream_ref(source_)};
    mallard::monotonic<mallard::upstream_ref> b{mallard::upstream_ref(source_)};
    mallard::monotonic<mallard::upstream_ref> c{mallard::upstream_ref(another)};
    static_cast<void>(b.allocate(8, 8));
    EXPECT_TRUE(a.adopt(b));
    EXPECT_FALSE(a.adopt(c));
}

// ---- adaptors

template <class A>
concept can_adopt = requires(A& a) { a.adopt(a); };

static_assert(can_adopt<mallard::failing<mallard::monotonic<>>>);
static_assert(can_adopt<mallard::resource<mallard::monotonic<>>>);
static_assert(!can_adopt<mallard::recorded<mallard::monotonic<>>>, "a trace has no event for it");
static_assert(!can_adopt<mallard::synchronized<mallard::monotonic<>>>, "it would lock two");
static_assert(!can_adopt<mallard::multipool<>> && !can_adopt<mallard::counted<mallard::multipool<>>>);
static_assert(!can_adopt<mallard::concurrent_monotonic<>>);

TEST(adopt_of_bindings, joins_resources) {
    mallard::resource<mallard::monotonic<>> result;
    auto& words = mallard::wink_out<std::pmr::vector<std::pmr::vector<int>>>(result);
    {
        mallard::resource<mallard::monotonic<>> part;
        auto& numbers = mallard::wink_out<std::pmr::vector<int>>(part);
        numbers.assign(1000, 7);
        ASSERT_TRUE(result.adopt(part));
        EXPECT_EQ(numbers[999], 7);
    }
    for (int i = 0; i != 100; ++i) {
        words.emplace_back(100, i);
    }
    EXPECT_EQ(words[99][99], 99);
}

TEST(adopt_of_adaptors, moves_counted_bytes) {
    using counted = mallard::counted<mallard::monotonic<>>;
    counted arena;
    counted other;
    static_cast<void>(arena.allocate(100, 8));
    static_cast<void>(other.allocate(40, 8));
    const auto mark = arena.mark();
    ASSERT_TRUE(arena.adopt(other));
    EXPECT_TRUE(arena.adopt(arena));
    EXPECT_EQ(arena.bytes_in_use(), 140U);
    EXPECT_EQ(arena.counts().peak_bytes, 140U);
    EXPECT_EQ(arena.counts().allocations, 1U);
    EXPECT_EQ(other.bytes_in_use(), 0U);
    EXPECT_EQ(other.counts().peak_bytes, 40U);
    arena.rollback(mark);
    EXPECT_EQ(arena.bytes_in_use(), 100U);
}

TEST(adopt_of_adaptors, keeps_to_a_budget) {
    using limited = mallard::limited<mallard::monotonic<>>;
    limited arena(std::size_t{1000});
    limited other(std::size_t{1000});
    void* const p = other.allocate(600, 8);
    static_cast<void>(arena.allocate(500, 8));
    EXPECT_FALSE(arena.adopt(other));
    EXPECT_TRUE(other.mechanism().owns(p));
    EXPECT_TRUE(arena.adopt(arena)) << "whatever remains";
    arena.release();
    EXPECT_TRUE(arena.adopt(other));
    EXPECT_EQ(arena.bytes_in_use(), 600U);
    EXPECT_EQ(other.bytes_in_use(), 0U);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(arena.allocate(500, 8)));
    static_cast<void>(other.allocate(1000, 8));
}

TEST(adopt_of_adaptors, moves_no_bytes_if_it_fails) {
    using counted = mallard::counted<mallard::monotonic<equipment::ledger>>;
    equipment::ledger source;
    equipment::ledger another;
    counted arena(source);
    counted other(another);
    static_cast<void>(other.allocate(40, 8));
    EXPECT_FALSE(arena.adopt(other));
    EXPECT_EQ(arena.bytes_in_use(), 0U);
    EXPECT_EQ(other.bytes_in_use(), 40U);
}

} // namespace
