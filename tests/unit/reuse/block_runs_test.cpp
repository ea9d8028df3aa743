#include <mallard/reuse/block_runs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

namespace {

class block_runs : public ::testing::TestWithParam<std::size_t> {
protected:
    block_runs() { mallard::core::poison(room_.data(), room_.size()); }
    ~block_runs() override { mallard::core::unpoison(room_.data(), room_.size()); }

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
            EXPECT_TRUE(
                mallard::core::is_aligned(p, std::min<std::size_t>(GetParam() & (~GetParam() + 1), 16)));
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
    mallard::reuse::block_runs runs_{GetParam()};
};

TEST_P(block_runs, have_nothing_at_first) {
    EXPECT_EQ(runs_.pop(), nullptr);
}

TEST_P(block_runs, make_a_run_of_the_least_room) {
    for (const std::size_t skew : {0U, 8U}) {
        used_ += skew;
        add_run(mallard::reuse::block_runs::least_bytes(GetParam()));
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

// ---- rooms of one size

TEST_P(block_runs, make_one_run_of_a_room_and_count_its_blocks_before) {
    for (std::size_t bytes = 0; bytes < 4000; bytes += 4) {
        mallard::reuse::block_runs runs(GetParam());
        std::byte* cursor = room_.data();
        std::byte* const limit = cursor + bytes;
        std::vector<void*> all;
        for (void* p = runs.carve(cursor, limit); p != nullptr; p = runs.pop()) {
            all.push_back(p);
        }
        used_ = bytes;
        expect_apart(all);
        ASSERT_EQ(all.size(), runs.blocks_in(bytes)) << bytes;
        ASSERT_EQ(runs.carve(cursor, limit), nullptr) << "nothing is left";
        mallard::core::poison(room_.data(), bytes);
    }
}

TEST_P(block_runs, ask_for_as_much_room_as_they_need_and_little_more) {
    const mallard::reuse::block_runs runs(GetParam());
    EXPECT_EQ(runs.room(), mallard::reuse::block_runs::least_bytes(GetParam()));
    for (std::size_t blocks = 1; blocks < 2000; ++blocks) {
        ASSERT_GE(runs.blocks_in(runs.room(blocks)), blocks);
        ASSERT_LE(runs.blocks_in(runs.room(blocks)), blocks + 2);
    }
}

TEST_P(block_runs, split_a_room_that_is_too_long_for_one) {
    const mallard::reuse::block_runs runs(GetParam());
    const std::size_t blocks = (std::size_t{5} << 31) / GetParam();
    EXPECT_GE(runs.blocks_in(runs.room(blocks)), blocks);
    EXPECT_LE(runs.blocks_in(runs.room(blocks)), blocks + 64 / GetParam() + 8);
}

TEST(block_runs_of_strict_alignment, align_the_first_block_of_a_run) {
    alignas(16) static std::array<std::byte, 4096> room{};
    for (std::size_t alignment = 16; alignment <= 512; alignment *= 2) {
        mallard::reuse::block_runs runs(alignment, alignment);
        std::byte* cursor = room.data();
        std::byte* const limit = cursor + runs.room(2);
        for (int i = 0; i < 2; ++i) {
            void* const p = i == 0 ? runs.carve(cursor, limit) : runs.pop();
            EXPECT_NE(p, nullptr);
            EXPECT_TRUE(mallard::core::is_aligned(p, alignment));
        }
        mallard::core::unpoison(room.data(), room.size());
    }
}

TEST_P(block_runs, forget_everything) {
    add_run(1000 + GetParam());
    runs_.clear();
    EXPECT_TRUE(runs_.empty());
    EXPECT_EQ(runs_.pop(), nullptr);
    EXPECT_EQ(runs_.block_bytes(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(of, block_runs,
                         ::testing::Values(4U, 8U, 12U, 16U, 20U, 24U, 40U, 128U, 144U, 1152U));

} // namespace
