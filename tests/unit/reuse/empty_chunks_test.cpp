#include <mallard/core/sanitizer.hpp>
#include <mallard/reuse/empty_chunks.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

namespace {

class block_run : public ::testing::Test {
protected:
    struct place {
        std::size_t at;
        std::size_t bytes;
    };

    void add(std::initializer_list<place> places) {
        for (const place& p : places) {
            run_.push(reinterpret_cast<mallard::core::free_block*>(memory_ + p.at), p.bytes);
        }
        run_.sort();
    }

    std::vector<std::size_t> places() const {
        std::vector<std::size_t> result;
        for (auto* block = run_.first(); block != nullptr; block = mallard::reuse::block_run::next(block)) {
            result.push_back(static_cast<std::size_t>(reinterpret_cast<std::byte*>(block) - memory_));
        }
        return result;
    }

    bool fills(std::size_t begin, std::size_t end) const {
        return run_.fills(memory_ + begin, memory_ + end);
    }

    alignas(16) std::byte memory_[64 << 10];
    mallard::reuse::block_run run_;
};

TEST_F(block_run, sorts_by_address) {
    std::vector<std::size_t> expected(4000);
    std::generate(expected.begin(), expected.end(), [n = std::size_t{0}]() mutable { return 16 * n++; });
    for (const std::size_t count : {1U, 2U, 3U, 7U, 8U, 1000U, 4000U}) {
        std::vector<std::size_t> order(expected.begin(),
                                       expected.begin() + static_cast<std::ptrdiff_t>(count));
        std::shuffle(order.begin(), order.end(), std::mt19937(count));
        run_ = {};
        for (const std::size_t at : order) {
            run_.push(reinterpret_cast<mallard::core::free_block*>(memory_ + at), 16);
        }
        run_.sort();
        EXPECT_EQ(places(),
                  std::vector(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(count)));
    }
}

/// Ranges that are distributed before they are merged: in one step, in two, and with all blocks at both ends.
TEST_F(block_run, sorts_long_ranges_by_address) {
    std::vector<std::byte> memory(std::size_t{8} << 20);
    const auto sort = [&](const std::vector<std::size_t>& order) {
        run_ = {};
        for (const std::size_t at : order) {
            run_.push(reinterpret_cast<mallard::core::free_block*>(memory.data() + at), 16);
        }
        run_.sort();
        std::vector<std::size_t> sorted;
        while (auto* const block = run_.pop()) {
            EXPECT_EQ(mallard::reuse::block_run::bytes(block), 16U);
            sorted.push_back(static_cast<std::size_t>(reinterpret_cast<std::byte*>(block) - memory.data()));
        }
        return sorted;
    };
    for (const std::size_t step : {std::size_t{32}, std::size_t{64}, std::size_t{4096}}) {
        std::vector<std::size_t> expected;
        for (std::size_t at = 0; at < std::min(memory.size(), 4096 * step); at += step) {
            expected.push_back(at);
        }
        std::vector<std::size_t> order = expected;
        std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(step)));
        EXPECT_EQ(sort(order), expected) << "a block each " << step << " bytes";
    }
    const std::size_t end = memory.size();
    const std::vector<std::size_t> ends{0, 16, 32, end - 48, end - 32, end - 16};
    EXPECT_EQ(sort({32, end - 16, 0, end - 48, 16, end - 32}), ends);
}

/// Sorts blocks of one size behind the headers of `chunks`, those whose numbers are free, from a random order.
/// Requires: `chunks` are sorted.
void expect_sorted_blocks(const std::vector<std::span<std::byte>>& chunks, std::size_t block_bytes,
                          const auto& is_free) {
    mallard::reuse::block_run run;
    std::vector<std::byte*> expected;
    std::size_t number = 0;
    for (const std::span<std::byte> chunk : chunks) {
        for (std::size_t at = 16; at + block_bytes <= chunk.size(); at += block_bytes) {
            if (is_free(number++)) {
                expected.push_back(chunk.data() + at);
            }
        }
        run.push(reinterpret_cast<mallard::core::free_block*>(chunk.data()), chunk.size());
    }
    run.reverse();
    mallard::reuse::block_sorter sorter(run);
    std::vector<std::byte*> order = expected;
    std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(order.size())));
    for (std::byte* const block : order) {
        sorter.add(reinterpret_cast<mallard::core::free_block*>(block), block_bytes);
    }
    mallard::reuse::block_run sorted = sorter.sort();
    for (std::byte* const block : expected) {
        auto* const first = sorted.pop();
        ASSERT_EQ(reinterpret_cast<std::byte*>(first), block);
        ASSERT_EQ(mallard::reuse::block_run::bytes(first), block_bytes);
    }
    EXPECT_EQ(sorted.first(), nullptr);
}

