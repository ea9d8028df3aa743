#include <mallard/bind/multiallocation_chain.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace {

struct node {
    node* left;
    node* right;
    int value;
};

using chain = mallard::multiallocation_chain<node>;

class multiallocation_chain : public ::testing::Test {
protected:
    node* block(std::size_t i) { return &blocks_.at(i); }

    /// Returns: a chain of the blocks from `begin` to `end`.
    chain of(std::size_t begin, std::size_t end) {
        chain blocks_chain;
        for (std::size_t i = begin; i != end; ++i) {
            blocks_chain.push_back(block(i));
        }
        return blocks_chain;
    }

    /// Returns: the numbers of the blocks in a chain, in its order. The chain's own last block must be the last.
    std::vector<std::size_t> numbers(chain& walked) {
        std::vector<std::size_t> indices;
        auto last = walked.before_begin();
        for (auto at = walked.begin(); at != walked.end(); ++at) {
            indices.push_back(static_cast<std::size_t>(at.operator->() - blocks_.data()));
            last = at;
        }
        EXPECT_EQ(indices.size(), walked.size());
        EXPECT_EQ(indices.empty(), walked.empty());
        EXPECT_TRUE(last == walked.last());
        return indices;
    }

    using list = std::vector<std::size_t>;

private:
    std::array<node, 16> blocks_{};
};

TEST_F(multiallocation_chain, begins_empty) {
    chain empty;
    EXPECT_EQ(numbers(empty), list{});
    EXPECT_TRUE(empty.begin() == empty.end());
    EXPECT_TRUE(empty.last() == empty.before_begin());
    EXPECT_EQ(empty.extract_data(), std::pair(static_cast<node*>(nullptr), static_cast<node*>(nullptr)));
    EXPECT_TRUE(empty.take().empty());
}

TEST_F(multiallocation_chain, pushes_at_both_ends_and_pops_front) {
    chain blocks_chain;
    blocks_chain.push_back(block(1));
    blocks_chain.push_front(block(0));
    blocks_chain.push_back(block(2));
    EXPECT_EQ(numbers(blocks_chain), (list{0, 1, 2}));
    EXPECT_EQ(blocks_chain.pop_front(), block(0));
    EXPECT_EQ(blocks_chain.pop_front(), block(1));
    EXPECT_EQ(blocks_chain.pop_front(), block(2));
    EXPECT_EQ(numbers(blocks_chain), list{}) << "and can be used again";
    blocks_chain.push_back(block(3));
    EXPECT_EQ(numbers(blocks_chain), list{3});
}

TEST_F(multiallocation_chain, inserts_behind_a_block) {
    chain blocks_chain = of(0, 2);
    const auto first = blocks_chain.insert_after(blocks_chain.before_begin(), block(5));
    EXPECT_TRUE(first == blocks_chain.begin());
    const auto last = blocks_chain.insert_after(blocks_chain.last(), block(6));
    EXPECT_TRUE(last == blocks_chain.last());
    blocks_chain.insert_after(chain::iterator_to(block(0)), block(7));
    EXPECT_EQ(numbers(blocks_chain), (list{5, 0, 7, 1, 6}));
}

TEST_F(multiallocation_chain, splices_a_part_of_another) {
    for (std::size_t skipped = 0; skipped <= 4; ++skipped) {
        for (std::size_t n = 0; skipped + n <= 4; ++n) {
            for (std::size_t behind = 0; behind <= 2; ++behind) {
                chain from = of(0, 4);
                chain to = of(8, 10);
                auto at = from.before_begin();
                std::advance(at, skipped);
                auto last = at;
                std::advance(last, n);
                auto position = to.before_begin();
                std::advance(position, behind);
                to.splice_after(position, from, at, last, n);

                list remaining;
                list in_between;
                for (std::size_t i = 0; i != 4; ++i) {
                    (i >= skipped && i < skipped + n ? in_between : remaining).push_back(i);
                }
                list expected{8, 9};
                expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(behind), in_between.begin(),
                                in_between.end());
                ASSERT_EQ(numbers(from), remaining) << skipped << ' ' << n;
                ASSERT_EQ(numbers(to), expected) << skipped << ' ' << n << ' ' << behind;
            }
        }
    }
}

