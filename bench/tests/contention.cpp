/// Plan: every strategy with one thread and with several; block_loops.cpp tests the loops.
///   1. a team begins together, and its times are those of its members
///   2. the row counts the pairs of one thread, and has a figure for each of three
///   3. memory that runs out, in a thread or before one starts
///   4. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/harness/thread_team.hpp"
#include "runner/workload/experiments.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace {

using bench::error_message;
using bench::figure_map;
using bench::run_words;

TEST(thread_team, begins_when_all_are_prepared) {
    constexpr std::size_t threads = 4;
    std::atomic<std::size_t> prepared = 0;
    std::atomic<std::size_t> early = 0;
    std::atomic<std::size_t> worked = 0;
    const bench::team_result result = bench::run_team(
        threads, [&](std::size_t) { ++prepared; },
        [&](std::size_t i) {
            early += static_cast<std::size_t>(prepared != threads);
            worked += i;
        });
    EXPECT_EQ(early, 0U);
    EXPECT_EQ(worked, 0U + 1 + 2 + 3);
    EXPECT_LE(result.fastest_ns, result.slowest_ns);
    EXPECT_LE(result.slowest_ns, result.timed.wall_ns);
}

TEST(thread_team, reports_a_thread_without_memory) {
    const auto nothing = [](std::size_t) {};
    const auto fail_in_one = [](std::size_t i) {
        if (i == 1) {
            throw std::bad_alloc();
        }
    };
    EXPECT_THROW(static_cast<void>(bench::run_team(2, nothing, fail_in_one)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(bench::run_team(2, fail_in_one, nothing)), std::bad_alloc);
}

constexpr const char* names[] = {"new-delete",
                                 "new-delete/base",
                                 "monotonic",
                                 "monotonic/base",
                                 "multipool",
                                 "multipool/base",
                                 "multipool+monotonic",
                                 "multipool+monotonic/base",
                                 "synchronized-multipool",
                                 "concurrent-multipool"};

TEST(contention, counts_the_pairs_of_one_thread) {
    for (const char* name : names) {
        for (const char* threads : {"1", "3"}) {
            for (const char* buffer : {"static", "none"}) {
                const bench::row row = run_words(
                    bench::run_contention, std::string("--iterations-log2 8 --multiplier 5 --threads ") +
                                               threads + " --buffer " + buffer + " --strategy " + name);
                EXPECT_EQ(row.operations, 5 << 8) << name;
                EXPECT_EQ(row.iterations, 5) << name;
                EXPECT_GT(row.timed.wall_ns, 0) << name;
                const auto figures = figure_map(row);
                EXPECT_EQ(figures.size(), 3U) << name;
                EXPECT_GT(figures.at("cpu_ns_per_pair"), 0) << name;
                EXPECT_LE(figures.at("fastest_ns"), figures.at("slowest_ns")) << name;
            }
        }
    }
}

TEST(contention, lets_neighbours_free_blocks_of_shared_allocators) {
    for (const char* name :
         {"new-delete", "new-delete/base", "synchronized-multipool", "concurrent-multipool"}) {
        const bench::row row = run_words(
            bench::run_contention,
            std::string("--iterations-log2 8 --multiplier 5 --threads 3 --freed-by other --strategy ") +
                name);
        EXPECT_EQ(row.operations, 5 << 8) << name;
        EXPECT_FALSE(row.out_of_memory) << name;
    }
}

TEST(contention, skips_cells_that_do_not_fit_into_memory) {
    const bench::row row = run_words(bench::run_contention,
                                     "--iterations-log2 30 --block-log2 20 --threads 2 --strategy monotonic");
    EXPECT_TRUE(row.out_of_memory);
}

#ifdef __cpp_exceptions
TEST(contention_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_contention, "--strategy " + line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error("new-delete --threads 1 --freed-by other", "there is no other thread");
    expect_error("multipool --threads 2 --freed-by other", "another thread may not use a private allocator");
    expect_error("multipool --threads 0", "from 1 to 256");
    expect_error("multipool/wink --threads 1", "--strategy 'multipool/wink': allowed are new-delete");
    expect_error("multipool --threads 1 --block-log2 3", "from 4 to 30");
    expect_error("multipool --threads 1 --multiplier 0", "from 1 to 1000000");
    bench::run_options pinned;
    pinned.pinned_cpu = 0;
    std::vector<std::string> words = bench::split_words("--strategy new-delete --threads 2");
    bench::arguments args = bench::parse_words(words);
    EXPECT_THROW(static_cast<void>(bench::run_contention(args, pinned)), bench::usage_error);
}
#endif

} // namespace
