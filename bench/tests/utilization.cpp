/// Plan: every strategy, small, in this process; block_loops.cpp tests the loops in detail.
///   1. the row counts the allocations, under every strategy and buffer
///   2. figures; the final frees count as part of the time, or do not
///   3. a cell that memory cannot hold is not tried
///   4. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/workload/experiments.hpp"

#include <gtest/gtest.h>

namespace {

using bench::error_message;
using bench::figure_map;
using bench::run_words;

constexpr const char* names[] = {"null",           "new-delete",          "new-delete/base",
                                 "monotonic",      "monotonic/base",      "multipool",
                                 "multipool/base", "multipool+monotonic", "multipool+monotonic/base"};

TEST(utilization, allocates_the_total_under_every_strategy) {
    for (const char* name : names) {
        for (const char* buffer : {"none", "cold", "warm"}) {
            const bench::row row = run_words(bench::run_utilization,
                                             "--total-log2 20 --active-log2 14 --block-log2 8 --strategy " +
                                                 std::string(name) + " --buffer " + buffer);
            EXPECT_EQ(row.operations, 1 << 12) << name << ' ' << buffer;
            EXPECT_GT(row.timed.cpu_ns, 0) << name << ' ' << buffer;
            EXPECT_EQ(row.spills, 0) << name << ' ' << buffer;
            const auto figures = figure_map(row);
            EXPECT_TRUE(figures.contains("held_bytes")) << name;
            EXPECT_GE(figures.at("free_ns"), 0) << name;
        }
    }
}

TEST(utilization, holds_the_total_without_reuse) {
    const auto held = [](const std::string& strategy) {
        return figure_map(run_words(bench::run_utilization,
                                    "--total-log2 26 --active-log2 14 --block-log2 12 --buffer none "
                                    "--strategy " +
                                        strategy))
            .at("held_bytes");
    };
    // Of a block of a page, the touched byte brings the whole page.
    EXPECT_GE(held("monotonic"), 0.9 * (1 << 26));
    EXPECT_LE(held("multipool"), 0.1 * (1 << 26));
}

TEST(utilization, serves_large_blocks_from_a_large_buffer) {
    const bench::row row =
        run_words(bench::run_utilization,
                  "--total-log2 24 --active-log2 18 --block-log2 16 --strategy multipool+monotonic");
    EXPECT_EQ(row.operations, 1 << 8);
    EXPECT_EQ(row.spills, 0);
}

TEST(utilization, skips_cells_that_do_not_fit_into_memory) {
    bench::run_options options;
    const std::string line =
        "--total-log2 40 --active-log2 14 --block-log2 8 --buffer none --strategy monotonic";
    std::vector<std::string> words = bench::split_words(line);
    bench::arguments args = bench::parse_words(words);
    const bench::row row = bench::run_utilization(args, options);
    EXPECT_TRUE(row.out_of_memory);
    EXPECT_TRUE(row.figures.empty());
    ASSERT_EQ(options.notes.size(), 1U);
    EXPECT_NE(options.notes.front().find("not tried"), std::string::npos);
}

#ifdef __cpp_exceptions
TEST(utilization_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_utilization, "--strategy " + line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error("multipool --total-log2 20 --active-log2 10 --block-log2 11",
                 "--block-log2 11 is more than --active-log2 10");
    expect_error("multipool --total-log2 20 --active-log2 21 --block-log2 11",
                 "--active-log2 21 is more than --total-log2 20");
    expect_error("multipool/wink --total-log2 20 --active-log2 20 --block-log2 11",
                 "--strategy 'multipool/wink': allowed are null, new-delete");
    expect_error("multipool --total-log2 20 --active-log2 20 --block-log2 11 --final-frees no",
                 "allowed are timed, untimed");
    expect_error("multipool --active-log2 20 --block-log2 11", "--total-log2 '-1'");
}
#endif

} // namespace