TEST_F(multiallocation_chain, splices_all_of_another) {
    chain from = of(0, 3);
    chain to = of(8, 9);
    to.splice_after(to.before_begin(), from);
    EXPECT_EQ(numbers(to), (list{0, 1, 2, 8}));
    EXPECT_EQ(numbers(from), list{});
    to.splice_after(to.last(), from);
    EXPECT_EQ(numbers(to), (list{0, 1, 2, 8})) << "nothing";
}

TEST_F(multiallocation_chain, forgets_a_part) {
    chain blocks_chain = of(0, 5);
    blocks_chain.erase_after(blocks_chain.begin(), chain::iterator_to(block(3)), 2);
    EXPECT_EQ(numbers(blocks_chain), (list{0, 3, 4}));
    blocks_chain.erase_after(blocks_chain.begin(), blocks_chain.end(), 2);
    EXPECT_EQ(numbers(blocks_chain), list{0});
    blocks_chain.erase_after(blocks_chain.before_begin(), blocks_chain.end(), 1);
    EXPECT_EQ(numbers(blocks_chain), list{});
}

TEST_F(multiallocation_chain, extracts_data_and_incorporates_it) {
    chain blocks_chain = of(0, 4);
    // Boost 1.76 and later name the type.
    const chain::pointer_pair ends = blocks_chain.extract_data();
    const auto [first, last] = ends;
    EXPECT_EQ(first, block(0));
    EXPECT_EQ(last, block(3));
    EXPECT_EQ(numbers(blocks_chain), list{});
    blocks_chain.push_back(block(9));
    blocks_chain.incorporate_after(blocks_chain.before_begin(), first, last, 4);
    EXPECT_EQ(numbers(blocks_chain), (list{0, 1, 2, 3, 9}));
    blocks_chain.incorporate_after(blocks_chain.last(), nullptr, nullptr, 0);
    EXPECT_EQ(blocks_chain.size(), 5U) << "nothing";

    chain again = of(0, 4);
    static_cast<void>(again.extract_data());
    chain of_ends(block(0), block(3), 4);
    EXPECT_EQ(numbers(of_ends), (list{0, 1, 2, 3}));
}

TEST_F(multiallocation_chain, iterates_while_objects_overwrite_later_links) {
    chain blocks_chain = of(0, 4);
    auto at = blocks_chain.begin();
    blocks_chain.clear();
    for (int i = 0; i != 4; ++i) {
        node* const p = at.operator->();
        EXPECT_EQ(&*at, p);
        ++at;
        *p = {.left = p, .right = p, .value = i};
    }
    EXPECT_TRUE(at == blocks_chain.end());
    EXPECT_EQ(&*at, nullptr) << "where containers ask for the address too";
    EXPECT_EQ(block(3)->value, 3);
}

TEST_F(multiallocation_chain, moves_and_swaps) {
    chain blocks_chain = of(0, 3);
    chain moved(std::move(blocks_chain));
    EXPECT_EQ(numbers(blocks_chain), list{});
    EXPECT_EQ(numbers(moved), (list{0, 1, 2}));
    chain empty;
    chain still_empty(std::move(empty));
    EXPECT_EQ(numbers(still_empty), list{});
    still_empty.push_back(block(7));
    still_empty = std::move(moved);
    EXPECT_EQ(numbers(still_empty), (list{0, 1, 2}));
    EXPECT_EQ(numbers(moved), list{});
    still_empty.swap(blocks_chain);
    EXPECT_EQ(numbers(still_empty), list{});
    EXPECT_EQ(numbers(blocks_chain), (list{0, 1, 2}));
    blocks_chain.push_back(block(4));
    EXPECT_EQ(numbers(blocks_chain), (list{0, 1, 2, 4})) << "behind the last";
}

TEST_F(multiallocation_chain, converts_to_and_from_block_chain) {
    chain blocks_chain = of(0, 3);
    mallard::block_chain blocks = blocks_chain.take();
    EXPECT_EQ(numbers(blocks_chain), list{});
    EXPECT_EQ(blocks.size(), 3U);
    EXPECT_EQ(blocks.front(), block(0));
    EXPECT_EQ(blocks.back(), block(2));
    blocks.push_back(block(5));

    chain back(std::move(blocks));
    EXPECT_EQ(numbers(back), (list{0, 1, 2, 5}));
    mallard::block_chain more;
    more.push_back(block(8));
    back.append(std::move(more));
    back.append(mallard::block_chain());
    EXPECT_EQ(numbers(back), (list{0, 1, 2, 5, 8}));
}

} // namespace
