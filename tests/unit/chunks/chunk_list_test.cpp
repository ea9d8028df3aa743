#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"

#include <mallard/chunks/chunk_list.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

class chunk_list : public ::testing::Test {
protected:
    ~chunk_list() override {
        list_.release(source_);
        EXPECT_EQ(source_.outstanding(), 0U);
        EXPECT_EQ(source_.complaints(), equipment::no_complaints);
    }

    std::vector<std::size_t> sizes() {
        std::vector<std::size_t> found;
        for (mallard::chunks::chunk* c = list_.front(); c != nullptr; c = c->next) {
            found.push_back(c->bytes);
        }
        return found;
    }

    equipment::ledger source_;
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

TEST_F(chunk_list, is_as_it_was_where_the_upstream_fails) {
    list_.grow(source_, 256);
    source_.fail({.at = 1});
    EXPECT_OUT_OF_MEMORY(list_.grow(source_, 512));
    EXPECT_EQ(sizes(), list_of_sizes{256});
}

TEST_F(chunk_list, keeps_the_larger_chunks_first) {
    mallard::chunks::chunk_list loose;
    for (const std::size_t bytes : {256U, 1024U, 512U, 256U, 2048U}) {
        list_.insert_by_size([&] {
            loose.grow(source_, bytes);
            return loose.pop();
        }());
    }
    EXPECT_EQ(sizes(), (list_of_sizes{2048, 1024, 512, 256, 256}));
}

TEST_F(chunk_list, takes_a_chunk_that_has_room_out_of_the_list) {
    list_.grow(source_, 1024);
    list_.grow(source_, 256);
    EXPECT_EQ(list_.take_with_room(1024), nullptr) << "the header takes its part";
    mallard::chunks::chunk* taken = list_.take_with_room(1024 - sizeof(mallard::chunks::chunk));
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(taken->bytes, 1024U);
    EXPECT_EQ(sizes(), list_of_sizes{256});
    list_.push(taken);
    EXPECT_EQ(sizes(), (list_of_sizes{1024, 256}));
    EXPECT_EQ(list_.pop(), taken);
    list_.push(taken);
}

TEST_F(chunk_list, gives_back_what_is_too_large_or_too_much) {
    for (std::size_t bytes = 256; bytes <= 4096; bytes *= 2) {
        list_.grow(source_, bytes);
    }
    list_.trim(source_, 1500, 2048);
    EXPECT_EQ(sizes(), list_of_sizes{2048});
    list_.trim(source_, 1500, 1024);
    EXPECT_EQ(sizes(), list_of_sizes{});

    list_.grow(source_, 256);
    list_.grow(source_, 512);
    list_.trim(source_, 513, 4096);
    EXPECT_EQ(sizes(), (list_of_sizes{512, 256}));
    list_.trim(source_, 0, 4096);
    EXPECT_EQ(source_.outstanding(), 0U);
}

TEST_F(chunk_list, returns_every_chunk_as_it_was_taken) {
    for (std::size_t bytes = 64; bytes <= 4096; bytes *= 2) {
        list_.grow(source_, bytes);
    }
    list_.release(source_);
    EXPECT_EQ(list_.front(), nullptr);
    EXPECT_EQ(source_.outstanding(), 0U);
}

} // namespace
