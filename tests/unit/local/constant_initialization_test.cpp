// Allocators in static storage that are constants: no code runs before main(), and other objects of static storage may use them.
#include "equipment/out_of_memory.hpp"

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace {

constinit mallard::monotonic<> arena;
constinit mallard::monotonic<> sized_arena(std::size_t{1} << 16);
constinit mallard::concurrent_monotonic<> shared_arena;
constinit mallard::multipool<> pool({.largest_pooled_bytes = 4096});
constinit mallard::shrinking_multipool<> shrinking_pool;
constinit mallard::small_object_pool<> small_objects;
constinit mallard::adaptive_pool<> adaptive_pool;
constinit mallard::heap<> heap;
constinit mallard::fixed_pool<> nodes;
constinit mallard::fixed_pool_for<long, mallard::static_arena<4096>> static_nodes;

constinit mallard::pages pages({.huge = mallard::huge_pages::never});
constinit mallard::monotonic<mallard::pages> arena_of_pages(pages);
constinit mallard::upstream_ref reference(pages);
constinit mallard::multipool<mallard::upstream_ref> pool_of_reference{mallard::upstream_ref(pages)};

constinit std::byte room[4096];
constinit mallard::buffer buffer(room);
constinit mallard::multipool<mallard::buffer> pool_in_room(buffer);

constinit mallard::counted<mallard::multipool<>> counted_pool;
constinit mallard::synchronized<mallard::multipool<>> locked_pool;
constinit mallard::limited<mallard::monotonic<>> limited_arena(std::size_t{1000});
constinit mallard::sealed<mallard::heap<>> sealed_heap;

template <class A>
void expect_block(A& allocator) {
    void* const p = allocator.allocate(8, 8);
    EXPECT_NE(p, nullptr);
    allocator.deallocate(p, 8, 8);
    if constexpr (mallard::local_allocator<A>) {
        allocator.release();
    }
}

TEST(constant_initialization, leaves_allocators_usable) {
    expect_block(arena);
    expect_block(sized_arena);
    expect_block(shared_arena);
    expect_block(pool);
    expect_block(shrinking_pool);
    expect_block(small_objects);
    expect_block(reference);
    expect_block(adaptive_pool);
    expect_block(heap);
    expect_block(nodes);
    expect_block(static_nodes);
    expect_block(arena_of_pages);
    expect_block(pool_of_reference);
    expect_block(pool_in_room);
    expect_block(counted_pool);
    expect_block(locked_pool);
    expect_block(sealed_heap);
}

TEST(constant_initialization, keeps_arguments) {
    EXPECT_EQ(pool.largest_pooled_bytes(), 4096U);
    static_cast<void>(sized_arena.allocate(8, 8));
    EXPECT_GE(sized_arena.bytes_left(), (std::size_t{1} << 16) - 16);
    sized_arena.release();
    EXPECT_OUT_OF_MEMORY(static_cast<void>(limited_arena.allocate(1001, 8)));
    EXPECT_OUT_OF_MEMORY(static_cast<void>(pool_in_room.allocate(5000, 8)));
}

} // namespace
