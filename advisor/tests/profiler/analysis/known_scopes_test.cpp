/// Scopes of small programs with known answers. The model compares the same figures of random programs.
#include "profiler/analysis/story.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using mallard::advisor::scope_totals;
using mallard::test::story;
using kind = mallard::trace::record_kind;

TEST(known_scopes, contain_the_blocks_that_they_free) {
    story program;
    program.call("main");
    for (int round = 0; round < 3; ++round) {
        program.call("parse").call("make");
        const story::block outer = program.allocate(100, 1);
        const story::block inner = program.allocate(50, 2);
        program.free(inner, 3);
        program.leave();
        program.free(outer, 7);
        program.leave();
        program.allocate(1, 9);
    }
    const scope_totals& make = program.scope("make");
    EXPECT_EQ(make.seen, 3U);
    EXPECT_EQ(make.allocations, 6U);
    EXPECT_EQ(make.contained, 3U);
    EXPECT_EQ(make.contained_bytes, 150U);
    EXPECT_EQ(make.owned, 3U);
    EXPECT_EQ(make.emptied, 0U);
    EXPECT_EQ(make.highest_peak, 150U);
    const scope_totals& parse = program.scope("parse");
    EXPECT_EQ(parse.seen, 3U);
    EXPECT_EQ(parse.contained, 6U);
    EXPECT_EQ(parse.owned, 3U);
    EXPECT_EQ(parse.emptied, 3U);
    EXPECT_EQ(parse.returns, 3U);
    EXPECT_EQ(parse.most_between_returns, 150U);
    const scope_totals& main = program.scope("main");
    EXPECT_EQ(main.allocations, 9U);
    EXPECT_EQ(main.contained, 6U);
    EXPECT_EQ(main.owned, 0U);
    EXPECT_EQ(main.open, 1U);
    EXPECT_EQ(main.peaks, 152U);
}

TEST(known_scopes, attribute_frees_of_globals_to_the_freeing_call) {
    story program;
    program.call("main").call("set");
    const story::block global = program.allocate(10);
    program.leave().call("use");
    program.allocate(20);
    program.leave().call("clear", 3);
    program.free(global);
    program.leave();
    EXPECT_EQ(program.scope("set").contained, 0U);
    EXPECT_EQ(program.scope("set").allocations, 1U);
    EXPECT_EQ(program.scope("clear").allocating, 0U);
    EXPECT_EQ(program.scope("clear").freeing, 1U);
    EXPECT_EQ(program.scope("use").freeing, 0U);
}

TEST(known_scopes, count_temporary_blocks_by_thread) {
    story program;
    program.call("main").call("label");
    program.free(program.allocate(10, 1), 2); // temporary, whatever the other thread allocates
    const story::block kept = program.allocate(20, 1);
    program.allocate(1, 3);
    program.free(kept, 4); // another allocation came in between
    const story::block passed = program.allocate(40, 1);
    program.in_thread(1).call("worker");
    program.free(passed, 1); // by another thread
    const story::block mixed = program.allocate(80, 2);
    program.in_thread(0).allocate(1, 3);
    program.in_thread(1).free(mixed, 3);
    const std::string document = program.profile();
    EXPECT_NE(document.find(R"("temporary":{"allocations":2,"bytes":90})"), std::string::npos);
    EXPECT_NE(document.find(R"("temporary":[{"place":)"), std::string::npos);
    EXPECT_NE(document.find(R"("leaks_not_listed":{"sites":0,)"), std::string::npos);
}

TEST(known_scopes, list_the_sites_of_the_peak) {
    story program;
    program.call("main").call("fill");
    const story::block early = program.allocate(1000, 1);
    program.free(early, 2);
    const story::block large = program.allocate(600, 3);
    const story::block small = program.allocate(500, 4); // the peak
    program.free(small, 5);
    program.allocate(400, 6); // fewer bytes than at the peak
    program.free(large, 7);
    const std::string document = program.profile();
    const std::size_t begin = document.find(R"("peak":[{)");
    ASSERT_NE(begin, std::string::npos) << document;
    const std::string peak = document.substr(begin);
    const std::size_t end = peak.find(R"("peak_not_listed":{"sites":0,"allocations":0,"bytes":0})");
    ASSERT_NE(end, std::string::npos) << peak;
    const std::string rows = peak.substr(0, end);
    EXPECT_LT(rows.find(R"("allocations":1,"bytes":600)"), rows.find(R"("allocations":1,"bytes":500)"))
        << rows;
    EXPECT_EQ(rows.find(R"("bytes":1000)"), std::string::npos) << "it was freed before";
    EXPECT_EQ(rows.find(R"("bytes":400)"), std::string::npos) << "it came later";
}

