/// Plan: some hundred blocks, in this process.
///   1. the input: the blocks that a round frees, and their order
///   2. the work: each round frees as many blocks as it allocates, and each block once
///   3. the floor has a place for each block
///   4. every strategy keeps the blocks' contents
///   5. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/strategy/recording_source.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/churn/reuse_work.hpp"
#include "runner/workload/experiments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace {

using bench::error_message;
using bench::figure_map;
using bench::reuse_input;
using bench::reuse_pattern;
using bench::run_words;

bench::reuse_shape make_shape(reuse_pattern pattern, bool mixed = false) {
    return {.block_bytes = 64, .alignment = 8, .live = 101, .pattern = pattern, .mixed = mixed, .seed = 7};
}

std::vector<std::uint32_t> sorted(std::span<const std::uint32_t> places) {
    std::vector<std::uint32_t> result(places.begin(), places.end());
    std::ranges::sort(result);
    return result;
}

TEST(reuse_input, frees_all_places_in_order) {
    const reuse_input in_order(make_shape(reuse_pattern::in_order));
    const reuse_input reversed(make_shape(reuse_pattern::reversed));
    const reuse_input at_random(make_shape(reuse_pattern::at_random));
    const auto all = sorted(in_order.freed());
    ASSERT_EQ(all.size(), 101U);
    EXPECT_EQ(all.back(), 100U);
    EXPECT_TRUE(std::ranges::equal(in_order.freed(), all));
    EXPECT_TRUE(std::equal(all.rbegin(), all.rend(), reversed.freed().begin()));
    EXPECT_EQ(sorted(at_random.freed()), all);
    EXPECT_FALSE(std::ranges::equal(at_random.freed(), all));
    for (const reuse_input* input : {&in_order, &reversed, &at_random}) {
        EXPECT_TRUE(std::ranges::equal(input->refilled(), all));
    }
}

TEST(reuse_input, frees_half_of_the_places_once) {
    const reuse_input half(make_shape(reuse_pattern::half));
    const auto places = sorted(half.freed());
    EXPECT_EQ(places.size(), 51U);
    EXPECT_EQ(std::set(places.begin(), places.end()).size(), 51U);
    EXPECT_LT(places.back(), 101U);
    EXPECT_TRUE(std::ranges::equal(half.refilled(), places));
}

TEST(reuse_input, draws_mixed_sizes_up_to_the_largest) {
    const reuse_input input(make_shape(reuse_pattern::at_random, true));
    std::set<std::size_t> drawn;
    for (std::uint64_t number = 0; number != 5000; ++number) {
        drawn.insert(input.drawn_bytes(number));
    }
    EXPECT_EQ(*drawn.begin(), 16U);
    EXPECT_EQ(*drawn.rbegin(), 64U);
    EXPECT_EQ(drawn.size(), 49U);
}

template <bool Mixed>
void expect_rounds(reuse_pattern pattern) {
    const reuse_input input(make_shape(pattern, Mixed));
    bench::reuse_work<Mixed> work(input);
    bench::recording_source source;
    work.fill(source);
    EXPECT_EQ(source.allocations, 101);
    EXPECT_EQ(source.deallocations, 0);
    for (int round = 1; round <= 3; ++round) {
        work.round(source);
        EXPECT_EQ(source.deallocations, round * static_cast<int>(input.freed().size()));
        EXPECT_EQ(source.allocations, 101 + source.deallocations);
    }
    work.empty(source);
    EXPECT_EQ(source.deallocations, source.allocations);
    EXPECT_EQ(source.largest_bytes, 64U);
}

TEST(reuse_work, frees_as_many_blocks_as_it_allocates) {
    for (const auto pattern : {reuse_pattern::in_order, reuse_pattern::reversed, reuse_pattern::at_random,
                               reuse_pattern::replaced, reuse_pattern::half}) {
        expect_rounds<false>(pattern);
    }
    expect_rounds<true>(reuse_pattern::replaced);
}

TEST(null_stack, has_a_place_for_every_block) {
    const bench::reuse_shape shape = make_shape(reuse_pattern::at_random);
    std::vector<std::byte> memory(bench::null_stack::bytes(shape));
    bench::null_stack floor(memory, shape);
    std::vector<std::byte*> blocks;
    for (std::size_t i = 0; i != shape.live; ++i) {
        blocks.push_back(static_cast<std::byte*>(floor.allocate(64, 8)));
    }
    EXPECT_EQ(blocks.front(), memory.data());
    EXPECT_EQ(blocks.back() + 64, memory.data() + memory.size());
    for (std::size_t i = 1; i != shape.live; ++i) {
        EXPECT_GE(blocks[i] - blocks[i - 1], 64);
    }
    floor.deallocate(blocks[5], 64, 8);
    EXPECT_EQ(floor.allocate(64, 8), blocks[5]);
}

TEST(reuse, keeps_the_contents_under_all_strategies) {
    for (const char* sizes : {"same", "mixed"}) {
        for (const std::string pattern : {"random", "half"}) {
            std::set<std::string> checksums;
            std::size_t rows = 0;
            for (const bench::strategy& s : bench::strategies()) {
                const std::string words = "--strategy " + std::string(s.name) +
                                          " --block-bytes 48 --live 300" + " --operations 3000 --pattern " +
                                          pattern + " --sizes " + sizes;
                if (error_message(bench::run_reuse, words) == "no error") {
                    checksums.insert(run_words(bench::run_reuse, words).checksum);
                    ++rows;
                }
            }
            EXPECT_EQ(checksums.size(), 1U) << sizes << ' ' << pattern;
            EXPECT_GE(rows, 10U) << sizes << ' ' << pattern;
        }
    }
}

TEST(reuse, reports_the_times_of_pairs_and_first_blocks) {
    const bench::row row = run_words(bench::run_reuse, "--strategy multipool --live 64 --operations 1000");
    EXPECT_GE(row.operations, 1000);
    EXPECT_EQ(row.operations, row.iterations * 64);
    const auto figures = figure_map(row);
    EXPECT_GT(figures.at("pair_ns"), 0);
    EXPECT_GT(figures.at("fill_ns"), 0);
}

TEST(reuse, refuses_invalid_options) {
    const auto error_for = [](const std::string& words) { return error_message(bench::run_reuse, words); };
    EXPECT_NE(error_for("--strategy fixed-pool --sizes mixed").find("blocks of one size"), std::string::npos);
    for (const char* words : {"--strategy monotonic", "--strategy multipool --block-bytes 8",
                              "--strategy multipool --pattern sideways", "--strategy multipool --live 0"}) {
        EXPECT_NE(error_for(words), "no error") << words;
    }
}

} // namespace
