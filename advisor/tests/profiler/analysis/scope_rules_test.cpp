// The tree has a node only where return addresses lead to different decisions.
#include "profiler/scopes/scope_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace {

using namespace mallard::advisor;
using mallard::trace::context_id;
using mallard::trace::context_tree;
using mallard::trace::stack_end;

class rules : public testing::Test {
protected:
    /// Effects: adds a stack, the outermost level first.
    void add(const std::vector<std::uint64_t>& levels, position decision, std::uint64_t count = 1) {
        context_id node = context_tree::root(stack_end::null);
        for (const std::uint64_t level : levels) {
            node = contexts.child(node, level);
        }
        allocations.resize(contexts.size());
        positions.resize(contexts.size());
        allocations[node] = count;
        positions[node] = decision;
    }

    [[nodiscard]] scope_rules learn() const {
        return learn_rules(contexts, allocations, positions, find_place);
    }

    /// Returns: the decision of the tree for a stack; nothing if a row is missing.
    static std::optional<position> decide(const scope_rules& tree, const std::vector<std::uint64_t>& levels) {
        std::uint32_t node = 0;
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            const auto row = std::ranges::find_if(tree.rows, [&](const scope_rules::row& candidate) {
                return candidate.node == node && candidate.place == *level;
            });
            if (row == tree.rows.end()) {
                return std::nullopt;
            }
            if (row->next == 0) {
                return row->decision;
            }
            node = row->next;
        }
        return std::nullopt;
    }

    context_tree contexts;
    std::vector<std::uint64_t> allocations;
    std::vector<position> positions;
    place_lookup find_place = [](std::uint64_t level) { return level; };
};

TEST_F(rules, decide_by_the_first_address_that_suffices) {
    add({1, 2, 10}, position::inside, 7);
    add({1, 3, 10}, position::inside, 1);
    add({1, 3, 11}, position::outside, 2);
    const scope_rules tree = learn();
    EXPECT_EQ(tree.rows.size(), 2U);
    EXPECT_EQ(tree.allocations, 10U);
    EXPECT_EQ(tree.further_levels, 0U);
    EXPECT_EQ(decide(tree, {10}), position::inside);
    EXPECT_EQ(decide(tree, {11}), position::outside);
    EXPECT_EQ(decide(tree, {12}), std::nullopt);
}

TEST_F(rules, look_further_where_addresses_are_shared) {
    add({1, 2, 10, 20}, position::inside, 5);
    add({1, 3, 10, 20}, position::outside, 3);
    add({1, 3, 11, 20}, position::outside, 2);
    const scope_rules tree = learn();
    EXPECT_EQ(decide(tree, {1, 2, 10, 20}), position::inside);
    EXPECT_EQ(decide(tree, {1, 3, 10, 20}), position::outside);
    EXPECT_EQ(decide(tree, {11, 20}), position::outside);
    EXPECT_EQ(tree.further_levels, 5U * 2 + 3 * 2 + 2 * 1);
    EXPECT_EQ(tree.undecided, 0U);
}

TEST_F(rules, leave_a_stack_that_ends_early_undecided) {
    add({10}, position::outside, 3);
    add({1, 10}, position::inside, 4);
    const scope_rules tree = learn();
    EXPECT_EQ(tree.undecided, 3U);
    EXPECT_EQ(decide(tree, {10}), std::nullopt);
    EXPECT_EQ(decide(tree, {1, 10}), position::inside);
}

TEST_F(rules, keep_excluded_stacks_out) {
    add({1, 2, 10}, position::excluded);
    add({1, 10}, position::inside);
    add({11}, position::excluded);
    add({2, 11}, position::outside);
    const scope_rules tree = learn();
    EXPECT_EQ(decide(tree, {1, 2, 10}), position::excluded);
    EXPECT_EQ(decide(tree, {1, 10}), position::inside);
    EXPECT_EQ(decide(tree, {11}), position::excluded) << "the scope's exceptions are seen";
}

TEST_F(rules, leave_unknown_stacks_undecided) {
    add({1, 10}, position::unknown, 3);
    add({2, 10}, position::outside, 2);
    add({2, 11}, position::unknown, 4);
    add({3, 12}, position::inside);
    const scope_rules tree = learn();
    EXPECT_EQ(tree.undecided, 3U + 4U);
    EXPECT_EQ(decide(tree, {1, 10}), std::nullopt);
    EXPECT_EQ(decide(tree, {2, 10}), position::outside);
    EXPECT_EQ(decide(tree, {2, 11}), std::nullopt);
    EXPECT_EQ(decide(tree, {3, 12}), position::inside);
}

TEST_F(rules, lack_code_outside_of_files_and_interrupted_code) {
    find_place = [](std::uint64_t level) { return level == 10 ? no_place : level; };
    add({1, 10}, position::inside, 2);
    add({1, 11 | mallard::trace::interrupted_level}, position::inside, 3);
    const scope_rules tree = learn();
    EXPECT_TRUE(tree.rows.empty());
    EXPECT_EQ(tree.undecided, 5U);
    EXPECT_EQ(tree.further_levels, 5U * scope_rules::most_levels);
}

TEST_F(rules, have_a_limited_depth) {
    for (const std::uint64_t outermost : {1U, 2U}) {
        std::vector<std::uint64_t> levels(20, 10);
        levels.front() = outermost;
        add(levels, outermost == 1 ? position::inside : position::outside);
    }
    EXPECT_EQ(learn().undecided, 2U);
}

TEST_F(rules, drop_the_rarest_of_too_many) {
    for (std::uint64_t level = 0; level < scope_rules::most_rows; ++level) {
        add({1, 2, 1000 + level}, position::inside, 10);
    }
    for (std::uint64_t caller = 0; caller < 8; ++caller) {
        add({1, 3 + caller, 10}, caller % 2 == 0 ? position::inside : position::outside, 1);
    }
    const scope_rules tree = learn();
    EXPECT_EQ(tree.rows.size(), scope_rules::most_rows);
    EXPECT_EQ(tree.undecided, 8U);
    EXPECT_EQ(decide(tree, {1, 2, 1000}), position::inside);
    EXPECT_EQ(decide(tree, {1, 3, 10}), std::nullopt);
}

} // namespace
