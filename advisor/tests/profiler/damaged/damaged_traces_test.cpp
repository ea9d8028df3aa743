// The advisor survives all damage that the reader accepts. fuzz_profile.cpp tries more of it.
#include "profiler/damaged/profile_mutated.hpp"
#include "trace/recordings/mutated_trace.hpp"

#include <gtest/gtest.h>

namespace {

class damaged_traces : public testing::TestWithParam<std::uint64_t> {};

TEST_P(damaged_traces, are_profiled_and_exported_or_refused) {
    const std::uint64_t read = mallard::test::profile_mutated(GetParam(), 1500);
    // The advisor gets exactly the traces that can be read.
    EXPECT_EQ(read, mallard::test::read_mutated(GetParam(), 1500));
    EXPECT_GT(read, 150U);
}

INSTANTIATE_TEST_SUITE_P(seeds, damaged_traces, testing::Values(1, 2, 3, 4));

} // namespace
