#include "equipment/ledger.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/checked.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/impl/checking/checked_mechanism.hpp>
#include <mallard/local/adaptive_pool.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/local/small_object_pool.hpp>
#include <mallard/upstream/buffer.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace {

/// A mechanism with its constructors, and no larger blocks.
template <class A>
using registered = mallard::checking::registered<mallard::adapt::inherited<A>>;

using arena_type = registered<mallard::monotonic<equipment::ledger>>;
using pool_type = registered<mallard::multipool<equipment::ledger>>;

int failures_heard = 0;

/// Tells in which order blocks come back.
struct freed_last : mallard::new_delete {
    std::vector<void*> freed;

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        freed.push_back(p);
        mallard::new_delete::deallocate(p, bytes, alignment);
    }
};

class checked_mechanism : public ::testing::Test {
protected:
    equipment::ledger source_;
};

TEST_F(checked_mechanism, expose_constructors_and_members_of_mechanism) {
    const pool_type pool(source_, {.largest_pooled_bytes = 64});
    EXPECT_EQ(pool.largest_pooled_bytes(), 64U);
    EXPECT_EQ(pool.stats().chunks, 0U);
    EXPECT_TRUE(mallard::local_allocator<pool_type>);
    EXPECT_FALSE(mallard::rewindable<pool_type>);
    EXPECT_TRUE(mallard::rewindable<arena_type>);
}

#if MALLARD_THREADS
/// An upstream in whose calls something happens.
struct interrupted_source {
    std::function<void()> act = [] {};

    void* allocate(std::size_t bytes, std::size_t alignment) {
        std::exchange(act, [] {})();
        return mallard::new_delete().allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        mallard::new_delete().deallocate(p, bytes, alignment);
    }
};

std::vector<mallard::misuse_report> concurrent_uses;

TEST_F(checked_mechanism, report_another_thread_in_a_call) {
    concurrent_uses.clear();
    mallard::set_misuse_handler(
        [](const mallard::misuse_report& report) noexcept { concurrent_uses.push_back(report); });
    interrupted_source source;
    {
        registered<mallard::monotonic<interrupted_source>> arena(source);
        source.act = [&] { std::thread([&] { arena.check(); }).join(); };
        void* const p = arena.allocate(24, 8);
        ASSERT_EQ(concurrent_uses.size(), 1U);
        EXPECT_EQ(concurrent_uses.at(0).kind, mallard::misuse::concurrent_use);
        EXPECT_EQ(concurrent_uses.at(0).detected_by, mallard::allocator_call::check);
        EXPECT_EQ(concurrent_uses.at(0).other_call, mallard::allocator_call::allocate);
        EXPECT_EQ(concurrent_uses.at(0).block, nullptr);
        std::thread([&] { arena.deallocate(p, 24, 8); }).join();
        static_cast<void>(arena.allocate(24, 8));
    }
    mallard::set_misuse_handler(nullptr);
    EXPECT_EQ(concurrent_uses.size(), 1U) << "one thread after the other";
}

TEST_F(checked_mechanism, allow_nested_calls_and_later_threads) {
    interrupted_source source;
    registered<mallard::multipool<interrupted_source>> pool(source);
    source.act = [&] { pool.check(); };
    EXPECT_NE(pool.allocate(24, 8), nullptr);
    std::thread([&] { pool.check(); }).join();
}
#endif

TEST_F(checked_mechanism, lock_only_thread_safe_mechanisms) {
    using mallard::checking::block_registry;
    using mallard::checking::registering;
    EXPECT_GE(sizeof(registering<mallard::concurrent_multipool<>>),
              sizeof(block_registry) + sizeof(mallard::threads::fork_mutex));
    EXPECT_EQ(sizeof(registering<mallard::multipool<>>), sizeof(block_registry));
}

TEST_F(checked_mechanism, resize_last_moves_guard_zones) {
    arena_type arena(source_);
    auto* const p = static_cast<char*>(arena.allocate(40, 8));
    std::memset(p, 'x', 40);
    ASSERT_TRUE(arena.resize_last(p, 40, 20));
    arena.check();
    void* const next = arena.allocate(1, 1);
    EXPECT_FALSE(arena.resize_last(p, 20, 40));
    EXPECT_FALSE(arena.resize_last(next, 1, SIZE_MAX));
    ASSERT_TRUE(arena.resize_last(next, 1, 0));
    ASSERT_TRUE(arena.resize_last(p, 20, 60));
    EXPECT_EQ(p[0], 'x');
    EXPECT_EQ(p[19], 'x');
    arena.deallocate(p, 60, 8);
    arena.expect_all_freed();
}

