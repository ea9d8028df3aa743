// Each stack of each event is right in programs whose stacks are hard to follow.

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

TEST_P(stacks, are_those_of_a_full_walk_and_of_libgcc) {
    for (const std::string program : {SCENES_OPTIMISED, SCENES_UNOPTIMISED, SCENES_WITH_FRAME_POINTERS}) {
        const checked_run found = run_checked(program + " " + GetParam().scene, GetParam().environment);
        EXPECT_EQ(found.status, 0) << program << ": " << found.output;
        EXPECT_GE(found.by_full_walk, GetParam().least_stacks) << program;
        EXPECT_GE(found.by_libgcc, GetParam().least_stacks / 1000) << program;
        EXPECT_EQ(found.with_former_middle, 0U) << program;
        if (GetParam().scene != "signals") {
            EXPECT_EQ(found.incomplete, 0U) << program;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(scenes, stacks,
                         testing::Values(setting{"two_sites", 5000, ""}, setting{"exceptions", 7000, ""},
                                         setting{"long_jumps", 9000, ""}, setting{"fibers", 3000, ""},
                                         setting{"own_fibers", 900, "MALLARD_CHECK_LIBGCC_ONE_IN=1000000"},
                                         setting{"deep", 10'000, ""}, setting{"two_callers", 800, ""},
                                         setting{"aligned", 600, ""}, setting{"signals", 400, ""},
                                         setting{"threads", 40'000, ""},
                                         setting{"forks", 50, "MALLARD_RECORD_FOLLOW=1"},
                                         setting{"plug_ins " PLUG_IN_1 " " PLUG_IN_2, 5000, ""}),
                         [](const auto& each) {
                             return each.param.scene.substr(0, each.param.scene.find(' '));
                         });

// libgcc itself would read beyond their ends.
TEST(stacks, of_fibers_end_at_pages_that_went) {
    const checked_run found = run_checked(SHORT_LIVED_STACKS, "MALLARD_CHECK_LIBGCC_ONE_IN=1000000");
    EXPECT_EQ(found.status, 0) << found.output;
    EXPECT_GE(found.by_full_walk, 9'000U);
}

TEST(stacks, get_a_middle_that_changed_later) {
    for (const std::string program : {SCENES_OPTIMISED, SCENES_UNOPTIMISED, SCENES_WITH_FRAME_POINTERS}) {
        const checked_run found = run_checked(program + " changing_middles");
        EXPECT_EQ(found.status, 0) << program << ": " << found.output;
        EXPECT_GT(found.with_former_middle, 0U) << program;
        EXPECT_GT(found.by_full_walk, found.with_former_middle) << program;
    }
}

TEST(stacks, that_are_too_deep_are_those_of_a_full_walk) {
    const checked_run found = run_checked(SCENES_OPTIMISED " too_deep");
    EXPECT_EQ(found.status, 0) << found.output;
    EXPECT_GT(found.incomplete, 10U);
    EXPECT_GT(found.by_full_walk, 2 * found.incomplete);
}

TEST(stacks, of_a_sample_are_right_too) {
    const checked_run all = run_checked(SCENES_OPTIMISED " threads");
    const checked_run sample = run_checked(SCENES_OPTIMISED " threads", "MALLARD_RECORD_SAMPLE=10");
    EXPECT_EQ(sample.status, 0) << sample.output;
    EXPECT_GT(sample.by_full_walk, 0U);
    EXPECT_LT(sample.by_full_walk, all.by_full_walk / 2);
}

// A full walk has the rules of the recorder, so it would go by rules of a file that is not there any more, too.
TEST(stacks, are_those_of_libgcc_where_code_comes_in_the_place_of_other_code) {
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
