#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/synchronized.hpp>
#include <mallard/bind/pool_tag.hpp>
#include <mallard/bind/static_allocator.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/local/arenas.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <list>
#include <thread>

namespace {

/// Counts the blocks that all pools of a test have taken and not given back.
struct tallied {
    static inline std::atomic<std::size_t> outstanding{0};

    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) {
        void* p = mallard::new_delete::allocate(bytes, alignment);
        outstanding += bytes;
        return p;
    }

    static void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        outstanding -= bytes;
        mallard::new_delete::deallocate(p, bytes, alignment);
    }
};

using tallied_pool = mallard::multipool<tallied>;

struct red : mallard::per_thread<red, tallied_pool> {};
struct blue : mallard::per_thread<blue, tallied_pool> {};
struct shared : mallard::shared_by_threads<shared, mallard::synchronized<tallied_pool>> {};
struct alone : mallard::single_threaded<alone, tallied_pool> {};

struct no_tag {};
struct returns_a_copy {
    static mallard::new_delete pool() noexcept { return {}; }
};
struct may_fail {
    static tallied_pool& pool();
};
struct names_no_allocator {
    static int& pool() noexcept;
};

TEST(pool_tag, is_a_type_with_a_pool) {
    EXPECT_TRUE(mallard::pool_tag<red>);
    EXPECT_TRUE(mallard::pool_tag<shared>);
    EXPECT_TRUE(mallard::pool_tag<alone>);
    EXPECT_TRUE((std::is_same_v<mallard::tag_pool_t<shared>, mallard::synchronized<tallied_pool>>));
    EXPECT_FALSE(mallard::pool_tag<no_tag>);
    EXPECT_FALSE(mallard::pool_tag<int>);
    EXPECT_FALSE(mallard::pool_tag<returns_a_copy>);
    EXPECT_FALSE(mallard::pool_tag<may_fail>);
    EXPECT_FALSE(mallard::pool_tag<names_no_allocator>);
}

TEST(pool_tag, distinct_tags_have_distinct_pools) {
    EXPECT_NE(&red::pool(), &blue::pool()) << "though of one type";
}

TEST(pool_tag, per_thread_pools_are_distinct) {
    const tallied_pool* const own = &red::pool();
    const tallied_pool* foreign = nullptr;
    std::thread([&foreign] { foreign = &red::pool(); }).join();
    EXPECT_NE(own, foreign);
}

TEST(pool_tag, thread_exit_releases_pool_memory) {
    const std::size_t old_count = tallied::outstanding;
    std::thread([] { static_cast<void>(red::pool().allocate(1000, 8)); }).join();
    EXPECT_EQ(tallied::outstanding, old_count);
}

TEST(pool_tag, thread_pool_outlives_containers_of_thread) {
    const std::size_t old_count = tallied::outstanding;
    std::thread([] {
        // Made before the pool, and therefore ended after everything that ends with the pool's first use.
        static thread_local std::list<int, mallard::static_allocator<int, red>> numbers;
        numbers.push_back(1);
        numbers.push_back(2);
    }).join();
    EXPECT_EQ(tallied::outstanding, old_count) << "the nodes went into the pool, and then the pool went";
}

/// Ends after all that is local to the main thread; AddressSanitizer would report a use of a destroyed pool.
std::list<int, mallard::static_allocator<int, red>> ends_last;

TEST(pool_tag, main_thread_pool_outlives_static_objects) {
    ends_last.assign(100, 7);
    EXPECT_GT(red::pool().stats().chunk_bytes, 2400U);
}

TEST(pool_tag, use_at_thread_exit_recreates_pool) {
    const std::size_t old_count = tallied::outstanding;
    std::thread([] {
        // Runs after the end of the red pool, because it was registered first.
        static constinit thread_local mallard::threads::thread_end_task task{};
        task.run = []() noexcept { static_cast<void>(red::pool().allocate(100, 8)); };
        mallard::threads::at_thread_end(task);
        static_cast<void>(red::pool().allocate(100, 8));
    }).join();
    EXPECT_EQ(tallied::outstanding, old_count);
}

mallard::counted<tallied_pool> elsewhere;
struct named {
    static mallard::counted<tallied_pool>& pool() noexcept { return elsewhere; }
};

TEST(pool_tag, may_name_an_allocator_that_lies_anywhere) {
    {
        const std::list<int, mallard::static_allocator<int, named>> numbers(10, 1);
        EXPECT_EQ(elsewhere.counts().allocations, 10U);
    }
    EXPECT_EQ(elsewhere.counts().bytes_in_use, 0U);
}

struct cells : mallard::single_threaded<cells, mallard::fixed_pool<mallard::static_arena<1024>>> {};

TEST(pool_tag, pool_in_static_array_needs_no_construction) {
    // Under AddressSanitizer the end of an arena has something to do.
    EXPECT_NE(mallard::bind::statically_constructible<mallard::tag_pool_t<cells>>,
              mallard::core::poisons_memory);
    EXPECT_FALSE(mallard::bind::statically_constructible<tallied_pool>);
    {
        const std::list<int, mallard::static_allocator<int, cells>> numbers(10, 1);
        EXPECT_TRUE(cells::pool().owns(&numbers.front()));
    }
    cells::pool().release();
    EXPECT_EQ(cells::pool().capacity(), 0U);
}

/// The way to pools that take arguments.
struct small_chunks : mallard::multipool<> {
    small_chunks() noexcept : multipool({.largest_pooled_bytes = 64}) {}
};
struct small : mallard::single_threaded<small, small_chunks> {};

TEST(pool_tag, constructs_derived_pool_type) {
    EXPECT_EQ(small::pool().largest_pooled_bytes(), 64U);
}

} // namespace
