// A reader survives every damage. fuzz_trace.cpp reads more of them.
#include "trace/recordings/mutated_trace.hpp"

#include <gtest/gtest.h>

namespace {

TEST(trace_fuzz, damaged_traces_are_read_or_refused) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const std::uint64_t read = mallard::test::read_mutated(seed, 1500);
        // Damage that nobody notices, or that is a tear, leaves a trace that can be read. Neither case may be rare.
        EXPECT_GT(read, 150U);
        EXPECT_LT(read, 1350U);
    }
}

TEST(trace_fuzz, the_same_seed_is_the_same_damage) {
    mallard::test::trace_mutator one(7);
    mallard::test::trace_mutator other(7);
    for (int each = 0; each < 20; ++each) {
        EXPECT_EQ(one.next(), other.next());
    }
}

} // namespace
