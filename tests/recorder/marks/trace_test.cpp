// A trace file has the marks of the part file that it was made of.
#include "recorder/marks/recorded_run.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace recorder_test;

class traces_of_marks : public ::testing::TestWithParam<const char*> {};

TEST_P(traces_of_marks, have_what_the_program_wrote) {
    const std::string toy = GetParam();
    const recorded_run run = toy == "instrumented" ? run_recorded({MALLARD_INSTRUMENTED_TOY}, {.trace = true})
                                                   : run_recorded({MALLARD_MARKED_TOY, toy}, {.trace = true});
    const part& written = run.only();
    const part& read = run.traced.at(0);
    EXPECT_EQ(read.names, written.names);
    ASSERT_EQ(read.events.size(), written.events.size());
    for (std::size_t each = 0; each < read.events.size(); ++each) {
        const part_event& one = read.events[each];
        const part_event& other = written.events[each];
        ASSERT_EQ(one.kind, other.kind) << "event " << each;
        EXPECT_LE(one.ticks, other.ticks);
        EXPECT_GT(one.ticks + 64, other.ticks) << "a trace has coarser times";
        EXPECT_EQ(one.address, other.address);
        EXPECT_EQ(one.bytes, other.bytes);
        EXPECT_EQ(one.pool, other.pool);
        EXPECT_EQ(one.levels, other.levels);
    }
}

INSTANTIATE_TEST_SUITE_P(toys, traces_of_marks,
                         ::testing::Values("nested", "exceptions", "jumps", "hops", "pools", "instrumented"),
                         [](const auto& each) { return std::string(each.param); });

} // namespace
