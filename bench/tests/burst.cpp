/// Plan: a few hundred nodes, in this process; adaptive_pool.cpp tests the lists and the common parts.
///   1. nodes are freed one after the other, or all at once
///   2. all strategies do the same work, which is that of adaptive-pool
///   3. lists are assigned from longer ones, and contiguous bursts lie side by side
///   4. figures: memory held
///   5. invalid options are refused with a reason

#include "run_words.hpp"
#include "runner/strategy/recording_source.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/ranges/node_list.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace {

using bench::error_message;
using bench::figure_map;
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

template <class Nodes>
void assign_to_shorter_lists() {
    bench::recording_source places;
    bench::node_list original;
    for (int value = 0; value != 5; ++value) {
        original.push_back(places.allocate(sizeof(bench::list_node), alignof(bench::list_node)), value);
    }
    for (std::size_t had = 0; had <= 5; ++had) {
        bench::recording_source source;
        bench::node_list list;
        Nodes::insert(source, list, 1, had);
        Nodes::assign(source, list, original, 5);
        EXPECT_EQ(source.allocations, 5);
        std::vector<bench::list_node*> bounds(6);
        std::vector<bench::list_node*> expected(6);
        EXPECT_EQ(bench::find_ranges(list, 1, bounds), bench::find_ranges(original, 1, expected)) << had;
        EXPECT_EQ(list.end()->previous->value, 4);
        EXPECT_EQ(list.end()->previous->next, list.end());
        Nodes::clear(source, list, 5);
        EXPECT_EQ(source.deallocations, 5);
    }
    bench::single_nodes::clear(places, original, 5);
}

TEST(node_list, is_assigned_node_by_node) {
    assign_to_shorter_lists<bench::single_nodes>();
}

TEST(node_list, is_assigned_by_bursts) {
    assign_to_shorter_lists<bench::bursts_of_nodes>();
}

TEST(burst, has_contiguous_forms) {
    static constexpr bench::block_shape shape{sizeof(bench::list_node), alignof(bench::list_node)};
    std::size_t forms = 0;
    for (const bench::strategy& s : bench::strategies()) {
        if (!s.contiguous) {
            continue;
        }
        ++forms;
        EXPECT_TRUE(s.bursts) << s.name;
        static_cast<void>(bench::with_source(s, {}, shape, [&s](auto& source) {
            bench::node_list list;
            bench::single_nodes::insert(source, list, 1, 1000);
            bench::list_node* second = list.begin()->next;
            while (second != list.end()) { // holes of one node
                bench::list_node* const next = second->next == list.end() ? second->next : second->next->next;
                bench::node_list::unlink(second, second->next);
                source.deallocate(second, shape.bytes, shape.alignment);
                second = next;
            }
            mallard::block_chain burst = bench::contiguous_bursts::allocate(source, 300);
            std::vector<std::byte*> blocks;
            burst.for_each([&blocks](void* p) { blocks.push_back(static_cast<std::byte*>(p)); });
            EXPECT_EQ(blocks.size(), 300U) << s.name;
            for (std::size_t i = 1; i != blocks.size(); ++i) {
                EXPECT_EQ(blocks[i], blocks[i - 1] + 32) << s.name << ' ' << i;
            }
            bench::single_nodes::clear(source, list, 500);
            mallard::deallocate_many(source, std::move(burst), shape.bytes, shape.alignment);
        }));
    }
    EXPECT_EQ(forms, bench::find_library(bench::library_kind::boost_container)->built ? 2U : 1U);
}

TEST(burst, gives_equal_results_under_all_strategies) {
    const std::string line = "--range 10 --nodes 2000 --strategy ";
    const bench::row reference = run_words(bench::run_adaptive_pool, line + "new-delete");
    int heaps = 0;
    for (const bench::strategy& s : bench::strategies()) {
        const std::string name(s.name);
        const bool offered =
            error_message(bench::run_adaptive_pool, "--range 1 --nodes 1 --strategy " + name) == "no error";
        EXPECT_EQ(error_message(bench::run_burst, "--range 1 --nodes 1 --strategy " + name) == "no error",
                  offered)
            << name;
        if (!offered) {
            continue;
        }
        heaps += s.mechanism == bench::mechanism_kind::heap ? 1 : 0;
        const bench::row row = run_words(bench::run_burst, line + name);
        EXPECT_EQ(row.checksum, reference.checksum) << name;
        EXPECT_EQ(row.operations, 4000) << name;
        const auto figures = figure_map(row);
        for (const char* figure :
             {"insert_ns", "erase_ns", "insert_warm_ns", "erase_warm_ns", "push_ns", "pop_ns", "copy_ns",
              "assign_ns", "clear_ns", "held_bytes", "overhead_percent", "overhead_bytes"}) {
            EXPECT_TRUE(figures.contains(figure)) << name << ' ' << figure;
        }
    }
    EXPECT_EQ(heaps, 4); // one by one, behind the base, in bursts and in contiguous ones
}

TEST(burst, reports_the_memory_held) {
    auto figures =
        figure_map(run_words(bench::run_burst, "--range 1000 --nodes 400000 --strategy multipool-burst"));
    constexpr double bytes = 400'000.0 * sizeof(bench::list_node);
    EXPECT_GE(figures["held_bytes"], 0.99 * bytes);
    EXPECT_NEAR(figures["overhead_bytes"], (figures["held_bytes"] - bytes) / 400'000, 1e-6);
    EXPECT_NEAR(figures["overhead_percent"], (figures["held_bytes"] / bytes - 1) * 100, 1e-6);
}

#ifdef __cpp_exceptions
TEST(burst_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_burst, line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error("--strategy multipool", "--range '-1'");
    expect_error("--strategy multipool --range 3 --nodes 10", "allowed are divisors of --nodes 10");
    const bool has_vectors = bench::find_library(bench::library_kind::boost_container)->built;
    expect_error("--strategy heap-v2 --range 10",
                 has_vectors ? "--strategy 'heap-v2'"
                             : "--strategy heap-v2: this program was built without Boost.Container");
}
#endif

} // namespace
