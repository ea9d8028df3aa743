/// Plan: every strategy, small, in this process; block_loops.cpp tests the loops in detail.
///   1. the row counts the allocations, under every strategy and buffer
///   2. figures; the final frees count as part of the time, or do not
///   3. a cell that memory cannot hold is not tried
///   4. options that make no sense are refused with a reason
#include "bench/workload/utilization.hpp"

#include "run_words.hpp"

#include <gtest/gtest.h>

namespace {

using bench::complaint;
using bench::figures_of;
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
            const auto figures = figures_of(row);
            EXPECT_TRUE(figures.contains("held_bytes")) << name;
            EXPECT_GE(figures.at("free_ns"), 0) << name;
        }
    }
}

TEST(utilization, holds_the_total_where_nothing_is_used_again) {
    const auto held = [](const std::string& strategy) {
        return figures_of(run_words(bench::run_utilization,
                                    "--total-log2 26 --active-log2 14 --block-log2 12 --buffer none "
                                    "--strategy " +
                                        strategy))
            .at("held_bytes");
    };
    // Of a block of a page, the touched byte brings the whole page.
    EXPECT_GE(held("monotonic"), 0.9 * (1 << 26));
    EXPECT_LE(held("multipool"), 0.1 * (1 << 26));
}

TEST(utilization, serves_blocks_above_the_pooled_sizes_from_a_buffer_that_is_large_enough) {
    const bench::row row =
        run_words(bench::run_utilization,
                  "--total-log2 24 --active-log2 18 --block-log2 16 --strategy multipool+monotonic");
    EXPECT_EQ(row.operations, 1 << 8);
    EXPECT_EQ(row.spills, 0);
}

TEST(utilization, does_not_try_what_memory_cannot_hold) {
    bench::run_options options;
    const std::string line =
        "--total-log2 40 --active-log2 14 --block-log2 8 --buffer none --strategy monotonic";
    std::vector<std::string> words = bench::words_of(line);
    bench::arguments given = bench::arguments_of(words);
    const bench::row row = bench::run_utilization(given, options);
    EXPECT_TRUE(row.out_of_memory);
    EXPECT_TRUE(row.figures.empty());
    ASSERT_EQ(options.notes.size(), 1U);
    EXPECT_NE(options.notes.front().find("not tried"), std::string::npos);
}

#ifdef __cpp_exceptions
TEST(utilization_usage, explains_what_makes_no_sense) {
    const auto says = [](const std::string& line, const std::string& what) {
        const std::string message = complaint(bench::run_utilization, "--strategy " + line);
        EXPECT_NE(message.find(what), std::string::npos) << line << ": " << message;
    };
    says("multipool --total-log2 20 --active-log2 10 --block-log2 11",
         "--block-log2 11 is more than --active-log2 10");
    says("multipool --total-log2 20 --active-log2 21 --block-log2 11",
         "--active-log2 21 is more than --total-log2 20");
    says("multipool/wink --total-log2 20 --active-log2 20 --block-log2 11",
         "--strategy 'multipool/wink': allowed are null, new-delete");
    says("multipool --total-log2 20 --active-log2 20 --block-log2 11 --final-frees no",
         "allowed are timed, untimed");
    says("multipool --active-log2 20 --block-log2 11", "--total-log2 '-1'");
}
#endif

} // namespace
