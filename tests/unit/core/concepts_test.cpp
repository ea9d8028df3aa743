#include <mallard/core/concepts.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

namespace {

/// Has everything but the promise not to throw.
struct throwing_release {
    void* allocate(std::size_t, std::size_t);
    void deallocate(void*, std::size_t, std::size_t) noexcept;
    void release();
};

struct with_state {
    void* allocate(std::size_t, std::size_t);
    void deallocate(void*, std::size_t, std::size_t) noexcept;
    int state;
};

struct of_one_size : with_state {
    static constexpr bool has_fixed_blocks = true;
};

struct typed_pointers {
    char* allocate(std::size_t, std::size_t);
    void deallocate(char*, std::size_t, std::size_t) noexcept;
};

TEST(concepts, tell_upstreams) {
    EXPECT_TRUE(mallard::upstream<mallard::new_delete>);
    EXPECT_TRUE(mallard::upstream<mallard::pages>);
    EXPECT_TRUE(mallard::upstream<mallard::chunk_cache>);
    EXPECT_TRUE(mallard::upstream<mallard::buffer>);
    EXPECT_TRUE(mallard::upstream<mallard::multipool<>>);
    EXPECT_TRUE(mallard::upstream<std::pmr::memory_resource>);
    EXPECT_FALSE(mallard::upstream<std::allocator<int>>);
    EXPECT_FALSE(mallard::upstream<typed_pointers>);
    EXPECT_FALSE(mallard::upstream<int>);
}

TEST(concepts, tell_nothrow_upstreams) {
    EXPECT_TRUE(mallard::nothrow_upstream<mallard::new_delete>);
    EXPECT_TRUE(mallard::nothrow_upstream<mallard::multipool<std::pmr::memory_resource>>);
    EXPECT_TRUE(mallard::nothrow_upstream<mallard::counted<mallard::monotonic<>>>);
    EXPECT_TRUE(mallard::nothrow_upstream<mallard::inline_resource>);
    EXPECT_FALSE(mallard::nothrow_upstream<std::pmr::memory_resource>);
    EXPECT_FALSE(mallard::nothrow_upstream<with_state>);
}

TEST(concepts, tell_local_allocators) {
    EXPECT_TRUE(mallard::local_allocator<mallard::monotonic<>>);
    EXPECT_TRUE(mallard::local_allocator<mallard::multipool<>>);
    EXPECT_TRUE(mallard::local_allocator<mallard::multipool<mallard::monotonic<>>>);
    EXPECT_FALSE(mallard::local_allocator<mallard::new_delete>);
    EXPECT_FALSE(mallard::local_allocator<mallard::buffer>);
    EXPECT_FALSE(mallard::local_allocator<throwing_release>);
}

TEST(concepts, rewindable_matches_mark_and_rollback) {
    EXPECT_TRUE(mallard::rewindable<mallard::monotonic<>>);
    EXPECT_FALSE(mallard::rewindable<mallard::multipool<>>);
}

TEST(concepts, burst_allocator_matches_burst_members) {
    EXPECT_TRUE(mallard::burst_allocator<mallard::multipool<>>);
    EXPECT_TRUE(mallard::burst_allocator<mallard::fixed_pool<>>);
    EXPECT_FALSE(mallard::burst_allocator<mallard::monotonic<>>);
    EXPECT_FALSE(mallard::burst_allocator<mallard::new_delete>);
    EXPECT_TRUE(mallard::burst_allocator<mallard::limited<mallard::multipool<>>>) << "through adaptors too";
    EXPECT_FALSE(mallard::mixed_burst_allocator<mallard::multipool<>>) << "which does not know its sizes";
}

TEST(concepts, tell_whose_blocks_have_no_room_around_them) {
    EXPECT_TRUE(mallard::core::gives_fixed_blocks<of_one_size>);
    EXPECT_TRUE(mallard::core::gives_fixed_blocks<mallard::fixed_pool<>>);
    EXPECT_FALSE(mallard::core::gives_fixed_blocks<with_state>);
    EXPECT_FALSE(mallard::core::gives_fixed_blocks<mallard::multipool<>>);
}

TEST(concepts, stateless_upstream_needs_no_pointer) {
    EXPECT_TRUE(mallard::stateless_upstream<mallard::new_delete>);
    EXPECT_TRUE(mallard::stateless_upstream<mallard::chunk_cache>);
    EXPECT_FALSE(mallard::stateless_upstream<mallard::pages>) << "it has options";
    EXPECT_FALSE(mallard::stateless_upstream<with_state>);
    EXPECT_FALSE(mallard::stateless_upstream<mallard::counted<mallard::new_delete>>);
}

} // namespace
