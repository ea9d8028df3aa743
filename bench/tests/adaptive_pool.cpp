/// Plan: a few hundred nodes, in this process.
///   1. the list: ranges are inserted at the end and erased from the front, one by one and in bursts
///   2. requests: one a node, or one a range if the source has bursts
///   3. all strategies do the same work
///   4. figures: memory held after insertion and after erasure
///   5. invalid options are refused with a reason
#include "run_words.hpp"
#include "runner/strategy/recording_source.hpp"
#include "runner/strategy/table.hpp"
#include "runner/workload/experiments.hpp"
#include "runner/workload/ranges/node_list.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using bench::error_message;
using bench::figure_map;
using bench::run_words;

std::vector<int> values(bench::node_list& list) {
    std::vector<int> all;
    for (const bench::list_node* node = list.begin(); node != list.end(); node = node->next) {
        EXPECT_EQ(node->next->previous, node);
        all.push_back(node->value);
    }
    return all;
}

/// Counts the bursts, too.
class burst_recorder : public bench::recording_source {
public:
    mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) {
        ++bursts;
        return mallard::core::allocate_one_by_one(static_cast<recording_source&>(*this), bytes, alignment,
                                                  count);
    }
    void deallocate_many(mallard::block_chain&& blocks, std::size_t bytes, std::size_t alignment) noexcept {
        ++bursts;
        auto& single = static_cast<recording_source&>(*this);
        mallard::deallocate_many(single, std::move(blocks), bytes, alignment);
    }

    int bursts = 0;
};
static_assert(mallard::burst_allocator<burst_recorder>);

template <class Nodes>
void fill_and_empty() {
    burst_recorder source;
    bench::node_list list;
    std::vector<bench::list_node*> bounds(4);
    Nodes::insert(source, list, 3, 2);
    EXPECT_EQ(values(list), (std::vector<int>{0, 0, 1, 1, 2, 2}));
    static_cast<void>(bench::find_ranges(list, 2, bounds));
    EXPECT_EQ(bounds[0], list.begin());
    EXPECT_EQ(bounds[1]->value, 1);
    EXPECT_EQ(bounds[1]->previous->value, 0);
    EXPECT_EQ(bounds[3], list.end());
    Nodes::erase(source, std::span(bounds).first(2), 2);
    EXPECT_EQ(values(list), (std::vector<int>{1, 1, 2, 2}));
    EXPECT_EQ(source.deallocations, 2);
    Nodes::erase(source, std::span(bounds).last(3), 2);
    EXPECT_TRUE(list.empty());
    EXPECT_EQ(source.allocations, 6);
    EXPECT_EQ(source.deallocations, 6);
    EXPECT_EQ(source.largest_bytes, sizeof(bench::list_node));
    EXPECT_EQ(source.bursts, (std::is_same_v<Nodes, bench::bursts_of_nodes> ? 6 : 0));
}

TEST(node_list, inserts_and_erases_ranges) {
    fill_and_empty<bench::single_nodes>();
}

TEST(node_list, inserts_and_erases_bursts) {
    fill_and_empty<bench::bursts_of_nodes>();
}

TEST(adaptive_pool_workload, gives_equal_results_under_all_strategies) {
    const std::string line = "--range 10 --nodes 2000 --strategy ";
    const bench::row reference = run_words(bench::run_adaptive_pool, line + "new-delete");
    ASSERT_EQ(reference.checksum.size(), 16U);
    for (const bench::strategy& s : bench::strategies()) {
        if (error_message(bench::run_adaptive_pool,
                          "--range 1 --nodes 1 --strategy " + std::string(s.name)) != "no error") {
            continue;
        }
        const bench::row row = run_words(bench::run_adaptive_pool, line + std::string(s.name));
        EXPECT_EQ(row.checksum, reference.checksum) << s.name;
        EXPECT_EQ(row.operations, 4000) << s.name;
        const auto figures = figure_map(row);
        for (const char* name : {"insert_ns", "erase_ns", "insert_warm_ns", "erase_warm_ns", "held_bytes",
                                 "overhead_percent", "erased_bytes", "offered_bytes", "trimmed_bytes"}) {
            EXPECT_TRUE(figures.contains(name)) << s.name << ' ' << name;
        }
    }
}

TEST(adaptive_pool_workload, reports_the_memory_held) {
    const auto figures = [](const std::string& name) {
        return figure_map(
            run_words(bench::run_adaptive_pool, "--range 1000 --nodes 400000 --strategy " + name));
    };
    constexpr double bytes = 400'000.0 * sizeof(bench::list_node);
    auto null = figures("null");
    EXPECT_NEAR(null["held_bytes"], bytes, bytes / 4); // in huge pages the last one is whole
    EXPECT_NEAR(null["overhead_percent"], (null["held_bytes"] / bytes - 1) * 100, 1e-6);
    auto pool = figures("multipool");
    EXPECT_GE(pool["held_bytes"], 0.99 * bytes);
    // A multipool holds erased nodes.
    EXPECT_GE(pool["pool_bytes"], bytes);
    EXPECT_GE(pool["erased_bytes"], 0.99 * bytes);
    EXPECT_GE(pool["trimmed_bytes"], 0.99 * bytes);
}

#ifdef __cpp_exceptions
TEST(adaptive_pool_usage, refuses_invalid_options) {
    const auto expect_error = [](const std::string& line, const std::string& text) {
        const std::string message = error_message(bench::run_adaptive_pool, line);
        EXPECT_NE(message.find(text), std::string::npos) << line << ": " << message;
    };
    expect_error("--strategy multipool", "--range '-1'");
    expect_error("--strategy multipool --range 3 --nodes 10", "allowed are divisors of --nodes 10");
    expect_error("--strategy multipool --range 0", "--range '0'");
    expect_error("--strategy monotonic --range 10", "--strategy 'monotonic': allowed are null, new-delete");
}
#endif

} // namespace
