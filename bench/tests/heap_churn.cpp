/// Plan: some hundred blocks, in this process.
///   1. the input: sizes are in their bounds, and the live bytes are known beforehand
///   2. the work: each step ends one block and begins another; everything is freed at the end
///   3. the floor has a place for each block
///   4. every strategy keeps the blocks' contents
///   5. figures: live and held bytes, over time
///   6. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/strategy/recording_source.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/churn/churn_work.hpp"
#include "runner/workload/experiments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace {

using bench::churn_input;
using bench::error_message;
using bench::figure_map;
using bench::run_words;

constexpr bench::churn_shape shape{.live = 100, .least_bytes = 16, .most_bytes = 64, .seed = 7};

TEST(churn_input, tracks_the_live_bytes) {
    churn_input input(shape);
    const auto first = input.draw_first();
    std::vector<std::size_t> sizes(first.begin(), first.end());
    const auto sum = [&sizes] { return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}); };
    ASSERT_EQ(sizes.size(), 100U);
    EXPECT_EQ(input.live_bytes(), sum());
    std::size_t peak = sum();
    std::size_t smallest = SIZE_MAX;
    std::size_t largest = 0;
    for (std::size_t done = 0; done != 50'000;) {
        const auto steps = input.draw(50'000 - done);
        ASSERT_FALSE(steps.empty());
        for (const bench::churn_step& step : steps) {
            ASSERT_LT(step.place, 100U);
            sizes[step.place] = step.bytes;
            smallest = std::min<std::size_t>(smallest, step.bytes);
            largest = std::max<std::size_t>(largest, step.bytes);
            peak = std::max(peak, sum());
        }
        done += steps.size();
    }
    EXPECT_EQ(input.live_bytes(), sum());
    EXPECT_EQ(input.peak_live_bytes(), peak);
    EXPECT_EQ(smallest, 16U);
    EXPECT_EQ(largest, 64U);
}

TEST(churn_work, replaces_one_block_in_each_step) {
    churn_input input(shape);
    std::vector<bench::live_block> blocks(shape.live);
    bench::churn_work work(input, blocks);
    bench::recording_source source;
    work.fill(source);
    EXPECT_EQ(source.allocations, 100);
    const bench::cost taken = work.churn(source, 40'000);
    EXPECT_GT(taken.wall_ns, 0);
    EXPECT_EQ(source.allocations, 40'100);
    EXPECT_EQ(source.deallocations, 40'000);
    EXPECT_EQ(source.largest_bytes, 64U);
    work.empty(source);
    EXPECT_EQ(source.deallocations, 40'100);
}

TEST(null_places, are_disjoint_and_reused) {
    std::vector<std::byte> memory(bench::null_places::bytes(shape));
    bench::null_places floor(memory, shape);
    std::vector<std::byte*> blocks;
    for (std::size_t i = 0; i != shape.live; ++i) {
        blocks.push_back(static_cast<std::byte*>(floor.allocate(16, 16)));
        ASSERT_LE(blocks.back() + shape.most_bytes, memory.data() + memory.size());
        if (i != 0) {
            ASSERT_GE(blocks[i] - blocks[i - 1], static_cast<std::ptrdiff_t>(shape.most_bytes));
        }
    }
    floor.deallocate(blocks[40], 16, 16);
    EXPECT_EQ(floor.allocate(64, 16), blocks[40]);
}

TEST(heap_churn, keeps_the_contents_under_every_strategy) {
    const std::string line = "--operations 5000 --live 200 --most-bytes 700 --strategy ";
    const bench::row reference = run_words(bench::run_heap_churn, line + "new-delete");
    ASSERT_EQ(reference.checksum.size(), 16U);
    int offered = 0;
    for (const bench::strategy& s : bench::strategies()) {
        if (error_message(bench::run_heap_churn,
                          "--operations 10 --live 1 --strategy " + std::string(s.name)) != "no error") {
            continue;
        }
        ++offered;
        SCOPED_TRACE(s.name);
        const bench::row row = run_words(bench::run_heap_churn, line + std::string(s.name));
        EXPECT_FALSE(row.out_of_memory);
        EXPECT_EQ(row.checksum, reference.checksum);
        EXPECT_EQ(row.operations, 5000);
        auto figures = figure_map(row);
        EXPECT_EQ(figures["peak_live_bytes"], figure_map(reference)["peak_live_bytes"]);
        EXPECT_TRUE(figures.contains("pair_ns"));
        EXPECT_TRUE(figures.contains("fill_ns"));
        const bool holds = s.mechanism != bench::mechanism_kind::null;
        for (const char* name : {"peak_held_bytes", "fragmentation", "overhead_bytes", "trimmed_bytes"}) {
            EXPECT_EQ(figures.contains(name), holds) << name;
        }
        for (int tenth = 1; tenth <= 10; ++tenth) {
            EXPECT_EQ(figures.contains("fragmentation_" + std::to_string(10 * tenth)), holds) << tenth;
        }
    }
    EXPECT_GE(offered, 10);
}

TEST(heap_churn, reports_held_bytes_relative_to_live_bytes) {
    auto figures = figure_map(run_words(
        bench::run_heap_churn,
        "--operations 100000 --live 20000 --least-bytes 1000 --most-bytes 1000 --strategy new-delete"));
    EXPECT_EQ(figures["peak_live_bytes"], 2e7);
    // The tests before this one may have left some memory in the process, which this one reuses.
    EXPECT_GE(figures["peak_held_bytes"], 1.8e7);
    EXPECT_NEAR(figures["fragmentation"], figures["peak_held_bytes"] / 2e7, 1e-9);
    EXPECT_LE(figures["fragmentation"], 1.5);
    EXPECT_GE(figures["fragmentation_10"], 0.9);
    EXPECT_GE(figures["fragmentation_100"], 0.9);
    EXPECT_LE(figures["trimmed_bytes"], 1e7);
}

#ifdef __cpp_exceptions
TEST(heap_churn_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_heap_churn, line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error("--strategy monotonic", "--strategy 'monotonic': allowed are null, new-delete");
    expect_error("--strategy new-delete --operations 3", "--operations '3'");
    expect_error("--strategy new-delete --least-bytes 100 --most-bytes 50",
                 "no block could have such a size");
}
#endif

} // namespace
