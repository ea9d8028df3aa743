#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/free_lists.hpp>
#include <mallard/reuse/hybrid_order.hpp>
#include <mallard/reuse/last_freed.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <random>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

template <class Order, class Classes>
struct setting {
    using lists = typename Order::template by_class<Classes>;
    using classes = Classes;
};

/// The contract of lists of any order and of blocks of any sizes.
mallard::reuse::block_run run_of(std::initializer_list<std::span<std::byte>> rooms) {
    mallard::reuse::block_run run;
    for (const std::span<std::byte> room : rooms) {
        run.push(reinterpret_cast<mallard::core::free_block*>(room.data()), room.size());
    }
    run.reverse();
    return run;
}

template <class Setting>
class free_lists : public ::testing::Test {
protected:
    using size_classes = typename Setting::classes;

    static constexpr std::size_t classes = size_classes::index(4096, 8) + 1;

    ~free_lists() override {
        lists_.clear();
        mallard::core::unpoison(memory_, sizeof memory_);
    }

    std::byte* memory(std::size_t bytes) {
        std::byte* p = memory_ + used_;
        used_ += mallard::core::align_up(bytes, 16);
        EXPECT_LE(used_, sizeof memory_);
        return p;
    }

    std::byte* block(std::size_t index) { return memory(size_classes::bytes(index)); }

    /// Returns: the bytes that the list needed.
    std::size_t serve(std::size_t index) {
        const std::size_t bytes = lists_.bytes_to_serve(index, classes);
        lists_.serve(index, classes, memory(bytes));
        return bytes;
    }

    void free(std::byte* p, std::size_t index) {
        if (!lists_.serves(index)) {
            serve(index);
        }
        EXPECT_TRUE(lists_.push(p, index));
    }

    /// Takes all blocks of all classes; checks that they lie apart.
    std::size_t take_all() {
        std::set<std::byte*> ends;
        std::size_t bytes = 0;
        std::vector<std::pair<std::byte*, std::size_t>> taken;
        for (std::size_t index = 0; index < classes; ++index) {
            while (void* p = lists_.pop(index)) {
                auto* begin = static_cast<std::byte*>(p);
                for (const auto& [block, block_bytes] : taken) {
                    EXPECT_TRUE(begin >= block + block_bytes || block >= begin + size_classes::bytes(index));
                }
                taken.emplace_back(begin, size_classes::bytes(index));
                bytes += size_classes::bytes(index);
            }
        }
        return bytes;
    }

    alignas(16) std::byte memory_[256 << 10];
    std::size_t used_ = 0;
    typename Setting::lists lists_;
};

using settings = ::testing::Types<setting<mallard::last_freed, mallard::eighth_classes>,
                                  setting<mallard::first_freed, mallard::eighth_classes>,
                                  setting<mallard::hybrid_order, mallard::eighth_classes>,
                                  setting<mallard::last_freed, mallard::power_of_two_classes>,
                                  setting<mallard::first_freed, mallard::power_of_two_classes>>;
TYPED_TEST_SUITE(free_lists, settings);

TYPED_TEST(free_lists, need_no_memory_for_one_class) {
    std::byte* const p = this->block(2);
    EXPECT_FALSE(this->lists_.push(p, 2)) << "no list exists yet";
    EXPECT_EQ(this->serve(2), 0U);
    EXPECT_TRUE(this->lists_.serves(2));
    EXPECT_FALSE(this->lists_.serves(1));
    EXPECT_FALSE(this->lists_.serves(3));
    EXPECT_EQ(this->lists_.pop(2), nullptr);
    for (int round = 0; round < 2; ++round) {
        EXPECT_TRUE(this->lists_.push(p, 2));
        EXPECT_EQ(this->lists_.pop(2), p);
        EXPECT_EQ(this->lists_.pop(2), nullptr);
    }
}

TYPED_TEST(free_lists, second_class_gets_a_table_for_both) {
    for (const bool larger_first : {true, false}) {
        this->serve(larger_first ? 4 : 1);
        const std::size_t table_bytes = this->serve(larger_first ? 1 : 4);
        EXPECT_GE(table_bytes, 8 * sizeof(void*));
        EXPECT_LE(table_bytes, (8 * 2 + 2) * sizeof(void*)) << "behind the rooms";
        for (std::size_t index = 0; index < std::min<std::size_t>(8, this->classes); ++index) {
            EXPECT_TRUE(this->lists_.serves(index)) << "a table covers the classes below its largest";
            std::byte* const p = this->block(index);
            EXPECT_TRUE(this->lists_.push(p, index));
            EXPECT_EQ(this->lists_.pop(index), p);
            EXPECT_EQ(this->lists_.pop(index), nullptr);
        }
        EXPECT_FALSE(this->lists_.serves(8));
        EXPECT_FALSE(this->lists_.push(this->block(8), 8));
        this->lists_.clear();
    }
}

TYPED_TEST(free_lists, larger_table_keeps_the_order_of_blocks) {
    this->serve(0);
    this->serve(1);
    std::vector<void*> freed;
    for (int i = 0; i != 20; ++i) {
        freed.push_back(this->block(1));
        EXPECT_TRUE(this->lists_.push(freed.back(), 1));
    }
    ASSERT_FALSE(this->lists_.serves(9));
    this->serve(9);
    std::vector<void*> taken;
    while (void* const p = this->lists_.pop(1)) {
        if (std::ranges::find(freed, p) !=
            freed.end()) { // the former table may have become blocks of this class
            taken.push_back(p);
        }
    }
    using queues = mallard::first_freed::by_class<typename TypeParam::classes>;
    if (!std::is_same_v<typename TypeParam::lists, queues>) {
        std::ranges::reverse(taken);
    }
    EXPECT_EQ(taken, freed);
}