TEST_F(checked_mechanism, rollback_ends_the_blocks_since_its_mark) {
    arena_type arena(source_);
    void* const older = arena.allocate(40, 8);
    const auto mark = arena.mark();
    void* const younger = arena.allocate(40, 8);
    arena.rollback(mark);
    EXPECT_EQ(arena.allocate(40, 8), younger);
    arena.rollback(mark);
    arena.deallocate(older, 40, 8);
    arena.expect_all_freed();
}

TEST_F(checked_mechanism, hold_no_more_back_than_the_bounds_say) {
    pool_type pool(source_);
    pool.set_quarantine({.blocks = 100, .bytes = std::size_t{64} << 10});
    std::vector<void*> burst(5000);
    std::size_t settled = 0;
    for (int round = 0; round < 5; ++round) {
        for (void*& p : burst) {
            p = pool.allocate(1000, 8);
        }
        for (void* p : burst) {
            pool.deallocate(p, 1000, 8);
        }
        settled = round == 0 ? source_.outstanding_bytes() : settled;
    }
    EXPECT_LE(source_.outstanding_bytes(), settled + (std::size_t{64} << 10) * 2);
    for (int i = 0; i < 1000; ++i) {
        pool.deallocate(pool.allocate(100000, 8), 100000, 8);
        EXPECT_LE(source_.outstanding_bytes(), settled + 200000) << "larger than the bound: not held at all";
    }
}

TEST_F(checked_mechanism, quarantine_returns_blocks_in_fifo_order) {
    mallard::checked<freed_last> source;
    source.set_quarantine({.blocks = 2});
    std::vector<void*> blocks(4);
    for (void*& p : blocks) {
        p = source.allocate(8, 8);
    }
    for (void* p : blocks) {
        source.deallocate(p, 8, 8);
    }
    const auto returned = [&](int i) {
        return static_cast<std::byte*>(blocks[static_cast<std::size_t>(i)]) - 16;
    };
    EXPECT_EQ(source.mechanism().freed, (std::vector<void*>{returned(0), returned(1)}));
    void* const last = source.allocate(8, 8);
    EXPECT_EQ(source.mechanism().freed.size(), 2U);
    source.deallocate(last, 8, 8);
}

TEST_F(checked_mechanism, skip_quarantine_over_lifo_upstream) {
    alignas(16) std::array<std::byte, 256> room{};
    mallard::checked<mallard::buffer> stack{std::span<std::byte>(room)};
    for (int i = 0; i < 100; ++i) {
        void* const below = stack.allocate(24, 8);
        void* const above = stack.allocate(24, 8);
        stack.deallocate(above, 24, 8);
        stack.deallocate(below, 24, 8);
    }
    EXPECT_EQ(stack.mechanism().free_bytes(), 256U);
}

/// The end of `taken` leaves a message for the allocator above; a registry without a call so far has no id yet.
TEST_F(checked_mechanism, end_when_another_upstream_was_released) {
    const auto end_unused_allocator = [this] {
        arena_type below(source_);
        registered<mallard::multipool<arena_type>> above(below);
        static_cast<void>(above.allocate(24, 8));
        below.rewind();
        {
            const arena_type unused(source_);
        }
        above.release();
    };
    EXPECT_DEATH(end_unused_allocator(), "took back by rewind");
}

TEST_F(checked_mechanism, drain_quarantine_when_memory_runs_out) {
    mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept { ++failures_heard; });
    alignas(16) std::array<std::byte, std::size_t{40} * 64> room{};
    registered<mallard::fixed_pool<mallard::buffer_arena>> pool(mallard::block_size{64, 8},
                                                                std::span<std::byte>(room));
    failures_heard = 0;
    for (int round = 0; round < 10; ++round) {
        std::vector<void*> all(40);
        for (void*& p : all) {
            p = round % 2 == 0 ? pool.allocate(64, 8) : pool.try_allocate(64, 8);
            ASSERT_NE(p, nullptr);
        }
        EXPECT_EQ(pool.try_allocate(64, 8), nullptr);
        EXPECT_TRUE(pool.empty());
        for (void* p : all) {
            pool.deallocate(p, 64, 8);
        }
        EXPECT_FALSE(pool.empty());
    }
    EXPECT_EQ(failures_heard, 0);
    mallard::set_out_of_memory_handler(nullptr);
}

