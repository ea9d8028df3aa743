// reserve() of all allocators that have it. The upstream is sealed to prove that nothing else is needed.
#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "equipment/resident_pages.hpp"

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <set>
#include <span>
#include <string_view>

namespace {

/// A number that the compiler does not know, because it warns of such constants.
const volatile std::size_t largest = SIZE_MAX;

using source_type = mallard::sealed<equipment::ledger>;
using arena_type = mallard::monotonic<source_type>;

template <class A>
concept reserves_blocks = requires(A& a, std::size_t n) { a.reserve(n, n, n); };

static_assert(reserves_blocks<mallard::multipool<>> && reserves_blocks<mallard::fast_fit<>>);
static_assert(!reserves_blocks<mallard::shrinking_multipool<>>, "it returns free blocks on its own");
static_assert(!reserves_blocks<mallard::concurrent_multipool<>>, "threads take more than they need");
static_assert(!reserves_blocks<mallard::small_object_pool<>> && !reserves_blocks<mallard::adaptive_pool<>>);

/// Effects: takes `count` blocks.
/// Returns: the number of different ones.
template <class A>
std::size_t take(A& allocator, std::size_t bytes, std::size_t alignment, std::size_t count) {
    std::set<void*> blocks;
    for (std::size_t i = 0; i != count; ++i) {
        void* const p = allocator.allocate(bytes, alignment);
        EXPECT_TRUE(mallard::core::is_aligned(p, alignment));
        blocks.insert(p);
    }
    return blocks.size();
}

// ---- pools of many sizes

template <class Pool>
class reserve_in_pools : public ::testing::Test {
protected:
    ~reserve_in_pools() override {
        source_.unseal();
        pool_.release();
        EXPECT_EQ(source_.mechanism().outstanding(), 0U);
        EXPECT_EQ(source_.mechanism().complaints(), equipment::no_complaints);
    }

