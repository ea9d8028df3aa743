// The contract of bursts, for allocators with native bursts and for allocators that serve bursts block by block.
#include "contract/recipe.hpp"
#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "model/shadow_map.hpp"

#include <mallard/core/burst.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace contract {

namespace {

template <class Recipe>
class burst_contract : public ::testing::Test {
protected:
    ~burst_contract() override {
        release();
        EXPECT_EQ(source_.outstanding(), 0U);
        EXPECT_EQ(source_.complaints(), equipment::no_complaints);
    }

    /// Effects: writes to all blocks and verifies the bytes.
    mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) {
        mallard::block_chain blocks = mallard::allocate_many(recipe_.top, bytes, alignment, count);
        EXPECT_EQ(blocks.size(), count);
        std::vector<void*> all;
        while (void* p = blocks.pop_front()) {
            all.push_back(p);
        }
        model::shadow_map shadow;
        for (void* p : all) {
            const model::operation request{
                .id = shadow.blocks().size(), .bytes = bytes, .alignment = alignment};
            EXPECT_EQ(shadow.add(p, request), model::fault::none);
        }
        EXPECT_EQ(shadow.look_at_all(), model::fault::none);
        for (void* p : all) {
            blocks.push_back(p);
        }
        return blocks;
    }

    void release() {
        if constexpr (requires { recipe_.top.release(); }) {
            recipe_.top.release();
        }
        recipe_.release_below();
    }

    equipment::ledger source_;
    Recipe recipe_{source_};
};

#if MALLARD_FULL_PRODUCT
using recipes = ::testing::Types<
    monotonic, multipool_reusing<mallard::last_freed>, multipool_reusing<mallard::first_freed>,
    multipool_of_small_blocks, multipool_over_monotonic, fast_fit, fixed_pool_reusing<mallard::last_freed>,
    fixed_pool_reusing<mallard::first_freed>, small_object_pool, adaptive_pool<mallard::slab_shape::divided>,
    adaptive_pool<mallard::slab_shape::undivided>, synchronized_multipool, concurrent_multipool, plain_heap,
    heap_of_small_chunks, heap_over_multipool, synchronized_heap, heap_over_buffer, heap_in_region>;
#else // one of each kind with native bursts
using recipes =
    ::testing::Types<monotonic, multipool_of_small_blocks, fixed_pool_reusing<mallard::first_freed>,
                     small_object_pool, adaptive_pool<mallard::slab_shape::divided>,
                     adaptive_pool<mallard::slab_shape::undivided>, concurrent_multipool,
                     heap_of_small_chunks>;
#endif
TYPED_TEST_SUITE(burst_contract, recipes);

TYPED_TEST(burst_contract, are_distinct_blocks_at_the_requested_alignment) {
    for (const std::size_t alignment : {1U, 8U, 16U, 64U}) {
        for (const std::size_t bytes : {8U, 12U, 24U, 200U, 5000U}) {
            for (const std::size_t count : {0U, 1U, 2U, 100U}) {
                mallard::deallocate_many(this->recipe_.top, this->allocate_many(bytes, alignment, count),
                                         bytes, alignment);
            }
        }
    }
}

TYPED_TEST(burst_contract, split_and_splice) {
    mallard::block_chain odd;
    mallard::block_chain even = this->allocate_many(24, 8, 100);
    for (int i = 0; i < 50; ++i) {
        odd.push_front(even.pop_front());
    }
    odd.push_back(this->recipe_.top.allocate(24, 8));
    odd.splice_back(std::move(even));
    this->recipe_.top.deallocate(odd.pop_front(), 24, 8);
    mallard::deallocate_many(this->recipe_.top, std::move(odd), 24, 8);
    mallard::deallocate_many(this->recipe_.top, this->allocate_many(24, 8, 101), 24, 8);
}

TYPED_TEST(burst_contract, are_returned_by_release) {
    static_cast<void>(this->allocate_many(24, 8, 1000));
    static_cast<void>(this->allocate_many(3000, 16, 20));
    this->release();
    EXPECT_EQ(this->source_.outstanding(), 0U);
}

#ifdef __cpp_exceptions
TYPED_TEST(burst_contract, are_all_or_none) {
    std::size_t at = 1;
    for (bool failed = true; failed; ++at) {
        this->source_.fail({.at = at});
        try {
            mallard::deallocate_many(this->recipe_.top, this->allocate_many(40, 8, 500), 40, 8);
        } catch (const std::bad_alloc&) {
            EXPECT_TRUE(this->source_.failed());
        }
        failed = this->source_.failed();
        this->source_.fail({.at = 0});
        // The blocks of the failed burst are free again, so single blocks need no further chunks.
        mallard::deallocate_many(this->recipe_.top, this->allocate_many(40, 8, 500), 40, 8);
        this->release();
        ASSERT_EQ(this->source_.outstanding(), 0U) << "after request " << at << " failed";
        ASSERT_LT(at, 1000U);
    }
    EXPECT_GE(at, 2U);
}
#endif

} // namespace

} // namespace contract
