#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/hybrid_order.hpp>
#include <mallard/reuse/last_freed.hpp>
#include <mallard/reuse/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace {

using classes = mallard::eighth_classes;

TEST(reuse_order, covers_size_classes_and_single_size) {
    EXPECT_TRUE(mallard::reuse_order<mallard::last_freed>);
    EXPECT_TRUE(mallard::reuse_order<mallard::first_freed>);
    EXPECT_TRUE(mallard::reuse_order<mallard::hybrid_order>);
    EXPECT_FALSE(mallard::reuse_order<mallard::last_freed::of_one_size>);
    EXPECT_FALSE(mallard::reuse_order<int>);
    EXPECT_TRUE(mallard::reuse::reuse_by_class<mallard::last_freed::by_class<classes>>);
    EXPECT_FALSE(mallard::reuse::reuse_by_class<mallard::reuse::carves_by_class<classes>>);
    EXPECT_TRUE(mallard::reuse::reuse_of_one_size<mallard::last_freed::of_one_size>);
    EXPECT_FALSE(mallard::reuse::reuse_of_one_size<mallard::reuse::carves_one_size>);
}

/// The same blocks come and go in both kinds; both give out the same block next.
template <class Order>
class free_blocks : public ::testing::Test {
protected:
    static constexpr std::size_t block_bytes = 24;
    static constexpr std::size_t index = classes::index(block_bytes);
    static constexpr std::size_t count = 64;

    free_blocks() {
        mallard::core::poison(rooms_, sizeof rooms_);
        by_class_.serve(index, index + 1, rooms_[0]); // which it does not use
        by_class_blocks_ = taken([this] {
            void* p = by_class_.pop(index);
            return p != nullptr ? p : by_class_.carve(by_class_cursor_, std::end(rooms_[0]), index);
        });
        one_size_blocks_ = taken([this] {
            void* p = one_size_.pop();
            return p != nullptr ? p : one_size_.carve(one_size_cursor_, std::end(rooms_[1]));
        });
    }
    ~free_blocks() override { mallard::core::unpoison(rooms_, sizeof rooms_); }

    void free(std::size_t number) {
        EXPECT_TRUE(by_class_.push(by_class_blocks_[number], index));
        one_size_.push(one_size_blocks_[number]);
    }

    /// Returns: the number of the block that both give out next.
    std::size_t next() {
        const std::size_t number = slot_number(one_size_.pop(), one_size_blocks_);
        EXPECT_EQ(slot_number(by_class_.pop(index), by_class_blocks_), number);
        return number;
    }

    typename Order::template by_class<classes> by_class_;
    typename Order::of_one_size one_size_{block_bytes};

private:
    /// Returns: the lowest blocks; all others stay in use.
    template <class Take>
    static std::vector<void*> taken(Take take) {
        std::vector<void*> all;
        while (void* p = take()) {
            all.push_back(p);
        }
        std::ranges::sort(all);
        all.resize(count);
        return all;
    }

    static std::size_t slot_number(const void* p, const std::vector<void*>& blocks) {
        return static_cast<std::size_t>(std::ranges::find(blocks, p) - blocks.begin());
    }

    alignas(16) std::byte rooms_[2][4096];
    std::byte* by_class_cursor_ = rooms_[0];
    std::byte* one_size_cursor_ = rooms_[1];
    std::vector<void*> by_class_blocks_;
    std::vector<void*> one_size_blocks_;
};

using orders = ::testing::Types<mallard::last_freed, mallard::first_freed, mallard::hybrid_order>;
TYPED_TEST_SUITE(free_blocks, orders);

TYPED_TEST(free_blocks, single_size_order_matches_class_order) {
    std::mt19937 random(1);
    std::vector<std::size_t> used(this->count);
    std::generate(used.begin(), used.end(), [n = std::size_t{0}]() mutable { return n++; });
    for (int step = 0; step < 5000; ++step) {
        if (random() % 2 == 0 && !used.empty()) {
            const auto victim = used.begin() + static_cast<std::ptrdiff_t>(random() % used.size());
            this->free(*victim);
            used.erase(victim);
        } else if (used.size() != this->count) {
            const std::size_t number = this->next();
            ASSERT_LT(number, this->count) << "step " << step;
            used.push_back(number);
        }
        ASSERT_EQ(this->one_size_.empty(), used.size() == this->count);
    }
}

TEST(carves_by_class, aligns_multiples_of_16_and_nothing_else) {
    using carves = mallard::reuse::carves_by_class<classes>;
    alignas(16) std::byte room[64];
    std::byte* cursor = room;
    EXPECT_EQ(carves::carve(cursor, room + 64, classes::index(24)), room);
    EXPECT_EQ(carves::carve(cursor, room + 64, classes::index(16)), room + 32);
    EXPECT_EQ(carves::carve(cursor, room + 64, classes::index(8)), room + 48);
    EXPECT_EQ(cursor, room + 56);
}

TEST(carves_by_class, keeps_room_shorter_than_block) {
    using carves = mallard::reuse::carves_by_class<classes>;
    alignas(16) std::byte room[32];
    std::byte* cursor = room + 8;
    EXPECT_EQ(carves::carve(cursor, room + 16, classes::index(16)), nullptr);
    EXPECT_EQ(carves::carve(cursor, room + 24, classes::index(16)), nullptr) << "the padding counts";
    EXPECT_EQ(cursor, room + 8);
    EXPECT_EQ(carves::carve(cursor, room + 32, classes::index(16)), room + 16);
    EXPECT_EQ(cursor, room + 32);
}

TEST(carves_one_size, carves_until_room_is_too_short) {
    const mallard::reuse::carves_one_size carves(24);
    alignas(16) std::byte room[3 * 24 + 23];
    for (std::size_t bytes = 0; bytes != sizeof room + 1; ++bytes) {
        std::byte* cursor = room;
        std::size_t blocks = 0;
        while (const void* p = carves.carve(cursor, room + bytes)) {
            ASSERT_EQ(p, room + 24 * blocks);
            ++blocks;
            ASSERT_EQ(cursor, room + 24 * blocks);
        }
        ASSERT_EQ(blocks, bytes / 24);
        ASSERT_EQ(carves.blocks_in(bytes), blocks);
        ASSERT_EQ(cursor, room + 24 * blocks);
        ASSERT_LE(carves.room(blocks), bytes);
    }
}

TEST(carves_by_class, spreads_blocks_over_cache_sets) {
    using carves = mallard::reuse::carves_by_class<classes>;
    alignas(64) static std::byte room[4 * 8192 + 1024];
    std::byte* cursor = room;
    const std::size_t index = classes::index(8192);
    auto* const first = static_cast<std::byte*>(carves::carve(cursor, std::end(room), index));
    auto* const second = static_cast<std::byte*>(carves::carve(cursor, std::end(room), index));
    EXPECT_EQ(second - first, 8192 + 64);
    EXPECT_LE(first + carves::room_for(index), second) << "the requested room holds block and distance";
}

} // namespace
