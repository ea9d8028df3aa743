// AddressSanitizer reports the use of memory that is unallocated or was deallocated.
#include "equipment/ledger.hpp"

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <utility>

namespace {

// A block's end between two multiples of eight is reported as unknown-crash; a chunk may be the heap's again.
const char* const report =
    "AddressSanitizer: (use-after-poison|unknown-crash|heap-use-after-free|heap-buffer-overflow|SEGV)";

char read(const void* p, std::ptrdiff_t offset = 0) {
    return *(static_cast<const volatile char*>(p) + offset);
}

/// A single function, because EXPECT_DEATH is slow to compile.
void expect_report(const void* p, std::size_t offset = 0) {
    EXPECT_DEATH(read(p, static_cast<std::ptrdiff_t>(offset)), report) << "at byte " << offset;
}

template <class A>
class poisoning : public ::testing::Test {
protected:
    A allocator_;
};

/// Blocks that are large enough for all requests of these tests.
struct roomy_fixed_pool : mallard::fixed_pool<> {
    roomy_fixed_pool() : fixed_pool(mallard::block_size{.bytes = 100000, .alignment = 64}) {}
};

using allocators =
    ::testing::Types<mallard::monotonic<>, mallard::multipool<>, mallard::concurrent_multipool<>,
                     mallard::synchronized<mallard::multipool<>>, roomy_fixed_pool,
                     mallard::small_object_pool<>, mallard::adaptive_pool<>, mallard::heap<>,
                     mallard::heap<mallard::new_delete>>;
TYPED_TEST_SUITE(poisoning, allocators);

TYPED_TEST(poisoning, reports_use_after_deallocation) {
    void* const first = this->allocator_.allocate(40, 8);
    void* const second = this->allocator_.allocate(40, 8);
    void* const small = this->allocator_.allocate(8, 8);
    this->allocator_.deallocate(first, 40, 8);
    this->allocator_.deallocate(second, 40, 8);
    this->allocator_.deallocate(small, 8, 8);
    for (std::size_t i = 0; i < 40; i += 13) {
        expect_report(first, i); // which holds the pool's table
        expect_report(second, i);
    }
    expect_report(small);
}

TYPED_TEST(poisoning, reports_reading_past_a_block) {
    for (const std::size_t bytes : {3U, 24U, 1000U, 40000U}) {
        for (const std::size_t alignment : {1U, 16U, 64U}) {
            void* const p = this->allocator_.allocate(bytes, alignment);
            std::memset(p, 1, bytes);
            expect_report(p, bytes);
            this->allocator_.deallocate(p, bytes, alignment);
        }
    }
}

TYPED_TEST(poisoning, reports_use_of_unallocated_memory) {
    void* const p = this->allocator_.allocate(8, 8);
    expect_report(p, 8);
    expect_report(p, 100);
}

TYPED_TEST(poisoning, reports_use_past_release) {
    void* const small = this->allocator_.allocate(24, 8);
    void* const large = this->allocator_.allocate(100000, 8);
    this->allocator_.release();
    expect_report(small);
    expect_report(large);
    expect_report(large, 99999);
}

TEST(poisoning_of_fixed_blocks, covers_free_blocks_and_unrequested_bytes) {
    mallard::fixed_pool<> pool(mallard::block_size{.bytes = 40});
    void* const p = pool.allocate(17, 8);
    EXPECT_EQ(read(p, 16), read(p, 16));
    expect_report(p, 17);
    expect_report(p, 40);
    void* const q = pool.allocate(40, 8);
    pool.deallocate(p, 17, 8);
    expect_report(p);
    expect_report(p, 16);
    EXPECT_EQ(read(q, 39), read(q, 39));
    pool.release();
    expect_report(q);
}

TEST(poisoning_of_fixed_blocks, covers_the_array_during_the_arenas_lifetime) {
    alignas(16) std::array<std::byte, 256> buffer{};
    {
        mallard::fixed_pool<mallard::buffer_arena> pool{std::span<std::byte>(buffer)};
        void* const p = pool.allocate(16, 8);
        EXPECT_EQ(read(p, 15), 0);
        expect_report(&buffer, 16);
        expect_report(&buffer, 255);
        pool.release();
        expect_report(&buffer, 15);
    }
    EXPECT_EQ(read(&buffer, 255), 0);
}

TEST(poisoning_of_bursts, spares_the_blocks_but_not_the_gaps) {
    mallard::multipool<> pool;
    mallard::block_chain blocks = pool.allocate_many(20, 4, 3);
    const void* const first = blocks.front();
    EXPECT_EQ(read(first, 19), read(first, 19));
    expect_report(first, 20);
    pool.deallocate_many(std::move(blocks), 20, 4);
    expect_report(first);
}

TEST(poisoning_of_marks, reports_use_past_rewind_and_rollback) {
    mallard::monotonic<> arena;
    void* const kept = arena.allocate(24, 8);
    void* p = nullptr;
    {
        const mallard::checkpoint scratch(arena);
        p = arena.allocate(24, 8);
        EXPECT_EQ(read(p), read(p));
    }
    expect_report(p);
    EXPECT_EQ(read(kept), read(kept));
    arena.rewind();
    expect_report(kept);
}

TEST(poisoning_of_marks, reports_use_of_bytes_freed_by_shrinking) {
    mallard::monotonic<> arena;
    void* const p = arena.allocate(40, 8);
    ASSERT_TRUE(arena.resize_last(p, 40, 10));
    EXPECT_EQ(read(p, 9), read(p, 9));
    expect_report(p, 10);
    ASSERT_TRUE(arena.resize_last(p, 10, 50));
    EXPECT_EQ(read(p, 49), read(p, 49));
}

TEST(poisoning_of_buffers, covers_the_unallocated_part) {
    alignas(16) std::array<std::byte, 256> buffer{};
    {
        mallard::monotonic<> arena{std::span<std::byte>(buffer)};
        static_cast<void>(arena.allocate(16, 8));
        EXPECT_EQ(read(&buffer, 15), 0);
        expect_report(&buffer, 16);
        expect_report(&buffer, 255);
    }
    EXPECT_EQ(read(&buffer, 255), 0);
}

TEST(poisoning_of_objects, reports_a_winked_out_object) {
    mallard::resource<mallard::monotonic<>> arena;
    auto& v = mallard::wink_out<std::pmr::vector<int>>(arena, std::size_t{100}, 1);
    const int* const element = &v[50];
    arena.release();
    expect_report(element);
    EXPECT_DEATH(static_cast<void>(v.size() == 100U && read(&v) == 0), report);
}

} // namespace
