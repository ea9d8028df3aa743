/// Plan: a few hundred nodes, in this process; adaptive_pool.cpp tests the lists and the common parts.
///   1. nodes go one after the other, or all at once
///   2. all strategies do the same work, which is that of adaptive-pool
///   3. figures: memory held
///   4. options that make no sense are refused with a reason
#include "bench/workload/ranges/burst.hpp"

#include "bench/strategy/recording_source.hpp"
#include "bench/strategy/table.hpp"
#include "bench/workload/ranges/adaptive_pool.hpp"
#include "bench/workload/ranges/node_list.hpp"
#include "run_words.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using bench::complaint;
using bench::figures_of;
using bench::run_words;

TEST(node_list, is_emptied_from_the_front_or_at_once) {
    bench::recording_source source;
    bench::node_list list;
    bench::single_nodes::insert(source, list, 3, 4);
    bench::single_nodes::pop_all(source, list);
    EXPECT_TRUE(list.empty());
    EXPECT_EQ(source.deallocations, 12);
    bench::single_nodes::insert(source, list, 3, 4);
    bench::single_nodes::clear(source, list, 12);
    EXPECT_TRUE(list.empty());
    EXPECT_EQ(source.deallocations, 24);
    bench::bursts_of_nodes::insert(source, list, 3, 4);
    bench::bursts_of_nodes::clear(source, list, 12);
    EXPECT_TRUE(list.empty());
    EXPECT_EQ(source.allocations, 36);
    EXPECT_EQ(source.deallocations, 36);
}

TEST(burst, is_the_same_under_every_strategy) {
    const std::string line = "--range 10 --nodes 2000 --strategy ";
    const bench::row reference = run_words(bench::run_adaptive_pool, line + "new-delete");
    int heaps = 0;
    for (const bench::strategy& s : bench::strategies()) {
        const std::string name(s.name);
        const bool offered =
            complaint(bench::run_adaptive_pool, "--range 1 --nodes 1 --strategy " + name) == "no error";
        EXPECT_EQ(complaint(bench::run_burst, "--range 1 --nodes 1 --strategy " + name) == "no error",
                  offered)
            << name;
        if (!offered) {
            continue;
        }
        heaps += s.mechanism == bench::mechanism_kind::heap ? 1 : 0;
        const bench::row row = run_words(bench::run_burst, line + name);
        EXPECT_EQ(row.checksum, reference.checksum) << name;
        EXPECT_EQ(row.operations, 4000) << name;
        const auto figures = figures_of(row);
        for (const char* figure :
             {"insert_ns", "erase_ns", "insert_warm_ns", "erase_warm_ns", "push_ns", "pop_ns", "clear_ns",
              "held_bytes", "overhead_percent", "overhead_bytes"}) {
            EXPECT_TRUE(figures.contains(figure)) << name << ' ' << figure;
        }
    }
    EXPECT_EQ(heaps, 3); // one by one, behind the base, and in bursts
}

TEST(burst, tells_what_is_held) {
    auto figures =
        figures_of(run_words(bench::run_burst, "--range 1000 --nodes 400000 --strategy multipool-burst"));
    constexpr double bytes = 400'000.0 * sizeof(bench::list_node);
    EXPECT_GE(figures["held_bytes"], 0.99 * bytes);
    EXPECT_NEAR(figures["overhead_bytes"], (figures["held_bytes"] - bytes) / 400'000, 1e-6);
    EXPECT_NEAR(figures["overhead_percent"], (figures["held_bytes"] / bytes - 1) * 100, 1e-6);
}

#ifdef __cpp_exceptions
TEST(burst_usage, explains_what_makes_no_sense) {
    const auto says = [](const std::string& line, const std::string& what) {
        const std::string message = complaint(bench::run_burst, line);
        EXPECT_NE(message.find(what), std::string::npos) << line << ": " << message;
    };
    says("--strategy multipool", "--range '-1'");
    says("--strategy multipool --range 3 --nodes 10", "allowed are divisors of --nodes 10");
    const bool has_vectors = bench::library_named(bench::library_kind::boost_container)->built;
    says("--strategy heap-v2 --range 10",
         has_vectors ? "--strategy 'heap-v2'"
                     : "--strategy heap-v2: this program was built without Boost.Container");
}
#endif

} // namespace
