// Each adaptor has the members that its mechanism has, and no others.
#include <mallard/adapt/operations.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using sizes = std::span<const std::size_t>;

template <class A, class... Args>
constexpr bool has_for_each_block = requires(const A& a) { a.for_each_block([](const auto&) {}); };

template <class A>
std::vector<std::string> members_of() {
    std::vector<std::string> found;
    const auto note = [&found](const char* name, bool there) {
        if (there) {
            found.emplace_back(name);
        }
    };
#define MEMBER(name, ...)                                                                                    \
    note(name, [] {                                                                                          \
        return requires(A& a, const A& seen, void* p, std::size_t n, mallard::block_chain& blocks,           \
                        const mallard::expansion_request& request) { __VA_ARGS__; };                         \
    }())
    MEMBER("allocate", a.allocate(n, n));
    MEMBER("try_allocate", a.try_allocate(n, n));
    MEMBER("deallocate", a.deallocate(p, n, n));
    MEMBER("deallocate without numbers", a.deallocate(p));
    MEMBER("allocate_block", a.allocate_block());
    MEMBER("deallocate_block", a.deallocate_block(p));
    MEMBER("allocate_at_least", a.allocate_at_least(n, n));
    MEMBER("try_allocate_at_least", a.try_allocate_at_least(n, n));
    MEMBER("usable_bytes", seen.usable_bytes(p));
    MEMBER("expand", a.expand(p, request));
    MEMBER("try_expand", a.try_expand(p, request));
    MEMBER("shrink", a.shrink(p, n));
    MEMBER("resize_last", a.resize_last(p, n, n));
    MEMBER("allocate_many", a.allocate_many(n, n, n));
    MEMBER("allocate_many of sizes", a.allocate_many(sizes{}, n));
    MEMBER("deallocate_many", a.deallocate_many(std::move(blocks), n, n));
    MEMBER("deallocate_many of any sizes", a.deallocate_many(std::move(blocks)));
    MEMBER("release", a.release());
    MEMBER("rewind", a.rewind());
    MEMBER("mark", seen.mark());
    MEMBER("rollback", a.rollback(seen.mark()));
    MEMBER("trim", a.trim());
    MEMBER("settle", a.settle());
    MEMBER("stats", seen.stats());
    MEMBER("owns", seen.owns(p));
    MEMBER("empty", seen.empty());
    MEMBER("capacity", seen.capacity());
    MEMBER("block_bytes", seen.block_bytes());
    MEMBER("block_alignment", seen.block_alignment());
    MEMBER("largest_pooled_bytes", seen.largest_pooled_bytes());
    MEMBER("use", seen.use());
    MEMBER("check_sanity", seen.check_sanity());
#undef MEMBER
    note("for_each_block", has_for_each_block<A>);
    return found;
}

template <class M>
class adaptors_of : public ::testing::Test {};

using mechanisms =
    ::testing::Types<mallard::monotonic<>, mallard::multipool<>, mallard::concurrent_multipool<>,
                     mallard::fixed_pool<>, mallard::small_object_pool<>, mallard::adaptive_pool<>,
                     mallard::heap<>, mallard::region_heap, mallard::new_delete, mallard::chunk_cache,
                     mallard::pages, mallard::buffer>;
TYPED_TEST_SUITE(adaptors_of, mechanisms);

TYPED_TEST(adaptors_of, have_the_members_of_the_mechanism_and_no_others) {
    const std::vector<std::string> expected = members_of<TypeParam>();
    EXPECT_GE(expected.size(), 2U);
    EXPECT_EQ(members_of<mallard::adapt::adaptor<TypeParam>>(), expected);
    EXPECT_EQ(members_of<mallard::adapt::adaptor<TypeParam&>>(), expected);
    EXPECT_EQ(members_of<mallard::counted<TypeParam>>(), expected);
    EXPECT_EQ(members_of<mallard::limited<TypeParam>>(), expected);
    EXPECT_EQ(members_of<mallard::failing<TypeParam>>(), expected);
    EXPECT_EQ(members_of<mallard::recorded<TypeParam>>(), expected);
    EXPECT_EQ(members_of<mallard::synchronized<TypeParam>>(), expected);
    EXPECT_EQ(members_of<mallard::checked<TypeParam>>(), expected);
}

} // namespace
