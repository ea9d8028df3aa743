#include "equipment/ledger.hpp"

#include <mallard/core/upstream_handle.hpp>
#include <mallard/upstream/chunk_cache.hpp>
#include <mallard/upstream/new_delete.hpp>
#include <mallard/upstream/upstream_ref.hpp>

#include <gtest/gtest.h>

#include <memory_resource>
#include <type_traits>

namespace {

TEST(upstream_handle, is_empty_for_stateless_upstream) {
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
    mallard::core::upstream_handle<equipment::ledger> later;
    later = handle;
    EXPECT_EQ(&later.get(), &source);
}

TEST(upstream_handle, keeps_a_copy_of_a_reference) {
    equipment::ledger source;
    mallard::upstream_ref ref(source);
    const mallard::core::upstream_handle<mallard::upstream_ref> handle(ref);
    ref = {};
    EXPECT_TRUE(handle.get() == mallard::upstream_ref(source));
}

TEST(upstream_handle, takes_the_standard_abstract_base) {
    std::pmr::memory_resource& standard = *std::pmr::new_delete_resource();
    const mallard::core::upstream_handle<std::pmr::memory_resource> handle(standard);
    EXPECT_EQ(&handle.get(), &standard);
}

TEST(upstream_handle, compares_what_it_refers_to) {
    equipment::ledger source;
    equipment::ledger another;
    using handle = mallard::core::upstream_handle<equipment::ledger>;
    EXPECT_TRUE(handle(source).refers_to_same(handle(source)));
    EXPECT_FALSE(handle(source).refers_to_same(handle(another)));
    using stateless = mallard::core::upstream_handle<mallard::new_delete>;
    EXPECT_TRUE(stateless().refers_to_same(stateless()));
    const mallard::upstream_ref ref(source);
    const mallard::upstream_ref to_another(another);
    using reference = mallard::core::upstream_handle<mallard::upstream_ref>;
    EXPECT_TRUE(reference(ref).refers_to_same(reference(ref)));
    EXPECT_FALSE(reference(ref).refers_to_same(reference(to_another)));
}

} // namespace
