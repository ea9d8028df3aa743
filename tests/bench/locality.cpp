/// Plan: small systems in this process.
///   1. a shuffle moves links as the paper says: as many pops as pushes, none of an empty list, no link lost
///   2. visits make as many accesses as they report, of every list in turn
///   3. all strategies do the same work: the same checksum, the same counts
///   4. the abstract base is really called, for every link
///   5. options that make no sense are refused with a reason
#include "bench/workload/locality/locality.hpp"

#include "bench/strategy/table.hpp"
#include "bench/workload/locality/measure.hpp"
#include "bench/workload/locality/strategies.hpp"
#include "equipment/spy.hpp"
#include "run_words.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <numeric>

namespace {

using bench::complaint;
using bench::figures_of;
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

TEST(locality_system, moves_each_link_of_a_pass_from_front_to_back_and_loses_none) {
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
    std::vector<int> after = values(system);
    ASSERT_EQ(after.size(), 1024U);
    std::ranges::sort(after);
    for (std::size_t i = 0; i != after.size(); ++i) {
        ASSERT_EQ(after[i], static_cast<int>(i / 64)); // each of 0..15 once a list
    }
    std::size_t changed_lengths = 0;
    for (std::size_t i = 0; i != system.subsystems(); ++i) {
        changed_lengths += static_cast<std::size_t>(system.list(i).size() != 16);
    }
    EXPECT_GT(changed_lengths, 32U);
}

TEST(locality_system, pops_every_first_link_once_in_the_first_pass) {
    // One list: its own front goes to its own back, so a whole pass turns it round once.
    counted_system system(counted_life, 8, 8);
    system.build();
    bench::quick_random destination(7);
    EXPECT_EQ(system.shuffle(destination), 8U);
    EXPECT_EQ(values(system), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(locality_system, accesses_as_often_as_it_says) {
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

TEST(locality_system, has_its_first_lengths_back_when_it_is_filled_again) {
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

TEST(locality_visit, is_capped_where_one_list_would_take_it_all) {
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

TEST(locality, does_the_same_work_under_every_strategy) {
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

TEST(locality, tells_a_figure_for_every_cell_of_the_surface_and_for_what_goes_before_and_after) {
    const auto figures = figures_of(
        run_words(bench::run_locality, small + "multipool --shuffle-factors 0,2,5 --accesses 2048"));
    for (const char* name :
         {"sf0_af8_ns", "sf0_af1_ns", "sf2_af8_ns", "sf2_af1_ns", "sf5_af8_ns", "sf5_af1_ns", "build_ns",
          "shuffle_ns", "clear_ns", "reallocate_ns", "reaccess_ns", "built_bytes", "shuffled_bytes"}) {
        EXPECT_TRUE(figures.contains(name)) << name;
    }
    EXPECT_EQ(figures.size(), 14U);
    EXPECT_GE(figures.at("list_bytes"), sizeof(std::list<int>));
    EXPECT_FALSE(
        figures_of(run_words(bench::run_locality, small + "multipool --shuffle-factors 0 --accesses 9"))
            .contains("shuffle_ns"));
}

TEST(locality, counts_the_accesses_after_the_last_shuffle) {
    const bench::row passes = run_words(bench::run_locality, small + "new-delete --repeat-factor 3");
    EXPECT_EQ(passes.operations, 3 * (8 + 1) * 4096);
    EXPECT_EQ(passes.iterations, 2);
    const bench::row budget = run_words(bench::run_locality, small + "new-delete --accesses 2048");
    EXPECT_GE(budget.operations, 2 * 2048);
    EXPECT_LT(budget.operations, 2 * 4096);
}

TEST(locality, has_another_seed_shuffle_otherwise) {
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
TEST(locality_usage, explains_what_makes_no_sense) {
    const auto says = [](const std::string& line, const std::string& what) {
        const std::string message = complaint(bench::run_locality, line);
        EXPECT_NE(message.find(what), std::string::npos) << line << ": " << message;
    };
    const std::string begin = "--strategy multipool --links 4096 --list-length ";
    says(begin + "8192 --accesses 9", "cannot be longer than the whole system");
    says(begin + "3 --accesses 9", "divisors of --links 4096");
    says(begin + "16", "give one of them");
    says(begin + "16 --repeat-factor 0", "nothing is accessed");
    says(begin + "16 --repeat-factor 1 --accesses 1", "give one of them");
    says(begin + "16 --accesses 9 --shuffle-factors 5,0", "ascending");
    says(begin + "16 --accesses 9 --shuffle-factors 5,5", "ascending");
    says(begin + "16 --accesses 9 --access-factors 0", "--access-factors '0'");
    says(begin + "16 --accesses 9 --access-factors 4,,2", "commas between them");
    says("--strategy monotonic --links 4096 --list-length 16 --accesses 9",
         "--strategy 'monotonic': allowed are new-delete");
    says("--strategy multipool --links 512 --list-length 16 --accesses 9", "from 1024 to 134217728");
}
#endif

} // namespace
