#include "equipment/ledger.hpp"

#include <mallard/adapt/two_mechanisms.hpp>
#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <tuple>
#include <type_traits>
#include <utility>

namespace {

template <class First, class Second>
struct mechanism_pair : mallard::adapt::two_mechanisms<First, Second> {
    using mallard::adapt::two_mechanisms<First, Second>::two_mechanisms;
};

template <class A>
concept has_trim = requires(A& a) { a.trim(); };
template <class A>
concept has_owns = requires(const A& a, const void* p) { a.owns(p); };
template <class A>
concept has_stats = requires(const A& a) { a.stats(); };
template <class A>
concept has_release = requires(A& a) { a.release(); };

using pools = mechanism_pair<mallard::small_object_pool<>, mallard::adaptive_pool<>>;
using mixed = mechanism_pair<mallard::small_object_pool<>, mallard::new_delete>;

static_assert(has_trim<pools> && has_stats<pools> && has_release<pools> && has_owns<pools>);
static_assert(!has_trim<mixed> && !has_stats<mixed> && !has_release<mixed> && !has_owns<mixed>);
static_assert(has_owns<mechanism_pair<mallard::fixed_pool<mallard::static_arena<64>>, mallard::buffer&>>);
static_assert(!std::is_copy_constructible_v<pools>);
static_assert(std::is_default_constructible_v<pools>);
static_assert(!std::is_default_constructible_v<mechanism_pair<mallard::multipool<>&, mallard::multipool<>>>);

TEST(two_mechanisms, construct_from_one_argument_per_mechanism) {
    equipment::ledger source;
    const mechanism_pair<mallard::multipool<equipment::ledger>, mallard::multipool<>> memory(
        source, mallard::multipool_options{.largest_pooled_bytes = 64});
    EXPECT_EQ(memory.second().largest_pooled_bytes(), 64U);
}

TEST(two_mechanisms, construct_from_tuples_of_arguments) {
    equipment::ledger source;
    mallard::multipool<> lower;
    const mechanism_pair<mallard::multipool<equipment::ledger>, mallard::multipool<>&> memory(
        std::piecewise_construct,
        std::tuple<equipment::ledger&, mallard::multipool_options>(source, {.largest_pooled_bytes = 64}),
        std::forward_as_tuple(lower));
    EXPECT_EQ(memory.first().largest_pooled_bytes(), 64U);
    EXPECT_EQ(&memory.second(), &lower);
}

TEST(two_mechanisms, trim_and_count_together) {
    pools memory;
    memory.first().deallocate(memory.first().allocate(8, 8), 8, 8);
    memory.second().deallocate(memory.second().allocate(24, 8), 24, 8);
    memory.trim();
    EXPECT_EQ(memory.stats().chunks, 0U);
    EXPECT_EQ(memory.stats().upstream_calls,
              memory.first().stats().upstream_calls + memory.second().stats().upstream_calls);
}

/// The second mechanism stands on the first, so it goes first.
TEST(two_mechanisms, release_from_the_top) {
    equipment::ledger source;
    {
        mallard::monotonic<equipment::ledger> arena(source);
        mallard::multipool<mallard::monotonic<equipment::ledger>> pool(arena);
        mechanism_pair<mallard::monotonic<equipment::ledger>&,
                       mallard::multipool<mallard::monotonic<equipment::ledger>>&>
            memory(arena, pool);
        static_cast<void>(memory.second().allocate(100));
        static_cast<void>(memory.second().allocate(100'000));
        memory.release();
        EXPECT_EQ(source.outstanding(), 0U);
        static_cast<void>(memory.second().allocate(100));
    }
    EXPECT_EQ(source.outstanding(), 0U);
}

} // namespace
