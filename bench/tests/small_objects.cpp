/// Plan: a few thousand objects, in this process.
///   1. the phases: the requests, the order of the frees, the objects of the traversal
///   2. all strategies do the same work; blocks that overlap would show in the checksum
///   3. figures: memory held, and returned if the allocator does that
///   4. the conditions: small pages are small; huge ones are requested if the system has them
///   5. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/harness/page_size.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/small_objects_measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

using bench::error_message;
using bench::figure_map;
using bench::run_words;

/// Records allocations and frees in order.
class spy {
public:
    void* allocate(std::size_t bytes, std::size_t alignment) {
        EXPECT_EQ(bytes, shape.bytes);
        EXPECT_EQ(alignment, shape.alignment);
        auto* const block = std::allocator<unsigned char>().allocate(bytes);
        allocated.push_back(block);
        return block;
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        EXPECT_EQ(bytes, shape.bytes);
        EXPECT_EQ(alignment, shape.alignment);
        freed.push_back(static_cast<unsigned char*>(p));
        std::allocator<unsigned char>().deallocate(freed.back(), bytes);
    }

    static constexpr bench::block_shape shape{12, 4};
    std::vector<unsigned char*> allocated;
    std::vector<unsigned char*> freed;
};

TEST(small_objects_phases, free_all_objects_from_the_back) {
    spy source;
    std::vector<unsigned char*> objects(300);
    bench::allocate_objects(source, spy::shape, objects);
    EXPECT_EQ(objects, source.allocated);
    EXPECT_EQ(*objects[0], 0);
    EXPECT_EQ(*objects[299], 299 - 256);
    bench::traverse_objects(objects);
    EXPECT_EQ(*objects[0], 1);
    EXPECT_EQ(*objects[299], 300 - 256);
    bench::deallocate_objects(source, spy::shape, objects);
    std::ranges::reverse(source.freed);
    EXPECT_EQ(objects, source.freed);
}

TEST(small_objects_phases, shuffle_all_pointers) {
    std::vector<unsigned char> bytes(1000);
    std::vector<unsigned char*> objects(bytes.size());
    std::iota(objects.begin(), objects.end(), bytes.data());
    const std::vector<unsigned char*> in_order = objects;
    std::vector<unsigned char*> again = objects;
    bench::shuffle_objects(objects, 7);
    bench::shuffle_objects(again, 7);
    EXPECT_EQ(objects, again);
    std::size_t moved = 0;
    for (std::size_t i = 0; i != objects.size(); ++i) {
        moved += static_cast<std::size_t>(objects[i] != in_order[i]);
    }
    EXPECT_GT(moved, 900U);
    EXPECT_TRUE(std::ranges::is_permutation(objects, in_order));
}

TEST(small_objects_phases, allocate_twice_and_free_twice) {
    spy source;
    std::vector<unsigned char*> objects(64);
    bench::run_options options;
    bench::row result;
    bench::small_objects_run run(spy::shape, objects, {}, 1, true, options);
    run(source);
    run.write(result);
    EXPECT_EQ(source.allocated.size(), 128U);
    EXPECT_EQ(source.freed.size(), 128U);
    // The first time in a shuffled order.
    EXPECT_FALSE(std::equal(source.freed.begin(), source.freed.begin() + 64, source.allocated.rend() - 64));
    EXPECT_TRUE(std::equal(source.freed.begin() + 64, source.freed.end(), source.allocated.rbegin()));
    EXPECT_EQ(result.operations, 64);
}

const std::string small = "--objects 3000 --object-bytes 20 --strategy ";

TEST(small_objects, give_equal_results_under_all_strategies) {
    const bench::row reference = run_words(bench::run_small_objects, small + "new-delete");
    ASSERT_EQ(reference.checksum.size(), 16U);
    for (const bench::strategy& s : bench::strategies()) {
        if (error_message(bench::run_small_objects, "--objects 1 --strategy " + std::string(s.name)) !=
            "no error") {
            continue;
        }
        const bench::row row = run_words(bench::run_small_objects, small + std::string(s.name));
        EXPECT_EQ(row.checksum, reference.checksum) << s.name;
        EXPECT_EQ(row.operations, 3000) << s.name;
        EXPECT_GT(row.timed.cpu_ns, 0) << s.name;
        const auto figures = figure_map(row);
        for (const char* name : {"allocate_ns", "shuffle_ns", "free_ns", "reallocate_ns", "traverse_ns",
                                 "held_bytes", "huge_bytes", "freed_bytes", "offered_bytes", "peak_bytes",
                                 "trimmed_bytes", "returned_bytes"}) {
            EXPECT_TRUE(figures.contains(name)) << s.name << ' ' << name;
        }
    }
}

