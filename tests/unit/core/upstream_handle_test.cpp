#include "equipment/ledger.hpp"

#include <mallard/core/upstream_handle.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <memory_resource>
#include <type_traits>

namespace {

TEST(upstream_handle, needs_no_room_where_the_upstream_has_no_state) {
    EXPECT_TRUE(std::is_empty_v<mallard::core::upstream_handle<mallard::chunk_cache>>);
    mallard::core::upstream_handle<mallard::new_delete> handle;
    void* p = handle.get().allocate(10, 8);
    ASSERT_NE(p, nullptr);
    handle.get().deallocate(p, 10, 8);
}

TEST(upstream_handle, remembers_where_an_upstream_with_state_is) {
    equipment::ledger source;
    const mallard::core::upstream_handle<equipment::ledger> handle(source);
    EXPECT_EQ(&handle.get(), &source);
    EXPECT_FALSE((std::is_default_constructible_v<mallard::core::upstream_handle<equipment::ledger>>));
}

TEST(upstream_handle, takes_the_standard_abstract_base) {
    std::pmr::memory_resource& standard = *std::pmr::new_delete_resource();
    const mallard::core::upstream_handle<std::pmr::memory_resource> handle(standard);
    EXPECT_EQ(&handle.get(), &standard);
}

} // namespace
