#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "equipment/plots.hpp"

#include <mallard/adapt/limited.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

namespace {

/// Plots that threads share. Before its next call has an effect, another thread runs `meanwhile`.
class shared_plots : public equipment::plots {
public:
    mallard::expansion_result try_expand(void* p, const mallard::expansion_request& r) noexcept {
        let_others_run();
        return plots::try_expand(p, r);
    }

    mallard::expansion_result expand(void* p, const mallard::expansion_request& r) {
        let_others_run();
        return plots::expand(p, r);
    }

    using plots::allocate_many;
    [[nodiscard]] mallard::block_chain allocate_many(std::span<const std::size_t> sizes,
                                                     std::size_t alignment) {
        let_others_run();
        return plots::allocate_many(sizes, alignment);
    }

    [[nodiscard]] bool resize_last(void*, std::size_t, std::size_t) noexcept {
        let_others_run();
        return true;
    }

    std::function<void()> meanwhile;

private:
    void let_others_run() {
        if (const auto others = std::exchange(meanwhile, {})) {
            others();
        }
    }
};

} // namespace

template <>
inline constexpr bool mallard::thread_safe<shared_plots> = true;

namespace {

/// A budget of 256 bytes, of which 64 are in use. Another thread takes 160 in the middle of the next call.
struct shared_budget : testing::Test {
    shared_budget() {
        blocks.mechanism().meanwhile = [this] { other = blocks.try_allocate(160); };
    }

    mallard::limited<shared_plots> blocks{std::size_t{256}};
    void* const own = blocks.allocate(64);
    void* other = nullptr;
};

TEST_F(shared_budget, is_kept_by_blocks_that_grow_in_place) {
    EXPECT_EQ(blocks.try_expand(own, {.least_bytes = 128, .preferred_bytes = 256}).bytes, 256U);
    EXPECT_EQ(other, nullptr);
    EXPECT_EQ(blocks.bytes_in_use(), 256U);
}

TEST_F(shared_budget, is_kept_by_fresh_blocks) {
    const mallard::expansion_request request{
        .least_bytes = 128, .preferred_bytes = 192, .allowed = mallard::expansion::fresh};
    EXPECT_EQ(blocks.try_expand(nullptr, request).bytes, 192U);
    EXPECT_EQ(other, nullptr);
    EXPECT_EQ(blocks.bytes_in_use(), 256U);
}

TEST_F(shared_budget, is_kept_by_bursts_of_many_sizes) {
    const std::size_t sizes[] = {64, 128};
    mallard::block_chain burst = blocks.allocate_many(sizes, 8);
    EXPECT_EQ(other, nullptr);
    EXPECT_EQ(blocks.bytes_in_use(), 256U);
    blocks.deallocate_many(std::move(burst));
}

TEST_F(shared_budget, is_kept_by_the_last_block) {
    EXPECT_TRUE(blocks.resize_last(own, 64, 256));
    EXPECT_EQ(other, nullptr);
    EXPECT_EQ(blocks.bytes_in_use(), 256U);
}

TEST(limited, serves_exactly_up_to_budget) {
    equipment::ledger source;
    mallard::limited<mallard::multipool<equipment::ledger>> pool(std::size_t{100}, source);
    EXPECT_EQ(pool.limit_bytes(), 100U);
    void* const p = pool.allocate(60, 8);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(41, 8)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(SIZE_MAX, 8)));
    EXPECT_EQ(pool.bytes_in_use(), 60U);
    static_cast<void>(pool.allocate(40, 8));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate(1, 8)));
    static_cast<void>(pool.allocate(0, 8));
    pool.deallocate(p, 60, 8);
    EXPECT_EQ(pool.bytes_in_use(), 40U);
    static_cast<void>(pool.allocate(60, 8));
    EXPECT_EQ(pool.bytes_in_use(), 100U);
}

TEST(limited, refuses_without_calling_mechanism) {
    equipment::ledger source;
    mallard::limited<mallard::monotonic<equipment::ledger>> arena(std::size_t{100}, source);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(arena.allocate(101, 8)));
    EXPECT_TRUE(source.granted().empty());
}

TEST(limited, release_restores_budget) {
    mallard::limited<mallard::monotonic<>> arena(std::size_t{100});
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(arena.allocate(100, 8));
        arena.release();
        static_cast<void>(arena.allocate(100, 8));
        arena.rewind();
        EXPECT_EQ(arena.bytes_in_use(), 0U);
    }
}

