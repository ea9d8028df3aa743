/// Plan: vectors of some hundred elements, in this process.
///   1. the counting source counts requests, and the bytes that are out at a time
///   2. the runner's own vectors are vectors
///   3. every strategy makes the same vectors, of either type
///   4. figures: the ways in which strategies expand, and the copies that this saves
///   5. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/growth/own_vectors.hpp"
#include "runner/workload/request_counter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace {

using bench::error_message;
using bench::figure_map;
using bench::request_counter;
using bench::run_words;

using counted_vector = std::vector<int, bench::counted_allocator<std::allocator<int>>>;

TEST(request_counter, counts_the_requests_of_a_vector) {
    request_counter counter;
    {
        counted_vector vector(bench::counted_allocator<std::allocator<int>>({}, counter));
        vector.reserve(10);
        EXPECT_EQ(counter.live_bytes, 40U);
        vector.reserve(100);
        EXPECT_EQ(counter.allocations, 2);
        EXPECT_EQ(counter.deallocations, 1);
        EXPECT_EQ(counter.live_bytes, 400U);
        EXPECT_EQ(counter.peak_live_bytes, 440U);
    }
    EXPECT_EQ(counter.deallocations, 2);
    EXPECT_EQ(counter.live_bytes, 0U);
    EXPECT_EQ(counter.expansions_forward + counter.expansions_backward + counter.shrinks, 0);
}

/// An allocator of version 2 with scripted results.
struct scripted_allocator {
    using value_type = int;

    [[nodiscard]] static int* allocate(std::size_t) { return nullptr; }
    static void deallocate(int*, std::size_t) noexcept {}

    int* allocation_command(unsigned, std::size_t, std::size_t& size, int*& reuse) const {
        size = *received;
        if (*fresh) {
            reuse = nullptr;
        }
        return *result;
    }

    std::size_t* received;
    bool* fresh;
    int** result;
};

TEST(request_counter, distinguishes_the_results_of_version_2) {
    std::array<int, 64> memory{};
    std::size_t received = 8;
    bool fresh = true;
    int* result = memory.data() + 16;
    request_counter counter;
    bench::counted_allocator<scripted_allocator> allocator({&received, &fresh, &result}, counter);
    int* reuse = nullptr;
    std::size_t size = 7;
    const auto request = [&](unsigned command) {
        return allocator.allocation_command(command, 7, size, reuse);
    };

    EXPECT_EQ(request(0x07), result);
    EXPECT_EQ(size, 8U);
    EXPECT_EQ(counter.allocations, 1);
    EXPECT_EQ(counter.live_bytes, 32U);

    fresh = false;
    reuse = result;
    received = 10;
    EXPECT_EQ(request(0x02), result);
    EXPECT_EQ(counter.expansions_forward, 1);
    EXPECT_EQ(counter.live_bytes, 40U);

    result = memory.data();
    received = 26;
    EXPECT_EQ(request(0x04), result);
    EXPECT_EQ(counter.expansions_backward, 1);
    EXPECT_EQ(counter.live_bytes, 104U);

    reuse = result;
    received = 2;
    EXPECT_EQ(request(0x18), result);
    EXPECT_EQ(counter.shrinks, 1);
    EXPECT_EQ(counter.live_bytes, 8U);

    int* const remaining = result;
    result = nullptr; // refused
    EXPECT_EQ(request(0x12), nullptr);
    EXPECT_EQ(counter.live_bytes, 8U);

    fresh = true;
    result = memory.data() + 40;
    received = 4;
    EXPECT_EQ(request(0x07), result);
    EXPECT_EQ(counter.allocations, 2);
    EXPECT_EQ(counter.live_bytes, 24U);
    allocator.deallocate(remaining, 2);
    EXPECT_EQ(counter.live_bytes, 16U);
    EXPECT_EQ(counter.peak_live_bytes, 104U);
}

template <class Vector>
void grow_and_shrink(Vector& vector) {
    for (int i = 0; i != 100; ++i) {
        vector.push_back(i);
    }
    EXPECT_EQ(vector.size(), 100U);
    EXPECT_GE(vector.capacity(), 100U);
    vector.erase(vector.end() - 40, vector.end());
    vector.shrink_to_fit();
    EXPECT_EQ(vector.size(), 60U);
    int expected = 0;
    for (const int element : vector) {
        EXPECT_EQ(element, expected++);
    }
    EXPECT_EQ(expected, 60);
}

TEST(own_vectors, of_realloc_grow_and_shrink) {
    request_counter counter;
    {
        bench::realloc_vector<int> vector(&counter);
        grow_and_shrink(vector);
        EXPECT_EQ(vector.capacity(), 60U);
        EXPECT_EQ(counter.live_bytes, 240U);
        // 1, 2, 4 ... 128, and back.
        EXPECT_EQ(counter.allocations + counter.expansions_forward + counter.shrinks, 9);
        vector.erase(vector.begin(), vector.end());
        vector.shrink_to_fit();
        EXPECT_EQ(vector.capacity(), 0U);
        EXPECT_EQ(counter.live_bytes, 0U);
    }
    EXPECT_EQ(counter.allocations, counter.deallocations);
    const bench::realloc_vector<int> sized(10, nullptr);
    EXPECT_EQ(sized.size(), 10U);
}

