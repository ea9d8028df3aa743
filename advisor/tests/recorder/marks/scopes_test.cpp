// The marks that a toy prints are those in its trace.
#include "recorder/marks/recorded_run.hpp"
#include "recorder/marks/told_marks.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace recorder_test;

/// The toy's output, without the last newline.
std::string printed_marks(const recorded_run& run) {
    return run.output.substr(0, run.output.rfind('\n'));
}

class marks : public ::testing::TestWithParam<const char*> {};

TEST_P(marks, match_the_program) {
    for (const char* const toy : {MALLARD_MARKED_TOY, MALLARD_MARKED_TOY_AT_FIXED_PLACE}) {
        const recorded_run run = run_recorded({toy, GetParam()});
        EXPECT_EQ(run.status, 0);
        EXPECT_EQ(format_marks(run.only(), run.only().events), printed_marks(run)) << toy;
        EXPECT_EQ(run.only().names_lost, 0U);
    }
}

TEST_P(marks, match_a_static_program) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY_STATIC, GetParam()}, {.preload = false});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(format_marks(run.only(), run.only().events), without_blocks(printed_marks(run)));
    for (const part_event& event : run.only().events) {
        EXPECT_GE(event.levels.size(), 3U) << "the stack of a mark";
    }
}

INSTANTIATE_TEST_SUITE_P(toys, marks, ::testing::Values("nested", "exceptions", "jumps", "hops"),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST(recorded_marks, belong_to_their_thread) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "threads"});
    std::string turns;
    for (int turn = 0; turn < 1000; ++turn) {
        turns += "+outer of thread +inner of thread 5000 -inner of thread -outer of thread ";
    }
    std::size_t threads = 0;
    for (std::uint64_t thread = 0; thread < run.only().threads; ++thread) {
        const std::string words = format_marks(run.only(), thread_events(run.only(), thread));
        if (!words.empty()) {
            EXPECT_TRUE(words == turns) << words.substr(0, 400);
            ++threads;
        }
    }
    EXPECT_EQ(threads, 4U);
}

TEST(recorded_marks, share_names_between_library_and_program) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "nested", MALLARD_MARKED_PLUG_IN});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(format_marks(run.only(), run.only().events, false), without_blocks(printed_marks(run)));
    std::map<std::string, int> numbers;
    for (const auto& [number, name] : run.only().names) {
        ++numbers[name];
    }
    EXPECT_EQ(numbers["nested"], 1);
    EXPECT_EQ(numbers["plugged"], 1);
}

TEST(recorded_marks, of_a_forked_child_have_names) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "forks"}, {.follow = true});
    ASSERT_EQ(run.parts.size(), 2U);
    std::vector<std::string> all;
    for (const part& process_part : run.parts) {
        all.push_back(format_marks(process_part, process_part.events));
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all[0], "+before the fork *handed to the child +in the parent -in the parent ~handed to the "
                      "child -before the fork ");
    EXPECT_EQ(all[1], "+in the child >handed to the child 6000 ");
}

TEST(recorded_marks, of_a_signal_handler_nest) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "signals"});
    std::vector<std::string> open;
    std::map<std::string, int> ended;
    for (const part_event& event : run.only().events) {
        if (event.kind == record_kind::scope_begin) {
            open.push_back(run.only().name(event));
        } else if (event.kind == record_kind::scope_end) {
            ASSERT_FALSE(open.empty());
            ASSERT_EQ(open.back(), run.only().name(event));
            ++ended[open.back()];
            open.pop_back();
        }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(ended["interrupted"], std::stoi(run.output));
    EXPECT_GT(ended["handler"] + static_cast<int>(run.only().nested_events), 0);
}

TEST(recorded_marks, survive_a_kill) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "killed"});
    EXPECT_TRUE(WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGKILL);
    EXPECT_EQ(format_marks(run.only(), run.only().events), "+to the end 7000 ");
}

TEST(recorded_marks, count_names_beyond_the_limit) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "many-names"});
    EXPECT_EQ(run.status, 0);
    const part& recorded = run.only();
    EXPECT_EQ(recorded.names.size(), 65'535U);
    EXPECT_EQ(recorded.names_lost, 70'001U - 65'535U);
    EXPECT_EQ(recorded.names.at(1), std::string(255, 'x'));
    EXPECT_EQ(recorded.names.at(65'535), "name 65533");
    EXPECT_EQ(recorded.marks().size(), 2 * 70'001U);
}

TEST(recorded_marks, are_not_recorded_while_idle) {
    for (const char* const toy : {MALLARD_MARKED_TOY, MALLARD_MARKED_TOY_STATIC}) {
        const recorded_run run =
            run_recorded({toy, "nested"}, {.preload = toy == std::string(MALLARD_MARKED_TOY), .idle = true});
        EXPECT_EQ(run.status, 0);
        EXPECT_TRUE(run.only().events.empty()) << toy;
        EXPECT_EQ(run.only().threads, 0U) << toy;
    }
}

TEST(recorded_marks, do_nothing_without_a_recorder) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "nested"}, {.preload = false});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.parts.size(), 0U);
}

} // namespace