    source_type source_;
    Pool pool_{source_};
};

using pools =
    ::testing::Types<mallard::multipool<source_type>, mallard::multipool<source_type, mallard::last_freed>,
                     mallard::fast_fit<source_type>, mallard::counted<mallard::multipool<source_type>>,
                     mallard::checked<mallard::synchronized<mallard::multipool<source_type>>>>;
TYPED_TEST_SUITE(reserve_in_pools, pools);

TYPED_TEST(reserve_in_pools, covers_as_many_requests) {
    this->pool_.reserve(40, 8, 1000);
    this->source_.seal();
    EXPECT_EQ(take(this->pool_, 40, 8, 1000), 1000U);
    EXPECT_EQ(this->source_.calls_since_seal(), 0U);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(this->pool_.allocate(100'000, 8)));
}

TYPED_TEST(reserve_in_pools, counts_free_blocks) {
    this->pool_.reserve(24, 8, 100);
    const std::size_t calls = this->source_.mechanism().granted().size();
    this->pool_.reserve(24, 8, 100);
    this->pool_.reserve(24, 8, 0);
    EXPECT_EQ(this->source_.mechanism().granted().size(), calls);
    EXPECT_EQ(take(this->pool_, 24, 8, 60), 60U);
    this->pool_.reserve(24, 8, 100);
    this->source_.seal();
    EXPECT_EQ(take(this->pool_, 24, 8, 100), 100U);
    EXPECT_EQ(this->source_.calls_since_seal(), 0U);
}

TYPED_TEST(reserve_in_pools, refuses_what_no_pool_keeps) {
    EXPECT_OUT_OF_MEMORY(this->pool_.reserve(100'000, 8, 1));
    EXPECT_OUT_OF_MEMORY(this->pool_.reserve(8, std::size_t{1} << 17, 1));
    EXPECT_OUT_OF_MEMORY(this->pool_.reserve(largest, 8, 1));
    EXPECT_OUT_OF_MEMORY(this->pool_.reserve(24, 8, largest));
    EXPECT_EQ(this->source_.mechanism().granted().size(), 0U);
}

#ifdef __cpp_exceptions

TYPED_TEST(reserve_in_pools, survives_any_failure) {
    for (std::size_t at = 1;; ++at) {
        equipment::ledger& ledger = this->source_.mechanism();
        ledger.fail({.at = at, .for_ever = true});
        bool failed = false;
        try {
            this->pool_.reserve(24, 8, 2000);
            this->pool_.reserve(700, 8, 300);
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        ledger.fail({.at = 0});
        this->pool_.reserve(700, 8, 300);
        this->source_.seal();
        EXPECT_EQ(take(this->pool_, 700, 8, 300), 300U);
        EXPECT_EQ(this->source_.calls_since_seal(), 0U);
        this->source_.unseal();
        this->pool_.release();
        ASSERT_EQ(ledger.outstanding(), 0U);
        if (!failed) {
            EXPECT_GT(at, 2U);
            break;
        }
    }
}

#endif

TEST(reserve, message_names_the_option) {
#ifdef __cpp_exceptions
    mallard::multipool<> pool({.largest_pooled_bytes = 100});
    try {
        pool.reserve(300, 8, 1);
        FAIL();
    } catch (const mallard::refused_request& e) {
        EXPECT_NE(std::string_view(e.what()).find("300 bytes"), std::string_view::npos) << e.what();
        EXPECT_TRUE(std::string_view(e.what()).ends_with("largest_pooled_bytes")) << e.what();
    }
#endif
}

TEST(reserve, lasts_where_a_pool_is_over_an_arena) {
    source_type source;
    arena_type arena(source);
    mallard::multipool<arena_type> pool(arena);
    pool.reserve(24, 8, 100);
    arena.reserve(100'000);
    source.seal();
    EXPECT_EQ(take(pool, 24, 8, 100), 100U);
    EXPECT_EQ(take(pool, 56, 8, 100), 100U) << "from what the arena reserves";
    EXPECT_EQ(source.calls_since_seal(), 0U);
}

TEST(reserve, touches_the_pages_of_blocks) {
    mallard::pages source({.huge = mallard::huge_pages::never});
    mallard::multipool<mallard::pages> pool(source);
    const std::size_t bytes = 3 * mallard::pages::page_bytes();
    pool.reserve(bytes, 8, 20);
    for (int i = 0; i != 20; ++i) {
        EXPECT_TRUE(equipment::is_resident(pool.allocate(bytes, 8), bytes)) << i;
    }
}

// ---- pools of one size

template <class Pool>
void expect_reserve_of_one_size(Pool& pool, source_type& source) {
    pool.reserve(40, 8, 1000);
    pool.reserve(20, 4, 1000);
    EXPECT_EQ(pool.block_bytes(), 40U);
    source.seal();
    EXPECT_EQ(take(pool, 40, 8, 1000), 1000U);
    EXPECT_EQ(source.calls_since_seal(), 0U);
    source.unseal();
    EXPECT_OUT_OF_MEMORY(pool.reserve(80, 8, 1));
    EXPECT_OUT_OF_MEMORY(pool.reserve(40, 8, largest));
}

TEST(reserve_of_one_size, covers_as_many_requests) {
    source_type source;
    using arena = mallard::growing_arena<source_type>;
    mallard::fixed_pool<arena> by_request(source,
                                          mallard::fixed_pool_options{.growth = {.first_chunk_bytes = 64}});
    expect_reserve_of_one_size(by_request, source);
    mallard::fixed_pool<arena, mallard::last_freed> of_a_size(mallard::block_size{40, 8}, source);
    expect_reserve_of_one_size(of_a_size, source);
    mallard::checked<mallard::fixed_pool<arena>> checked(source);
    expect_reserve_of_one_size(checked, source);
    source.unseal();
}

TEST(reserve_of_one_size, fixes_size_as_a_request) {
    equipment::ledger source;
    mallard::fixed_pool<mallard::growing_arena<equipment::ledger>> pool(source);
    pool.reserve(1, 1, 10);
    EXPECT_EQ(pool.block_bytes(), sizeof(void*));
    pool.release();
    source.fail({.at = 1, .for_ever = true});
    EXPECT_OUT_OF_MEMORY(pool.reserve(24, 8, 10));
    EXPECT_EQ(pool.block_bytes(), 0U) << "a failure fixes nothing";
}

TEST(reserve_of_one_size, fails_where_an_array_ends) {
    mallard::fixed_pool<mallard::static_arena<256>> pool(mallard::block_size{32});
    EXPECT_OUT_OF_MEMORY(pool.reserve(32, 8, 9));
    pool.reserve(32, 8, 8);
    EXPECT_EQ(take(pool, 32, 8, 8), 8U) << "those of the failure are free again";
}

// ---- monotonic

TEST(reserve_in_monotonic, covers_the_bytes) {
    source_type source;
    arena_type arena(source);
    static_cast<void>(arena.allocate(100));
    arena.reserve(10'000);
    source.seal();
    EXPECT_EQ(take(arena, 1000, 8, 10), 10U);
    EXPECT_EQ(source.calls_since_seal(), 0U);
    EXPECT_EQ(arena.try_allocate(100'000), nullptr);
    source.unseal();
}

TEST(reserve_in_monotonic, takes_nothing_if_there_is_room) {
    equipment::ledger source;
    mallard::monotonic<equipment::ledger> arena(std::size_t{4096}, source);
    arena.reserve(0);
    EXPECT_EQ(source.granted().size(), 0U);
    static_cast<void>(arena.allocate(96));
    arena.reserve(4000);
    EXPECT_EQ(source.granted().size(), 1U);
    arena.reserve(4001);
    EXPECT_EQ(source.granted().size(), 2U);
}

TEST(reserve_in_monotonic, leaves_a_short_buffer) {
    alignas(16) std::byte buffer[256];
    equipment::ledger source;
    mallard::monotonic<equipment::ledger> arena{std::span(buffer), source};
    void* const first = arena.allocate(16);
    const auto mark = arena.mark();
    arena.reserve(1000);
    EXPECT_GE(arena.bytes_left(), 1000U);
    EXPECT_FALSE(arena.resize_last(first, 16, 24)) << "the buffer's rest is no longer the region";
    arena.rollback(mark);
    EXPECT_EQ(arena.allocate(16), static_cast<std::byte*>(first) + 16);
    arena.rewind();
    EXPECT_EQ(arena.allocate(16), first);
}

TEST(reserve_in_monotonic, fails_without_a_change) {
    equipment::ledger source;
    mallard::monotonic<equipment::ledger> arena(source);
    void* const p = arena.allocate(16);
    const std::size_t left = arena.bytes_left();
    source.fail({.at = 1, .for_ever = true});
    EXPECT_OUT_OF_MEMORY(arena.reserve(100'000));
    EXPECT_OUT_OF_MEMORY(arena.reserve(largest));
    EXPECT_OUT_OF_MEMORY(arena.reserve(largest - 31));
    EXPECT_EQ(arena.bytes_left(), left);
    EXPECT_EQ(arena.allocate(16), static_cast<std::byte*>(p) + 16);
}

TEST(reserve_in_monotonic, touches_the_pages) {
    mallard::pages source({.huge = mallard::huge_pages::never});
    mallard::monotonic<mallard::pages> arena(source);
    arena.reserve(200'000);
    EXPECT_TRUE(equipment::is_resident(arena.allocate(200'000), 200'000));
}

TEST(reserve_in_monotonic, is_checked) {
    mallard::checked<mallard::monotonic<>> arena;
    arena.reserve(1000);
    EXPECT_EQ(arena.stats().upstream_calls, 1U);
    arena.deallocate(arena.allocate(900), 900);
    EXPECT_EQ(arena.stats().upstream_calls, 1U);
}

TEST(reserve_in_adaptors, is_no_allocation) {
    mallard::limited<mallard::counted<mallard::multipool<>>> pool(100);
    pool.reserve(64, 8, 1000);
    EXPECT_EQ(pool.bytes_in_use(), 0U);
    EXPECT_EQ(pool.mechanism().counts().allocations, 0U);
}

} // namespace