TEST_F(checked_mechanism, release_only_oldest_quarantined_block) {
    // It gives the block freed last first.
    registered<equipment::plots> pool(8U);
    pool.set_quarantine({});
    std::vector<void*> all;
    while (void* p = pool.try_allocate(64, 8)) {
        all.push_back(p);
    }
    for (const bool quietly : {false, true}) {
        for (void* p : all) {
            pool.deallocate(p, 64, 8);
        }
        for (void* p : all) {
            EXPECT_EQ(quietly ? pool.try_allocate(64, 8) : pool.allocate(64, 8), p)
                << "blocks that were freed later still wait";
        }
    }
}

TEST_F(checked_mechanism, trim_drains_quarantine) {
    registered<mallard::adaptive_pool<equipment::ledger>> pool(source_);
    std::vector<void*> all(2000);
    for (void*& p : all) {
        p = pool.allocate(100, 8);
    }
    for (void* p : all) {
        pool.deallocate(p, 100, 8);
    }
    EXPECT_NE(source_.outstanding(), 0U);
    pool.trim();
    EXPECT_EQ(source_.outstanding(), 0U);
}

/// An upstream without a quiet answer.
struct plain_source {
    static void* allocate(std::size_t bytes, std::size_t alignment) {
        return mallard::new_delete::allocate(bytes, alignment);
    }
    static void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        mallard::new_delete::deallocate(p, bytes, alignment);
    }
};

template <class Mechanism>
class checked_mechanism_over_a_plain_source : public ::testing::Test {};
using mechanisms_over_it =
    ::testing::Types<mallard::multipool<plain_source>, mallard::small_object_pool<plain_source>,
                     mallard::adaptive_pool<plain_source>, mallard::heap<plain_source>,
                     mallard::fixed_pool<mallard::growing_arena<plain_source>>>;
TYPED_TEST_SUITE(checked_mechanism_over_a_plain_source, mechanisms_over_it);

TYPED_TEST(checked_mechanism_over_a_plain_source, keep_the_quarantine) {
    using mechanism = registered<TypeParam>;
    mechanism pool;
    pool.set_quarantine({.blocks = 8, .bytes = 4096});
    const std::size_t bytes = 48;
    void* const first = pool.allocate(bytes, 8);
    pool.deallocate(first, bytes, 8);
    for (int i = 0; i < 6; ++i) {
        void* const next = pool.allocate(bytes, 8);
        EXPECT_NE(next, first) << "request " << i;
        pool.deallocate(next, bytes, 8);
    }
}

#ifdef __cpp_exceptions

TEST_F(checked_mechanism, retry_with_drained_quarantine) {
    mallard::set_out_of_memory_handler([](std::size_t, std::size_t) noexcept { ++failures_heard; });
    alignas(16) std::array<std::byte, 8192> room{};
    mallard::buffer few(room);
    registered<mallard::multipool<mallard::buffer>> pool(few);
    failures_heard = 0;
    for (int i = 0; i < 1000; ++i) {
        pool.deallocate(pool.allocate(200, 8), 200, 8);
    }
    EXPECT_EQ(failures_heard, 0);
    EXPECT_THROW(static_cast<void>(pool.allocate(10000, 8)), std::bad_alloc);
    EXPECT_EQ(failures_heard, 1) << "what fails in the end is heard of";
    mallard::set_out_of_memory_handler(nullptr);
}

#endif

template <class A>
constexpr bool expands = requires(A& a, void* p) { a.try_expand(p, mallard::expansion_request{}); };

TEST_F(checked_mechanism, expands_where_the_mechanism_does) {
    using heap = mallard::unchecked::heap<mallard::chunk_cache>;
    using pool =
        mallard::unchecked::fixed_pool<mallard::growing_arena<>, mallard::last_freed, mallard::block_size{}>;
    EXPECT_TRUE(expands<mallard::checking::checked_mechanism<heap>>);
    EXPECT_FALSE(expands<mallard::checking::checked_mechanism<pool>>);
}

TEST_F(checked_mechanism, keeps_pool_block_size) {
    using pool = mallard::unchecked::fixed_pool<mallard::static_arena<1024>, mallard::last_freed,
                                                mallard::block_size{24, 8}>;
    mallard::checking::checked_mechanism<pool> checked;
    void* const block = checked.allocate_block();
    EXPECT_EQ(checked.block_bytes(), 24U);
    checked.deallocate_block(block);
    checked.expect_all_freed();
}

} // namespace
