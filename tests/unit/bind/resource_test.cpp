#include "equipment/ledger.hpp"

#include <mallard/adapt/counted.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/local/monotonic.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::string_view text = "longer than any string that fits into its own object";

TEST(resource, calls_its_mechanism_through_the_base) {
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

TEST(resource, reaches_nested_containers) {
    mallard::resource<mallard::counted<mallard::multipool<>>> r;
    {
        std::pmr::map<std::pmr::string, std::pmr::vector<std::pmr::string>> m(&r);
        m[std::pmr::string(text, &r)].emplace_back(text);
        EXPECT_EQ(m.begin()->first.get_allocator().resource(), &r);
        EXPECT_EQ(m.begin()->second.get_allocator().resource(), &r);
        EXPECT_EQ(m.begin()->second[0].get_allocator().resource(), &r);
    }
    EXPECT_EQ(r.mechanism().counts().bytes_in_use, 0U);
}

TEST(resource, is_equal_to_itself_alone) {
    const mallard::resource<mallard::multipool<>> a;
    const mallard::resource<mallard::multipool<>> b;
    EXPECT_TRUE(a == a);
    EXPECT_FALSE(a == b);
    EXPECT_FALSE(a == *std::pmr::new_delete_resource());
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

TEST(resource, serves_standard_resources_as_upstream) {
    mallard::resource<mallard::counted<mallard::multipool<>>> r;
    {
        std::pmr::monotonic_buffer_resource standard(&r);
        static_cast<void>(standard.allocate(1000));
        EXPECT_GT(r.mechanism().counts().bytes_in_use, 1000U);
    }
    EXPECT_EQ(r.mechanism().counts().bytes_in_use, 0U);
}

TEST(resource, of_new_and_delete_is_one_for_the_process) {
    EXPECT_EQ(mallard::new_delete_resource(), mallard::new_delete_resource());
    std::pmr::vector<std::pmr::string> v(mallard::new_delete_resource());
    EXPECT_EQ(v.emplace_back(text).get_allocator().resource(), mallard::new_delete_resource());
}

} // namespace
