#include <mallard/core/expansion.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

namespace {

using mallard::expansion;
using mallard::includes;

/// Provides its own range, except for the part that the tests remove.
struct complete {
    void* allocate(std::size_t, std::size_t);
    void deallocate(void*, std::size_t, std::size_t) noexcept;
    mallard::expansion_result expand(void*, const mallard::expansion_request&);
    mallard::expansion_result try_expand(void*, const mallard::expansion_request&) noexcept;
    std::size_t shrink(void*, std::size_t) noexcept;
    std::size_t usable_bytes(const void*) const noexcept;
    mallard::sized_block allocate_at_least(std::size_t, std::size_t);
};

struct throwing_shrink : complete {
    std::size_t shrink(void*, std::size_t);
};

struct knows_sizes_only_while_it_changes : complete {
    std::size_t usable_bytes(const void*) noexcept;
};

struct throwing_attempt : complete {
    mallard::expansion_result try_expand(void*, const mallard::expansion_request&);
};

struct throwing_expand : complete {
    void* expand(void*, const mallard::expansion_request&);
};

TEST(expansion, ways_are_sets) {
    EXPECT_EQ(expansion::forward | expansion::backward, expansion::in_place);
    EXPECT_EQ(expansion::in_place | expansion::fresh, expansion::any);
    EXPECT_EQ(expansion::any & expansion::backward, expansion::backward);
    EXPECT_EQ(expansion::forward & expansion::backward, expansion::none);
    EXPECT_EQ(without(expansion::any, expansion::backward), expansion::forward_or_fresh);
    EXPECT_EQ(without(expansion::forward, expansion::backward), expansion::forward);
    EXPECT_EQ(without(expansion::any, expansion::any), expansion::none);
}

TEST(expansion, includes_requires_every_bit) {
    EXPECT_TRUE(includes(expansion::any, expansion::backward));
    EXPECT_TRUE(includes(expansion::any, expansion::in_place));
    EXPECT_TRUE(includes(expansion::in_place, expansion::forward));
    EXPECT_FALSE(includes(expansion::in_place, expansion::fresh));
    EXPECT_FALSE(includes(expansion::forward, expansion::in_place));
    EXPECT_FALSE(includes(expansion::none, expansion::fresh));
}

TEST(expansion, backward_step_preserves_object_positions) {
    EXPECT_EQ(mallard::backward_step(1), 16U);
    EXPECT_EQ(mallard::backward_step(3), 48U);
    EXPECT_EQ(mallard::backward_step(12), 48U);
    EXPECT_EQ(mallard::backward_step(16), 16U);
    EXPECT_EQ(mallard::backward_step(24), 48U);
    EXPECT_EQ(mallard::backward_step(40), 80U);
    EXPECT_EQ(mallard::backward_step(40, 8), 40U);
    for (std::size_t bytes = 1; bytes <= 256; ++bytes) {
        const std::size_t step = mallard::backward_step(bytes);
        ASSERT_EQ(step % bytes, 0U) << bytes;
        ASSERT_EQ(step % 16, 0U) << bytes;
        ASSERT_LE(step, 16 * bytes) << bytes;
    }
    static_assert(mallard::backward_step(sizeof(void*)) == 16, "known when a program is compiled");
}

TEST(expansion, nothing_happened_is_the_result_that_says_nothing) {
    constexpr mallard::expansion_result nothing;
    EXPECT_EQ(nothing.p, nullptr);
    EXPECT_EQ(nothing.bytes, 0U);
    EXPECT_EQ(nothing.method, expansion::none);
    EXPECT_EQ(mallard::expansion_request{}.allowed, expansion::any);
}

TEST(expansion, expandable_matches_resizing_allocators) {
    EXPECT_TRUE(mallard::expandable<complete>);
    EXPECT_FALSE(mallard::expandable<throwing_shrink>);
    EXPECT_FALSE(mallard::expandable<knows_sizes_only_while_it_changes>);
    EXPECT_FALSE(mallard::expandable<throwing_attempt>);
    EXPECT_FALSE(mallard::expandable<throwing_expand>);
    EXPECT_FALSE(mallard::expandable<mallard::multipool<>>);
    EXPECT_FALSE(mallard::expandable<mallard::new_delete>);
    EXPECT_FALSE(mallard::expandable<std::pmr::memory_resource>);
}

} // namespace
