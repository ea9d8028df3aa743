/// Scopes of programs whose answers are known.
#include "tests/advisor/analysis/story.hpp"

#include <gtest/gtest.h>

namespace {

using mallard::advisor::scope_totals;
using mallard::test::story;
using kind = mallard::trace::record_kind;

TEST(known_scopes, nested_scopes_contain_what_they_free) {
    story tell;
    tell.call("main");
    for (int round = 0; round < 3; ++round) {
        tell.call("parse").call("make");
        const story::block kept = tell.allocate(100, 1);
        const story::block gone = tell.allocate(50, 2);
        tell.free(gone, 3);
        tell.leave();
        tell.free(kept, 7);
        tell.leave();
        tell.allocate(1, 9);
    }
    const scope_totals& make = tell.scope("make");
    EXPECT_EQ(make.seen, 3U);
    EXPECT_EQ(make.allocations, 6U);
    EXPECT_EQ(make.contained, 3U);
    EXPECT_EQ(make.contained_bytes, 150U);
    EXPECT_EQ(make.owned, 3U);
    EXPECT_EQ(make.emptied, 0U);
    EXPECT_EQ(make.highest_peak, 150U);
    const scope_totals& parse = tell.scope("parse");
    EXPECT_EQ(parse.seen, 3U);
    EXPECT_EQ(parse.contained, 6U);
    EXPECT_EQ(parse.owned, 3U);
    EXPECT_EQ(parse.emptied, 3U);
    EXPECT_EQ(parse.returns, 3U);
    EXPECT_EQ(parse.most_between_returns, 150U);
    const scope_totals& main = tell.scope("main");
    EXPECT_EQ(main.allocations, 9U);
    EXPECT_EQ(main.contained, 6U);
    EXPECT_EQ(main.owned, 0U);
    EXPECT_EQ(main.open, 1U);
    EXPECT_EQ(main.peaks, 152U);
}

TEST(known_scopes, a_block_that_is_returned_escapes_to_the_caller) {
    story tell;
    tell.call("main").call("build");
    const story::block result = tell.allocate(10);
    tell.leave();
    tell.free(result, 5);
    EXPECT_EQ(tell.scope("build").contained, 0U);
    EXPECT_EQ(tell.scope("main").contained, 1U);
    EXPECT_EQ(tell.scope("main").owned, 1U);
    EXPECT_NE(tell.profile().find(R"("escaped":{"allocations":1,"bytes":10})"), std::string::npos);
}

TEST(known_scopes, a_block_in_a_global_is_freed_by_another_call) {
    story tell;
    tell.call("main").call("set");
    const story::block global = tell.allocate(10);
    tell.leave().call("use");
    tell.allocate(20);
    tell.leave().call("clear", 3);
    tell.free(global);
    tell.leave();
    EXPECT_EQ(tell.scope("set").contained, 0U);
    EXPECT_EQ(tell.scope("set").allocations, 1U);
    EXPECT_EQ(tell.scope("clear").allocating, 0U);
    EXPECT_EQ(tell.scope("clear").freeing, 1U);
    EXPECT_EQ(tell.scope("use").freeing, 0U);
}

TEST(known_scopes, blocks_alive_at_the_end_are_neither_contained_nor_escaped) {
    story tell;
    tell.call("main").call("leak");
    tell.allocate(10);
    tell.leave().call("other", 2);
    tell.allocate(10);
    EXPECT_EQ(tell.scope("leak").contained, 0U);
    EXPECT_NE(
        tell.profile().find(R"("escaped":{"allocations":0,"bytes":0},"alive":{"allocations":1,"bytes":10})"),
        std::string::npos);
}

TEST(known_scopes, of_a_recursion_the_outermost_activation_counts) {
    story tell;
    tell.call("main").call("walk").call("walk", 2);
    const story::block inner = tell.allocate(10);
    tell.leave();
    tell.free(inner, 3);
    tell.leave();
    tell.allocate(1, 9);
    const scope_totals& walk = tell.scope("walk");
    EXPECT_EQ(walk.seen, 1U);
    EXPECT_EQ(walk.allocations, 1U);
    EXPECT_EQ(walk.contained, 1U);
}

TEST(known_scopes, a_block_freed_by_another_thread_is_judged_by_the_thread_that_made_it) {
    story tell;
    tell.call("main").call("produce");
    const story::block early = tell.allocate(10);
    const story::block late = tell.allocate(20);
    tell.in_thread(1).call("worker");
    tell.free(early);
    tell.in_thread(0).leave();
    tell.allocate(1, 5);
    tell.in_thread(1);
    tell.free(late, 2);
    const scope_totals& produce = tell.scope("produce");
    EXPECT_EQ(produce.contained, 1U);
    EXPECT_EQ(produce.contained_bytes, 10U);
    EXPECT_EQ(tell.scope("worker").freeing, 1U);
    EXPECT_EQ(tell.analysis().calls().all()[0].freed_elsewhere, 2U);
}

TEST(known_scopes, threads_in_one_function_have_activations_of_their_own) {
    story tell;
    story::block blocks[2];
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        tell.in_thread(thread).call("run").call("serve");
        blocks[thread] = tell.allocate(100 * (thread + 1));
    }
    for (std::uint32_t thread = 0; thread < 2; ++thread) {
        tell.in_thread(thread);
        tell.free(blocks[thread], 2);
        tell.leave();
        tell.allocate(1, 5);
    }
    const scope_totals& serve = tell.scope("serve");
    EXPECT_EQ(serve.seen, 2U);
    EXPECT_EQ(serve.threads, 2U);
    EXPECT_EQ(serve.contained, 2U);
    EXPECT_EQ(serve.highest_peak, 200U);
    EXPECT_EQ(serve.peaks, 300U);
}

