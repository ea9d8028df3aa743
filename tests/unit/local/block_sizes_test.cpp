// allocate_at_least() and owns() of the pools.
#include "equipment/ledger.hpp"
#include "equipment/on_ledger.hpp"

#include <mallard/mallard.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

namespace {

using equipment::ledger;

template <class Pool>
class block_sizes : public equipment::on_ledger {
protected:
    Pool pool_{source_};
};

struct large_fixed_pool : mallard::fixed_pool<mallard::growing_arena<ledger>> {
    explicit large_fixed_pool(ledger& source)
        : mallard::fixed_pool<mallard::growing_arena<ledger>>(mallard::block_size{50000, 64}, source) {}
};

using pools =
    ::testing::Types<mallard::multipool<ledger>, mallard::multipool<ledger, mallard::last_freed>,
                     mallard::fast_fit<ledger>, mallard::small_object_pool<ledger>, large_fixed_pool>;
TYPED_TEST_SUITE(block_sizes, pools);

TYPED_TEST(block_sizes, every_size_up_to_the_returned_one_frees_the_block) {
    for (std::size_t alignment = 1; alignment <= 64; alignment *= 2) {
        for (std::size_t bytes = 0; bytes < 40000; bytes += 1 + bytes / 16) {
            const mallard::sized_block block = this->pool_.allocate_at_least(bytes, alignment);
            ASSERT_GE(block.bytes, bytes);
            ASSERT_TRUE(mallard::core::is_aligned(block.p, alignment));
            std::memset(block.p, 1, block.bytes);
            this->pool_.deallocate(block.p, bytes, alignment);
            for (const std::size_t freed_bytes : {bytes, (bytes + block.bytes) / 2, block.bytes}) {
                const mallard::sized_block again = this->pool_.allocate_at_least(bytes, alignment);
                ASSERT_EQ(again.bytes, block.bytes);
                this->pool_.deallocate(again.p, freed_bytes, alignment);
            }
        }
    }
    const std::size_t chunks = this->source_.granted().size();
    this->pool_.deallocate(this->pool_.allocate(24, 8), 24, 8);
    EXPECT_EQ(this->source_.granted().size(), chunks) << "a block that went to another list is missing here";
}

TEST(block_sizes, are_those_of_the_classes) {
    mallard::unchecked::multipool<mallard::chunk_cache, mallard::hybrid_order, mallard::eighth_classes> pool;
    EXPECT_EQ(pool.allocate_at_least(33, 8).bytes, 40U);
    EXPECT_EQ(pool.allocate_at_least(33, 16).bytes, 48U);
    EXPECT_EQ(pool.allocate_at_least(100000, 8).bytes, 100000U) << "a large block has no class";
    mallard::unchecked::small_object_pool<mallard::chunk_cache> small;
    EXPECT_EQ(small.allocate_at_least(5, 1).bytes, 8U);
    mallard::unchecked::fixed_pool<mallard::growing_arena<>, mallard::first_freed, mallard::block_size{20, 4}>
        fixed;
    EXPECT_EQ(fixed.allocate_at_least(3, 4).bytes, 20U);
}

TEST(bytes_left, are_the_rest_of_the_newest_chunk) {
    ledger source;
    mallard::multipool<ledger> pool(source);
    EXPECT_EQ(pool.bytes_left(), 0U);
    static_cast<void>(pool.allocate(24, 8));
    static_cast<void>(pool.allocate(24, 8));
    const std::size_t left = pool.bytes_left();
    EXPECT_GT(left, 24U);
    static_cast<void>(pool.allocate(24, 8));
    EXPECT_LT(pool.bytes_left(), left);
    pool.release();
    EXPECT_EQ(pool.bytes_left(), 0U);
}

} // namespace
