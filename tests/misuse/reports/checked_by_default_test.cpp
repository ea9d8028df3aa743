// A debug build checks a program without changes to its source: this file is compiled with MALLARD_CHECKED in every
// configuration.
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <list>
#include <map>
#include <memory_resource>
#include <source_location>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

static_assert(MALLARD_CHECKED);
static_assert(requires(mallard::multipool<>& pool) { pool.check(); });
static_assert(requires(mallard::heap<>& heap) { heap.check(); });

constexpr const char* text = "a string that is longer than the small buffer of its own";

/// Hidden from AddressSanitizer.
[[gnu::noinline, gnu::no_sanitize_address]] void write_to(volatile unsigned char* p) {
    *p = 1;
}

template <class A>
class checked_by_default : public ::testing::Test {
protected:
    template <class T>
    using alloc = mallard::allocator<T, A>;
    using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;

    A allocator_;
};

using mallard::chunk_cache;
#if MALLARD_THOROUGH
using allocators =
    ::testing::Types<mallard::monotonic<>, mallard::multipool<>, mallard::multipool<mallard::monotonic<>>,
                     mallard::multipool<chunk_cache, mallard::last_freed>, mallard::concurrent_multipool<>,
                     mallard::synchronized<mallard::multipool<>>, mallard::small_object_pool<>,
                     mallard::adaptive_pool<>>;
#else
using allocators = ::testing::Types<mallard::monotonic<>, mallard::multipool<mallard::monotonic<>>,
                                    mallard::concurrent_multipool<>, mallard::small_object_pool<>>;
#endif

template <>
class checked_by_default<mallard::multipool<mallard::monotonic<>>> : public ::testing::Test {
protected:
    using A = mallard::multipool<mallard::monotonic<>>;
    template <class T>
    using alloc = mallard::allocator<T, A>;
    using string = std::basic_string<char, std::char_traits<char>, alloc<char>>;

    mallard::monotonic<> below_;
    A allocator_{below_};
};

TYPED_TEST_SUITE(checked_by_default, allocators);

TYPED_TEST(checked_by_default, accepts_containers_by_either_binding) {
    mallard::resource<TypeParam&> base(this->allocator_);
    {
        std::list<typename TestFixture::string,
                  typename TestFixture::template alloc<typename TestFixture::string>>
            by_type(this->allocator_);
        std::pmr::map<int, std::pmr::string> by_base(&base);
        for (int i = 0; i < 500; ++i) {
            by_type.emplace_back(text);
            by_base.emplace(i, text);
            if (i % 3 == 0) {
                by_type.pop_front();
                by_base.erase(i);
            }
        }
        mallard::check(this->allocator_);
        EXPECT_EQ(by_type.size(), 333U);
    }
    mallard::expect_all_freed(base);
    this->allocator_.release();
    EXPECT_NE(this->allocator_.allocate(24, 8), nullptr);
}

TYPED_TEST(checked_by_default, accepts_objects_that_are_winked_out) {
    using vector = std::vector<int, typename TestFixture::template alloc<int>>;
    auto& winked_out = mallard::wink_out<vector>(this->allocator_, std::size_t{1000}, 1);
    EXPECT_EQ(winked_out.size(), 1000U);
    this->allocator_.release();
}

TYPED_TEST(checked_by_default, reports_a_double_free_by_type_parameter) {
    mallard::allocator<int, TypeParam> binding(this->allocator_);
    const auto place = std::source_location::current();
    const mallard::allocation_site site(place);
    int* const p = binding.allocate(6);
    binding.deallocate(p, 6);
    EXPECT_DEATH(
        binding.deallocate(p, 6),
        ::testing::ContainsRegex("^mallard: double free: block 0x[0-9a-f]+ of 24 bytes at alignment 4 was "
                                 "already deallocated\n    allocated at [^\n]*checked_by_default_test.cpp:" +
                                 std::to_string(place.line()) + " in [^\n]*TestBody[^\n]*\n"));
}

TYPED_TEST(checked_by_default, reports_an_overrun_by_abstract_base) {
    mallard::resource<TypeParam&> base(this->allocator_);
    auto* const p = static_cast<unsigned char*>(base.allocate(24, 8));
    write_to(p + 24);
    EXPECT_DEATH(base.deallocate(p, 24, 8),
                 "mallard: write past the end: byte 24 of block 0x[0-9a-f]+ of 24 bytes at alignment 8 was "
                 "overwritten, found by deallocate\\(\\)\n    allocated (by|at)");
    mallard::set_misuse_handler([](const mallard::misuse_report&) noexcept {});
    this->allocator_.release();
    mallard::set_misuse_handler(nullptr);
}

TYPED_TEST(checked_by_default, reports_blocks_that_outlive_a_release) {
    mallard::resource<TypeParam&> base(this->allocator_);
    EXPECT_DEATH(
        {
            std::pmr::vector<int> v(100, 1, &base);
            this->allocator_.release();
        },
        "mallard: use after release: block 0x[0-9a-f]+ of 400 bytes at alignment 4 was ended by "
        "release\\(\\)");
}