TEST(known_scopes, a_function_called_from_another_site_is_another_activation_and_from_the_same_site_is_not) {
    story tell;
    tell.call("main");
    tell.call("step", 1);
    const story::block first = tell.allocate(10);
    tell.leave().call("step", 2);
    const story::block second = tell.allocate(10);
    tell.free(first, 2);
    tell.free(second, 2);
    tell.leave().call("step", 2);
    const story::block third = tell.allocate(10);
    tell.free(third, 2);
    const scope_totals& step = tell.scope("step");
    EXPECT_EQ(step.seen, 2U);
    EXPECT_EQ(step.contained, 2U);
    // The third call went back to a line before: it may have been a call of its own, and the repeated free as well.
    EXPECT_EQ(step.steps_back, 2U);
}

TEST(known_scopes, each_scope_that_goes_on_behind_a_gap_may_be_another_one) {
    story tell;
    tell.call("main").call("step", 1).call("part");
    const story::block first = tell.allocate(10);
    tell.mark(kind::gap, 0, 100);
    tell.mark(kind::gap, 0, 100);
    tell.free(first);
    for (const char* name : {"main", "step", "part"}) {
        EXPECT_EQ(tell.scope(name).steps_back, 1U) << name;
    }
}

TEST(known_scopes, a_scope_that_ends_in_a_gap_is_told_apart) {
    story tell;
    tell.call("main").call("step", 1).call("part");
    const story::block first = tell.allocate(10);
    tell.mark(kind::gap, 0, 100);
    tell.leave().leave().call("step", 2);
    tell.free(first);
    EXPECT_EQ(tell.scope("main").steps_back, 1U);
    EXPECT_EQ(tell.scope("step").steps_back, 0U);
    EXPECT_EQ(tell.scope("part").steps_back, 0U);
}

TEST(known_scopes, an_activation_goes_on_while_its_function_calls_from_other_lines) {
    story tell;
    tell.call("main").call("work").call("left", 1);
    const story::block block = tell.allocate(10);
    tell.leave().call("right", 2);
    tell.free(block);
    tell.leave().leave();
    tell.allocate(1, 9);
    EXPECT_EQ(tell.scope("work").seen, 1U);
    EXPECT_EQ(tell.scope("work").contained, 1U);
    EXPECT_EQ(tell.scope("left").contained, 0U);
}

TEST(known_scopes, an_exception_ends_all_scopes_that_it_passes) {
    story tell;
    tell.call("main").call("attempt").call("deep").call("deeper");
    const story::block lost = tell.allocate(10);
    const story::block error = tell.allocate(100, 2);
    tell.leave().leave().leave();
    tell.free(error, 4);
    tell.free(lost, 5);
    for (const char* name : {"attempt", "deep", "deeper"}) {
        EXPECT_EQ(tell.scope(name).seen, 1U) << name;
        EXPECT_EQ(tell.scope(name).contained, 0U) << name;
        EXPECT_EQ(tell.scope(name).allocations, 2U) << name;
    }
    EXPECT_EQ(tell.scope("main").contained, 2U);
}

