/// Plan: the programs at their small size, in this process.
///   1. every strategy in every program that it fits gets the same results
///   2. a program requests memory, and frees what it does not keep
///   3. inputs depend on the seed only
///   4. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/programs/input.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using bench::error_message;
using bench::figure_map;
using bench::run_words;

class programs : public testing::TestWithParam<const char*> {
protected:
    static std::string line(std::string_view strategy) {
        return "--program " + std::string(GetParam()) + " --size small --operations 1 --strategy " +
               std::string(strategy);
    }
};

constexpr const char* names[] = {"json",  "compiler", "requests", "interner", "cache",
                                 "index", "graph",    "orders",   "entities", "k-d-tree"};
INSTANTIATE_TEST_SUITE_P(all, programs, testing::ValuesIn(names), [](const auto& instance) {
    std::string name = instance.param;
    std::erase(name, '-');
    return name;
});

TEST_P(programs, give_equal_results_under_every_strategy) {
    const bench::row reference = run_words(bench::run_programs, line("new-delete"));
    ASSERT_EQ(reference.checksum.size(), 16U);
    ASSERT_EQ(reference.iterations, 1);
    int offered = 0;
    for (const bench::strategy& s : bench::strategies()) {
        SCOPED_TRACE(s.name);
        bench::row row;
        try {
            row = run_words(bench::run_programs, line(s.name));
        } catch (const bench::usage_error&) {
            continue;
        }
        ++offered;
        EXPECT_FALSE(row.out_of_memory);
        EXPECT_EQ(row.checksum, reference.checksum);
        EXPECT_EQ(row.operations, reference.operations);
        EXPECT_TRUE(figure_map(row).contains("peak_held_bytes"));
    }
    EXPECT_GE(offered, 12);
}

TEST_P(programs, count_their_requests) {
    const bench::row row = run_words(bench::run_programs, line("multipool"));
    EXPECT_GT(row.allocations, 10);
    EXPECT_EQ(row.allocations, row.deallocations) << "destructors free everything";
    auto figures = figure_map(row);
    EXPECT_GT(figures["peak_live_bytes"], 1000);
    EXPECT_LT(figures["peak_live_bytes"], 1 << 20) << "small programs fit into a second-level cache";
}

TEST_P(programs, refuse_allocators_that_reuse_nothing) {
    const std::string error = error_message(bench::run_programs, line("monotonic"));
    const std::string program = GetParam();
    const bool reuses =
        program == "cache" || program == "graph" || program == "orders" || program == "entities";
    if (reuses) {
        EXPECT_EQ(
            error,
            "--program " + program +
                " frees much while it works, and --strategy monotonic reuses nothing: give a strategy that "
                "does, such as multipool");
    } else {
        EXPECT_EQ(error, "no error");
    }
}

TEST(program_inputs, depend_on_the_seed_only) {
    EXPECT_EQ(bench::draw_json(20, 1), bench::draw_json(20, 1));
    EXPECT_NE(bench::draw_json(20, 1), bench::draw_json(20, 2));
    EXPECT_EQ(bench::draw_source(20, 1), bench::draw_source(20, 1));
    EXPECT_NE(bench::draw_source(20, 1), bench::draw_source(20, 2));
    const bench::word_stream words = bench::draw_words(100, 10'000, 1);
    EXPECT_EQ(words.words, bench::draw_words(100, 10'000, 1).words);
    std::size_t most_frequent = 0;
    for (const std::uint32_t word : words.words) {
        ASSERT_LT(word, 100U);
        most_frequent += static_cast<std::size_t>(word == 0);
    }
    EXPECT_GT(most_frequent, 1000U) << "few words are frequent, as in text";
}

TEST(programs_usage, refuses_invalid_options) {
    EXPECT_EQ(error_message(bench::run_programs, "--program html --size small --strategy multipool"),
              "--program 'html': allowed are json, compiler, requests, interner, cache, index, graph, "
              "orders, entities, "
              "k-d-tree");
    EXPECT_NE(error_message(bench::run_programs, "--program json --size huge --strategy multipool")
                  .find("small, large"),
              std::string::npos);
    EXPECT_NE(error_message(bench::run_programs, "--program json --size small --strategy null")
                  .find("allowed are new-delete"),
              std::string::npos);
}

} // namespace