TEST(limited, rollback_takes_no_budget_back) {
    mallard::limited<mallard::monotonic<>> arena(std::size_t{100});
    void* const older = arena.allocate(60, 8);
    const auto mark = arena.mark();
    arena.deallocate(arena.allocate(40, 8), 40, 8);
    arena.deallocate(older, 60, 8);
    arena.rollback(mark);
    EXPECT_EQ(arena.bytes_in_use(), 0U);
    EXPECT_NE(arena.try_allocate(100, 8), nullptr);
}

TEST(limited, bounds_chunks_as_upstream) {
    mallard::limited<mallard::new_delete> source(std::size_t{4096});
    mallard::multipool pool(source);
    EXPECT_OUT_OF_MEMORY(for (int i = 0; i < 1000; ++i) { static_cast<void>(pool.allocate(24, 8)); });
    EXPECT_LE(pool.stats().chunk_bytes, 4096U);
}

TEST(limited, blocks_grow_within_budget) {
    using mallard::expansion;
    mallard::limited<equipment::plots> blocks(std::size_t{256});
    EXPECT_TRUE(mallard::expandable<decltype(blocks)>);
    void* const p = blocks.allocate(64, 8);
    const auto grown = blocks.expand(p, {.least_bytes = 100, .preferred_bytes = 1000});
    EXPECT_EQ(grown.p, p);
    EXPECT_EQ(grown.bytes, 256U) << "less than it would have liked";
    EXPECT_EQ(blocks.bytes_in_use(), 256U);
    const mallard::expansion_request more{.least_bytes = 257, .preferred_bytes = 257};
    EXPECT_EQ(blocks.try_expand(p, more).p, nullptr);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(blocks.expand(p, more)));
    EXPECT_EQ(blocks.try_allocate(1), nullptr);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(blocks.allocate_at_least(1)));
    EXPECT_EQ(blocks.shrink(p, 100), 112U);
    EXPECT_EQ(blocks.bytes_in_use(), 112U);

    const auto fresh =
        blocks.expand(p, {.least_bytes = 100, .preferred_bytes = 300, .allowed = expansion::fresh});
    EXPECT_EQ(fresh.method, expansion::fresh);
    EXPECT_EQ(fresh.bytes, 144U) << "the old block is still there";
    EXPECT_EQ(blocks.bytes_in_use(), 256U);
    EXPECT_EQ(blocks.try_expand(p, {.least_bytes = 1, .preferred_bytes = 1, .allowed = expansion::fresh}).p,
              nullptr);
    blocks.deallocate(p, 0, 1);
    EXPECT_NE(blocks.try_allocate(112), nullptr);
}

TEST(limited, counts_usable_bytes_of_sized_blocks) {
    mallard::limited<equipment::plots> blocks(std::size_t{256});
    const mallard::sized_block block = blocks.allocate_at_least(100, 8);
    EXPECT_EQ(block.bytes, 112U);
    EXPECT_EQ(blocks.bytes_in_use(), 112U);
    EXPECT_EQ(blocks.try_allocate(160), nullptr);
    blocks.deallocate(block.p, 100, 8);
    EXPECT_EQ(blocks.bytes_in_use(), 0U);
}

TEST(limited, counts_rounding_once_allocated) {
    mallard::limited<equipment::plots> blocks(std::size_t{100});
    void* const p = blocks.allocate(100, 8);
    EXPECT_EQ(blocks.bytes_in_use(), 112U);
    EXPECT_NE(blocks.try_allocate(0), nullptr) << "nothing is always left";
    EXPECT_EQ(blocks.try_allocate(1), nullptr);
    EXPECT_EQ(blocks.try_expand(p, {.least_bytes = 112, .preferred_bytes = 128}).bytes, 112U);
}

TEST(limited, grows_blocks_up_to_the_last_byte_of_the_budget) {
    using mallard::expansion;
    mallard::limited<equipment::plots> blocks(std::size_t{256});
    void* const p = blocks.allocate(64, 8);
    const mallard::expansion_request rest{.least_bytes = 256, .preferred_bytes = 256};
    EXPECT_EQ(blocks.try_expand(p, rest).p, p);
    EXPECT_EQ(blocks.bytes_in_use(), 256U);
    EXPECT_EQ(blocks.shrink(p, 64), 64U);

    const mallard::expansion_request fresh{
        .least_bytes = 192, .preferred_bytes = 192, .allowed = expansion::fresh};
    const mallard::expansion_request too_much{
        .least_bytes = 193, .preferred_bytes = 193, .allowed = expansion::fresh};
    EXPECT_EQ(blocks.try_expand(p, too_much).p, nullptr);
    EXPECT_NE(blocks.try_expand(p, fresh).p, nullptr);
    EXPECT_EQ(blocks.bytes_in_use(), 256U);
}