TYPED_TEST(free_lists, former_table_becomes_free_blocks) {
    this->serve(0);
    std::size_t former_bytes = 0;
    std::size_t moves = 0;
    for (std::size_t index = 1; index < this->classes; ++index) {
        if (!this->lists_.serves(index)) {
            const std::size_t bytes = this->serve(index);
            EXPECT_GE(bytes, former_bytes);
            if (former_bytes != 0) {
                EXPECT_GE(this->take_all() + 16, former_bytes) << "at most a word and the padding are lost";
            }
            former_bytes = bytes;
            ++moves;
        }
    }
    EXPECT_LE(moves, 4U) << "classes that come one by one do not move the table each time";
}

TYPED_TEST(free_lists, make_blocks_of_a_remainder) {
    this->serve(0);
    this->serve(this->classes - 1);
    for (const std::size_t skew : {0U, 8U}) {
        for (std::size_t bytes = 0; bytes <= 600; bytes += 8) {
            this->lists_.donate(this->memory_ + (128 << 10) + skew, bytes);
            const std::size_t taken_bytes = this->take_all();
            EXPECT_LE(taken_bytes, bytes);
            EXPECT_GE(taken_bytes + 16, bytes) << "at most the padding and a word are lost, from " << skew;
        }
    }
}

TYPED_TEST(free_lists, take_wide_rooms_before_narrow_ones) {
    EXPECT_FALSE(this->lists_.has_aside()) << "without a table";
    EXPECT_TRUE(this->lists_.take_room(16).empty());
    this->serve(0);
    this->serve(this->classes - 1);
    ASSERT_TRUE(this->lists_.has_aside());
    std::byte* const p = this->memory_ + (128 << 10);
    this->lists_.set_aside(run_of({{p + 1024, 512}, {p + 4096, 1024}}), run_of({{p, 64}, {p + 2048, 32}}));
    const auto expect_room = [this](std::size_t least_bytes, std::byte* begin, std::size_t bytes) {
        const std::span<std::byte> room = this->lists_.take_room(least_bytes);
        EXPECT_EQ(room.data(), begin);
        EXPECT_EQ(room.size(), bytes);
    };
    expect_room(1024, p + 4096, 1024);
    expect_room(16, p + 1024, 512);
    expect_room(64, p, 64);
    EXPECT_EQ(this->take_all(), 0U);
    expect_room(48, nullptr, 0);
    EXPECT_EQ(this->take_all(), 32U) << "a narrow one that was too short is free";
    expect_room(16, nullptr, 0);
}

TYPED_TEST(free_lists, keep_their_rooms_when_the_table_moves) {
    this->serve(0);
    this->serve(1);
    std::byte* const p = this->memory_ + (128 << 10) + 8;
    this->lists_.set_aside({}, run_of({{p, 72}, {p + 128, 80}}));
    this->serve(this->classes - 1);
    EXPECT_EQ(this->lists_.take_room(72).data(), p + 128) << "the first lies at no multiple of 16";
    this->lists_.set_aside(run_of({{p + 64, 16}, {p + 256, 16}}), run_of({{p + 128, 16}}));
    mallard::reuse::block_run rooms = this->lists_.take_aside();
    for (const std::size_t at : {64U, 128U, 256U}) {
        EXPECT_EQ(rooms.pop(), reinterpret_cast<mallard::core::free_block*>(p + at));
    }
    EXPECT_EQ(rooms.pop(), nullptr);
    EXPECT_TRUE(this->lists_.take_aside().first() == nullptr);
}

/// A queue against the order in plain words, over any number of free blocks.
TEST(linked_queue, takes_blocks_as_they_were_freed) {
    using classes = mallard::eighth_classes;
    mallard::first_freed::by_class<classes> lists;
    alignas(16) std::byte memory[64 * 24 + 64];
    lists.serve(1, 80, memory);
    lists.serve(2, 80, memory);
    std::deque<void*> free;
    std::vector<void*> used;
    for (std::size_t i = 0; i != 64; ++i) {
        used.push_back(memory + 64 + 24 * i);
    }
    std::mt19937 random(1);
    for (int step = 0; step < 20'000; ++step) {
        // The share of frees varies, so that the queue is empty, short and long.
        const bool frees = random() % 8 < (step / 200 % 2 == 0 ? 3U : 5U);
        if (frees && !used.empty()) {
            std::swap(used[random() % used.size()], used.back());
            ASSERT_TRUE(lists.push(used.back(), 2));
            free.push_back(used.back());
            used.pop_back();
        } else {
            void* const p = lists.pop(2);
            ASSERT_EQ(p, free.empty() ? nullptr : free.front()) << "step " << step;
            if (p != nullptr) {
                mallard::core::unpoison(p, 24);
                std::memset(p, 0xff, 24);
                free.pop_front();
                used.push_back(p);
            }
        }
    }
    mallard::core::unpoison(memory, sizeof memory);
}

} // namespace
