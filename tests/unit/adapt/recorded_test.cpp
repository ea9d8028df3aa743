#include "equipment/ledger.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/recorded.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using mallard::record::number;

/// What a reader of the trace knows: the live blocks of each pool, in the order of their allocations.
struct pool_seen {
    std::string name;
    std::vector<std::pair<const void*, std::size_t>> allocations; ///< freed ones are null
    std::size_t freed = 0;

    [[nodiscard]] std::vector<std::size_t> live() const {
        std::vector<std::size_t> sizes;
        for (const auto& [block, bytes] : allocations) {
            if (block != nullptr) {
                sizes.push_back(bytes);
            }
        }
        return sizes;
    }
};

std::map<number, pool_seen> pools;
bool recording = true;

const pool_seen& last_pool() {
    return pools.rbegin()->second;
}

using sizes = std::vector<std::size_t>;

number next_pool(const char* name) {
    if (!recording) {
        return 0;
    }
    const number next = pools.size() + 1;
    pools[next].name = name == nullptr ? "" : name;
    return next;
}

void note_freed(const void* block, number pool) {
    pool_seen& entry = pools.at(pool);
    ++entry.freed;
    for (auto& allocation : entry.allocations) {
        if (allocation.first == block) {
            allocation.first = nullptr;
            return;
        }
    }
    FAIL() << "a block that is not live";
}

const mallard::record::functions noting{
    .scope_begin = nullptr,
    .scope_end = nullptr,
    .progress = nullptr,
    .instance_begin = nullptr,
    .instance_end = nullptr,
    .instance_enter = nullptr,
    .instance_leave = nullptr,
    .pool = next_pool,
    .allocated = [](const void* block, std::size_t bytes,
                    number pool) { pools.at(pool).allocations.emplace_back(block, bytes); },
    .freed = note_freed,
    .released = [](number pool) { pools.at(pool).allocations.clear(); },
    .rolled_back =
        [](std::size_t allocations, number pool) {
            auto& all = pools.at(pool).allocations;
            ASSERT_LE(allocations, all.size());
            all.resize(all.size() - allocations);
        },
};

class recorded : public ::testing::Test {
protected:
    recorded() { mallard_recorder = &noting; }
    recorded(const recorded&) = delete;
    recorded& operator=(const recorded&) = delete;
    ~recorded() override { mallard_recorder = nullptr; }
};

TEST_F(recorded, reports_blocks_with_requested_bytes) {
    mallard::recorded<mallard::multipool<>> pool("nodes");
    void* const a = pool.allocate(100, 8);
    void* const b = pool.allocate(50, 64);
    EXPECT_EQ(last_pool().name, "nodes");
    EXPECT_EQ(last_pool().live(), (sizes{100, 50}));
    EXPECT_EQ(last_pool().allocations.front().first, a);
    pool.deallocate(a, 100, 8);
    EXPECT_EQ(last_pool().live(), sizes{50});
    pool.deallocate(b, 50, 64);
    EXPECT_EQ(last_pool().freed, 2U);
}

TEST_F(recorded, registers_own_pool_at_first_allocation) {
    const std::size_t old_count = pools.size();
    mallard::recorded<mallard::multipool<>> one;
    mallard::recorded<mallard::multipool<>> second_pool("other");
    EXPECT_EQ(pools.size(), old_count);
    static_cast<void>(second_pool.allocate(8));
    static_cast<void>(one.allocate(16));
    EXPECT_EQ(pools.size(), old_count + 2);
    EXPECT_EQ(last_pool().name, "");
    EXPECT_EQ(last_pool().live(), sizes{16});
}

TEST_F(recorded, shows_that_a_release_ends_all_blocks) {
    mallard::recorded<mallard::monotonic<>> arena("arena");
    static_cast<void>(arena.allocate(100, 8));
    arena.release();
    EXPECT_EQ(last_pool().live(), sizes{});
    static_cast<void>(arena.allocate(70, 8));
    arena.rewind();
    EXPECT_EQ(last_pool().live(), sizes{});
    EXPECT_EQ(last_pool().freed, 0U);
}

TEST_F(recorded, reports_release_when_owned_mechanism_is_destroyed) {
    mallard::monotonic<> arena;
    {
        mallard::recorded<mallard::monotonic<>&> binding("lent", arena);
        static_cast<void>(binding.allocate(24, 8));
    }
    EXPECT_EQ(last_pool().live(), sizes{24}) << "the arena still has it";
    {
        mallard::recorded<mallard::monotonic<>> holder("held");
        static_cast<void>(holder.allocate(24, 8));
    }
    EXPECT_EQ(last_pool().live(), sizes{});
    mallard::new_delete system;
    void* remaining = nullptr;
    {
        mallard::recorded<mallard::new_delete> upstream("upstream");
        remaining = upstream.allocate(24, 8);
    }
    EXPECT_EQ(last_pool().live(), sizes{24});
    system.deallocate(remaining, 24, 8);
}

