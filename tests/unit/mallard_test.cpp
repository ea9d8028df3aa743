#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

namespace {

/// One name of every header: the umbrella header has them all.
TEST(mallard_header, has_everything) {
    mallard::counted<mallard::limited<mallard::failing<mallard::monotonic<>>>> arena(
        std::size_t{1} << 20, mallard::failure_plan{.at = 0});
    mallard::resource<decltype(arena)&> binding(arena);
    const mallard::checkpoint scratch(arena);
    auto& by_base = mallard::wink_out<std::pmr::vector<int>>(binding, std::size_t{3}, 1);
    mallard::multipool pool;
    std::vector<int, mallard::allocator<int, mallard::multipool<>>> by_type(pool);
    by_type.assign(by_base.begin(), by_base.end());
    EXPECT_EQ(by_type.size(), 3U);
    EXPECT_TRUE(mallard::upstream<mallard::pages> && mallard::upstream<mallard::new_delete> &&
                mallard::upstream<mallard::buffer> && mallard::upstream<mallard::chunk_cache>);
    EXPECT_EQ(arena.counts().allocations, 2U);
}

} // namespace
