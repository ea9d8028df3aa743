#include <mallard/impl/space/heap_block.hpp>
#include <mallard/impl/space/segregated_fit.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace {

using mallard::space::heap_block;

template <class Lists>
class segregated_fit : public ::testing::Test {
protected:
    static constexpr std::size_t granule = Lists::exact_bytes / Lists::exact_bins;

    /// Returns: a free block of `bytes` bytes that was never used before.
    heap_block make(std::size_t bytes) {
        const heap_block b(memory_.get() + 8 + used_);
        used_ += bytes;
        EXPECT_LE(used_, room);
        lists_.insert(b, bytes);
        return b;
    }

    static constexpr std::size_t room = std::size_t{64} << 20;
    Lists lists_;

private:
    std::unique_ptr<std::byte[]> memory_{new std::byte[room + 64]};
    std::size_t used_ = 0;
};

using kinds = ::testing::Types<mallard::space::segregated_fit<mallard::space::absolute_links>,
                               mallard::space::segregated_fit<mallard::space::relative_links>>;
TYPED_TEST_SUITE(segregated_fit, kinds);

TYPED_TEST(segregated_fit, bin_index_is_monotonic) {
    constexpr std::size_t step = TestFixture::granule;
    std::size_t previous = TypeParam::bin_index(32);
    for (std::size_t bytes = 32 + step; bytes < std::size_t{8} << 20; bytes += step) {
        const std::size_t list = TypeParam::bin_index(bytes);
        ASSERT_GE(list, previous) << bytes;
        ASSERT_LE(list, previous + 1) << bytes;
        if (bytes < TypeParam::exact_bytes) {
            ASSERT_EQ(list, previous + 1) << bytes;
        }
        previous = list;
    }
    EXPECT_EQ(TypeParam::bin_index(SIZE_MAX / 4), TypeParam::lists - 1);
}

/// A long list takes no longer than a short one: only its first blocks are looked at.
TYPED_TEST(segregated_fit, bounds_search_of_mixed_list) {
    const std::size_t least = TypeParam::exact_bytes * 16;
    const std::size_t wanted = least + this->granule;
    ASSERT_EQ(TypeParam::bin_index(least), TypeParam::bin_index(wanted));
    ASSERT_LT(TypeParam::bin_index(wanted), TypeParam::bin_index(2 * least));
    const heap_block fits = this->make(wanted);
    for (int preceding = 1; preceding != TypeParam::most_looked_at; ++preceding) {
        this->make(least);
        EXPECT_EQ(this->lists_.find(wanted), fits) << preceding << " in front of it";
    }
    this->make(least);
    EXPECT_FALSE(this->lists_.find(wanted));
    const heap_block larger = this->make(2 * least);
    EXPECT_EQ(this->lists_.find(wanted), larger);
}

TYPED_TEST(segregated_fit, sorts_bins_by_address) {
    this->lists_.sort();
    EXPECT_TRUE(this->lists_.empty());
    const std::size_t least = TypeParam::exact_bytes * 16; // two sizes of one bin
    const std::size_t larger = least + this->granule;
    std::vector<heap_block> small;
    std::vector<heap_block> mixed;
    for (int i = 0; i != 100; ++i) {
        small.push_back(this->make(64));
        mixed.push_back(this->make(i % 2 == 0 ? least : larger));
    }
    const heap_block alone = this->make(96);
    // Freed in another order.
    for (std::size_t i = 0; i != small.size(); ++i) {
        const heap_block b = small[i * 37 % small.size()];
        this->lists_.remove(b, 64);
        this->lists_.insert(b, 64);
    }
    this->lists_.sort();
    EXPECT_TRUE(this->lists_.is_consistent());
    EXPECT_EQ(this->lists_.bins_in_use(), 3U);
    EXPECT_EQ(this->lists_.first_in_bin(96), alone);
    EXPECT_EQ(alone.bytes(), 96U);
    for (const heap_block b : small) {
        ASSERT_EQ(this->lists_.first_in_bin(64), b);
        ASSERT_EQ(b.bytes(), 64U);
        this->lists_.remove_first(b, 64);
    }
    for (std::size_t i = 0; i != mixed.size(); ++i) {
        ASSERT_EQ(this->lists_.find(least), mixed[i]);
        ASSERT_EQ(mixed[i].bytes(), i % 2 == 0 ? least : larger);
        this->lists_.remove(mixed[i], mixed[i].bytes());
    }
    EXPECT_EQ(this->lists_.largest(), alone);
}

/// The last list holds all larger blocks, and is searched completely.
TYPED_TEST(segregated_fit, finds_blocks_beyond_last_bin) {
    const std::size_t least = TypeParam::exact_bytes << TypeParam::doublings;
    ASSERT_EQ(TypeParam::bin_index(least), TypeParam::lists - 1);
    const heap_block largest = this->make(least + 6 * this->granule);
    for (std::size_t i = 0; i < 6; ++i) {
        this->make(least + i * this->granule);
    }
    EXPECT_EQ(this->lists_.find(least + 6 * this->granule), largest);
    EXPECT_FALSE(this->lists_.find(least + 7 * this->granule));
}

/// Compared with all free blocks by their sizes: the block found is large enough, and from the smallest list that has one.
TYPED_TEST(segregated_fit, finds_nearly_the_best_of_many) {
    std::mt19937_64 random(1);
    std::multimap<std::size_t, heap_block> all;
    for (int i = 0; i < 20000; ++i) {
        const std::size_t bytes = 32 + random() % (std::size_t{1} << (6 + random() % 8)) / 16 * 16;
        if (random() % 3 != 0 && all.size() < 300) {
            const std::size_t size = bytes;
            all.emplace(size, this->make(size));
        } else if (!all.empty()) {
            const heap_block match = this->lists_.find(bytes);
            const auto best = all.lower_bound(bytes);
            if (best == all.end()) {
                ASSERT_FALSE(match);
                continue;
            }
            const auto sure = all.lower_bound(bytes + bytes / 16 + 16);
            ASSERT_TRUE(match || sure == all.end());
            if (!match) {
                continue;
            }
            ASSERT_GE(match.bytes(), bytes);
            auto entry = all.lower_bound(match.bytes());
            while (entry->second != match) {
                ++entry;
            }
            this->lists_.remove(match, entry->first);
            all.erase(entry);
        }
    }
    for (const auto& [bytes, b] : all) {
        this->lists_.remove(b, bytes);
    }
    EXPECT_TRUE(this->lists_.empty());
    EXPECT_EQ(this->lists_.bins_in_use(), 0U);
}

} // namespace
