#include "equipment/ledger.hpp"

#include <mallard/adapt/adaptor.hpp>
#include <mallard/adapt/checked.hpp>
#include <mallard/adapt/counted.hpp>
#include <mallard/impl/adapt/intercepted.hpp>
#include <mallard/local/multipool.hpp>
#include <mallard/upstream/new_delete.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

namespace {

/// A mechanism with a member that is not in the list of operations.
struct zeroing : mallard::new_delete {
    explicit zeroing(int) {}
    [[nodiscard]] void* allocate_zeroed(std::size_t bytes);
};

template <class A>
constexpr bool zeroes = requires(A& a) { a.allocate_zeroed(8); };

TEST(intercepted, hides_members_that_would_bypass_the_hook) {
    EXPECT_TRUE(zeroes<zeroing>);
    EXPECT_FALSE(zeroes<mallard::counted<zeroing>>);
    EXPECT_FALSE(zeroes<mallard::checked<zeroing>>);
    EXPECT_FALSE(zeroes<mallard::checking::checked_mechanism<zeroing>>);
}

TEST(intercepted, has_the_constructors_of_its_mechanism) {
    using pool = mallard::multipool<equipment::ledger>;
    using inheriting = mallard::adapt::intercepted<mallard::adapt::inherited<pool>, mallard::adapt::passing>;
    struct constructible : inheriting {
        using inheriting::inheriting;
    };
    equipment::ledger source;
    constructible braced(source, {.largest_pooled_bytes = 64});
    EXPECT_EQ(braced.largest_pooled_bytes(), 64U);
    braced.deallocate(braced.allocate(24, 8), 24, 8);
    EXPECT_EQ(braced.stats().chunks, 1U);
    EXPECT_FALSE((std::is_convertible_v<constructible&, pool&>)) << "its calls would bypass the hook";
    EXPECT_FALSE(std::is_default_constructible_v<mallard::counted<zeroing>>);
    EXPECT_TRUE((std::is_constructible_v<mallard::counted<zeroing>, int>));
}

} // namespace
