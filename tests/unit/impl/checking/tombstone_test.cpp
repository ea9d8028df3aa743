#include <mallard/bind/inline_resource.hpp>
#include <mallard/impl/checking/tombstone.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>

namespace {

class own_resource final : public mallard::checking::resource_with_tombstone<mallard::inline_resource> {
    void* do_allocate(std::size_t bytes, std::size_t) override { return ::operator new(bytes); }
    void do_deallocate(void* p, std::size_t, std::size_t) override { ::operator delete(p); }
};

#ifndef _MSC_VER
TEST(tombstone, reports_calls_of_destroyed_resource) {
    alignas(own_resource) std::byte room[sizeof(own_resource)];
    auto* const made = ::new (static_cast<void*>(room)) own_resource;
    std::pmr::memory_resource* volatile resource = made; // so that the call is virtual
    void* const p = resource->allocate(24, 8);
    resource->deallocate(p, 24, 8);
    std::destroy_at(made);
    EXPECT_DEATH(
        static_cast<void>(resource->allocate(24, 8)),
        "^mallard: destroyed allocator: allocate\\(\\) was called after the allocator's destructor\n");
    EXPECT_DEATH(resource->deallocate(room, 24, 8),
                 "^mallard: destroyed allocator: deallocate\\(\\) was called");
    EXPECT_TRUE(resource->is_equal(*resource));
}
#endif

TEST(tombstone, takes_no_memory) {
    EXPECT_EQ(sizeof(own_resource), sizeof(mallard::inline_resource));
}

} // namespace