class block_sorter : public ::testing::TestWithParam<std::size_t> {};

/// From chunks that share a range with hundreds of others, with gaps between them, to a single one that has all ranges, and none.
TEST_P(block_sorter, sorts_the_blocks_of_all_chunks) {
    std::vector<std::byte> memory(std::size_t{8} << 20);
    const std::size_t chunk_bytes = GetParam();
    const std::size_t gap_bytes = chunk_bytes % 48 * 16; // none, and gaps of several lengths
    std::vector<std::span<std::byte>> chunks;
    for (std::size_t at = 8; at + chunk_bytes <= memory.size(); at += chunk_bytes + gap_bytes) {
        chunks.emplace_back(memory.data() + at, chunk_bytes);
    }
    for (const std::size_t block_bytes : {16U, 40U, 2048U}) {
        expect_sorted_blocks(chunks, block_bytes, [](std::size_t) { return true; });
        expect_sorted_blocks(chunks, block_bytes, [](std::size_t) { return false; });
        expect_sorted_blocks(chunks, block_bytes, [](std::size_t index) { return index % 2 == 0; });
        expect_sorted_blocks(chunks, block_bytes, [](std::size_t index) { return index % 1001 == 0; });
    }
}

INSTANTIATE_TEST_SUITE_P(chunks, block_sorter,
                         ::testing::Values(64, 512, 4096, 65'536, 196'640, 1 << 20, 8'000'000, 9'000'000));

TEST_F(block_run, reverses_the_order) {
    run_.reverse();
    EXPECT_EQ(run_.first(), nullptr);
    add({{16, 16}});
    run_.reverse();
    EXPECT_EQ(places(), std::vector<std::size_t>{16});
    add({{0, 16}, {64, 16}, {32, 16}});
    run_.reverse();
    EXPECT_EQ(places(), (std::vector<std::size_t>{64, 32, 16, 0}));
}

TEST_F(block_run, fills_a_range_with_gaps_up_to_a_bound) {
    add({{8, 16}, {32, 16}});
    EXPECT_TRUE(run_.fills(memory_, memory_ + 56, 8));
    EXPECT_FALSE(run_.fills(memory_, memory_ + 56, 7));
    EXPECT_FALSE(run_.fills(memory_, memory_ + 57, 8)) << "behind the last block";
    EXPECT_FALSE(run_.fills(memory_ + 8, memory_ + 48, 0)) << "between two blocks";
    EXPECT_TRUE(run_.fills(memory_ + 8, memory_ + 24, 0)) << "without the second block";
}

TEST_F(block_run, ends_a_run_at_the_end_of_its_chunk) {
    add({{0, 32}, {32, 32}, {64, 32}});
    EXPECT_EQ(run_.take_merged(memory_ + 64).size(), 64U);
    EXPECT_FALSE(run_.has_block_before(memory_ + 64));
    EXPECT_TRUE(run_.has_block_before(memory_ + 65));
    EXPECT_EQ(places(), std::vector<std::size_t>{64});
}

TEST_F(block_run, ends_a_run_at_a_gap) {
    add({{0, 32}, {40, 24}});
    EXPECT_EQ(run_.take_merged(memory_ + 64, 7).size(), 32U);
    EXPECT_EQ(places(), std::vector<std::size_t>{40});
}

TEST_F(block_run, fills_a_range_without_gaps) {
    add({{48, 16}, {0, 24}, {32, 16}}); // 24 to 32 is padding
    EXPECT_TRUE(fills(0, 64));
    EXPECT_TRUE(fills(0, 72)) << "the end of a chunk may be too short for a block";
    EXPECT_FALSE(fills(0, 80));
}

TEST_F(block_run, does_not_fill_a_range_with_a_used_block) {
    add({{0, 16}, {32, 32}});
    EXPECT_FALSE(fills(0, 64));
    run_ = {};
    add({{16, 48}});
    EXPECT_FALSE(fills(0, 64));
}

} // namespace
