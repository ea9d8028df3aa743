/// Plan: short runs in this process.
///   1. all strategies do the same work, which each parameter of the structure changes
///   2. requests and operations follow from the parameters
///   3. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/workload/experiments.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace {

using bench::error_message;
using bench::run_words;

constexpr std::int64_t blocks = 256 * 128;

bench::row run(const std::string& line, std::int64_t seed = 1) {
    bench::run_options options;
    options.seed = seed;
    return run_words(bench::run_dimensions, "--operations 1 --strategy " + line, options);
}

TEST(dimensions, give_equal_results_under_all_strategies) {
    for (const char* parameters : {"", " --accesses 0", " --threads 2", " --sizes 16 --generations 3"}) {
        const bench::row reference = run("new-delete" + std::string(parameters));
        ASSERT_EQ(reference.checksum.size(), 16U);
        for (const char* name : {"monotonic", "multipool", "multipool+monotonic"}) {
            const bench::row row = run(name + std::string(parameters));
            EXPECT_EQ(row.checksum, reference.checksum) << name << parameters;
            EXPECT_EQ(row.operations, reference.operations) << name << parameters;
            EXPECT_GT(row.timed.wall_ns, 0) << name << parameters;
            EXPECT_FALSE(row.out_of_memory) << name << parameters;
        }
    }
}

TEST(dimensions, change_the_work) {
    const std::string plain = "multipool --accesses 4 --sizes 2 --traversals 2";
    std::set<std::string> sums{run(plain).checksum, run(plain, 2).checksum};
    sums.insert(run("multipool --accesses 8 --sizes 2 --traversals 2").checksum);
    sums.insert(run("multipool --accesses 4 --sizes 3 --traversals 2").checksum);
    EXPECT_EQ(sums.size(), 4U);
    // Of one size only the blocks' accesses count, whatever the order of these.
    const std::string even = "multipool --accesses 4 --sizes 1 --traversals ";
    EXPECT_EQ(run(even + "1").checksum, run(even + "4").checksum);
    EXPECT_EQ(run(even + "1").checksum, run(even + "1 --generations 2").checksum);
}

TEST(dimensions, follow_from_the_parameters) {
    for (const std::int64_t generations : {1, 3}) {
        const bench::row row = run("monotonic --generations " + std::to_string(generations));
        EXPECT_EQ(row.allocations, blocks * generations);
        EXPECT_EQ(row.deallocations, blocks * generations);
        EXPECT_EQ(row.operations, blocks * generations);
        EXPECT_EQ(row.iterations, 1);
    }
    const bench::row lives =
        run_words(bench::run_dimensions, "--operations 200000 --generations 2 --strategy multipool");
    EXPECT_EQ(lives.iterations, 3);
    EXPECT_EQ(lives.operations, 3 * 2 * blocks);
}

TEST(dimensions, skip_cells_that_do_not_fit_into_memory) {
    EXPECT_TRUE(run("monotonic --threads 256 --generations 4096 --accesses 0").out_of_memory);
}

#ifdef __cpp_exceptions
TEST(dimensions_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_dimensions, "--strategy " + line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error("heap",
                 "--strategy 'heap': allowed are new-delete, monotonic, multipool, multipool+monotonic");
    expect_error("multipool --traversals 3", "--traversals 3: allowed are divisors of --accesses 16");
    expect_error("multipool --sizes 17", "from 1 to 16");
    expect_error("multipool --threads 0", "from 1 to 256");
    expect_error("multipool --colour red", "--colour");
    bench::run_options pinned;
    pinned.pinned_cpu = 0;
    std::vector<std::string> words = bench::split_words("--strategy new-delete --threads 2");
    bench::arguments args = bench::parse_words(words);
    EXPECT_THROW(static_cast<void>(bench::run_dimensions(args, pinned)), bench::usage_error);
}
#endif

} // namespace
