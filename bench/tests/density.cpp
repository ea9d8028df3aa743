/// Plan: every structure under every strategy, small, in this process.
///   1. the requests that a structure makes are the expected ones, under both bindings and both ways to end
///   2. all strategies of a row build the same thing
///   3. abstract-base strategies reach the resource through its vtable, for every single request
///   4. every multipool of the papers has a locked form, which no experiment but density and locality has
///   5. a wrong option is refused by name and value
#include "run_words.hpp"
#include "runner/strategy/mechanisms.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/density/input.hpp"
#include "runner/workload/density/measure.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/locality/strategies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using bench::container;
using bench::data_structure;
using bench::leaf;

bench::row run(const std::vector<std::string>& words, const bench::run_options& options = {}) {
    std::string line;
    for (const std::string& word : words) {
        line += word + ' ';
    }
    return bench::run_words(bench::run_density, line, options);
}

/// Boost's pool of single blocks searches for the contiguous ones of a string: it makes one structure.
bench::row run_small(const data_structure& ds, const bench::strategy& s, const std::string& buffer = "warm") {
    const bool searches = s.mechanism == bench::mechanism_kind::boost_fast_pool;
    return run({"--ds", ds.name, "--size", "6", "--strategy", std::string(s.name), "--product",
                searches ? "6" : "14", "--inner", "3", "--buffer", buffer, "--buffer-bytes", "1048576"});
}

/// The container's array of elements or buckets, one node for each element of a set, and the characters of
/// each string.
std::size_t container_requests(container c, std::size_t elements) {
    return c == container::unordered_set ? 1 + elements : 1;
}

std::size_t expected_requests(const data_structure& ds, std::size_t elements, std::size_t inner) {
    const bool nested = ds.inner != container::none;
    const std::size_t leaves = nested ? elements * inner : elements;
    return container_requests(ds.outer, elements) +
           (nested ? elements * container_requests(ds.inner, inner) : 0) +
           (ds.leaves == leaf::string ? leaves : 0);
}

std::vector<bench::strategy> strategies_of_density() {
    std::vector<bench::strategy> result;
    std::ranges::copy_if(bench::strategies(), std::back_inserter(result), bench::has_density);
    return result;
}

class density : public testing::TestWithParam<data_structure> {};

TEST_P(density, makes_the_expected_requests_under_all_strategies) {
    const std::size_t expected = expected_requests(GetParam(), 64, 8);
    for (const bench::strategy& s : strategies_of_density()) {
        const bench::row row = run_small(GetParam(), s);
        const bool winked = s.destruction == bench::destruction_kind::winked_out;
        // A winked-out structure stands in the allocator itself, and frees nothing.
        EXPECT_EQ(row.allocations, static_cast<std::int64_t>(expected + (winked ? 1 : 0))) << s.name;
        EXPECT_EQ(row.deallocations, static_cast<std::int64_t>(winked ? 0 : expected)) << s.name;
    }
}

TEST_P(density, builds_equal_structures_under_all_strategies) {
    const std::string reference = run_small(GetParam(), bench::strategies().front()).checksum;
    ASSERT_EQ(reference.size(), 16U);
    for (const bench::strategy& s : strategies_of_density()) {
        for (const char* buffer : {"none", "cold", "warm"}) {
            if (s.is_contender() && !s.uses_buffer() && buffer != std::string("none")) {
                continue; // the result is equal
            }
            EXPECT_EQ(run_small(GetParam(), s, buffer).checksum, reference) << s.name << ' ' << buffer;
        }
    }
}

TEST_P(density, calls_the_abstract_base) {
    const auto& all = bench::data_structures();
    const auto index = static_cast<std::size_t>(
        std::ranges::find(all, GetParam().name, &data_structure::name) - all.begin());
    const std::size_t expected = expected_requests(GetParam(), 64, 128);

    const bench::dispatch_count normal = bench::count_dispatched(index, false, 6);
    EXPECT_EQ(normal.allocations, expected);
    EXPECT_EQ(normal.deallocations, expected);

    const bench::dispatch_count winked = bench::count_dispatched(index, true, 6);
    EXPECT_EQ(winked.allocations, expected + 1);
    EXPECT_EQ(winked.deallocations, 0U);
}

INSTANTIATE_TEST_SUITE_P(every_structure, density, testing::ValuesIn(bench::data_structures()),
                         [](const auto& tested) { return tested.param.name; });

