#include <mallard/impl/checking/checked_mechanism.hpp>
#include <mallard/local/fixed_pool.hpp>
#include <mallard/local/heap.hpp>

#include <gtest/gtest.h>

namespace {

template <class A>
constexpr bool expands = requires(A& a, void* p) { a.try_expand(p, mallard::expansion_request{}); };

TEST(checked_mechanism, expands_where_the_mechanism_does) {
    using heap = mallard::unchecked::heap<mallard::chunk_cache>;
    using pool =
        mallard::unchecked::fixed_pool<mallard::growing_arena<>, mallard::last_freed, mallard::block_size{}>;
    EXPECT_TRUE(expands<mallard::checking::checked_mechanism<heap>>);
    EXPECT_FALSE(expands<mallard::checking::checked_mechanism<pool>>);
}

TEST(checked_mechanism, keeps_pool_block_size) {
    using pool = mallard::unchecked::fixed_pool<mallard::static_arena<1024>, mallard::last_freed,
                                                mallard::block_size{24, 8}>;
    mallard::checking::checked_mechanism<pool> checked;
    void* const block = checked.allocate_block();
    EXPECT_EQ(checked.block_bytes(), 24U);
    checked.deallocate_block(block);
    checked.expect_all_freed();
}

} // namespace
