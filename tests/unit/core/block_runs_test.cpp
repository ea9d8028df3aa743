#include <mallard/core/block_runs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

namespace {

class block_runs : public ::testing::TestWithParam<std::size_t> {
protected:
    block_runs() { mallard::poison(room_.data(), room_.size()); }
    ~block_runs() override { mallard::unpoison(room_.data(), room_.size()); }

    /// Effects: makes a run of at most `bytes` bytes.
    void add_run(std::size_t bytes) {
        ASSERT_LE(used_ + bytes, room_.size());
        std::byte* cursor = room_.data() + used_;
        std::byte* const limit = cursor + bytes;
        runs_.add_run(cursor, limit);
        EXPECT_LE(cursor, limit);
        used_ += bytes;
    }

    std::vector<void*> pop_all() {
        std::vector<void*> all;
        while (void* p = runs_.pop()) {
            all.push_back(p);
        }
        return all;
    }

    void expect_apart(const std::vector<void*>& blocks) const {
        EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            auto* p = static_cast<std::byte*>(blocks[i]);
            EXPECT_TRUE(mallard::is_aligned(p, GetParam() % 16 == 0 ? 16 : 8));
            EXPECT_GE(p, room_.data());
            EXPECT_LE(p + GetParam(), room_.data() + used_);
            if (i != 0) {
                EXPECT_GE(p, static_cast<std::byte*>(blocks[i - 1]) + GetParam());
            }
        }
    }

    static constexpr std::size_t room_bytes = std::size_t{1} << 20;
    alignas(16) std::array<std::byte, room_bytes> room_{};
    std::size_t used_ = 0;
    mallard::block_runs runs_{GetParam()};
};

TEST_P(block_runs, have_nothing_at_first) {
    EXPECT_EQ(runs_.pop(), nullptr);
}

TEST_P(block_runs, make_a_run_of_the_least_room) {
    for (const std::size_t skew : {0U, 8U}) {
        used_ += skew;
        add_run(mallard::block_runs::least_bytes(GetParam()) & ~std::size_t{7});
        const std::vector<void*> all = pop_all();
        EXPECT_EQ(all.size(), 1U);
        expect_apart(all);
    }
}

TEST_P(block_runs, double_their_blocks_with_every_run) {
    std::size_t total = 0;
    for (const std::size_t expected : {1U, 1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
        add_run(expected * GetParam() + 256);
        const std::vector<void*> all = pop_all();
        EXPECT_EQ(all.size(), expected);
        expect_apart(all);
        total += expected;
    }
    EXPECT_EQ(total, 128U);
}

TEST_P(block_runs, give_blocks_by_address_whatever_the_order_of_their_return) {
    std::vector<void*> all;
    for (int i = 0; i < 8; ++i) {
        add_run(64 * GetParam() + 256);
        const std::vector<void*> more = pop_all();
        all.insert(all.end(), more.begin(), more.end());
    }
    expect_apart(all);
    std::mt19937 order(1);
    for (int round = 0; round < 20; ++round) {
        std::vector<void*> freed = all;
        std::shuffle(freed.begin(), freed.end(), order);
        freed.resize(1 + order() % freed.size());
        for (void* p : freed) {
            runs_.push(p);
        }
        std::sort(freed.begin(), freed.end());
        EXPECT_EQ(pop_all(), freed);
    }
}

TEST_P(block_runs, go_back_to_a_lower_block_at_once) {
    for (int i = 0; i < 8; ++i) {
        add_run(64 * GetParam() + 256);
    }
    std::set<void*> used;
    for (int i = 0; i < 100; ++i) {
        used.insert(runs_.pop());
    }
    for (void* p : std::vector<void*>(used.begin(), used.end())) {
        runs_.push(p);
        EXPECT_EQ(runs_.pop(), p) << "all below it are in use";
    }
}

INSTANTIATE_TEST_SUITE_P(of, block_runs, ::testing::Values(8U, 16U, 24U, 40U, 128U, 144U, 1152U));

} // namespace
