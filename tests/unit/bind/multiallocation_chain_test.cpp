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
        chain made;
        for (std::size_t i = begin; i != end; ++i) {
            made.push_back(block(i));
        }
        return made;
    }

    /// Returns: the numbers of the blocks in a chain, in its order. The chain's own last block must be the last.
    std::vector<std::size_t> numbers(chain& told) {
        std::vector<std::size_t> found;
        auto last = told.before_begin();
        for (auto at = told.begin(); at != told.end(); ++at) {
            found.push_back(static_cast<std::size_t>(at.operator->() - blocks_.data()));
            last = at;
        }
        EXPECT_EQ(found.size(), told.size());
        EXPECT_EQ(found.empty(), told.empty());
        EXPECT_TRUE(last == told.last());
        return found;
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

TEST_F(multiallocation_chain, takes_blocks_at_both_ends_and_gives_the_first) {
    chain made;
    made.push_back(block(1));
    made.push_front(block(0));
    made.push_back(block(2));
    EXPECT_EQ(numbers(made), (list{0, 1, 2}));
    EXPECT_EQ(made.pop_front(), block(0));
    EXPECT_EQ(made.pop_front(), block(1));
    EXPECT_EQ(made.pop_front(), block(2));
    EXPECT_EQ(numbers(made), list{}) << "and can be used again";
    made.push_back(block(3));
    EXPECT_EQ(numbers(made), list{3});
}

TEST_F(multiallocation_chain, inserts_behind_a_block) {
    chain made = of(0, 2);
    const auto first = made.insert_after(made.before_begin(), block(5));
    EXPECT_TRUE(first == made.begin());
    const auto last = made.insert_after(made.last(), block(6));
    EXPECT_TRUE(last == made.last());
    made.insert_after(chain::iterator_to(block(0)), block(7));
    EXPECT_EQ(numbers(made), (list{5, 0, 7, 1, 6}));
}

TEST_F(multiallocation_chain, splices_a_part_of_another) {
    for (std::size_t before = 0; before <= 4; ++before) {
        for (std::size_t n = 0; before + n <= 4; ++n) {
            for (std::size_t behind = 0; behind <= 2; ++behind) {
                chain from = of(0, 4);
                chain to = of(8, 10);
                auto at = from.before_begin();
                std::advance(at, before);
                auto last = at;
                std::advance(last, n);
                auto after = to.before_begin();
                std::advance(after, behind);
                to.splice_after(after, from, at, last, n);

                list left;
                list in_between;
                for (std::size_t i = 0; i != 4; ++i) {
                    (i >= before && i < before + n ? in_between : left).push_back(i);
                }
                list expected{8, 9};
                expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(behind), in_between.begin(),
                                in_between.end());
                ASSERT_EQ(numbers(from), left) << before << ' ' << n;
                ASSERT_EQ(numbers(to), expected) << before << ' ' << n << ' ' << behind;
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
    chain made = of(0, 5);
    made.erase_after(made.begin(), chain::iterator_to(block(3)), 2);
    EXPECT_EQ(numbers(made), (list{0, 3, 4}));
    made.erase_after(made.begin(), made.end(), 2);
    EXPECT_EQ(numbers(made), list{0});
    made.erase_after(made.before_begin(), made.end(), 1);
    EXPECT_EQ(numbers(made), list{});
}

TEST_F(multiallocation_chain, gives_its_ends_and_takes_them_back) {
    chain made = of(0, 4);
    const auto [first, last] = made.extract_data();
    EXPECT_EQ(first, block(0));
    EXPECT_EQ(last, block(3));
    EXPECT_EQ(numbers(made), list{});
    made.push_back(block(9));
    made.incorporate_after(made.before_begin(), first, last, 4);
    EXPECT_EQ(numbers(made), (list{0, 1, 2, 3, 9}));
    made.incorporate_after(made.last(), nullptr, nullptr, 0);
    EXPECT_EQ(made.size(), 5U) << "nothing";

    chain again = of(0, 4);
    static_cast<void>(again.extract_data());
    chain of_ends(block(0), block(3), 4);
    EXPECT_EQ(numbers(of_ends), (list{0, 1, 2, 3}));
}

TEST_F(multiallocation_chain, can_be_walked_through_while_objects_are_made_in_its_blocks) {
    chain made = of(0, 4);
    auto at = made.begin();
    made.clear();
    for (int i = 0; i != 4; ++i) {
        node* const p = at.operator->();
        EXPECT_EQ(&*at, p);
        ++at;
        *p = {.left = p, .right = p, .value = i};
    }
    EXPECT_TRUE(at == made.end());
    EXPECT_EQ(&*at, nullptr) << "where containers ask for the address too";
    EXPECT_EQ(block(3)->value, 3);
}

TEST_F(multiallocation_chain, moves_and_swaps) {
    chain made = of(0, 3);
    chain moved(std::move(made));
    EXPECT_EQ(numbers(made), list{});
    EXPECT_EQ(numbers(moved), (list{0, 1, 2}));
    chain empty;
    chain still_empty(std::move(empty));
    EXPECT_EQ(numbers(still_empty), list{});
    still_empty.push_back(block(7));
    still_empty = std::move(moved);
    EXPECT_EQ(numbers(still_empty), (list{0, 1, 2}));
    EXPECT_EQ(numbers(moved), list{});
    still_empty.swap(made);
    EXPECT_EQ(numbers(still_empty), list{});
    EXPECT_EQ(numbers(made), (list{0, 1, 2}));
    made.push_back(block(4));
    EXPECT_EQ(numbers(made), (list{0, 1, 2, 4})) << "behind the last";
}

TEST_F(multiallocation_chain, becomes_a_chain_of_blocks_and_is_made_from_one) {
    chain made = of(0, 3);
    mallard::block_chain blocks = made.take();
    EXPECT_EQ(numbers(made), list{});
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