TEST(known_scopes, are_all_listed_on_request) {
    story program;
    program.call("main");
    for (int at = 0; at < 300; ++at) {
        program.call("function" + std::to_string(at));
        program.allocate(10);
        program.leave();
    }
    EXPECT_EQ(program.profile().find(R"("sites_not_listed":{"sites":0,)"), std::string::npos);
    const std::string document = program.profile({}, true);
    EXPECT_NE(document.find(R"("scopes_not_listed":{"scopes":0,)"), std::string::npos);
    EXPECT_NE(document.find(R"("sites_not_listed":{"sites":0,)"), std::string::npos);
    EXPECT_NE(document.find(R"("leaks_not_listed":{"sites":0,)"), std::string::npos);
}

TEST(known_scopes, compute_drag_and_peaks_from_times_and_sizes) {
    story program;
    program.call("main").call("run");
    const story::block first = program.allocate(100); // at 1
    program.wait(9);
    program.free(first, 2);                               // at 11
    const story::block second = program.allocate(100, 3); // at 12
    program.wait(9);
    program.free(second, 4); // at 22
    program.leave();
    program.allocate(1, 7); // at 23
    const scope_totals& run = program.scope("run");
    EXPECT_EQ(run.peaks, 100U);
    EXPECT_EQ(run.bytes, 200U);
    EXPECT_DOUBLE_EQ(run.live_area, 100 * 10 + 100 * 10);
    EXPECT_DOUBLE_EQ(run.region_area, 100 * 22 + 100 * 11);
    EXPECT_EQ(run.ticks, 22U);
}

TEST(known_scopes, are_withheld_if_too_many_stacks_are_incomplete) {
    story program;
    program.call("main");
    program.allocate(10);
    program.lose_stacks(true);
    program.allocate(10);
    const std::string profile = program.profile();
    EXPECT_NE(profile.find(R"("scopes":"withheld","reason":"Scopes are withheld: only 50.0 %)"),
              std::string::npos);
    EXPECT_NE(profile.find(R"("scopes":[],)"), std::string::npos);
}

TEST(known_scopes, are_empty_for_an_empty_trace) {
    story program;
    const std::string profile = program.profile();
    EXPECT_NE(profile.find(R"("share":null)"), std::string::npos);
    EXPECT_NE(profile.find(R"("containment":null)"), std::string::npos);
}

TEST(known_scopes, nest_a_thousand_levels_deep) {
    story program;
    constexpr int depth = 1000;
    for (int level = 0; level < depth; ++level) {
        program.call("f" + std::to_string(level));
    }
    const story::block block = program.allocate(8);
    program.free(block, 2);
    for (int level = 0; level < depth; ++level) {
        EXPECT_EQ(program.scope("f" + std::to_string(level)).contained, 1U);
        EXPECT_EQ(program.scope("f" + std::to_string(level)).owned, level + 1 == depth ? 1U : 0U);
    }
}

TEST(known_scopes, have_the_highest_sample_of_memory_of_each_step) {
    story program;
    program.call("main");
    program.free(program.allocate(100));
    program.wait(4'000'000);
    program.free(program.allocate(100));
    const std::uint64_t step = program.analysis().timeline().step_ticks();
    program.memory = {
        {step + 1, 5000, 1000}, {step + 2, 9000, 1000}, {step + 3, 7000, 1000}, {3 * step, 6000, 900}};
    const std::string profile = program.profile();
    const std::size_t at = profile.find("\"resident\":[");
    ASSERT_NE(at, std::string::npos);
    const std::string section = profile.substr(at, profile.find("]]", at) - at);
    EXPECT_EQ(std::count(section.begin(), section.end(), '['), 3) << section;
    EXPECT_NE(section.find(",9000,1000]"), std::string::npos) << section;
    EXPECT_NE(section.find(",6000,900"), std::string::npos) << section;
}

} // namespace
