#include <mallard/impl/slab/fullness_buckets.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

namespace {

constexpr std::uint32_t capacity = 341;

struct item {
    std::uint32_t used = 0;
    std::uint32_t low = 0;
    std::uint16_t bucket = 0;
    std::array<item*, 3> links{};
};

using buckets = mallard::slab::fullness_buckets<item>;

/// `low` marks the level below which the owner has to call sank().
TEST(fullness_buckets, bucket_changes_only_below_low_mark) {
    buckets b(capacity);
    item sinking{.used = capacity};
    item second{.used = capacity / 2};
    b.insert(second);
    b.insert(sinking);
    while (sinking.used != 0) {
        if (--sinking.used < sinking.low) {
            b.sank(sinking);
            EXPECT_GE(sinking.used, sinking.low);
        }
        item alone{.used = sinking.used};
        buckets(capacity).insert(alone);
        ASSERT_EQ(sinking.bucket, alone.bucket) << sinking.used << " in use";
    }
    EXPECT_EQ(b.take(), &second);
    EXPECT_EQ(b.take(), &sinking);
}

TEST(fullness_buckets, are_right_however_items_come_and_go) {
    buckets b(capacity);
    std::vector<item> items(100);
    std::set<item*> inside;
    std::mt19937 random(1);
    for (int step = 0; step < 20'000; ++step) {
        item& any = items[random() % items.size()];
        if (inside.contains(&any)) {
            b.remove(any);
            inside.erase(&any);
        } else if (random() % 4 != 0) {
            any.used = static_cast<std::uint32_t>(random() % (capacity + 1));
            b.insert(any);
            inside.insert(&any);
        } else if (item* const fullest = b.take()) {
            ASSERT_TRUE(inside.contains(fullest));
            for (const item* i : inside) {
                ASSERT_LE(i->bucket, fullest->bucket);
                ASSERT_TRUE(i->bucket < fullest->bucket || i >= fullest) << "the lowest of the fullest";
            }
            inside.erase(fullest);
        }
        ASSERT_EQ(b.empty(), inside.empty());
    }
    b.clear();
    EXPECT_TRUE(b.empty());
    EXPECT_EQ(b.take(), nullptr);
}

} // namespace
