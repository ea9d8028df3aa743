// Users of the global heap, with an operator new that guarantees no more alignment than the size requires.
#include "containers/global_heap.hpp"

#include <mallard/core/alignment.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace {

using mallard::chunk_cache;
using mallard::new_delete;

/// Allocates by the throwing and the non-throwing function, and writes to all bytes.
template <class Source>
void expect_aligned(std::size_t bytes, std::size_t alignment) {
    for (const bool quietly : {false, true}) {
        void* const p = quietly ? Source::try_allocate(bytes, alignment) : Source::allocate(bytes, alignment);
        ASSERT_NE(p, nullptr);
        EXPECT_TRUE(mallard::core::is_aligned(p, alignment)) << bytes << " at " << alignment;
        std::memset(p, 1, bytes);
        Source::deallocate(p, bytes, alignment);
    }
}

TEST(global_heap, serves_sizes_unaligned_to_their_alignment) {
    const long baseline = containers::blocks_on_global_heap();
    for (std::size_t alignment = 1; alignment <= 64; alignment *= 2) {
        for (std::size_t bytes = 0; bytes <= 300; ++bytes) {
            expect_aligned<new_delete>(bytes, alignment);
            expect_aligned<chunk_cache>(bytes, alignment);
        }
    }
    chunk_cache::trim();
    EXPECT_EQ(containers::blocks_on_global_heap(), baseline);
}

TEST(global_heap, regains_small_chunks_from_the_cache) {
    const long baseline = containers::blocks_on_global_heap();
    std::array<void*, 20> chunks{};
    for (void*& chunk : chunks) {
        chunk = chunk_cache::allocate(8, 8);
    }
    for (void* chunk : chunks) {
        chunk_cache::deallocate(chunk, 8, 8);
    }
    chunk_cache::trim();
    EXPECT_EQ(containers::blocks_on_global_heap(), baseline);
}

TEST(global_heap, supplies_pools_of_any_block_size) {
    for (std::size_t alignment = 1; alignment <= 32; alignment *= 2) {
        for (std::size_t bytes = 1; bytes <= 200; ++bytes) {
            mallard::multipool<new_delete> pool;
            EXPECT_TRUE(mallard::core::is_aligned(pool.allocate(bytes, alignment), alignment)) << bytes;
        }
    }
}

} // namespace
