#include <mallard/impl/reuse/free_lists.hpp>
#include <mallard/reuse/first_freed.hpp>
#include <mallard/reuse/last_freed.hpp>

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace {

/// An order of reuse, size classes, and which part of a remainder may be too short for a class.
template <class Order, class Classes, std::size_t Lost>
struct setting {
    using lists = typename Order::template by_class<Classes>;
    using classes = Classes;
    static constexpr std::size_t lost = Lost;
};

/// The contract of lists of any order and of blocks of any sizes.
template <class Setting>
class free_lists : public ::testing::Test {
protected:
    using size_classes = typename Setting::classes;

    static constexpr std::size_t classes = size_classes::index(4096, 8) + 1;

    ~free_lists() override {
        lists_.clear();
        mallard::core::unpoison(memory_, sizeof memory_);
    }

    std::byte* block(std::size_t index) {
        std::byte* p = memory_ + used_;
        used_ += mallard::core::align_up(size_classes::bytes(index), 16);
        EXPECT_LE(used_, sizeof memory_);
        return p;
    }

    void free(std::byte* p, std::size_t index) {
        if (!lists_.push(p, index)) {
            lists_.reach(p, index, classes);
        }
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

using settings = ::testing::Types<setting<mallard::last_freed, mallard::eighth_classes, 8>,
                                  setting<mallard::first_freed, mallard::eighth_classes, 8>,
                                  setting<mallard::last_freed, mallard::power_of_two_classes, 2>,
                                  setting<mallard::first_freed, mallard::power_of_two_classes, 2>>;
TYPED_TEST_SUITE(free_lists, settings);

TYPED_TEST(free_lists, have_nothing_at_first) {
    for (std::size_t index = 0; index < this->classes; ++index) {
        EXPECT_EQ(this->lists_.pop(index), nullptr);
    }
    EXPECT_EQ(this->lists_.pop(1000000), nullptr);
}

TYPED_TEST(free_lists, need_no_table_for_one_class) {
    std::byte* const first = this->block(2);
    EXPECT_FALSE(this->lists_.push(first, 2)) << "no list exists yet";
    this->lists_.reach(first, 2, this->classes);
    EXPECT_EQ(this->lists_.pop(2), first);
    EXPECT_EQ(this->lists_.pop(2), nullptr);
    EXPECT_TRUE(this->lists_.push(first, 2)) << "there is one now";
}

TYPED_TEST(free_lists, serve_single_class_without_table) {
    for (const std::size_t index : {3U, 1U, 7U}) {
        std::byte* const p = this->block(index);
        this->free(p, index);
        EXPECT_EQ(this->lists_.pop(index), p);
    }
}

TYPED_TEST(free_lists, table_lives_in_block_of_larger_class) {
    for (const bool larger_first : {true, false}) {
        std::byte* const small = this->block(1);
        std::byte* const large = this->block(4);
        this->free(larger_first ? large : small, larger_first ? 4 : 1);
        this->free(larger_first ? small : large, larger_first ? 1 : 4);
        EXPECT_EQ(this->lists_.pop(4), nullptr) << "the block is the table now";
        EXPECT_EQ(this->lists_.pop(1), small);
        std::byte* const block = this->block(4);
        EXPECT_TRUE(this->lists_.push(block, 4));
        EXPECT_EQ(this->lists_.pop(4), block);
        this->lists_.clear();
    }
}

TYPED_TEST(free_lists, second_class_keeps_blocks_of_first) {
    std::set<void*> freed;
    for (int i = 0; i < 3; ++i) {
        freed.insert(this->block(5));
        this->free(static_cast<std::byte*>(*freed.rbegin()), 5);
    }
    this->free(this->block(8), 8);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(freed.erase(this->lists_.pop(5)), 1U);
    }
}

TYPED_TEST(free_lists, moving_frees_old_table) {
    std::byte* const small = this->block(0);
    std::byte* const table = this->block(3);
    this->free(small, 0);
    this->free(table, 3);
    EXPECT_EQ(this->lists_.pop(3), nullptr);
    this->free(this->block(9), 9);
    EXPECT_EQ(this->lists_.pop(3), table);
    EXPECT_EQ(this->lists_.pop(0), small);
}

TYPED_TEST(free_lists, carry_every_block_over_to_a_larger_table) {
    std::size_t freed = 0;
    for (std::size_t index = 0; index < this->classes; ++index) {
        for (int i = 0; i < 3; ++i) {
            this->free(this->block(index), index);
            freed += TypeParam::classes::bytes(index);
        }
    }
    const std::size_t table_at_most = this->classes * sizeof(void*) * 9 / 8;
    const std::size_t taken_bytes = this->take_all();
    EXPECT_LE(taken_bytes, freed);
    // A table's remainder becomes one block; the rest, too short for a class, is lost.
    EXPECT_GE(taken_bytes + table_at_most + freed / TypeParam::lost, freed);
}

TYPED_TEST(free_lists, make_a_block_of_a_remainder) {
    // A table for all classes, so that no remainder becomes the table.
    this->free(this->block(this->classes - 1), this->classes - 1);
    this->free(this->block(0), 0);
    static_cast<void>(this->take_all());
    for (const std::size_t skew : {0U, 8U}) {
        for (std::size_t bytes = 0; bytes <= 600; bytes += 8) {
            this->lists_.donate(this->memory_ + (128 << 10) + skew, bytes, this->classes);
            const std::size_t taken_bytes = this->take_all();
            EXPECT_LE(taken_bytes, bytes);
            EXPECT_GE(taken_bytes + bytes / TypeParam::lost + 8, bytes) << bytes << " from " << skew;
        }
    }
}

TYPED_TEST(free_lists, forget_everything) {
    this->free(this->block(7), 7);
    this->free(this->block(7), 7);
    this->lists_.clear();
    EXPECT_EQ(this->lists_.pop(7), nullptr);
    EXPECT_FALSE(this->lists_.push(this->block(7), 7));
}

} // namespace
