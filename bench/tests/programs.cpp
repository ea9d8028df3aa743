/// Plan: the programs at their small size, in this process.
///   1. every strategy in every program that it fits gets the same results
///   2. a program requests memory, and frees what it does not keep
///   3. inputs depend on the seed only, and no malloc serves them
///   4. the heap has the history of its age
///   5. invalid options are refused with a reason
#include "runner/workload/programs/programs.hpp"

#include "run_words.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/experiments.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

using bench::error_message;
using bench::figure_map;
using bench::run_words;

/// Bytes that malloc serves at present; 0 where the C library does not say so.
std::size_t allocated_by_malloc() {
#if defined(__GLIBC__)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

std::size_t free_chunks_of_malloc() {
#if defined(__GLIBC__)
    return mallinfo2().ordblks + mallinfo2().smblks;
#else
    return 0;
#endif
}

class programs : public testing::TestWithParam<const char*> {
protected:
    static std::string line(std::string_view strategy) {
        return "--program " + std::string(GetParam()) + " --size small --operations 1 --strategy " +
               std::string(strategy);
    }
};

constexpr const char* names[] = {"json",      "compiler", "requests", "interner", "cache",
                                 "index",     "graph",    "orders",   "entities", "k-d-tree",
                                 "documents", "sessions", "modules",  "world"};
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

TEST_P(programs, refuse_one_pool_for_all_parts) {
    const bool is_in_parts =
        std::string_view(GetParam()) == "documents" || std::string_view(GetParam()) == "sessions" ||
        std::string_view(GetParam()) == "modules" || std::string_view(GetParam()) == "world";
    EXPECT_EQ(
        error_message(bench::run_programs, line("multipool-tidied")),
        is_in_parts
            ? "--program " + std::string(GetParam()) +
                  " has an allocator for each of its parts, and --strategy multipool-tidied is one pool "
                  "for all: give multipool"
            : "no error");
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
    const std::string program = GetParam();
    const bool reuses =
        program == "cache" || program == "graph" || program == "orders" || program == "entities";
    const bool is_in_parts = program == "documents" || program == "sessions" || program == "modules" ||
                             program == "world"; // an allocator for each part, if it is bound by type
    const std::string refusal = "--program " + program +
                                " frees much while it works, and --strategy %s reuses nothing: give a "
                                "strategy that does, such as multipool";
    const auto refused = [&refusal](std::string strategy) {
        return std::string(refusal).replace(refusal.find("%s"), 2, strategy);
    };
    EXPECT_EQ(error_message(bench::run_programs, line("monotonic")),
              reuses ? refused("monotonic") : "no error");
    EXPECT_EQ(error_message(bench::run_programs, line("monotonic/base")),
              reuses || is_in_parts ? refused("monotonic/base") : "no error");
}

TEST(program_inputs, depend_on_the_seed_only) {
    bench::mapped_memory memory;
    EXPECT_EQ(bench::draw_json(20, 1, memory), bench::draw_json(20, 1, memory));
    EXPECT_NE(bench::draw_json(20, 1, memory), bench::draw_json(20, 2, memory));
    EXPECT_EQ(bench::draw_source(20, 1, memory), bench::draw_source(20, 1, memory));
    EXPECT_NE(bench::draw_source(20, 1, memory), bench::draw_source(20, 2, memory));
    const bench::word_stream words = bench::draw_words(100, 10'000, 1, memory);
    EXPECT_EQ(words.words, bench::draw_words(100, 10'000, 1, memory).words);
    std::size_t most_frequent = 0;
    for (const std::uint32_t word : words.words) {
        ASSERT_LT(word, 100U);
        most_frequent += static_cast<std::size_t>(word == 0);
    }
    EXPECT_GT(most_frequent, 1000U) << "few words are frequent, as in text";
}

TEST(program_inputs, lie_in_mappings_of_their_own) {
    const std::size_t before = allocated_by_malloc();
    const bench::json_input json(bench::program_size::small, 1);
    const bench::compiler_input compiler(bench::program_size::small, 1);
    const bench::request_input requests(bench::program_size::small, 1);
    const bench::interner_input interner(bench::program_size::small, 1);
    const bench::spatial_input spatial(bench::program_size::small, 1);
    EXPECT_EQ(allocated_by_malloc(), before);
    EXPECT_GT(json.text.size() + compiler.text.size(), 50'000U);
    EXPECT_EQ(requests.texts.size(), 256U);
    EXPECT_EQ(interner.stream.vocabulary.size(), 2500U);
    EXPECT_EQ(spatial.points.size(), 4000U);
}

TEST(program_heap, has_its_history_in_the_pool_of_the_process) {
    const std::string words = "--program json --size small --operations 1 --strategy multipool";
    bench::row young = run_words(bench::run_programs, words);
    const std::size_t free_chunks = free_chunks_of_malloc();
    for (const char* pool : {"-aged", "-tidied"}) {
        bench::row aged = run_words(bench::run_programs, words + pool + " --age old,peak=4M");
        EXPECT_EQ(aged.checksum, young.checksum);
        EXPECT_NEAR(figure_map(aged)["history_live_bytes"], 0.4 * (4 << 20), 0.2 * (4 << 20));
        EXPECT_EQ(figure_map(aged).contains("tidy_ns"), pool == std::string_view("-tidied"));
    }
    constexpr std::size_t few = 1000;
    EXPECT_LT(free_chunks_of_malloc(), free_chunks + few);
    static_cast<void>(run_words(bench::run_programs,
                                "--program json --size small --operations 1 --strategy new-delete "
                                "--age old,peak=4M"));
    if (allocated_by_malloc() != 0) { // malloc is that of the C library
        EXPECT_GT(free_chunks_of_malloc(), free_chunks + few) << "the heap of malloc has the history";
    }
}

TEST(program_heap, has_a_history_before_the_clock_starts) {
    const std::string words = "--program json --size small --operations 1 --strategy new-delete";
    bench::row young = run_words(bench::run_programs, words);
    bench::row aged = run_words(bench::run_programs, words + " --age old,peak=4M");
    EXPECT_EQ(aged.checksum, young.checksum);
    EXPECT_FALSE(figure_map(young).contains("history_live_bytes"));
    EXPECT_NEAR(figure_map(aged)["history_live_bytes"], 0.4 * (4 << 20), 0.2 * (4 << 20));
    EXPECT_GT(figure_map(aged)["history_pages_ratio"], 1.0);
}

TEST(programs_usage, refuses_invalid_options) {
    EXPECT_EQ(error_message(bench::run_programs, "--program html --size small --strategy multipool"),
              "--program 'html': allowed are json, compiler, requests, interner, cache, index, graph, "
              "orders, entities, k-d-tree, documents, sessions, modules, world");
    EXPECT_NE(error_message(bench::run_programs, "--program json --size huge --strategy multipool")
                  .find("small, large"),
              std::string::npos);
    EXPECT_NE(
        error_message(bench::run_programs, "--program json --size small --strategy multipool --age ancient")
            .find("--age ancient: 'ancient' is wrong; allowed are young, used or old"),
        std::string::npos);
    EXPECT_NE(error_message(bench::run_programs, "--program json --size small --strategy null")
                  .find("allowed are new-delete"),
              std::string::npos);
}

} // namespace