TEST(limited, refuses_growth_in_place_beyond_budget) {
    mallard::limited<equipment::plots> blocks(std::size_t{256});
    void* const p = blocks.allocate(64, 8);
    const mallard::expansion_request too_much{
        .least_bytes = 257, .preferred_bytes = 257, .allowed = mallard::expansion::in_place};
    EXPECT_EQ(blocks.try_expand(p, too_much).p, nullptr);
    EXPECT_EQ(blocks.expand(p, too_much).p, nullptr);
    EXPECT_EQ(blocks.usable_bytes(p), 64U);
    EXPECT_EQ(blocks.bytes_in_use(), 64U);
}

TEST(limited, resizes_the_last_block_within_budget) {
    mallard::limited<mallard::monotonic<>> arena(std::size_t{100});
    static_cast<void>(arena.allocate(20, 8));
    void* const p = arena.allocate(40, 8);
    EXPECT_FALSE(arena.resize_last(p, 40, 81));
    EXPECT_EQ(arena.bytes_in_use(), 60U);
    EXPECT_TRUE(arena.resize_last(p, 40, 80));
    EXPECT_EQ(arena.bytes_in_use(), 100U);
    EXPECT_TRUE(arena.resize_last(p, 80, 80)) << "the budget is used up, and no byte is added";
    EXPECT_TRUE(arena.resize_last(p, 80, 16));
    EXPECT_EQ(arena.bytes_in_use(), 36U);
    EXPECT_FALSE(arena.resize_last(p, 16, SIZE_MAX));
    EXPECT_EQ(arena.bytes_in_use(), 36U);
}

TEST(limited, keeps_its_budget_where_the_mechanism_has_no_room) {
    mallard::limited<equipment::plots> blocks(SIZE_MAX);
    EXPECT_EQ(blocks.try_allocate(equipment::plots::plot_bytes), nullptr);
    void* const p = blocks.allocate(64, 8);
    const mallard::expansion_request too_much{.least_bytes = equipment::plots::plot_bytes,
                                              .preferred_bytes = equipment::plots::plot_bytes};
    EXPECT_EQ(blocks.try_expand(p, too_much).p, nullptr);
    EXPECT_EQ(blocks.bytes_in_use(), 64U);
}

TEST(limited, serves_bursts_completely_or_not_at_all) {
    equipment::ledger source;
    mallard::limited<mallard::multipool<equipment::ledger>> pool(std::size_t{240}, source);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate_many(24, 8, 11)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool.allocate_many(24, 8, SIZE_MAX / 8)));
    EXPECT_TRUE(source.granted().empty());
    mallard::block_chain blocks = pool.allocate_many(24, 8, 10);
    EXPECT_EQ(pool.bytes_in_use(), 240U);
    pool.deallocate_many(std::move(blocks), 24, 8);
    EXPECT_EQ(pool.bytes_in_use(), 0U);
}

TEST(limited, serves_mixed_bursts_within_budget) {
    mallard::limited<mallard::heap<>> h(std::size_t{1000});
    const std::size_t sizes[] = {8, 600, 300};
    const std::size_t too_much[] = {8, 600, 393};
    EXPECT_OUT_OF_MEMORY(static_cast<void>(h.allocate_many(too_much)));
    EXPECT_EQ(h.mechanism().use().used_blocks, 0U);
    mallard::block_chain blocks = h.allocate_many(sizes);
    EXPECT_EQ(h.bytes_in_use(), h.mechanism().use().used_bytes);
    h.deallocate_many(std::move(blocks));
    EXPECT_EQ(h.bytes_in_use(), 0U);
    const std::size_t all[] = {8, 600, 392};
    blocks = h.allocate_many(all);
    EXPECT_EQ(blocks.size(), 3U);
    const std::size_t one_more[] = {1};
    EXPECT_OUT_OF_MEMORY(static_cast<void>(h.allocate_many(one_more)));
    h.deallocate_many(std::move(blocks));
}

#ifdef __cpp_exceptions

TEST(limited, counts_nothing_where_the_mechanism_fails) {
    equipment::ledger source;
    mallard::limited<mallard::monotonic<equipment::ledger>> arena(std::size_t{1000}, source);
    source.fail({.at = 1, .for_ever = true});
    EXPECT_THROW(static_cast<void>(arena.allocate(100, 8)), std::bad_alloc);
    EXPECT_EQ(arena.bytes_in_use(), 0U);
}

#endif

} // namespace
