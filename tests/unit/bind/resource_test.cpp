#include "equipment/ledger.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/adapt/synchronized.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/lifetime/checkpoint.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory_resource>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

constexpr std::string_view text = "longer than any string that fits into its own object";

TEST(resource, forwards_virtual_calls_to_mechanism) {
    mallard::resource<mallard::counted<mallard::multipool<>>> r;
    std::pmr::memory_resource* const base = &r;
    void* const p = base->allocate(100, 64);
    EXPECT_TRUE(mallard::core::is_aligned(p, 64));
    EXPECT_EQ(r.mechanism().counts().allocations, 1U);
    EXPECT_EQ(r.mechanism().counts().bytes_in_use, 100U);
    base->deallocate(p, 100, 64);
    EXPECT_EQ(r.mechanism().counts().deallocations, 1U);
}

TEST(resource, takes_the_mechanisms_arguments) {
    equipment::ledger source;
    std::array<std::byte, 256> buffer;
    mallard::resource<mallard::monotonic<equipment::ledger>> arena(std::span<std::byte>(buffer), source);
    static_cast<void>(arena.allocate(100));
    EXPECT_TRUE(source.granted().empty());
    static_cast<void>(arena.allocate(300));
    EXPECT_EQ(source.outstanding(), 1U);
    arena.release();
    EXPECT_EQ(source.outstanding(), 0U);
}

TEST(resource, may_refer_to_a_mechanism_elsewhere) {
    equipment::ledger source;
    mallard::multipool<equipment::ledger> pool(source);
    {
        mallard::resource<mallard::multipool<equipment::ledger>&> r(pool);
        EXPECT_EQ(&r.mechanism(), &pool);
        static_cast<void>(r.allocate(100));
    }
    EXPECT_EQ(source.outstanding(), 1U) << "the mechanism outlives it";
}

TEST(resource, equals_resources_of_one_mechanism) {
    using pool_type = mallard::multipool<>;
    pool_type pool;
    pool_type another;
    mallard::resource a(pool);
    const mallard::resource b(pool);
    const mallard::resource c(another);
    EXPECT_TRUE(a == b);
    EXPECT_FALSE(a == c);
    mallard::resource<pool_type> owner;
    const mallard::resource<pool_type&> reference(owner.mechanism());
    EXPECT_TRUE(owner == reference);
    EXPECT_TRUE(reference == owner);
    void* const p = owner.allocate(100);
    const_cast<mallard::resource<pool_type&>&>(reference).deallocate(p, 100);
    EXPECT_EQ(owner.allocate(100), p);
}

TEST(resource, equals_all_for_stateless_mechanism) {
    const mallard::resource<mallard::new_delete> a;
    const mallard::resource<mallard::new_delete> b;
    EXPECT_TRUE(a == b);
    EXPECT_TRUE(*mallard::new_delete_resource() == a);
    const mallard::resource<mallard::chunk_cache> c;
    EXPECT_FALSE(a == c);
}

TEST(resource, deduces_mechanism_reference) {
    mallard::monotonic arena;
    mallard::resource r(arena);
    static_assert(std::is_same_v<decltype(r), mallard::resource<mallard::monotonic<>&>>);
    static_cast<void>(r.allocate(10));
    EXPECT_EQ(&r.mechanism(), &arena);
    EXPECT_NE(arena.stats().chunks, 0U);
}

template <class R>
concept has_stats = requires(const R& r) { r.stats(); };

TEST(resource, rewinds_and_rolls_back) {
    mallard::resource<mallard::monotonic<>> arena;
    void* const first = arena.allocate(100);
    const auto mark = arena.mark();
    void* const second = arena.allocate(100);
    arena.rollback(mark);
    EXPECT_EQ(arena.allocate(100), second);
    {
        const mallard::checkpoint scratch(arena);
        static_cast<void>(arena.allocate(5000));
    }
    arena.rewind();
    EXPECT_NE(arena.allocate(100), nullptr);
    EXPECT_NE(first, second);
    EXPECT_EQ(arena.stats().chunks, arena.mechanism().stats().chunks);
    EXPECT_NE(arena.stats().chunks, 0U);
    EXPECT_FALSE(has_stats<mallard::resource<mallard::new_delete>>);
}

TEST(resource, resizes_the_last_block) {
    mallard::resource<mallard::monotonic<>> arena;
    void* const p = arena.allocate(100, 8);
    EXPECT_TRUE(arena.resize_last(p, 100, 200));
    EXPECT_TRUE(arena.resize_last(p, 200, 50));
    static_cast<void>(arena.allocate(8, 8));
    EXPECT_FALSE(arena.resize_last(p, 50, 100));
}

TEST(resource, is_an_upstream_itself) {
    equipment::ledger source;
    mallard::resource<mallard::monotonic<equipment::ledger>> arena(source);
    {
        mallard::multipool<std::pmr::memory_resource> pool(arena);
        static_cast<void>(pool.allocate(1000));
        EXPECT_GT(arena.mechanism().stats().chunk_bytes, 1000U);
    }
    arena.release();
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

TEST(resource, takes_chunks_from_standard_resources) {
    equipment::ledger source;
    mallard::resource<equipment::ledger&> counted(source);
    std::pmr::unsynchronized_pool_resource pool(&counted);
    std::pmr::monotonic_buffer_resource arena(&pool);
    std::pmr::memory_resource* const nested = &arena;
    {
        mallard::resource<mallard::multipool<std::pmr::memory_resource>> r(*nested);
        std::pmr::vector<std::pmr::string> v(&r);
        EXPECT_EQ(v.emplace_back(text), text);
        EXPECT_GT(source.outstanding(), 0U);
    }
    arena.release();
    pool.release();
    EXPECT_EQ(source.outstanding(), 0U);
    EXPECT_EQ(source.complaints(), equipment::no_complaints);
}

#ifdef __cpp_exceptions
TEST(resource, passes_on_failure_of_standard_resources) {
    std::array<std::byte, 256> buffer;
    mallard::monotonic<std::pmr::memory_resource> arena(std::span<std::byte>(buffer),
                                                        *std::pmr::null_memory_resource());
    EXPECT_NE(arena.allocate(100), nullptr);
    EXPECT_THROW(static_cast<void>(arena.allocate(300)), std::bad_alloc);
    EXPECT_NE(arena.allocate(100), nullptr);
}
#endif

TEST(resource, serves_as_the_default_resource) {
    mallard::resource<mallard::synchronized<mallard::counted<mallard::multipool<>>>> r;
    const auto counts = [&r] { return r.mechanism().mechanism().counts(); };
    std::pmr::memory_resource* const before = std::pmr::set_default_resource(&r);
    {
        std::pmr::map<int, std::pmr::string> m;
        m[1] = text;
        EXPECT_EQ(m.get_allocator().resource(), &r);
        EXPECT_EQ(counts().allocations, 2U);
        const std::pmr::map<int, std::pmr::string> copy = m; // copies take the default resource
        EXPECT_EQ(counts().allocations, 4U);
    }
    EXPECT_EQ(std::pmr::set_default_resource(before), &r);
    EXPECT_EQ(counts().bytes_in_use, 0U);
}

TEST(resource, new_delete_resource_is_a_singleton) {
    EXPECT_EQ(mallard::new_delete_resource(), mallard::new_delete_resource());
    std::pmr::vector<std::pmr::string> v(mallard::new_delete_resource());
    EXPECT_EQ(v.emplace_back(text).get_allocator().resource(), mallard::new_delete_resource());
}

} // namespace