TEST(locked_strategies, are_those_of_the_papers_multipools) {
    std::vector<std::string> locked;
    for (const bench::strategy& s : bench::strategies()) {
        const std::string name(s.name);
        if (!s.locked) {
            EXPECT_EQ(name.find("-locked"), std::string::npos) << name;
            continue;
        }
        locked.push_back(name);
        const std::size_t mark = name.find("-locked");
        ASSERT_NE(mark, std::string::npos) << name;
        const std::string plain = std::string(name).erase(mark, 7);
        const auto unlocked = std::ranges::find(bench::strategies(), plain, &bench::strategy::name);
        ASSERT_NE(unlocked, bench::strategies().end()) << name;
        EXPECT_EQ(s.mechanism, unlocked->mechanism) << name;
        EXPECT_EQ(s.binding, unlocked->binding) << name;
        EXPECT_EQ(s.destruction, unlocked->destruction) << name;
        EXPECT_TRUE(bench::has_density(s)) << name;
        EXPECT_EQ(bench::has_locality(s), s.destruction == bench::destruction_kind::normal) << name;
        EXPECT_FALSE(bench::has_fragmentation(s) || s.is_plain()) << name;
    }
    EXPECT_EQ(locked.size(), 8U); // AS7 to AS14
}

TEST(locked_strategies, lock_every_call) {
    for (const bench::strategy& s : bench::strategies()) {
        if (s.locked) {
            static_cast<void>(
                bench::with_locked_mechanism(s, {}, [&s]<class Handle>([[maybe_unused]] Handle& handle) {
                    using bench::locked_multipool;
                    using bench::locked_multipool_over_monotonic;
                    if constexpr (std::is_same_v<Handle, std::pmr::memory_resource>) {
                        EXPECT_TRUE(
                            dynamic_cast<mallard::resource<locked_multipool>*>(&handle) ||
                            dynamic_cast<mallard::resource<locked_multipool_over_monotonic>*>(&handle))
                            << s.name;
                    } else {
                        EXPECT_TRUE(mallard::thread_safe<Handle>) << s.name;
                    }
                }));
        }
    }
}

TEST(density_row, counts_iterations_by_the_product) {
    const bench::row row = run({"--ds", "DS6", "--size", "6", "--strategy", "monotonic", "--product", "15"});
    EXPECT_EQ(row.iterations, 4);
    EXPECT_EQ(row.operations, 1 << 15);
    const bench::row large =
        run({"--ds", "DS6", "--size", "6", "--strategy", "monotonic", "--product", "10"});
    EXPECT_EQ(large.iterations, 1);
    EXPECT_EQ(large.operations, 1 << 13);
}

TEST(density_row, counts_spills_beyond_the_buffer) {
    const auto spills = [](const std::string& strategy, const std::string& bytes) {
        return run({"--ds", "DS2", "--size", "8", "--strategy", strategy, "--product", "8", "--buffer-bytes",
                    bytes})
            .spills;
    };
    EXPECT_EQ(spills("monotonic", "1048576"), 0);
    EXPECT_GT(spills("monotonic", "4096"), 0);
    EXPECT_GT(spills("multipool+monotonic/base", "4096"), 0);
    EXPECT_EQ(spills("multipool", "4096"), 0);
}

TEST(density_row, depends_on_the_seed) {
    const auto sum = [](std::int64_t seed) {
        bench::run_options options;
        options.seed = seed;
        return run({"--ds", "DS2", "--size", "6", "--strategy", "monotonic", "--product", "6"}, options)
            .checksum;
    };
    EXPECT_EQ(sum(1), sum(1));
    EXPECT_NE(sum(1), sum(2));
}

TEST(density_input, draws_lengths_uniformly_from_33_to_1000) {
    const bench::density_input input(bench::data_structures()[1], 16, 7, 1);
    std::size_t sum = 0;
    for (std::size_t i = 0; i != input.leaves(); ++i) {
        ASSERT_GE(input.length(i), 33U);
        ASSERT_LE(input.length(i), 1000U);
        sum += input.length(i);
    }
    EXPECT_NEAR(static_cast<double>(sum) / static_cast<double>(input.leaves()), 516.5, 5.0);
    EXPECT_NE(input.text(0), input.text(1));
}

#ifdef __cpp_exceptions
TEST(density_usage, names_unknown_values) {
    const auto message = [](const std::vector<std::string>& words) -> std::string {
        try {
            static_cast<void>(run(words));
        } catch (const bench::usage_error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message({"--ds", "DS13", "--size", "6", "--strategy", "new-delete"}).find("DS13"),
              std::string::npos);
    EXPECT_NE(message({"--ds", "DS1", "--size", "17", "--strategy", "new-delete"}).find("from 6 to 16"),
              std::string::npos);
    EXPECT_NE(
        message({"--ds", "DS1", "--size", "6", "--strategy", "AS15"}).find("multipool+monotonic/base/wink"),
        std::string::npos);
    EXPECT_NE(message({"--ds", "DS1", "--size", "6", "--strategy", "new-delete", "--buffer", "hot"})
                  .find("none, cold, warm"),
              std::string::npos);
    EXPECT_NE(message({"--ds", "DS1", "--size", "6", "--strategy", "new-delete", "--colour", "red"})
                  .find("--colour"),
              std::string::npos);
}
#endif

} // namespace