TEST(own_vectors, of_null_never_move) {
    alignas(int) std::array<std::byte, 400> room{};
    bench::preallocated_vector<int> vector(room);
    grow_and_shrink(vector);
    EXPECT_EQ(vector.capacity(), 100U);
    EXPECT_EQ(static_cast<void*>(vector.data()), room.data());
}

/// Returns: the names of the strategies that the experiment accepts.
std::vector<std::string> names_in(bench::experiment_function run, const std::string& line) {
    std::vector<std::string> names;
    for (const bench::strategy& s : bench::strategies()) {
        if (error_message(run, line + " --strategy " + std::string(s.name)) == "no error") {
            names.emplace_back(s.name);
        }
    }
    return names;
}

void expect_equal_vectors(bench::experiment_function run, const std::string& type) {
    const std::string line = "--elements 300 --iterations 2 --type " + type;
    const bench::row reference = run_words(run, line + " --strategy new-delete");
    ASSERT_EQ(reference.checksum.size(), 16U);
    const std::vector<std::string> names = names_in(run, "--elements 1 --iterations 1 --type " + type);
    EXPECT_GE(names.size(), 3U);
    for (const std::string& name : names) {
        SCOPED_TRACE(name);
        const bench::row row = run_words(run, line + " --strategy " + name);
        EXPECT_EQ(row.checksum, reference.checksum);
        EXPECT_EQ(row.operations, 600);
        EXPECT_EQ(row.iterations, 2);
        EXPECT_GT(row.timed.wall_ns, 0);
        EXPECT_EQ(row.allocations, row.deallocations);
        auto figures = figure_map(row);
        for (const char* figure : {"push_back_ns", "expansions_forward", "expansions_backward"}) {
            EXPECT_TRUE(figures.contains(figure)) << figure;
        }
        EXPECT_GE(figures["final_capacity"], 300);
        if (name != "null") {
            EXPECT_GE(figures["allocations"], 1);
            EXPECT_GE(figures["peak_live_bytes"], 1200);
        }
    }
}

TEST(expansion, gives_equal_results_under_all_strategies) {
    for (const char* type : {"int", "myint"}) {
        expect_equal_vectors(bench::run_expansion_forward, type);
        expect_equal_vectors(bench::run_expansion_backward, type);
    }
}

bool has_boost() {
    return bench::find_library(bench::library_kind::boost_container)->built;
}

std::map<std::string, double> figures_under(bench::experiment_function run, const std::string& name) {
    return figure_map(run_words(run, "--elements 5000 --iterations 2 --strategy " + name));
}

TEST(expansion, grows_forward_only_with_version_2) {
    for (const bench::strategy& s : bench::strategies()) {
        if (s.version == bench::vector_version::none) {
            continue;
        }
        SCOPED_TRACE(s.name);
        auto figures = figures_under(bench::run_expansion_forward, std::string(s.name));
        if (s.version == bench::vector_version::second) {
            EXPECT_GT(figures["expansions_forward"], 0);
            EXPECT_LE(figures["allocations"], 3);
        } else {
            EXPECT_EQ(figures["expansions_forward"] + figures["expansions_backward"], 0);
            EXPECT_GE(figures["allocations"], 8);
        }
    }
}

TEST(expansion, grows_backward_with_a_lower_peak) {
    if (!has_boost()) {
        GTEST_SKIP() << "the vectors are Boost's";
    }
    for (const std::string prefix : {"heap", "boost-allocator"}) {
        SCOPED_TRACE(prefix);
        auto masked = figures_under(bench::run_expansion_backward, prefix + "-v2-masked");
        auto backward = figures_under(bench::run_expansion_backward, prefix + "-v2");
        EXPECT_EQ(masked["expansions_backward"], 0);
        EXPECT_GT(backward["expansions_backward"], 0);
        EXPECT_EQ(backward["expansions_forward"], 0);
        EXPECT_LE(backward["peak_live_bytes"], masked["peak_live_bytes"]);
    }
}

TEST(expansion, chooses_iterations_by_the_number_of_elements) {
    bench::run_options options;
    const bench::row row =
        run_words(bench::run_expansion_forward, "--elements 1000000 --strategy null", options);
    EXPECT_EQ(row.iterations, 20);
}

#ifdef __cpp_exceptions
TEST(expansion_usage, refuses_invalid_options) {
    const auto expect_error = [](bench::experiment_function run, const std::string& line,
                                 const std::string& text) {
        const std::string message = error_message(run, line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error(bench::run_expansion_forward, "--strategy new-delete", "--elements '-1'");
    expect_error(bench::run_expansion_forward, "--strategy multipool --elements 10",
                 "--strategy 'multipool': allowed are null, new-delete");
    expect_error(bench::run_expansion_forward, "--strategy new-delete --elements 10 --type char",
                 "allowed are int, myint");
    expect_error(bench::run_expansion_forward, "--strategy realloc --elements 10 --type myint",
                 "moves elements as bytes");
    expect_error(bench::run_expansion_backward, "--strategy realloc --elements 10", "--strategy 'realloc'");
}
#endif

} // namespace
