// What toys that mark their scopes say of themselves is what their traces have.
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

/// What the toy printed, without its last newline.
std::string said(const recorded_run& run) {
    return run.output.substr(0, run.output.rfind('\n'));
}

class marks : public ::testing::TestWithParam<const char*> {};

TEST_P(marks, are_those_of_the_program) {
    for (const char* const toy : {MALLARD_MARKED_TOY, MALLARD_MARKED_TOY_AT_FIXED_PLACE}) {
        const recorded_run run = run_recorded({toy, GetParam()});
        EXPECT_EQ(run.status, 0);
        EXPECT_EQ(words_of(run.only(), run.only().events), said(run)) << toy;
        EXPECT_EQ(run.only().names_lost, 0U);
    }
}

TEST_P(marks, are_recorded_in_a_static_program_that_has_the_recorder) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY_STATIC, GetParam()}, {.preload = false});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(words_of(run.only(), run.only().events), without_blocks(said(run)));
    for (const part_event& each : run.only().events) {
        EXPECT_GE(each.levels.size(), 3U) << "the stack of a mark";
    }
}

INSTANTIATE_TEST_SUITE_P(toys, marks, ::testing::Values("nested", "exceptions", "jumps", "hops"),
                         [](const auto& each) { return std::string(each.param); });

TEST(marks_of, each_thread_are_its_own) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "threads"});
    std::string turns;
    for (int turn = 0; turn < 1000; ++turn) {
        turns += "+outer of thread +inner of thread 5000 -inner of thread -outer of thread ";
    }
    std::size_t threads = 0;
    for (std::uint64_t each = 0; each < run.only().threads; ++each) {
        const std::string words = words_of(run.only(), of_thread(run.only(), each));
        if (!words.empty()) {
            EXPECT_TRUE(words == turns) << words.substr(0, 400);
            ++threads;
        }
    }
    EXPECT_EQ(threads, 4U);
}

TEST(marks_of, a_library_have_the_names_of_the_program) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "nested", MALLARD_MARKED_PLUG_IN});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(words_of(run.only(), run.only().events, false), without_blocks(said(run)));
    std::map<std::string, int> numbers;
    for (const auto& [number, name] : run.only().names) {
        ++numbers[name];
    }
    EXPECT_EQ(numbers["nested"], 1);
    EXPECT_EQ(numbers["plugged"], 1);
}

TEST(marks_of, a_forked_child_are_in_its_own_trace_with_their_names) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "forks"}, {.follow = true});
    ASSERT_EQ(run.parts.size(), 2U);
    std::vector<std::string> all;
    for (const part& each : run.parts) {
        all.push_back(words_of(each, each.events));
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all[0], "+before the fork *handed to the child +in the parent -in the parent ~handed to the "
                      "child -before the fork ");
    EXPECT_EQ(all[1], "+in the child >handed to the child 6000 ");
}

TEST(marks_of, a_handler_of_signals_nest_in_those_that_it_interrupts) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "signals"});
    std::vector<std::string> open;
    std::map<std::string, int> ended;
    for (const part_event& each : run.only().events) {
        if (each.kind == record_kind::scope_begin) {
            open.push_back(run.only().name(each));
        } else if (each.kind == record_kind::scope_end) {
            ASSERT_FALSE(open.empty());
            ASSERT_EQ(open.back(), run.only().name(each));
            ++ended[open.back()];
            open.pop_back();
        }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(ended["interrupted"], 50'000);
    EXPECT_GT(ended["handler"] + static_cast<int>(run.only().nested_events), 0);
}

TEST(marks_of, a_killed_program_are_there) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "killed"});
    EXPECT_TRUE(WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGKILL);
    EXPECT_EQ(words_of(run.only(), run.only().events), "+to the end 7000 ");
}

TEST(marks_of, too_many_names_are_counted) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "many-names"});
    EXPECT_EQ(run.status, 0);
    const part& found = run.only();
    EXPECT_EQ(found.names.size(), 65'535U);
    EXPECT_EQ(found.names_lost, 70'001U - 65'535U);
    EXPECT_EQ(found.names.at(1), std::string(255, 'x'));
    EXPECT_EQ(found.names.at(65'535), "name 65533");
    EXPECT_EQ(found.marks().size(), 2 * 70'001U);
}

TEST(marks_of, a_program_that_is_not_recorded_cost_nothing_and_do_nothing) {
    const recorded_run run = run_recorded({MALLARD_MARKED_TOY, "nested"}, {.preload = false});
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.parts.size(), 0U);
}

} // namespace
