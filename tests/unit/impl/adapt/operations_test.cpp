// Each adaptor has the members that its mechanism has, and no others.
#include <mallard/impl/adapt/operations.hpp>
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
std::vector<std::string> list_members() {
    std::vector<std::string> names;
    const auto note = [&names](const char* name, bool exists) {
        if (exists) {
            names.emplace_back(name);
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
    MEMBER("shrunk_bytes", seen.shrunk_bytes(p, n));
    MEMBER("resize_last", a.resize_last(p, n, n));
    MEMBER("allocate_many", a.allocate_many(n, n, n));
    MEMBER("allocate_many in runs", a.allocate_many(n, n, n, n));
    MEMBER("allocate_many of sizes", a.allocate_many(sizes{}, n));
    MEMBER("deallocate_many", a.deallocate_many(std::move(blocks), n, n));
    MEMBER("deallocate_many of any sizes", a.deallocate_many(std::move(blocks)));
    MEMBER("release", a.release());
    MEMBER("rewind", a.rewind());
    MEMBER("mark", seen.mark());
    MEMBER("rollback", a.rollback(seen.mark()));
    MEMBER("trim", a.trim());
    MEMBER("tidy", a.tidy());
    MEMBER("settle", a.settle());
    MEMBER("stats", seen.stats());
    MEMBER("owns", seen.owns(p));
    MEMBER("bytes_left", seen.bytes_left());
    MEMBER("empty", seen.empty());
    MEMBER("capacity", seen.capacity());
    MEMBER("block_bytes", seen.block_bytes());
    MEMBER("block_alignment", seen.block_alignment());
    MEMBER("node_bytes", seen.node_bytes());
    MEMBER("largest_pooled_bytes", seen.largest_pooled_bytes());
    MEMBER("use", seen.use());
    MEMBER("check_sanity", seen.check_sanity());
#undef MEMBER
    note("for_each_block", has_for_each_block<A>);
    return names;
}

template <class M>
class adaptor_operations : public ::testing::Test {};

using mechanisms = ::testing::Types<mallard::monotonic<>, mallard::multipool<>, mallard::fixed_pool<>,
                                    mallard::heap<>, mallard::region_heap, mallard::pages>;
TYPED_TEST_SUITE(adaptor_operations, mechanisms);

TYPED_TEST(adaptor_operations, match_members_of_mechanism) {
    const std::vector<std::string> expected = list_members<TypeParam>();
    EXPECT_GE(expected.size(), 2U);
    EXPECT_EQ(list_members<mallard::adapt::adaptor<TypeParam>>(), expected);
    EXPECT_EQ(list_members<mallard::adapt::adaptor<TypeParam&>>(), expected);
    EXPECT_EQ(list_members<mallard::counted<TypeParam>>(), expected);
    EXPECT_EQ(list_members<mallard::limited<TypeParam>>(), expected);
    EXPECT_EQ(list_members<mallard::failing<TypeParam>>(), expected);
    EXPECT_EQ(list_members<mallard::retrying<TypeParam>>(), expected);
    EXPECT_EQ(list_members<mallard::recorded<TypeParam>>(), expected);
    EXPECT_EQ(list_members<mallard::synchronized<TypeParam>>(), expected);
    EXPECT_EQ(list_members<mallard::checked<TypeParam>>(), expected);
}

} // namespace
