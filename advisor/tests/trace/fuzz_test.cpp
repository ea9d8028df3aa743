// A reader survives any damage. fuzz_trace.cpp reads more damaged traces.
#include "trace/recordings/mutated_trace.hpp"

#include <gtest/gtest.h>

namespace {

TEST(trace_fuzz, reads_or_refuses_damaged_traces) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const std::uint64_t read = mallard::test::read_mutated(seed, 1500);
        // Undetected damage, or a tear, leaves a readable trace. Neither outcome may be rare.
        EXPECT_GT(read, 150U);
        EXPECT_LT(read, 1350U);
    }
}

TEST(trace_fuzz, repeats_the_damage_of_a_seed) {
    mallard::test::trace_mutator first(7);
    mallard::test::trace_mutator second(7);
    for (int count = 0; count < 20; ++count) {
        EXPECT_EQ(first.next(), second.next());
    }
}

} // namespace
