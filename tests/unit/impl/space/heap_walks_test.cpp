#include "equipment/heaps.hpp"

#include <mallard/impl/space/heap_walks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

using mallard::heap_block_info;
using mallard::heap_use;

template <class Environment>
class heap_walks : public ::testing::Test {
protected:
    std::vector<heap_block_info> walk() const {
        std::vector<heap_block_info> all;
        environment_.heap.for_each_block([&](const heap_block_info& info) { all.push_back(info); });
        return all;
    }

    Environment environment_;
    std::remove_reference_t<decltype(Environment::heap)>& heap_ = environment_.heap;
};

using environments = ::testing::Types<equipment::heap_on_ledger, equipment::heap_in_region>;
TYPED_TEST_SUITE(heap_walks, environments);

TYPED_TEST(heap_walks, visit_used_and_free_blocks) {
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < 50; ++i) {
        blocks.push_back(this->heap_.allocate(20 + 10 * i));
    }
    for (std::size_t i = 0; i < 50; i += 5) {
        this->heap_.deallocate(blocks[i]);
    }
    std::size_t used = 0;
    std::size_t used_bytes = 0;
    std::size_t free = 0;
    std::size_t free_bytes = 0;
    std::size_t largest = 0;
    for (const heap_block_info& info : this->walk()) {
        const auto entry = std::find(blocks.begin(), blocks.end(), info.p);
        if (info.in_use) {
            ASSERT_NE(entry, blocks.end());
            EXPECT_NE((entry - blocks.begin()) % 5, 0);
            EXPECT_EQ(info.bytes, this->heap_.usable_bytes(info.p));
            ++used;
            used_bytes += info.bytes;
        } else {
            ++free;
            free_bytes += info.bytes;
            largest = std::max(largest, info.bytes);
        }
    }
    const heap_use use = this->heap_.use();
    EXPECT_EQ(used, 40U);
    EXPECT_EQ(use.used_blocks, used);
    EXPECT_EQ(use.used_bytes, used_bytes);
    EXPECT_EQ(use.free_blocks, free);
    EXPECT_EQ(use.free_bytes, free_bytes);
    EXPECT_EQ(use.largest_free_bytes, largest);
    EXPECT_GE(use.held_bytes, used_bytes + free_bytes + 8 * (used + free));
}

TYPED_TEST(heap_walks, used_bytes_exclude_header_words) {
    static_cast<void>(this->heap_.allocate(24, 8));
    static_cast<void>(this->heap_.allocate(1000, 8));
    EXPECT_EQ(this->heap_.use().used_blocks, 2U);
    EXPECT_EQ(this->heap_.use().used_bytes, 1024U);
}

/// A program writes past the end of a block, before its start, or to a freed block.
TYPED_TEST(heap_walks, name_the_block_that_somebody_wrote_around) {
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 20; ++i) {
        blocks.push_back(static_cast<std::byte*>(this->heap_.allocate(40)));
    }
    for (const std::size_t i : {4U, 9U, 14U}) {
        this->heap_.deallocate(blocks[i]);
    }
    this->heap_.settle();
    this->heap_.deallocate(blocks[17]);
    ASSERT_EQ(this->heap_.use().waiting_blocks, 1U);
    ASSERT_TRUE(this->heap_.check_sanity().sound());
    const auto look_with = [&](std::byte* at, const std::byte* damaged) {
        const std::size_t original = mallard::space::read_word(at);
        mallard::space::write_word(at, 0x4141414141414141);
        const mallard::heap_sanity sanity = this->heap_.check_sanity();
        mallard::space::write_word(at, original);
        EXPECT_FALSE(sanity.sound());
        EXPECT_EQ(sanity.block, damaged);
        EXPECT_TRUE(this->heap_.check_sanity().sound());
        return std::string(sanity.defect == nullptr ? "" : sanity.defect);
    };
    for (const std::size_t i : {0U, 4U, 5U, 19U}) {
        EXPECT_EQ(look_with(blocks[i] - 8, blocks[i]),
                  "the size in the word in front of the block is damaged");
    }
    for (const std::size_t i : {4U, 9U, 14U}) {
        EXPECT_EQ(look_with(blocks[i], blocks[i]), "the links of the free block are damaged");
        EXPECT_EQ(look_with(blocks[i] + 8, blocks[i]), "the links of the free block are damaged");
    }
    EXPECT_EQ(look_with(blocks[17], blocks[17]), "the link of the waiting block is damaged");
}

/// Large blocks lie elsewhere; they are blocks all the same.
TEST(walks_over_reserved_blocks, see_them_too) {
    mallard::heap<> heap;
    void* const large = heap.allocate(1 << 20);
    void* const small = heap.allocate(100);
    std::vector<const void*> seen;
    heap.for_each_block([&](const heap_block_info& info) {
        if (info.in_use) {
            seen.push_back(info.p);
        }
    });
    EXPECT_EQ(seen.size(), 2U);
    EXPECT_NE(std::find(seen.begin(), seen.end(), large), seen.end());
    EXPECT_NE(std::find(seen.begin(), seen.end(), small), seen.end());
    EXPECT_EQ(heap.use().used_blocks, 2U);
    EXPECT_GE(heap.use().used_bytes, std::size_t{1} << 20);
    EXPECT_GE(heap.use().held_bytes, std::size_t{1} << 20);
    EXPECT_TRUE(heap.check_sanity().sound());
    std::byte* const word = static_cast<std::byte*>(large) - 8;
    const std::size_t original = mallard::space::read_word(word);
    mallard::space::write_word(word, 0x4141414141414141);
    const mallard::heap_sanity sanity = heap.check_sanity();
    mallard::space::write_word(word, original);
    EXPECT_FALSE(sanity.sound());
    EXPECT_EQ(sanity.block, large);
}

} // namespace
