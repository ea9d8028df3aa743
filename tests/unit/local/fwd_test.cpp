#include <mallard/local/fwd.hpp>

namespace {

// As a header declares it, with the forward declarations alone: the definitions are included below.
std::size_t chunks(const mallard::monotonic<>& arena, const mallard::heap<>& blocks,
                   const mallard::concurrent_multipool<>& pool, const mallard::adaptive_pool<>& nodes,
                   const mallard::small_object_pool<>& objects);

} // namespace

#include <mallard/local/adaptive_pool.hpp>
#include <mallard/local/concurrent_multipool.hpp>
#include <mallard/local/heap.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/small_object_pool.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace {

using mallard::chunk_cache;
using mallard::slab_shape;

static_assert(std::is_same_v<mallard::monotonic<>, mallard::monotonic<chunk_cache>>);
static_assert(
    std::is_same_v<mallard::adaptive_pool<>, mallard::adaptive_pool<chunk_cache, slab_shape::divided>>);

std::size_t chunks(const mallard::monotonic<>& arena, const mallard::heap<>& blocks,
                   const mallard::concurrent_multipool<>& pool, const mallard::adaptive_pool<>& nodes,
                   const mallard::small_object_pool<>& objects) {
    return (arena.stats() + blocks.stats() + pool.stats() + nodes.stats() + objects.stats()).chunks;
}

TEST(forward_declarations, name_mechanisms_over_chunks) {
    mallard::monotonic arena;
    const mallard::heap blocks;
    const mallard::concurrent_multipool pool;
    const mallard::adaptive_pool nodes(mallard::block_size{32});
    const mallard::small_object_pool<> objects;
    EXPECT_EQ(chunks(arena, blocks, pool, nodes, objects), 0U);
    EXPECT_NE(arena.allocate(8), nullptr);
    EXPECT_EQ(chunks(arena, blocks, pool, nodes, objects), 1U);
}

} // namespace
