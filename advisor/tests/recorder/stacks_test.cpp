// Every stack is correct in programs whose stacks are hard to unwind.

#include "checked_run.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using mallard::test::checked_run;
using mallard::test::run_checked;

struct setting {
    std::string scene;
    unsigned long least_stacks;
    std::string environment;
};

class stacks : public testing::TestWithParam<setting> {};

TEST_P(stacks, match_a_full_walk_and_libgcc) {
    for (const std::string program : {SCENES_OPTIMISED, SCENES_UNOPTIMISED, SCENES_WITH_FRAME_POINTERS}) {
        const checked_run result = run_checked(program + " " + GetParam().scene, GetParam().environment);
        EXPECT_EQ(result.status, 0) << program << ": " << result.output;
        EXPECT_GE(result.by_full_walk, GetParam().least_stacks) << program;
        EXPECT_GE(result.by_libgcc, GetParam().least_stacks / 1000) << program;
        EXPECT_EQ(result.with_former_middle, 0U) << program;
        if (GetParam().scene != "signals") {
            EXPECT_EQ(result.incomplete, 0U) << program;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(scenes, stacks,
                         testing::Values(setting{"two_sites", 5000, ""}, setting{"exceptions", 7000, ""},
                                         setting{"long_jumps", 9000, ""}, setting{"fibers", 3000, ""},
                                         setting{"own_fibers", 900, "MALLARD_CHECK_LIBGCC_ONE_IN=1000000"},
                                         setting{"deep", 10'000, ""}, setting{"two_callers 100", 400, ""},
                                         setting{"aligned", 600, ""}, setting{"signals", 400, ""},
                                         setting{"threads", 40'000, ""},
                                         setting{"forks", 50, "MALLARD_RECORD_FOLLOW=1"},
                                         setting{"plug_ins " PLUG_IN_1 " " PLUG_IN_2, 5000, ""}),
                         [](const auto& parameter) {
                             return parameter.param.scene.substr(0, parameter.param.scene.find(' '));
                         });

// libgcc itself would read beyond the ends of the stacks.
TEST(stacks, of_fibers_end_at_unmapped_pages) {
    const checked_run result = run_checked(SHORT_LIVED_STACKS, "MALLARD_CHECK_LIBGCC_ONE_IN=1000000");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_GE(result.by_full_walk, 9'000U);
}

TEST(stacks, update_a_changed_middle_later) {
    for (const std::string program : {SCENES_OPTIMISED, SCENES_UNOPTIMISED, SCENES_WITH_FRAME_POINTERS}) {
        const checked_run result = run_checked(program + " changing_middles");
        EXPECT_EQ(result.status, 0) << program << ": " << result.output;
        EXPECT_GT(result.with_former_middle, 0U) << program;
        EXPECT_GT(result.by_full_walk, result.with_former_middle) << program;
    }
}

// Nobody empties the chunks of the part, and the limit leaves it 16, which 450 of 800 stacks fill.
TEST(stacks, are_not_unwound_after_the_end_of_the_recording) {
    const checked_run result = run_checked(
        "sh -c 'ulimit -f 16384 && exec " SCENES_OPTIMISED " two_callers 200'", "MALLARD_RECORD_FOLLOW=1");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_GT(result.by_full_walk, 400U);
    EXPECT_LT(result.by_full_walk, 500U);
}

TEST(stacks, beyond_the_limit_match_a_full_walk) {
    const checked_run result = run_checked(SCENES_OPTIMISED " too_deep");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_GT(result.incomplete, 10U);
    EXPECT_GT(result.by_full_walk, 2 * result.incomplete);
}

TEST(stacks, of_a_sample_are_correct) {
    const checked_run all = run_checked(SCENES_OPTIMISED " threads");
    const checked_run sample = run_checked(SCENES_OPTIMISED " threads", "MALLARD_RECORD_SAMPLE=10");
    EXPECT_EQ(sample.status, 0) << sample.output;
    EXPECT_GT(sample.by_full_walk, 0U);
    EXPECT_LT(sample.by_full_walk, all.by_full_walk / 2);
}

// A full walk uses the rules of the recorder, so it would also use stale rules of a file that was unloaded.
TEST(stacks, match_libgcc_where_code_replaces_other_code) {
    const std::string program = SCENES_OPTIMISED " same_places " SAME_PLACES_1 " " SAME_PLACES_2;
    const std::string by_libgcc = "MALLARD_CHECK_LIBGCC_ONE_IN=1";
    const checked_run all = run_checked(program, by_libgcc);
    EXPECT_EQ(all.status, 0) << all.output;
    EXPECT_GT(all.by_libgcc, 40'000U);
    const checked_run sample = run_checked(program, by_libgcc + " MALLARD_RECORD_SAMPLE=30");
    EXPECT_EQ(sample.status, 0) << sample.output;
    EXPECT_GT(sample.by_libgcc, 100U);
}

} // namespace
