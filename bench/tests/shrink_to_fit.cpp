/// Plan: vectors of some hundred elements, in this process; one of some megabytes for the memory.
///   1. every strategy ends with the same elements, of either type
///   2. a strategy that shrinks in place copies nothing; one that copies does it each time
///   3. memory that was shrunk away is given back
///   4. the article's defaults, but smaller if copying would take too long
///   5. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/experiments.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using bench::error_message;
using bench::figure_map;
using bench::run_words;

bool is_offered(const bench::strategy& s, const std::string& type) {
    return error_message(bench::run_shrink_to_fit, "--elements 2 --step 1 --iterations 1 --type " + type +
                                                       " --strategy " + std::string(s.name)) == "no error";
}

TEST(shrink_to_fit, gives_equal_results_under_all_strategies) {
    for (const std::string type : {"int", "myint"}) {
        const std::string line = "--elements 500 --iterations 2 --type " + type + " --strategy ";
        const bench::row reference = run_words(bench::run_shrink_to_fit, line + "new-delete");
        ASSERT_EQ(reference.checksum.size(), 16U);
        for (const bench::strategy& s : bench::strategies()) {
            if (!is_offered(s, type)) {
                continue;
            }
            SCOPED_TRACE(s.name);
            const bench::row row = run_words(bench::run_shrink_to_fit, line + std::string(s.name));
            EXPECT_EQ(row.checksum, reference.checksum);
            EXPECT_EQ(row.operations, 200);
            EXPECT_EQ(row.allocations, row.deallocations);
            const auto figures = figure_map(row);
            for (const char* name :
                 {"shrink_ns", "shrinks", "held_bytes", "half_bytes", "left_bytes", "returned_bytes"}) {
                EXPECT_TRUE(figures.contains(name)) << name;
            }
        }
    }
}

TEST(shrink_to_fit, shrinks_in_place_or_by_copies) {
    for (const bench::strategy& s : bench::strategies()) {
        if (!is_offered(s, "int") || s.mechanism == bench::mechanism_kind::null) {
            continue;
        }
        SCOPED_TRACE(s.name);
        auto figures = figure_map(run_words(
            bench::run_shrink_to_fit, "--elements 2000 --iterations 1 --strategy " + std::string(s.name)));
        if (s.version == bench::vector_version::second) {
            EXPECT_EQ(figures["allocations"], 1);
            EXPECT_GE(figures["shrinks"], 100); // shrinks by less than the rounding of blocks do not count
        } else if (s.mechanism != bench::mechanism_kind::c_realloc) {
            EXPECT_EQ(figures["allocations"], 400);
            EXPECT_EQ(figures["shrinks"], 0);
        }
    }
}

TEST(shrink_to_fit, reports_the_returned_memory) {
    constexpr double bytes = 4e6 * sizeof(int);
    const auto figures = [](const std::string& name) {
        return figure_map(run_words(bench::run_shrink_to_fit,
                                    "--elements 4000000 --step 400000 --iterations 1 --strategy " + name));
    };
    auto floor = figures("null");
    EXPECT_LE(floor["returned_bytes"], 0.1 * bytes);
    if (!bench::find_library(bench::library_kind::boost_container)->built) {
        GTEST_SKIP() << "the vectors that shrink in place are Boost's";
    }
    auto heap = figures("heap-v2");
    EXPECT_GE(heap["held_bytes"], 0.95 * bytes);
    EXPECT_LE(heap["half_bytes"], 0.6 * bytes);
    EXPECT_GE(heap["returned_bytes"], 0.8 * bytes);
    EXPECT_NEAR(heap["held_bytes"] - heap["left_bytes"], heap["returned_bytes"], 1);
}

TEST(shrink_to_fit, uses_the_steps_of_the_article) {
    const auto shrinks = [](const std::string& elements) {
        const bench::row row =
            run_words(bench::run_shrink_to_fit, "--iterations 1 --strategy null --elements " + elements);
        return row.operations;
    };
    EXPECT_EQ(shrinks("10"), 2);
    EXPECT_EQ(shrinks("100000"), 20000);
    EXPECT_EQ(shrinks("1000000"), 500);
    EXPECT_EQ(shrinks("10000000"), 100);
    EXPECT_EQ(run_words(bench::run_shrink_to_fit, "--strategy null --elements 10000").iterations, 200);
}

#ifdef __cpp_exceptions
TEST(shrink_to_fit_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_shrink_to_fit, line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error("--strategy new-delete", "--elements '-1'");
    expect_error("--strategy new-delete --elements 12", "allowed are multiples of --step 5");
    expect_error("--strategy multipool --elements 10",
                 "--strategy 'multipool': allowed are null, new-delete");
    expect_error("--strategy realloc --elements 10 --type myint", "moves elements as bytes");
}
#endif

} // namespace
