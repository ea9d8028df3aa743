/// Plan: small systems in this process.
///   1. a shuffle moves links as the paper says: as many pops as pushes, none of an empty list, no link lost
///   2. visits make as many accesses as they report, of every list in turn
///   3. all strategies do the same work: the same checksum, the same counts
///   4. the abstract base is really called, for every link
///   5. invalid options are refused with a reason
#include "equipment/spy.hpp"
#include "run_words.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/locality/measure.hpp"
#include "runner/workload/locality/strategies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <numeric>

namespace {

using bench::error_message;
using bench::figure_map;
using bench::run_words;

/// A list that counts its operations, for all lists together.
struct counted_list {
    static inline std::size_t pushes = 0;
    static inline std::size_t pops = 0;
    std::list<int> links;

    void push_back(int value) {
        ++pushes;
        links.push_back(value);
    }
    void pop_front() {
        ++pops;
        links.pop_front();
    }
    [[nodiscard]] int front() const { return links.front(); }
    [[nodiscard]] bool empty() const { return links.empty(); }
    [[nodiscard]] std::size_t size() const { return links.size(); }
    void clear() { links.clear(); }
    auto begin() { return links.begin(); }
    auto end() { return links.end(); }
    [[nodiscard]] auto begin() const { return links.begin(); }
    [[nodiscard]] auto end() const { return links.end(); }
};

constexpr bench::subsystem_life<counted_list> counted_life{
    [] { return new bench::subsystem<counted_list>(); }, [](bench::subsystem<counted_list>* s) { delete s; },
    sizeof(counted_list)};

using counted_system = bench::locality_system<counted_list>;

std::vector<int> values(const counted_system& system) {
    std::vector<int> all;
    for (std::size_t i = 0; i != system.subsystems(); ++i) {
        all.insert(all.end(), system.list(i).begin(), system.list(i).end());
    }
    return all;
}

TEST(locality_system, is_built_of_lists_of_the_first_numbers) {
    counted_system system(counted_life, 12, 4);
    system.build();
    EXPECT_EQ(system.subsystems(), 3U);
    EXPECT_EQ(values(system), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(locality_system, moves_links_without_losing_any) {
    counted_system system(counted_life, 1024, 16);
    system.build();
    counted_list::pushes = counted_list::pops = 0;
    bench::quick_random destination(1);
    std::size_t pairs = 0;
    for (int pass = 0; pass != 3; ++pass) {
        pairs += system.shuffle(destination);
    }
    EXPECT_EQ(counted_list::pops, pairs);
    EXPECT_EQ(counted_list::pushes, pairs);
    // A visit of an empty list moves nothing; most lists are never empty.
    EXPECT_LE(pairs, 3U * 1024);
    EXPECT_GE(pairs, 2U * 1024);
    std::vector<int> shuffled = values(system);
    ASSERT_EQ(shuffled.size(), 1024U);
    std::ranges::sort(shuffled);
    for (std::size_t i = 0; i != shuffled.size(); ++i) {
        ASSERT_EQ(shuffled[i], static_cast<int>(i / 64)); // each of 0..15 once a list
    }
    std::size_t changed_lengths = 0;
    for (std::size_t i = 0; i != system.subsystems(); ++i) {
        changed_lengths += static_cast<std::size_t>(system.list(i).size() != 16);
    }
    EXPECT_GT(changed_lengths, 32U);
}

TEST(locality_system, pops_every_link_once_per_pass) {
    // One list: its own front goes to its own back, so a whole pass turns it round once.
    counted_system system(counted_life, 8, 8);
    system.build();
    bench::quick_random destination(7);
    EXPECT_EQ(system.shuffle(destination), 8U);
    EXPECT_EQ(values(system), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(locality_system, reports_the_number_of_accesses) {
    counted_system system(counted_life, 12, 4);
    system.build();
    EXPECT_EQ(system.access_all(5), 60U);
    EXPECT_EQ(values(system), (std::vector<int>{5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8}));
    // At the end of a list, and the next visit begins with the next list.
    EXPECT_EQ(system.access_some(2, 9), 16U);
    EXPECT_EQ(values(system), (std::vector<int>{7, 8, 9, 10, 7, 8, 9, 10, 5, 6, 7, 8}));
    EXPECT_EQ(system.access_some(1, 8), 8U);
    EXPECT_EQ(values(system), (std::vector<int>{8, 9, 10, 11, 7, 8, 9, 10, 6, 7, 8, 9}));
}

TEST(locality_system, restores_the_lengths_on_refill) {
    counted_system system(counted_life, 64, 8);
    system.build();
    const std::uint64_t built = system.checksum();
    bench::quick_random destination(3);
    static_cast<void>(system.shuffle(destination));
    EXPECT_NE(system.checksum(), built);
    system.clear();
    system.refill();
    EXPECT_EQ(system.checksum(), built);
}

TEST(locality_visit, is_capped_for_long_lists) {
    bench::locality_cell cell{};
    cell.accesses = 1024;
    cell.list_length = 64;
    EXPECT_EQ(bench::traversals(cell, 16), 16U);
    EXPECT_EQ(bench::traversals(cell, 256), 64U);
    cell.list_length = 1 << 20;
    EXPECT_EQ(bench::traversals(cell, 256), 1U);
    cell.accesses = 0;
    cell.repeat_factor = 1;
    EXPECT_EQ(bench::traversals(cell, 256), 256U);
}

const std::string small = "--links 4096 --list-length 16 --access-factors 8,1 --strategy ";

TEST(locality, gives_equal_results_under_all_strategies) {
    const bench::row reference = run_words(bench::run_locality, small + "new-delete --accesses 2048");
    ASSERT_EQ(reference.checksum.size(), 16U);
    std::size_t strategies = 0;
    for (const bench::strategy& s : bench::strategies()) {
        if (!bench::has_locality(s)) {
            continue;
        }
        ++strategies;
        const bench::row row =
            run_words(bench::run_locality, small + std::string(s.name) + " --accesses 2048");
        EXPECT_EQ(row.checksum, reference.checksum) << s.name;
        EXPECT_EQ(row.operations, reference.operations) << s.name;
        EXPECT_GT(row.timed.cpu_ns, 0) << s.name;
        EXPECT_EQ(row.figures.size(), reference.figures.size()) << s.name;
    }
    EXPECT_GE(strategies, 6U);
}

TEST(locality, has_a_figure_for_every_factor_and_phase) {
    const auto figures = figure_map(
        run_words(bench::run_locality, small + "multipool --shuffle-factors 0,2,5 --accesses 2048"));
    for (const char* name :
         {"sf0_af8_ns", "sf0_af1_ns", "sf2_af8_ns", "sf2_af1_ns", "sf5_af8_ns", "sf5_af1_ns", "build_ns",
          "shuffle_ns", "clear_ns", "reallocate_ns", "reaccess_ns", "built_bytes", "shuffled_bytes"}) {
        EXPECT_TRUE(figures.contains(name)) << name;
    }
    EXPECT_EQ(figures.size(), 14U);
    EXPECT_GE(figures.at("list_bytes"), sizeof(std::list<int>));
    EXPECT_FALSE(
        figure_map(run_words(bench::run_locality, small + "multipool --shuffle-factors 0 --accesses 9"))
            .contains("shuffle_ns"));
}

TEST(locality, counts_accesses_behind_the_last_shuffle) {
    const bench::row passes = run_words(bench::run_locality, small + "new-delete --repeat-factor 3");
    EXPECT_EQ(passes.operations, 3 * (8 + 1) * 4096);
    EXPECT_EQ(passes.iterations, 2);
    const bench::row budget = run_words(bench::run_locality, small + "new-delete --accesses 2048");
    EXPECT_GE(budget.operations, 2 * 2048);
    EXPECT_LT(budget.operations, 2 * 4096);
}

TEST(locality, depends_on_the_seed) {
    const auto sum = [](std::int64_t seed) {
        bench::run_options options;
        options.seed = seed;
        return run_words(bench::run_locality, small + "new-delete --accesses 64", options).checksum;
    };
    EXPECT_EQ(sum(1), sum(1));
    EXPECT_NE(sum(1), sum(2));
}

equipment::spy watched; // the lives below are plain functions

TEST(locality, calls_the_abstract_base_for_every_link) {
    using list = std::pmr::list<int>;
    const bench::subsystem_life<list> life{[] { return new bench::subsystem<list>(&watched); },
                                           [](bench::subsystem<list>* s) { delete s; }, sizeof(list)};
    bench::locality_cell cell{};
    cell.links = 256;
    cell.list_length = 256; // never empty, so that every visit moves a link
    cell.shuffle_factors = {0, 2};
    cell.access_factors = {1};
    cell.accesses = 1;
    bench::row result;
    bench::measure_locality(cell, life, result);
    // Built, shuffled twice, filled again.
    EXPECT_EQ(watched.allocations, 4U * 256);
    EXPECT_EQ(watched.deallocations, 4U * 256);
}

#ifdef __cpp_exceptions
TEST(locality_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_locality, line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    const std::string begin = "--strategy multipool --links 4096 --list-length ";
    expect_error(begin + "8192 --accesses 9", "cannot be longer than the whole system");
    expect_error(begin + "3 --accesses 9", "divisors of --links 4096");
    expect_error(begin + "16", "give one of them");
    expect_error(begin + "16 --repeat-factor 0", "nothing is accessed");
    expect_error(begin + "16 --repeat-factor 1 --accesses 1", "give one of them");
    expect_error(begin + "16 --accesses 9 --shuffle-factors 5,0", "ascending");
    expect_error(begin + "16 --accesses 9 --shuffle-factors 5,5", "ascending");
    expect_error(begin + "16 --accesses 9 --access-factors 0", "--access-factors '0'");
    expect_error(begin + "16 --accesses 9 --access-factors 4,,2", "commas between them");
    expect_error("--strategy monotonic --links 4096 --list-length 16 --accesses 9",
                 "--strategy 'monotonic': allowed are new-delete");
    expect_error("--strategy multipool --links 512 --list-length 16 --accesses 9", "from 1024 to 134217728");
}
#endif

} // namespace