/// Containers that a function of the program fills, by each binding: the report begins with that function.
template <class Container, class Binding, class A>
[[gnu::noinline]] void fill_from_here(Binding binding, const A& allocator) {
    Container container(binding);
    if constexpr (requires { typename Container::mapped_type; }) {
        container.emplace(1, text);
    } else {
        container.emplace_back(text);
    }
    mallard::expect_all_freed(allocator);
}

template <class Container, class Binding, class A>
void expect_report_from_here(Binding binding, const A& allocator) {
    EXPECT_DEATH((fill_from_here<Container>(binding, allocator)),
                 "^mallard: never freed: [^\n]*\n    allocated by\n"
                 "        void [^\n]*::fill_from_here<[^\n]* \\(/[^\n]*\\+0x[0-9a-f]+\\)\n");
}

TYPED_TEST(checked_by_default, prints_the_stack_from_the_callers_function) {
    const std::size_t previous = mallard::keep_stack_frames(0);
    mallard::keep_stack_frames(previous);
    if (previous == 0) {
        GTEST_SKIP() << "this system has no <execinfo.h>";
    }
    using by_type = typename TestFixture::string;
    using list_alloc = typename TestFixture::template alloc<by_type>;
    using map_alloc = typename TestFixture::template alloc<std::pair<const int, by_type>>;
    const TypeParam& a = this->allocator_;
    expect_report_from_here<std::list<by_type, list_alloc>>(list_alloc(this->allocator_), a);
    expect_report_from_here<std::vector<by_type, list_alloc>>(list_alloc(this->allocator_), a);
    expect_report_from_here<std::map<int, by_type, std::less<>, map_alloc>>(map_alloc(this->allocator_), a);
    mallard::resource<TypeParam&> base(this->allocator_);
    expect_report_from_here<std::pmr::list<std::pmr::string>>(&base, a);
    using by_inline_base = std::basic_string<char, std::char_traits<char>, mallard::inline_allocator<char>>;
    using inline_alloc = mallard::inline_allocator<by_inline_base>;
    expect_report_from_here<std::list<by_inline_base, inline_alloc>>(inline_alloc(&base), a);
}

TEST(checked_by_default_names, deduce_the_same_types) {
    mallard::monotonic arena;
    mallard::multipool pool(arena);
    EXPECT_TRUE((std::is_same_v<decltype(pool), mallard::multipool<mallard::monotonic<>>>));
    alignas(16) std::array<std::byte, 1024> buffer{};
    mallard::monotonic in_buffer(std::span<std::byte>{buffer});
    mallard::multipool over_arena(arena, {.largest_pooled_bytes = 64});
    const mallard::multipool plain({.largest_pooled_bytes = 64});
    mallard::concurrent_multipool shared;
    EXPECT_EQ(plain.largest_pooled_bytes(), 64U);
    EXPECT_NE(in_buffer.allocate(100), nullptr);
    EXPECT_EQ(in_buffer.stats().spills, 0U);
    EXPECT_NE(over_arena.allocate(100), nullptr);
    EXPECT_NE(shared.allocate(100), nullptr);
}

TEST(checked_by_default_monotonic, marks_rolls_back_and_resizes) {
    mallard::monotonic<> arena;
    void* const p = arena.allocate(40, 8);
    ASSERT_TRUE(arena.resize_last(p, 40, 80));
    ASSERT_TRUE(arena.resize_last(p, 80, 16));
    mallard::check(arena);
    const mallard::monotonic<>::position mark = arena.mark();
    void* const scratch = arena.allocate(24, 8);
    arena.rollback(mark);
    EXPECT_EQ(arena.allocate(24, 8), scratch);
    EXPECT_FALSE(arena.resize_last(p, 16, 24)) << "not the last any more";
    arena.deallocate(p, 16, 8);
    EXPECT_DEATH(static_cast<void>(arena.resize_last(p, 16, 8)), "mallard: use after free: ");
}

constinit mallard::fixed_pool_for<std::array<int, 6>, mallard::static_arena<4096>> of_arrays;

TEST(checked_by_default_fixed_pool, stays_valid_in_static_storage) {
    const std::size_t capacity = of_arrays.capacity();
    void* const p = of_arrays.allocate(24, 4);
    EXPECT_EQ(of_arrays.block_bytes(), 24U);
    EXPECT_TRUE(of_arrays.owns(p));
    of_arrays.deallocate(p, 24, 4);
    EXPECT_DEATH(of_arrays.deallocate(p, 24, 4), "mallard: double free: ");
    void* const array = of_arrays.try_allocate(20, 4);
    EXPECT_DEATH(
        of_arrays.deallocate(array, 24, 4),
        "mallard: wrong size: block 0x[0-9a-f]+ of 20 bytes at alignment 4 was passed to deallocate\\(\\) "
        "as a block of 24 bytes");
    EXPECT_DEATH(mallard::expect_all_freed(of_arrays), "mallard: never freed: ");
    of_arrays.release();
    EXPECT_DEATH(of_arrays.deallocate(array, 20, 4), "mallard: use after release: ");
    EXPECT_EQ(of_arrays.capacity(), capacity);
}

