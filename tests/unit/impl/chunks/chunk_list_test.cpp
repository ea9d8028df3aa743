#include "equipment/on_ledger.hpp"

#include <mallard/impl/chunks/chunk_list.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

class chunk_list : public equipment::on_ledger {
protected:
    ~chunk_list() override { list_.release(source_); }

    std::vector<std::size_t> sizes() {
        std::vector<std::size_t> sizes;
        for (mallard::chunks::chunk* c = list_.front(); c != nullptr; c = c->next) {
            sizes.push_back(c->bytes);
        }
        return sizes;
    }

    mallard::chunks::chunk_list list_;
};

using list_of_sizes = std::vector<std::size_t>;

TEST_F(chunk_list, puts_new_chunks_in_front_and_counts_them) {
    EXPECT_EQ(list_.front(), nullptr);
    EXPECT_EQ(list_.bytes(), 0U);
    list_.grow(source_, 256);
    mallard::chunks::chunk* second = list_.grow(source_, 512);
    EXPECT_EQ(list_.front(), second);
    EXPECT_EQ(list_.count(), 2U);
    EXPECT_EQ(list_.bytes(), 768U);
    EXPECT_EQ(second->end() - second->begin(), 512 - std::ptrdiff_t{sizeof(mallard::chunks::chunk)});
    EXPECT_TRUE(mallard::core::is_aligned(second->begin(), mallard::fundamental_alignment));
}

TEST_F(chunk_list, splices_chunks_in_front) {
    mallard::chunks::chunk_list other;
    list_.splice(other);
    EXPECT_EQ(list_.front(), nullptr);
    other.grow(source_, 64);
    other.grow(source_, 128);
    list_.splice(other);
    EXPECT_EQ(sizes(), (list_of_sizes{128, 64})) << "into an empty list";
    EXPECT_EQ(other.front(), nullptr);
    other.grow(source_, 256);
    other.grow(source_, 512);
    list_.splice(other);
    EXPECT_EQ(sizes(), (list_of_sizes{512, 256, 128, 64}));
    list_.splice(other);
    EXPECT_EQ(sizes(), (list_of_sizes{512, 256, 128, 64}));
}

TEST_F(chunk_list, pops_the_chunk_that_was_pushed_last) {
    list_.grow(source_, 1024);
    list_.grow(source_, 256);
    mallard::chunks::chunk* const popped = list_.pop();
    EXPECT_EQ(popped->bytes, 256U);
    EXPECT_EQ(sizes(), list_of_sizes{1024});
    list_.push(popped);
    EXPECT_EQ(sizes(), (list_of_sizes{256, 1024}));
}

} // namespace