TEST_F(recorded, reports_number_of_rolled_back_allocations) {
    mallard::recorded<mallard::monotonic<>> arena("arena");
    static_cast<void>(arena.allocate(100, 8));
    const auto first = arena.mark();
    static_cast<void>(arena.allocate(200, 8));
    {
        const mallard::checkpoint scratch(arena);
        static_cast<void>(arena.allocate(300, 8));
        static_cast<void>(arena.allocate(400, 8));
    }
    EXPECT_EQ(last_pool().live(), (sizes{100, 200}));
    static_cast<void>(arena.allocate(500, 8));
    arena.rollback(first);
    EXPECT_EQ(last_pool().live(), sizes{100});
}

TEST_F(recorded, reports_resized_block_as_new_block) {
    using mallard::expansion;
    mallard::recorded<equipment::plots> blocks("plots");
    void* const p = blocks.allocate(20, 8);
    EXPECT_EQ(blocks.expand(p, {.least_bytes = 100, .preferred_bytes = 200}).p, p);
    EXPECT_EQ(last_pool().live(), sizes{208});
    EXPECT_EQ(blocks.shrink(p, 200), 208U);
    EXPECT_EQ(last_pool().freed, 1U) << "nothing has changed";
    EXPECT_EQ(blocks.shrink(p, 40), 48U);
    EXPECT_EQ(last_pool().live(), sizes{48});
    const auto back =
        blocks.try_expand(p, {.least_bytes = 100, .preferred_bytes = 100, .allowed = expansion::backward});
    EXPECT_EQ(last_pool().live(), sizes{back.bytes});
    EXPECT_EQ(last_pool().allocations.back().first, back.p);
    const auto fresh =
        blocks.expand(back.p, {.least_bytes = 100, .preferred_bytes = 100, .allowed = expansion::fresh});
    EXPECT_EQ(last_pool().live(), (sizes{back.bytes, fresh.bytes}));
    const mallard::sized_block third = blocks.allocate_at_least(10, 8);
    EXPECT_EQ(last_pool().live().back(), third.bytes);
    for (void* const block : {back.p, fresh.p, third.p}) {
        blocks.deallocate(block, 1, 1);
    }
    EXPECT_EQ(last_pool().live(), sizes{});
}

TEST_F(recorded, shows_the_last_block_of_an_arena_resized) {
    mallard::recorded<mallard::monotonic<>> arena("arena");
    void* const p = arena.allocate(24, 8);
    EXPECT_TRUE(arena.resize_last(p, 24, 40));
    EXPECT_EQ(last_pool().live(), sizes{40});
    EXPECT_TRUE(arena.resize_last(p, 40, 8));
    EXPECT_EQ(last_pool().live(), sizes{8});
    EXPECT_TRUE(arena.resize_last(p, 8, 0));
    EXPECT_EQ(last_pool().live(), sizes{});
}

TEST_F(recorded, reports_every_block_of_a_burst) {
    mallard::recorded<mallard::multipool<>> pool("bursts");
    mallard::block_chain blocks = pool.allocate_many(24, 8, 10);
    EXPECT_EQ(last_pool().live(), sizes(10, 24));
    pool.deallocate(blocks.pop_front(), 24, 8);
    pool.deallocate_many(std::move(blocks), 24, 8);
    EXPECT_EQ(last_pool().live(), sizes{});
}

TEST_F(recorded, reports_every_block_of_a_mixed_burst) {
    mallard::recorded<mallard::heap<>> h("bursts");
    const std::array<std::size_t, 3> requested = {8, 100, 3000};
    mallard::block_chain blocks = h.allocate_many(requested);
    EXPECT_EQ(last_pool().live(), (sizes{8, 100, 3000}));
    h.deallocate_many(std::move(blocks));
    EXPECT_EQ(last_pool().live(), sizes{});
}

#ifdef __cpp_exceptions

TEST_F(recorded, shows_nothing_of_requests_that_fail_quietly) {
    equipment::ledger source;
    mallard::recorded<mallard::heap<equipment::ledger>> h("failures", source);
    void* const p = h.allocate(24, 8);
    source.fail({.at = 1, .for_ever = true});
    EXPECT_EQ(h.try_allocate(std::size_t{1} << 30), nullptr);
    EXPECT_EQ(last_pool().live(), sizes{24});
    h.deallocate(p, 24, 8);
}

#endif

TEST_F(recorded, goes_on_if_the_recorder_does_not_record) {
    const std::size_t old_count = pools.size();
    recording = false;
    mallard::recorded<mallard::monotonic<>> arena("unseen");
    const auto mark = arena.mark();
    void* const p = arena.allocate(24, 8);
    arena.rollback(mark);
    arena.release();
    recording = true;
    EXPECT_NE(p, nullptr);
    EXPECT_EQ(pools.size(), old_count);
    static_cast<void>(arena.allocate(40, 8));
    EXPECT_EQ(last_pool().live(), sizes{40});
}

TEST(recorded_without_recorder, passes_all_on) {
    mallard::recorded<mallard::monotonic<>> arena("unseen");
    const auto mark = arena.mark();
    void* const p = arena.allocate(24, 8);
    arena.rollback(mark);
    EXPECT_EQ(arena.allocate(24, 8), p);
}

} // namespace
