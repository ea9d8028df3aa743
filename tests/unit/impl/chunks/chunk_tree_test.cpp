#include "equipment/on_ledger.hpp"

#include <mallard/impl/chunks/chunk_list.hpp>
#include <mallard/impl/chunks/chunk_tree.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <random>
#include <set>
#include <vector>

namespace {

using mallard::chunks::chunk;

class chunk_tree : public equipment::on_ledger {
protected:
    ~chunk_tree() override {
        tree_.release(source_);
        loose_.release(source_);
        EXPECT_EQ(tree_.bytes(), 0U);
    }

    void insert(std::initializer_list<std::size_t> sizes) {
        for (const std::size_t bytes : sizes) {
            insert(bytes);
        }
    }

    void insert(std::size_t bytes) {
        loose_.grow(source_, bytes);
        tree_.insert(loose_.pop());
    }

    /// Returns: the bytes of the chunk that take() finds, which stays out of the tree; 0 if it finds none.
    std::size_t take(std::size_t least, std::size_t preferred) {
        chunk* const c = tree_.take(least, preferred);
        if (c == nullptr) {
            return 0;
        }
        loose_.push(c);
        return c->bytes;
    }

    /// Effects: empties the tree.
    std::vector<std::size_t> ascending() {
        std::vector<std::size_t> sizes;
        while (const std::size_t bytes = take(1, 1)) {
            sizes.push_back(bytes);
        }
        return sizes;
    }

    mallard::chunks::chunk_tree tree_;
    mallard::chunks::chunk_list loose_;
};

using sizes = std::vector<std::size_t>;

TEST_F(chunk_tree, gives_small_chunks_back_beyond_the_bytes_kept) {
    insert({256, 512, 1024, 2048, 4096});
    tree_.trim(source_, 6000, 4096);
    EXPECT_EQ(ascending(), (sizes{2048, 4096}));
    insert({256, 512});
    tree_.trim(source_, 513, 4096);
    EXPECT_EQ(tree_.count(), 2U) << "the larger one alone holds too little";
    tree_.trim(source_, 512, 4096);
    EXPECT_EQ(ascending(), sizes{512});
}

TEST_F(chunk_tree, gives_chunks_back_that_are_too_large) {
    insert({256, 2048, 4096});
    tree_.trim(source_, 2000, 2047);
    EXPECT_EQ(ascending(), sizes{256});
    insert({256, 2048});
    tree_.trim(source_, 0, 4096);
    EXPECT_EQ(tree_.count(), 0U);
}

/// Against a std::multiset, with few and with many different sizes.
TEST_F(chunk_tree, matches_sorted_set) {
    for (const std::size_t different : {4U, 4096U}) {
        std::mt19937 random(different);
        std::multiset<std::size_t> model;
        for (int step = 0; step < 4000; ++step) {
            const std::size_t bytes = 64 + 16 * (random() % different);
            if (random() % 2 == 0) {
                insert(bytes);
                model.insert(bytes);
                continue;
            }
            const std::size_t preferred = bytes + 16 * (random() % 8);
            auto match = model.upper_bound(preferred);
            if (match != model.begin() && *std::prev(match) >= bytes) {
                --match;
            }
            const std::size_t expected = match == model.end() ? 0 : *match;
            ASSERT_EQ(take(bytes, preferred), expected) << bytes << " to " << preferred;
            if (expected != 0) {
                model.erase(match);
            }
            ASSERT_EQ(tree_.count(), model.size());
        }
        EXPECT_EQ(ascending(), sizes(model.begin(), model.end()));
    }
}

} // namespace
