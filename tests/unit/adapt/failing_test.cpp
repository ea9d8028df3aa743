#include "equipment/out_of_memory.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/failing.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <cstdio>

namespace {

TEST(failing, fails_growth_and_attempts_as_separate_requests) {
    using mallard::expansion;
    mallard::failing<equipment::plots> blocks(mallard::failure_plan{.at = 0});
    EXPECT_TRUE(mallard::expandable<decltype(blocks)>);
    const mallard::sized_block block = blocks.allocate_at_least(20);
    const mallard::expansion_request in_place{
        .least_bytes = 100, .preferred_bytes = 100, .allowed = expansion::in_place};
    blocks.plan({.at = 1});
    EXPECT_EQ(blocks.expand(block.p, in_place).p, nullptr) << "without an exception";
    EXPECT_TRUE(blocks.failed());
    EXPECT_EQ(blocks.usable_bytes(block.p), block.bytes);
    EXPECT_EQ(blocks.expand(block.p, in_place).p, block.p);
    blocks.plan({.at = 1, .for_ever = true});
    EXPECT_EQ(blocks.try_expand(block.p, in_place).p, nullptr);
    EXPECT_EQ(blocks.try_allocate(8), nullptr);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(blocks.expand(block.p, {.least_bytes = 1, .preferred_bytes = 1})));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(blocks.allocate_at_least(8)));
    EXPECT_EQ(blocks.shrink(block.p, 20), 32U) << "what gives back never fails";
    blocks.deallocate(block.p, 20);
}

TEST(failing, fails_a_burst_as_one_request) {
    mallard::failing<mallard::multipool<>> pool(mallard::failure_plan{.at = 2});
    mallard::block_chain blocks = pool.allocate_many(24, 8, 10);
    EXPECT_EQ(pool.requests(), 1U);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate_many(24, 8, 10)));
    pool.deallocate_many(std::move(blocks), 24, 8);
}

TEST(failing, fails_a_reserve_as_one_request) {
    mallard::failing<mallard::multipool<>> pool(mallard::failure_plan{.at = 2});
    pool.reserve(24, 8, 10);
    EXPECT_EQ(pool.requests(), 1U);
    EXPECT_OUT_OF_MEMORY(pool.reserve(24, 8, 10));
    mallard::failing<mallard::monotonic<>> arena(mallard::failure_plan{.at = 1});
    EXPECT_OUT_OF_MEMORY(arena.reserve(100));
#ifdef __cpp_exceptions // otherwise a child process has failed
    arena.reserve(100);
#endif
}

TEST(failing, fails_mixed_burst_as_one_request) {
    mallard::failing<mallard::heap<>> h(mallard::failure_plan{.at = 2});
    const std::size_t sizes[] = {8, 600, 300};
    mallard::block_chain blocks = h.allocate_many(sizes);
    EXPECT_EQ(h.requests(), 1U);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(h.allocate_many(sizes)));
    h.deallocate_many(std::move(blocks));
    EXPECT_EQ(h.mechanism().use().used_blocks, 0U);
}

#ifdef __cpp_exceptions

TEST(failing, fails_only_the_planned_request) {
    mallard::failing<mallard::monotonic<>> arena(mallard::failure_plan{.at = 3});
    for (std::size_t request = 1; request <= 10; ++request) {
        if (request == 3) {
            EXPECT_THROW(static_cast<void>(arena.allocate(8)), std::bad_alloc);
        } else {
            EXPECT_NO_THROW(static_cast<void>(arena.allocate(8)));
        }
        EXPECT_EQ(arena.failed(), request >= 3);
    }
    EXPECT_EQ(arena.requests(), 10U);
}

TEST(failing, fails_for_ever_from_the_planned_request_on) {
    mallard::failing<mallard::monotonic<>> arena(mallard::failure_plan{.at = 2, .for_ever = true});
    static_cast<void>(arena.allocate(8));
    for (int i = 0; i < 5; ++i) {
        EXPECT_THROW(static_cast<void>(arena.allocate(8)), std::bad_alloc);
    }
    arena.plan({.at = 0});
    EXPECT_FALSE(arena.failed());
    EXPECT_NO_THROW(static_cast<void>(arena.allocate(8)));
    EXPECT_EQ(arena.requests(), 1U);
}

#else

TEST(failing, calls_handler_at_process_exit) {
    mallard::set_out_of_memory_handler(
        [](std::size_t, std::size_t) noexcept { std::fputs("the handler heard; ", stderr); });
    mallard::failing<mallard::monotonic<>> arena(mallard::failure_plan{.at = 2});
    static_cast<void>(arena.allocate(8));
    EXPECT_DEATH(static_cast<void>(arena.allocate(8)), "the handler heard; mallard: out of memory: 8 bytes");
    mallard::set_out_of_memory_handler(nullptr);
}

#endif

} // namespace
