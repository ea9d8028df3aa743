#include "profiler/blocks/block_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace {

using mallard::advisor::block_table;
using mallard::advisor::live_block;

TEST(block_table, holds_inserted_blocks_until_taken) {
    block_table table;
    std::map<std::uint64_t, std::uint64_t> model;
    std::mt19937_64 random(1);
    for (std::uint64_t step = 1; step < 200'000; ++step) {
        // A few close addresses give long runs of taken places.
        const std::uint64_t address = 8 * (1 + random() % 12'000);
        ASSERT_EQ(table.contains(address), model.contains(address));
        table.prefetch_place(address);
        table.prefetch_block(address);
        if (const auto block = table.take(address)) {
            ASSERT_EQ(block->address, address);
            ASSERT_EQ(block->number, model[address]);
            model.erase(address);
        } else {
            live_block inserted;
            inserted.address = address;
            inserted.number = step;
            table.insert(inserted);
            model[address] = step;
        }
        ASSERT_EQ(table.size(), model.size());
    }
    table.for_each([&](const live_block& block) {
        const auto entry = model.find(block.address);
        ASSERT_NE(entry, model.end());
        ASSERT_EQ(entry->second, block.number);
        model.erase(entry);
    });
    ASSERT_TRUE(model.empty());
}

TEST(block_table, distinguishes_addresses_with_equal_tags) {
    block_table table;
    for (std::uint64_t low = 0; low < 8; ++low) { // the hash ignores the lowest three bits
        table.insert({.address = 4096 + low, .number = low});
    }
    EXPECT_EQ(table.size(), 8U);
    for (std::uint64_t low = 8; low-- > 0;) {
        EXPECT_EQ(table.take(4096 + low)->number, low);
        EXPECT_FALSE(table.contains(4096 + low));
    }
}

TEST(block_table, returns_blocks_unchanged) {
    constexpr std::uint64_t bytes = (std::uint64_t{1} << 48) - 1;
    constexpr std::uint64_t number = (std::uint64_t{1} << 44) - 1;
    constexpr std::uint64_t ticks = (std::uint64_t{1} << 52) - 1;
    for (const live_block& block : {live_block{.address = ~std::uint64_t{0},
                                               .bytes = bytes,
                                               .number = number,
                                               .ticks = ticks,
                                               .clock = bytes,
                                               .call = ~0U,
                                               .marked = ~0U,
                                               .thread = ~0U >> 1,
                                               .has_complete_stack = true},
                                    live_block{.address = 1},
                                    live_block{.address = 8,
                                               .bytes = 7,
                                               .number = 0x0abc'1234'5678,
                                               .ticks = 5,
                                               .clock = 6,
                                               .call = 4,
                                               .marked = 3,
                                               .thread = 2,
                                               .has_complete_stack = false}}) {
        block_table table;
        table.insert(block);
        EXPECT_EQ(*table.take(block.address), block);
    }
}

TEST(block_table, saturates_figures_out_of_range) {
    constexpr std::uint64_t all = ~std::uint64_t{0};
    block_table table;
    table.insert({.address = 16, .bytes = all, .number = all, .ticks = all, .clock = all});
    const live_block block = *table.take(16);
    EXPECT_EQ(block.bytes, all >> 16);
    EXPECT_EQ(block.number, all >> 20);
    EXPECT_EQ(block.ticks, all >> 12);
    EXPECT_EQ(block.clock, all >> 16);
    EXPECT_EQ(block.thread, 0U);
}

} // namespace
