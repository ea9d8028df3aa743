// Only the outermost activation of a recursion counts, and all other nodes lead to it.
#include "profiler/scopes/scope_tree.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace mallard::advisor;
using mallard::trace::context_id;
using mallard::trace::context_tree;
using mallard::trace::stack_end;

class recursion : public testing::Test {
protected:
    /// Returns: the nodes of the functions, the outermost one first.
    std::vector<context_id> add(const std::vector<std::uint64_t>& functions) {
        std::vector<context_id> nodes;
        context_id node = context_tree::root(stack_end::null);
        for (const std::uint64_t function : functions) {
            nodes.push_back(node = contexts.child(node, function));
        }
        return nodes;
    }

    static scope_id find_function(std::uint64_t level) { return static_cast<scope_id>(level); }

    context_tree contexts;
};

TEST_F(recursion, has_one_counting_node_a_function) {
    const auto nodes = add({1, 2, 1, 3, 2, 1});
    const scope_tree tree(contexts, find_function);
    EXPECT_EQ(tree.counting(nodes[5]), nodes[3]);
    EXPECT_EQ(tree.counting(nodes[3]), nodes[3]);
    EXPECT_EQ(tree.counting_outside(nodes[3]), nodes[1]);
    EXPECT_EQ(tree.counting_outside(nodes[1]), nodes[0]);
    EXPECT_EQ(tree.counting_outside(nodes[0]), context_tree::root(stack_end::null));
}

TEST_F(recursion, that_is_added_later_counts_equally) {
    add({1, 2});
    scope_tree tree(contexts, find_function);
    const auto nodes = add({1, 2, 2, 3, 1});
    tree.add_new(find_function);
    EXPECT_FALSE(tree.counts(nodes[2]));
    EXPECT_TRUE(tree.counts(nodes[3]));
    EXPECT_FALSE(tree.counts(nodes[4]));
    EXPECT_EQ(tree.counting(nodes[4]), nodes[3]);
    EXPECT_EQ(tree.counting_outside(nodes[3]), nodes[1]);
    EXPECT_EQ(tree.end(nodes[4]), stack_end::null);
}

} // namespace
