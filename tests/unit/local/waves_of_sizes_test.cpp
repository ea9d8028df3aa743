// The memory that pools hold under waves of sizes: the same number of bytes of each size class, freed before the next
// class is requested. The figures of docs/benchmark/pools.md are computed here.
#include <mallard/local/heap.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace {

constexpr std::size_t living_bytes = std::size_t{1} << 20;

struct nothing_between_waves {
    template <class A>
    void operator()(A&) const noexcept {}
};

/// Effects: lets a wave of each size class of a multipool pass through the allocator.
/// Returns: the bytes that it holds in the end for each byte that ever lived at a time.
template <class Classes = mallard::eighth_classes, class A, class Between = nothing_between_waves>
double held_per_live_block(A& allocator, Between between = {}) {
    std::vector<void*> blocks;
    for (std::size_t index = 0; index <= Classes::index(32 << 10); ++index) {
        between(allocator);
        const std::size_t bytes = Classes::bytes(index);
        for (std::size_t sum = 0; sum < living_bytes; sum += bytes) {
            blocks.push_back(allocator.allocate(bytes, 8));
        }
        for (void* p : blocks) {
            allocator.deallocate(p, bytes, 8);
        }
        blocks.clear();
    }
    return static_cast<double>(allocator.stats().chunk_bytes) / living_bytes;
}

TEST(waves_of_sizes, multipool_holds_one_wave_per_class) {
    mallard::multipool<> pool;
    const double held = held_per_live_block(pool);
    EXPECT_GT(held, 80) << "80 classes, each with separate blocks";
    EXPECT_LT(held, 83) << "docs/benchmark/pools.md states 81";
    EXPECT_DOUBLE_EQ(held_per_live_block(pool), held) << "the blocks serve the next such waves";
}

TEST(waves_of_sizes, shrinking_multipool_gives_chunks_back) {
    mallard::unchecked::multipool<mallard::chunk_cache, mallard::hybrid_order, mallard::shrinking_classes>
        pool;
    EXPECT_LE(held_per_live_block<mallard::shrinking_classes>(pool), 2.2)
        << "docs/benchmark/pools.md states 2";
}

TEST(waves_of_sizes, leave_fewer_classes_with_less) {
    mallard::fast_fit<> pool;
    EXPECT_LT(held_per_live_block<mallard::power_of_two_classes>(pool), 18)
        << "docs/benchmark/pools.md states 17";
}

TEST(waves_of_sizes, heap_merges_neighbours) {
    mallard::heap<> heap;
    EXPECT_LT(held_per_live_block(heap), 7) << "docs/benchmark/pools.md states 6";
}

TEST(waves_of_sizes, releasing_every_wave_bounds_memory) {
    mallard::multipool<> pool;
    const auto release = [](mallard::multipool<>& p) { p.release(); };
    EXPECT_LT(held_per_live_block(pool, release), 2) << "docs/benchmark/pools.md states 2";
}

} // namespace
