/// Parts of the time: what happens before and after them is not counted.
#include "profiler/analysis/story.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using mallard::advisor::analysis;
using mallard::advisor::call_totals;
using mallard::test::story;

TEST(known_parts, have_the_live_blocks_of_before) {
    story program;
    program.call("main");
    const story::block first = program.allocate(100, 1); // at 1
    const story::block second = program.allocate(50, 2); // at 2
    program.allocate(10, 3);                             // at 3, where the part begins
    program.free(first, 4);
    program.free(program.allocate(1000, 5), 6);
    program.allocate(7, 7); // at 7, where it has ended
    program.free(second, 8);
    program.begin_ticks = 3;
    program.end_ticks = 7;
    const std::string profile = program.profile();
    for (const char* const text :
         {R"("figures":{"allocations":2,"bytes":1010,"frees":2,)",
          R"("temporary":{"allocations":1,"bytes":1000})",
          R"("live_at_begin":{"allocations":2,"bytes":150},"live_at_end":{"allocations":2,"bytes":60}})",
          R"("allocations":1,"bytes":50,"stack":)", R"("allocations":1,"bytes":10,"stack":)",
          R"("peak_bytes":1060,"peak_seconds":5e-09)", R"("live_bytes":[150,160,60,1060,)", R"("pairs":[])",
          R"("scopes":"withheld","reason":"Scopes, lifetimes,)"}) {
        EXPECT_NE(profile.find(text), std::string::npos) << text << "\n" << profile;
    }
    EXPECT_EQ(program.analysis().counted().foreign_frees, 0U);
}

/// An event of a story, which has the ticks of its place, from 1.
struct step {
    std::uint64_t bytes = 0;
    bool is_free = false;
};

std::vector<step> run(story& program) {
    std::vector<step> steps;
    std::vector<std::pair<story::block, std::uint64_t>> live;
    std::uint64_t state = 1;
    const auto random = [&](std::uint64_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return (state >> 33) % below;
    };
    program.call("main");
    for (int at = 0; at < 700; ++at) {
        program.call("f" + std::to_string(random(5)), static_cast<unsigned>(random(3)));
        if (live.size() > 20 || (!live.empty() && random(3) == 0)) {
            const std::size_t chosen = random(live.size());
            program.free(live[chosen].first, 9);
            steps.push_back({live[chosen].second, true});
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(chosen));
        } else {
            const std::uint64_t bytes = 1 + random(1000);
            live.emplace_back(program.allocate(bytes, 8), bytes);
            steps.push_back({bytes, false});
        }
        program.leave();
    }
    return steps;
}

TEST(known_parts, count_as_a_model_does) {
    for (const auto& [begin, end] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {1, 2}, {1, 350}, {233, 234}, {100, 600}, {690, 900}}) {
        story program;
        program.begin_ticks = begin;
        program.end_ticks = end;
        const std::vector<step> steps = run(program);
        std::uint64_t live = 0, blocks = 0, peak = 0, live_at_begin = 0;
        call_totals expected;
        for (std::uint64_t ticks = 1; ticks <= steps.size() && ticks < end; ++ticks) {
            const step& at = steps[ticks - 1];
            if (ticks == begin) {
                live_at_begin = peak = live;
            }
            live += at.is_free ? std::uint64_t{0} - at.bytes : at.bytes;
            blocks += at.is_free ? std::uint64_t{0} - 1 : 1;
            if (ticks >= begin) {
                peak = std::max(peak, live);
                expected.allocations += !at.is_free;
                expected.bytes += at.is_free ? 0 : at.bytes;
                expected.frees += at.is_free;
            }
        }
        const analysis& results = program.analysis();
        call_totals sums;
        std::uint64_t live_by_call = 0, at_peak_by_call = 0;
        for (const call_totals& call : results.calls().all()) {
            sums.allocations += call.allocations;
            sums.bytes += call.bytes;
            sums.frees += call.frees;
            live_by_call += call.live_bytes();
            at_peak_by_call += call.live_bytes_at_peak;
        }
        EXPECT_EQ(sums.allocations, expected.allocations) << begin;
        EXPECT_EQ(sums.bytes, expected.bytes) << begin;
        EXPECT_EQ(sums.frees, expected.frees) << begin;
        EXPECT_EQ(results.live_at_begin().bytes, live_at_begin) << begin;
        EXPECT_EQ(results.live_at_end().bytes, live) << begin;
        EXPECT_EQ(results.live_at_end().blocks, blocks) << begin;
        EXPECT_EQ(live_by_call, live) << begin;
        EXPECT_EQ(results.timeline().peak(), peak) << begin;
        EXPECT_EQ(at_peak_by_call, peak) << begin;
    }
}

} // namespace
