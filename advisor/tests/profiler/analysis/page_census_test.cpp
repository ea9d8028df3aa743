/// Pages of scopes: live blocks at known addresses.
#include "profiler/analysis/story.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using mallard::advisor::page_census;
using mallard::advisor::page_figures;
using mallard::advisor::scope_id;
using mallard::test::story;

constexpr std::uint64_t page = 4096;

/// The document's figures of the scope at its peak.
std::string peak(std::uint64_t bytes, std::uint64_t pages, std::uint64_t needed, std::uint64_t shared) {
    return R"("live_bytes":)" + std::to_string(bytes) + R"(,"pages":)" + std::to_string(pages) +
           R"(,"pages_needed":)" + std::to_string(needed) + R"(,"pages_shared":)" + std::to_string(shared) +
           "}";
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t occurrences = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++occurrences;
    }
    return occurrences;
}

TEST(page_census, counts_pages_needed_and_shared) {
    story program;
    program.call("main").call("build");
    program.place(1 * page).allocate(100);
    program.place(1 * page + 200).allocate(100);
    program.place(2 * page).allocate(100);
    program.place(3 * page + 50).allocate(100);
    program.leave().call("keep", 2);
    program.place(2 * page + 500).allocate(64);
    program.leave();
    const std::string document = program.profile();
    // main has all blocks, so that it shares no page.
    EXPECT_EQ(count(document, R"("diffusion":{"peak":{)"), 3U);
    EXPECT_EQ(count(document, peak(400, 3, 1, 1)), 2U) << "build: at the peak, and over time";
    EXPECT_EQ(count(document, peak(64, 1, 1, 1)), 2U) << "keep";
    EXPECT_EQ(count(document, peak(464, 3, 1, 0)), 2U) << "main";
}

// A damaged trace may have them.
TEST(page_census, sorts_addresses_of_64_bits) {
    story program;
    program.call("main").call("build");
    program.place(std::uint64_t{1} << 63).allocate(100);
    program.place(1 * page).allocate(100);
    program.leave();
    EXPECT_EQ(count(program.profile(), peak(200, 2, 1, 0)), 4U) << "of build and of main";
}

TEST(page_census, counts_all_pages_of_large_blocks) {
    story program;
    program.call("main").call("fill");
    program.place(1 * page + 100).allocate(3 * page);
    program.leave().call("small", 2);
    program.place(4 * page + 2000).allocate(10);
    program.leave();
    const std::string document = program.profile();
    EXPECT_EQ(count(document, peak(3 * page, 4, 3, 1)), 2U);
    EXPECT_EQ(count(document, peak(10, 1, 1, 1)), 2U);
}

TEST(page_census, keeps_the_figures_of_the_peak) {
    story program;
    program.call("main").call("cache");
    std::vector<story::block> blocks;
    for (std::uint64_t at = 0; at < 10; ++at) {
        blocks.push_back(program.place((at + 1) * page).allocate(page / 2));
    }
    for (const story::block block : blocks) {
        program.free(block);
    }
    program.place(20 * page).allocate(8);
    EXPECT_EQ(count(program.profile(), R"("peak":{"seconds":)"), 2U);
    const page_figures figures = program.analysis().pages().at_peak(1);
    EXPECT_EQ(figures.bytes, 10 * page / 2);
    EXPECT_EQ(figures.pages, 10U);
    EXPECT_EQ(figures.needed(), 5U);
    EXPECT_EQ(figures.shared, 0U);
}

TEST(page_census, counts_blocks_without_stack_as_foreign) {
    story program;
    program.call("main").call("build");
    for (std::uint64_t at = 0; at < 30; ++at) {
        program.place(page + 100 * at).allocate(50);
    }
    program.lose_stacks(true).place(page + 3500).allocate(50);
    program.lose_stacks(false);
    EXPECT_GE(count(program.profile(), peak(1500, 1, 1, 1)), 1U);
}

TEST(page_census, counts_recursion_once) {
    story program;
    program.call("main").call("walk").call("walk", 2).call("walk", 3);
    program.place(page).allocate(100);
    EXPECT_EQ(count(program.profile(), peak(100, 1, 1, 0)), 4U)
        << "main and walk, each at its peak and over time";
}

TEST(page_census, withholds_the_figures_of_a_sample) {
    story program;
    program.process.sampled_one_in = 4;
    program.call("main").allocate(100);
    EXPECT_EQ(count(program.profile(), R"("diffusion":null)"), 1U);
}

TEST(page_census, keeps_some_tens_of_censuses) {
    story program;
    program.call("main");
    std::uint64_t bytes = 64, address = page;
    constexpr int censuses = 200;
    for (int step = 0; step < censuses; ++step) {
        program.place(address).allocate(bytes);
        address += bytes;
        const story::block temporary = program.place(address).allocate(bytes);
        program.free(temporary);
        bytes += bytes / 6 + 8;
    }
    const std::vector<page_figures> times = program.analysis().pages().over_time(0);
    EXPECT_GE(times.size(), page_census::most_censuses / 4);
    EXPECT_LT(times.size(), page_census::most_censuses);
    for (std::size_t at = 1; at < times.size(); ++at) {
        EXPECT_GT(times[at].ticks, times[at - 1].ticks);
        EXPECT_GT(times[at].bytes, times[at - 1].bytes);
    }
    EXPECT_GE(program.analysis().pages().at_peak(0).bytes, times.back().bytes);
}

} // namespace