TEST(small_objects, are_of_every_size_that_the_test_has) {
    for (const int bytes : {1, 4, 8, 10, 16, 20, 24, 30, 32, 40, 48, 50, 64}) {
        for (const char* name : {"null", "new-delete", "multipool", "multipool/base"}) {
            const bench::row row =
                run_words(bench::run_small_objects, "--objects 2000 --order in-order --object-bytes " +
                                                        std::to_string(bytes) + " --strategy " + name);
            EXPECT_EQ(row.operations, 2000) << name << ' ' << bytes;
            EXPECT_FALSE(figure_map(row).contains("shuffle_ns")) << name << ' ' << bytes;
        }
    }
}

TEST(small_objects, report_the_held_and_returned_memory) {
    std::vector<std::string> notes;
    bench::use_pages(bench::page_size::small, notes); // of huge ones the last is whole
    const auto figures = [](const std::string& options) {
        return figure_map(
            run_words(bench::run_small_objects, "--objects 500000 --object-bytes 16 " + options));
    };
    constexpr double bytes = 500'000.0 * 16;
    auto null = figures("--strategy null");
    EXPECT_NEAR(null["held_bytes"], bytes, bytes / 50);
    auto pool = figures("--strategy multipool");
    EXPECT_GE(pool["held_bytes"], 0.99 * bytes); // a little may have been there
    EXPECT_GE(pool["peak_bytes"], pool["held_bytes"]);
    // A multipool holds its memory until it is released; then the process has as much as before.
    EXPECT_GE(pool["trimmed_bytes"], bytes / 2);
    EXPECT_LE(pool["returned_bytes"], bytes / 4);
    // A small_object_pool returns it to the system unasked.
    auto small_pool = figures("--strategy small-object-pool");
    EXPECT_LE(small_pool["freed_bytes"], small_pool["held_bytes"] / 100 + (2 << 20));
    // A monotonic allocator takes as much again.
    EXPECT_GE(figures("--strategy monotonic")["peak_bytes"], 1.9 * bytes);
    bench::use_pages(bench::page_size::unchanged, notes);
}

#ifdef __linux__
TEST(small_objects, lie_in_huge_pages_only_on_request) {
    bench::run_options options;
    bench::use_pages(bench::page_size::small, options.notes);
    auto small_pool =
        figure_map(run_words(bench::run_small_objects, "--objects 1000000 --strategy multipool"));
    EXPECT_LE(small_pool["huge_bytes"], 0);
    // Keeps these tests from being executed again.
    setenv("MALLARD_BENCH_HUGE_PAGES", "1", 1);
    bench::use_pages(bench::page_size::huge, options.notes);
    std::vector<std::string> words = bench::split_words("--objects 1000000 --strategy multipool");
    bench::arguments args = bench::parse_words(words);
    const bench::row row = bench::run_small_objects(args, options);
    auto huge_pages = figure_map(row);
    // A system without huge pages leads to a note.
    EXPECT_TRUE(huge_pages["huge_bytes"] >= 8'000'000 ||
                std::ranges::any_of(options.notes, [](const std::string& note) {
                    return note.find("huge pages") != std::string::npos;
                }));
    unsetenv("MALLARD_BENCH_HUGE_PAGES");
    bench::use_pages(bench::page_size::unchanged, options.notes);
}
#endif

#ifdef __cpp_exceptions
TEST(small_objects_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_small_objects, line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error("--strategy multipool/wink", "--strategy 'multipool/wink': allowed are null, new-delete");
    expect_error("--strategy multipool --object-bytes 0", "from 1 to 1024");
    expect_error("--strategy multipool --objects 0", "--objects '0'");
    expect_error("--strategy multipool --order reverse", "allowed are shuffled, in-order");
    expect_error("--strategy multipool --size 3", "unknown option --size");
}
#endif

} // namespace
