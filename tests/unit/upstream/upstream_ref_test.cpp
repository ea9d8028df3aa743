#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "equipment/plots.hpp"

#include <mallard/mallard.hpp>
#include <mallard/upstream/upstream_ref.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory_resource>
#include <type_traits>

namespace {

using mallard::upstream_ref;

static_assert(mallard::upstream<upstream_ref> && mallard::upstream<const upstream_ref>);
static_assert(!mallard::stateless_upstream<upstream_ref>);
static_assert(sizeof(upstream_ref) == 2 * sizeof(void*) && std::is_trivially_copyable_v<upstream_ref>);
static_assert(!std::is_constructible_v<upstream_ref, mallard::monotonic<>>, "a temporary would be gone");
static_assert(!std::is_constructible_v<upstream_ref, int&>);

TEST(upstream_ref, passes_requests_on_as_they_are) {
    equipment::ledger source;
    const upstream_ref ref(source);
    void* const p = ref.allocate(100, 64);
    EXPECT_TRUE(source.granted() == (std::vector<equipment::ledger::request>{{100, 64}}));
    ref.deallocate(p, 100, 64);
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

TEST(upstream_ref, propagates_upstream_failure) {
    equipment::ledger source;
    source.refuse_above(100);
    const upstream_ref ref(source);
    EXPECT_OUT_OF_MEMORY(static_cast<void>(ref.allocate(101)));
}

TEST(upstream_ref, makes_one_type_of_pools_over_any_upstream) {
    equipment::ledger source;
    mallard::monotonic arena(source);
    std::pmr::monotonic_buffer_resource standard;
    mallard::new_delete global;
    for (const upstream_ref ref :
         {upstream_ref(source), upstream_ref(arena), upstream_ref(standard), upstream_ref(global),
          upstream_ref(static_cast<std::pmr::memory_resource&>(standard))}) {
        upstream_ref temporary(ref); // the pool keeps a copy
        mallard::multipool pool(temporary);
        static_assert(std::is_same_v<decltype(pool), mallard::multipool<upstream_ref>>);
        temporary = {};
        for (std::size_t bytes = 1; bytes < 3'000; bytes += 7) {
            static_cast<void>(pool.allocate(bytes));
        }
    }
    arena.release();
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

TEST(upstream_ref, is_kept_by_every_allocator) {
    equipment::ledger source;
    {
        upstream_ref ref(source);
        mallard::monotonic monotonic(ref);
        mallard::small_object_pool small(ref);
        mallard::adaptive_pool adaptive(ref);
        mallard::heap heap(ref);
        mallard::concurrent_multipool concurrent(ref);
        mallard::fixed_pool fixed(ref);
        ref = {};
        const auto use = [](auto& a) {
            void* const p = a.allocate(40, 8);
            static_cast<void>(a.allocate(40, 8));
            a.deallocate(p, 40, 8);
        };
        use(monotonic);
        use(small);
        use(adaptive);
        use(heap);
        use(concurrent);
        use(fixed);
        EXPECT_GE(source.granted().size(), 6U);
    }
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

TEST(upstream_ref, may_be_a_temporary) {
    equipment::ledger source;
    {
        const auto use = [](auto&& a) { a.deallocate(a.allocate(40, 8), 40, 8); };
        use(mallard::monotonic{upstream_ref{source}});
        use(mallard::multipool{upstream_ref{source}});
        use(mallard::multipool<upstream_ref>{upstream_ref{source}});
        use(mallard::small_object_pool{upstream_ref{source}});
        use(mallard::adaptive_pool{upstream_ref{source}});
        use(mallard::heap{upstream_ref{source}});
        use(mallard::concurrent_multipool{upstream_ref{source}});
        use(mallard::fixed_pool{upstream_ref{source}});
        use(mallard::fixed_pool<mallard::single_arena<upstream_ref>>{std::size_t{10}, upstream_ref{source}});
        EXPECT_EQ(source.granted().size(), 9U);
    }
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(upstream_ref, tries_by_the_upstream) {
    std::byte memory[512];
    mallard::buffer buffer(memory);
    const upstream_ref ref(buffer);
    static_assert(mallard::nothrow_upstream<const upstream_ref>);
    EXPECT_NE(ref.try_allocate(100), nullptr);
    EXPECT_EQ(ref.try_allocate(1000), nullptr);
    mallard::multipool pool(ref);
    EXPECT_NE(pool.try_allocate(40), nullptr);
    EXPECT_EQ(pool.try_allocate(1000), nullptr);
}

TEST(upstream_ref, equals_references_to_one_upstream) {
    equipment::ledger a;
    equipment::ledger b;
    EXPECT_TRUE(upstream_ref(a) == upstream_ref(a));
    EXPECT_FALSE(upstream_ref(a) == upstream_ref(b));
    EXPECT_FALSE(upstream_ref(a) == upstream_ref());
    EXPECT_TRUE(upstream_ref() == upstream_ref());
}

} // namespace
