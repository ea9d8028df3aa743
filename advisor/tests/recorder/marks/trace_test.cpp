// A trace file has the marks of its part file.
#include "recorder/marks/recorded_run.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace recorder_test;

class mark_traces : public ::testing::TestWithParam<const char*> {};

TEST_P(mark_traces, match_the_part_file) {
    const std::string toy = GetParam();
    const recorded_run run = toy == "instrumented" ? run_recorded({MALLARD_INSTRUMENTED_TOY}, {.trace = true})
                                                   : run_recorded({MALLARD_MARKED_TOY, toy}, {.trace = true});
    const part& written = run.only();
    const part& read = run.traced.at(0);
    EXPECT_EQ(read.names, written.names);
    ASSERT_EQ(read.events.size(), written.events.size());
    for (std::size_t index = 0; index < read.events.size(); ++index) {
        const part_event& read_event = read.events[index];
        const part_event& written_event = written.events[index];
        ASSERT_EQ(read_event.kind, written_event.kind) << "event " << index;
        EXPECT_LE(read_event.ticks, written_event.ticks);
        EXPECT_GT(read_event.ticks + 64, written_event.ticks) << "a trace has coarser times";
        EXPECT_EQ(read_event.address, written_event.address);
        EXPECT_EQ(read_event.bytes, written_event.bytes);
        EXPECT_EQ(read_event.pool, written_event.pool);
        EXPECT_EQ(read_event.levels, written_event.levels);
    }
}

INSTANTIATE_TEST_SUITE_P(toys, mark_traces,
                         ::testing::Values("nested", "exceptions", "jumps", "hops", "pools", "instrumented"),
                         [](const auto& parameter) { return std::string(parameter.param); });

} // namespace
