// The contract of bursts, for allocators with native bursts and for allocators that serve bursts block by block.
#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "model/kinds.hpp"
#include "model/shadow.hpp"

#include <mallard/core/block_chain.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace contract { namespace {

class burst_contract : public ::testing::TestWithParam<model::kind> {
protected:
    ~burst_contract() override {
        subject_->release();
        EXPECT_EQ(source_.outstanding(), 0U);
        EXPECT_EQ(source_.complaints(), equipment::no_complaints);
    }

    /// Effects: writes to all blocks and verifies the bytes.
    mallard::block_chain allocate_many(std::size_t bytes, std::size_t alignment, std::size_t count) {
        mallard::block_chain blocks = subject_->allocate_many(bytes, alignment, count);
        EXPECT_EQ(blocks.size(), count);
        std::vector<void*> all;
        while (void* p = blocks.pop_front()) {
            all.push_back(p);
        }
        model::shadow shadow;
        for (void* p : all) {
            EXPECT_STREQ(shadow.add(p, bytes, alignment), nullptr);
        }
        EXPECT_STREQ(shadow.look_at_all(), nullptr);
        for (void* p : all) {
            blocks.push_back(p);
        }
        return blocks;
    }

    equipment::ledger source_;
    std::unique_ptr<model::subject> subject_ = GetParam().make(source_);
};

TEST_P(burst_contract, are_distinct_blocks_at_the_requested_alignment) {
    for (const std::size_t alignment : {1U, 8U, 16U, 64U}) {
        for (const std::size_t bytes : {8U, 12U, 24U, 200U, 5000U}) {
            for (const std::size_t count : {0U, 1U, 2U, 100U}) {
                subject_->deallocate_many(allocate_many(bytes, alignment, count), bytes, alignment);
            }
        }
    }
}

TEST_P(burst_contract, split_and_splice) {
    mallard::block_chain odd;
    mallard::block_chain even = allocate_many(24, 8, 100);
    for (int i = 0; i < 50; ++i) {
        odd.push_front(even.pop_front());
    }
    odd.push_back(subject_->allocate(24, 8));
    odd.splice_back(std::move(even));
    subject_->deallocate(odd.pop_front(), 24, 8);
    subject_->deallocate_many(std::move(odd), 24, 8);
    subject_->deallocate_many(allocate_many(24, 8, 101), 24, 8);
}

TEST_P(burst_contract, are_returned_by_release) {
    static_cast<void>(allocate_many(24, 8, 1000));
    static_cast<void>(allocate_many(3000, 16, 20));
    subject_->release();
    EXPECT_EQ(source_.outstanding(), 0U);
}

#ifdef __cpp_exceptions
TEST_P(burst_contract, are_all_or_none) {
    std::size_t at = 1;
    for (bool failed = true; failed; ++at) {
        source_.fail({.at = at});
        try {
            subject_->deallocate_many(allocate_many(40, 8, 500), 40, 8);
        } catch (const std::bad_alloc&) {
            EXPECT_TRUE(source_.failed());
        }
        failed = source_.failed();
        source_.fail({.at = 0});
        // The blocks of the failed burst are free again, so single blocks need no further chunks.
        subject_->deallocate_many(allocate_many(40, 8, 500), 40, 8);
        subject_->release();
        ASSERT_EQ(source_.outstanding(), 0U) << "after request " << at << " failed";
        ASSERT_LT(at, 1000U);
    }
    EXPECT_GE(at, 2U);
}
#endif

bool can_release_bursts(const model::kind& k) {
    return k.any_size && k.adaptor == "plain" && k.binding == "direct" &&
           (k.from_ledger || k.allocator.starts_with("heap"));
}

INSTANTIATE_TEST_SUITE_P(of, burst_contract, ::testing::ValuesIn(model::kinds_if(can_release_bursts)),
                         [](const auto& instance) { return model::test_name(instance.param); });

}} // namespace contract