/// For every type: the number of blocks, the refused sizes, and the zones around the blocks.
template <class Pool>
void expect_zones_and_as_many_blocks(Pool& pool, std::size_t blocks) {
    const mallard::allocation_site site;
    std::vector<void*> all;
    for (std::size_t i = 0; i < blocks; ++i) {
        ASSERT_NE(all.emplace_back(pool.try_allocate(24, 8)), nullptr) << i;
        std::memset(all.back(), 1, 24);
    }
    EXPECT_EQ(pool.block_bytes(), 24U);
    EXPECT_EQ(pool.try_allocate(25, 8), nullptr);
    EXPECT_EQ(pool.try_allocate(24, 16), nullptr);
    auto* const p = static_cast<unsigned char*>(all.back());
    EXPECT_DEATH((write_to(p + 24), pool.deallocate(p, 24, 8)), "mallard: write past the end: byte 24 of ");
    EXPECT_DEATH((write_to(p - 1), pool.deallocate(p, 24, 8)),
                 "mallard: write before the start: byte -1 of ");
    EXPECT_DEATH((pool.deallocate(p, 24, 8), write_to(p + 3), pool.release()),
                 "mallard: write after free: byte 3 of block 0x[0-9a-f]+ of 24 bytes at alignment 8 was "
                 "overwritten after its deallocation, found by release\\(\\)\n    allocated at ");
    pool.check();
    pool.release();
}

TEST(checked_by_default_fixed_pool, has_guard_zones_and_full_capacity) {
    using mallard::block_size;
    using mallard::fixed_pool;
    using mallard::last_freed;
    using room = mallard::static_arena<256>;
    fixed_pool<room, last_freed, block_size{24, 8}> by_type;
    expect_zones_and_as_many_blocks(by_type, 10);
    fixed_pool<room> by_constructor(block_size{24, 8});
    expect_zones_and_as_many_blocks(by_constructor, 10);
    fixed_pool<room> by_request;
    expect_zones_and_as_many_blocks(by_request, 10);
    fixed_pool<mallard::single_arena<>> once(std::size_t{10});
    expect_zones_and_as_many_blocks(once, 10);
    fixed_pool<> growing(block_size{24, 8});
    expect_zones_and_as_many_blocks(growing, 1000);
}

TEST(checked_by_default_fixed_pool, watches_unrequested_bytes_of_a_block) {
    alignas(16) std::array<std::byte, 240> buffer{};
    mallard::fixed_pool pool(mallard::block_size{24, 8}, std::span<std::byte>{buffer});
    void* const block = pool.allocate(24, 8);
    auto* const p = static_cast<unsigned char*>(pool.allocate(20, 4));
    EXPECT_DEATH((write_to(p + 23), pool.deallocate(p, 20, 4)), "mallard: write past the end: byte 23 of ");
    pool.deallocate(p, 20, 4);
    pool.deallocate(block, 24, 8);
    for (int i = 0; i < 10; ++i) {
        EXPECT_NE(pool.try_allocate(24, 8), nullptr)
            << "quarantined blocks must be reused when the pool is exhausted";
    }
    EXPECT_TRUE(pool.empty());
}

TEST(checked_by_default_bursts, are_checked_like_single_blocks) {
    mallard::multipool pool;
    mallard::block_chain blocks = mallard::allocate_many(pool, 24, 8, 100);
    EXPECT_EQ(blocks.size(), 100U);
    void* const single = blocks.pop_front();
    pool.deallocate(single, 24, 8);
    EXPECT_DEATH(pool.deallocate(single, 24, 8), "mallard: double free: ");
    mallard::deallocate_many(pool, std::move(blocks), 24, 8);
    mallard::expect_all_freed(pool);
}

/// A lock protects the registry of an allocator that threads share.
TEST(checked_by_default_threads, share_allocators_that_are_thread_safe) {
    mallard::concurrent_multipool<> pool;
    mallard::synchronized<mallard::multipool<>> locked;
    std::vector<std::thread> threads;
    for (int id = 0; id < 4; ++id) {
        threads.emplace_back([&] {
            const mallard::allocation_site site;
            for (int round = 0; round < 20; ++round) {
                std::list<int, mallard::allocator<int, decltype(pool)>> fast(100, round, pool);
                std::list<int, mallard::allocator<int, decltype(locked)>> slow(100, round, locked);
                mallard::check(pool);
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    mallard::expect_all_freed(pool);
    mallard::expect_all_freed(locked);
}

} // namespace