TEST(known_scopes, realloc_frees_the_old_block_and_makes_a_new_one) {
    story tell;
    tell.call("main").call("grow");
    story::block block = tell.allocate(10);
    block = tell.reallocate(block, 20, 2);
    block = tell.reallocate(block, 40, 2);
    tell.free(block, 3);
    tell.leave();
    tell.allocate(1, 5);
    const scope_totals& grow = tell.scope("grow");
    EXPECT_EQ(grow.allocations, 3U);
    EXPECT_EQ(grow.contained, 3U);
    EXPECT_EQ(grow.highest_peak, 40U);
    EXPECT_EQ(grow.steps_back, 1U);
}

TEST(known_scopes, a_realloc_that_failed_leaves_the_old_block) {
    story tell;
    tell.call("main");
    const story::block block = tell.allocate(10);
    tell.free(block, 2, kind::realloc_old);
    tell.mark(kind::realloc_failed, block);
    tell.free(block, 3);
    EXPECT_EQ(tell.scope("main").contained, 2U);
    EXPECT_EQ(tell.analysis().counted().foreign_frees, 0U);
    EXPECT_EQ(tell.analysis().timeline().live(), 0U);
}

TEST(known_scopes, drag_and_peaks_follow_from_times_and_sizes) {
    story tell;
    tell.call("main").call("run");
    const story::block first = tell.allocate(100); // at 1
    tell.wait(9);
    tell.free(first, 2);                               // at 11
    const story::block second = tell.allocate(100, 3); // at 12
    tell.wait(9);
    tell.free(second, 4); // at 22
    tell.leave();
    tell.allocate(1, 7); // at 23
    const scope_totals& run = tell.scope("run");
    EXPECT_EQ(run.peaks, 100U);
    EXPECT_EQ(run.bytes, 200U);
    EXPECT_DOUBLE_EQ(run.live_area, 100 * 10 + 100 * 10);
    EXPECT_DOUBLE_EQ(run.region_area, 100 * 22 + 100 * 11);
    EXPECT_EQ(run.ticks, 22U);
}

TEST(known_scopes, events_without_a_whole_stack_belong_to_no_scope_and_end_none) {
    story tell;
    tell.call("main").call("run");
    const story::block block = tell.allocate(10);
    tell.lose_stacks(true);
    const story::block strange = tell.allocate(1000);
    tell.free(strange);
    tell.lose_stacks(false);
    tell.free(block, 2);
    tell.leave();
    for (int more = 0; more < 100; ++more) {
        tell.free(tell.allocate(1, 5), 6);
    }
    const scope_totals& run = tell.scope("run");
    EXPECT_EQ(run.seen, 1U);
    EXPECT_EQ(run.allocations, 1U);
    EXPECT_EQ(run.contained, 1U);
    EXPECT_EQ(tell.analysis().whole().bytes, 1110U);
}

TEST(known_scopes, scopes_are_withheld_with_the_reason_if_stacks_are_incomplete) {
    story tell;
    tell.call("main");
    tell.allocate(10);
    tell.lose_stacks(true);
    tell.allocate(10);
    const std::string profile = tell.profile();
    EXPECT_NE(profile.find(R"("scopes":"withheld","reason":"Scopes are withheld: only 50.0 %)"),
              std::string::npos);
    EXPECT_NE(profile.find(R"("scopes":[],)"), std::string::npos);
}

TEST(known_scopes, an_empty_trace_has_a_profile) {
    story tell;
    const std::string profile = tell.profile();
    EXPECT_NE(profile.find(R"("share":null)"), std::string::npos);
    EXPECT_NE(profile.find(R"("containment":null)"), std::string::npos);
}

TEST(known_scopes, a_thousand_scopes_deep_costs_no_more_than_its_levels) {
    story tell;
    constexpr int depth = 1000;
    for (int level = 0; level < depth; ++level) {
        tell.call("f" + std::to_string(level));
    }
    const story::block block = tell.allocate(8);
    tell.free(block, 2);
    for (int level = 0; level < depth; ++level) {
        EXPECT_EQ(tell.scope("f" + std::to_string(level)).contained, 1U);
        EXPECT_EQ(tell.scope("f" + std::to_string(level)).owned, level + 1 == depth ? 1U : 0U);
    }
}

} // namespace
