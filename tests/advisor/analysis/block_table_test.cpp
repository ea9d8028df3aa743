#include "advisor/blocks/block_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace {

using mallard::advisor::block_table;
using mallard::advisor::live_block;

TEST(block_table, finds_what_was_inserted_and_not_erased) {
    block_table table;
    std::map<std::uint64_t, std::uint64_t> model;
    std::mt19937_64 random(1);
    for (std::uint64_t step = 1; step < 200'000; ++step) {
        // Few addresses close to each other: long runs of taken places.
        const std::uint64_t address = 8 * (1 + random() % 12'000);
        const live_block* found = table.find(address);
        ASSERT_EQ(found != nullptr, model.contains(address));
        if (found != nullptr) {
            ASSERT_EQ(found->number, model[address]);
            table.erase(found);
            model.erase(address);
        } else {
            live_block block;
            block.address = address;
            block.number = step;
            table.insert(block);
            model[address] = step;
        }
        ASSERT_EQ(table.size(), model.size());
    }
    for (const auto& [address, number] : model) {
        ASSERT_EQ(table.find(address)->number, number);
    }
}

} // namespace
