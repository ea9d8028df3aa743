// A turn accepts correct allocators, with threads too. player_test.cpp has faulty ones.
#include "model/bound_subject.hpp"
#include "model/turn.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

template <class Recipe, template <class> class Adaptor = model::none>
model::kind make_kind(model::bounds most = {}) {
    return {{}, "allocator", "adaptor", "binding", most, model::make_adapted<Recipe, Adaptor>};
}

void expect_right(const model::kind& k) {
    for (std::uint64_t seed = 1; seed != 7; ++seed) {
        const model::outcome done = model::play_turn(k, seed, 5000);
        EXPECT_EQ(done.fault, "") << "seed " << seed;
        EXPECT_EQ(done.operations, 5000U) << "seed " << seed;
    }
}

TEST(soak_turn, accepts_allocators_that_roll_back) {
    expect_right(make_kind<model::monotonic>({.uses_again = false}));
}

TEST(soak_turn, accepts_allocators_that_expand) {
    expect_right(make_kind<model::heap_of_small_chunks>());
}

TEST(soak_turn, accepts_checked_allocators) {
    expect_right(make_kind<model::multipool_reusing<mallard::hybrid_order>, model::checked>());
}

TEST(soak_turn, accepts_limited_allocators) {
    expect_right(make_kind<model::multipool_reusing<mallard::last_freed>, model::limited_to_little>(
        {.may_refuse = true}));
}

TEST(soak_turn, accepts_allocators_shared_by_threads) {
    expect_right(make_kind<model::concurrent_multipool>());
}

} // namespace
