#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/sealed.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

using equipment::ledger;

static_assert(mallard::thread_safe<mallard::sealed<mallard::new_delete>>);
static_assert(!mallard::thread_safe<mallard::sealed<mallard::multipool<>>>);

TEST(sealed, lets_requests_pass_until_it_is_sealed) {
    mallard::sealed<ledger> source;
    EXPECT_FALSE(source.is_sealed());
    void* const p = source.allocate(100, 8);
    source.deallocate(p, 100, 8);
    EXPECT_EQ(source.calls_since_seal(), 0U);
    EXPECT_EQ(source.mechanism().granted().size(), 1U);
}

TEST(sealed, refuses_requests_after_that) {
    mallard::sealed<mallard::multipool<>> pool;
    void* const p = pool.allocate(24);
    pool.seal();
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(24)));
    EXPECT_EQ(pool.try_allocate(24), nullptr);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate_many(24, 8, 10)));
    pool.deallocate(p, 24);
    EXPECT_GE(pool.calls_since_seal(), 2U) << "requests that end the program do not count";
    pool.unseal();
    const std::size_t calls = pool.calls_since_seal();
    pool.deallocate(pool.allocate(24), 24);
    EXPECT_EQ(pool.calls_since_seal(), calls) << "as it was";
    pool.seal();
    EXPECT_EQ(pool.calls_since_seal(), 0U);
}

TEST(sealed, refuses_growth_and_lets_memory_go_back) {
    mallard::sealed<equipment::plots> blocks;
    const mallard::sized_block block = blocks.allocate_at_least(20);
    blocks.seal();
    const mallard::expansion_request in_place{
        .least_bytes = 100, .preferred_bytes = 100, .allowed = mallard::expansion::in_place};
    EXPECT_EQ(blocks.expand(block.p, in_place).p, nullptr) << "without an exception";
    EXPECT_EQ(blocks.try_expand(block.p, {.least_bytes = 1, .preferred_bytes = 1}).p, nullptr);
    EXPECT_EQ(blocks.calls_since_seal(), 2U);
    EXPECT_EQ(blocks.usable_bytes(block.p), block.bytes);
    EXPECT_EQ(blocks.calls_since_seal(), 2U) << "looks at the block";
    blocks.shrink(block.p, 20);
    blocks.deallocate(block.p, 20);
    EXPECT_EQ(blocks.calls_since_seal(), 4U);
}

TEST(sealed, counts_ends_of_all_blocks) {
    mallard::sealed<mallard::monotonic<>> arena;
    void* const p = arena.allocate(8);
    const auto mark = arena.mark();
    arena.seal();
    EXPECT_FALSE(arena.resize_last(p, 8, 16));
    arena.rollback(mark);
    arena.rewind();
    arena.release();
    EXPECT_EQ(arena.calls_since_seal(), 4U);
}

/// The proof: a pool that is warm makes no call of its upstream.
TEST(sealed, proves_that_a_pool_is_warm) {
    mallard::sealed<ledger> source;
    {
        mallard::multipool<mallard::sealed<ledger>> pool(source);
        const auto work = [&pool] {
            std::vector<int, mallard::allocator<int, decltype(pool)>> numbers(pool);
            for (int i = 0; i != 1000; ++i) {
                numbers.push_back(i);
            }
        };
        work();
        source.seal();
        work();
        EXPECT_EQ(source.calls_since_seal(), 0U);
        EXPECT_EQ(pool.try_allocate(1'000'000), nullptr);
        EXPECT_EQ(source.calls_since_seal(), 1U);
    }
    EXPECT_GT(source.calls_since_seal(), 1U) << "the pool's end";
    EXPECT_EQ(source.mechanism().outstanding(), 0U);
    EXPECT_EQ(source.mechanism().complaints(), equipment::no_complaints);
}

TEST(sealed, refuses_reserves) {
    mallard::sealed<mallard::multipool<>> pool;
    mallard::sealed<mallard::monotonic<>> arena;
    pool.reserve(24, 8, 10);
    pool.seal();
    arena.seal();
    EXPECT_OUT_OF_MEMORY(pool.reserve(24, 8, 1));
    EXPECT_OUT_OF_MEMORY(arena.reserve(1));
    EXPECT_EQ(pool.mechanism().stats().upstream_calls, 1U);
    EXPECT_EQ(arena.mechanism().stats().upstream_calls, 0U);
}

std::atomic<std::size_t> failed_bytes;

TEST(sealed, tells_the_handler_of_refused_requests) {
    mallard::sealed<mallard::new_delete> source;
    source.seal();
    const auto before = mallard::set_out_of_memory_handler(
        [](std::size_t bytes, std::size_t) noexcept { failed_bytes = bytes; });
    EXPECT_OUT_OF_MEMORY(static_cast<void>(source.allocate(77)));
    mallard::set_out_of_memory_handler(before);
#ifdef __cpp_exceptions
    EXPECT_EQ(failed_bytes, 77U);
#endif
}

TEST(sealed, counts_calls_of_threads) {
    mallard::sealed<mallard::new_delete> source;
    source.seal();
    const auto ask = [&source] {
        for (int i = 0; i != 1000; ++i) {
            EXPECT_EQ(source.try_allocate(8), nullptr);
        }
    };
    std::thread other(ask);
    ask();
    other.join();
    EXPECT_EQ(source.calls_since_seal(), 2000U);
}

} // namespace
