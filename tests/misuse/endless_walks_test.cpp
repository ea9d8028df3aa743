// A block is deallocated twice in a build that does not look for misuse. No walk over the damaged lists is endless: the
// program ends with a message where a check costs nothing.
#include <mallard/core/sanitizer.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <thread>
#include <utility>

// AddressSanitizer reports the second deallocation itself.
#ifndef MALLARD_ASAN

namespace {

constexpr const char* message = "free memory at .* is damaged: a block was deallocated twice";

TEST(endless_walks, end_with_threads) {
    EXPECT_DEATH(
        {
            mallard::concurrent_multipool<> pool;
            std::thread([&] {
                void* const p = pool.allocate(40, 8);
                void* const q = pool.allocate(40, 8);
                pool.deallocate(p, 40, 8);
                pool.deallocate(q, 40, 8);
                pool.deallocate(p, 40, 8);
            }).join();
        },
        message);
}

TEST(endless_walks, end_when_magazines_are_full) {
    EXPECT_DEATH(
        {
            mallard::concurrent_multipool<> pool;
            void* const p = pool.allocate(40, 8);
            void* const q = pool.allocate(40, 8);
            for (int i = 0; i < 1000; ++i) {
                pool.deallocate(p, 40, 8);
                pool.deallocate(q, 40, 8);
            }
        },
        message);
}

void free_twice_in_heap(std::size_t bytes) {
    mallard::heap<> heap;
    // Between blocks in use of one chunk, so that no free neighbour swallows the tag.
    std::array<void*, 9> blocks{};
    for (void*& block : blocks) {
        block = heap.allocate(bytes, 8);
    }
    heap.deallocate(blocks[5], bytes, 8);
    heap.deallocate(blocks[7], bytes, 8);
    heap.deallocate(blocks[7], bytes, 8);
}

TEST(endless_walks, end_in_heaps) {
    EXPECT_DEATH(free_twice_in_heap(40), message);
    EXPECT_DEATH(free_twice_in_heap(10000), message);
    EXPECT_DEATH(free_twice_in_heap(std::size_t{8} << 20), message);
}

TEST(endless_walks, end_in_lists_of_large_blocks) {
    EXPECT_DEATH(
        {
            mallard::multipool<> pool;
            void* const first = pool.allocate(100000, 8);
            void* const second = pool.allocate(100000, 8);
            pool.deallocate(first, 100000, 8);
            pool.deallocate(first, 100000, 8);
            pool.deallocate(second, 100000, 8);
        },
        message);
}

TEST(endless_walks, end_in_bins_of_chunks) {
    EXPECT_DEATH(
        {
            void* const p = mallard::chunk_cache::allocate(150000);
            mallard::chunk_cache::deallocate(p, 150000);
            mallard::chunk_cache::deallocate(p, 150000);
            for (int i = 0; i < 3; ++i) {
                static_cast<void>(mallard::chunk_cache::allocate(150000));
            }
        },
        message);
}

TEST(endless_walks, end_in_chains) {
    EXPECT_DEATH(
        {
            mallard::adaptive_pool<> pool;
            mallard::block_chain blocks = pool.allocate_many(40, 8, 3);
            blocks.push_front(blocks.front());
            pool.deallocate_many(std::move(blocks), 40, 8);
        },
        message);
}

} // namespace

#endif
