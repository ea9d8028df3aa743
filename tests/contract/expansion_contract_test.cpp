// The contract of expandable allocators: growing, shrinking and measuring blocks.
#include "equipment/ledger.hpp"
#include "equipment/out_of_memory.hpp"
#include "model/kinds.hpp"
#include "model/shadow.hpp"

#include <mallard/core/expansion.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <string>

namespace contract { namespace {

using mallard::expansion;

class expansion_contract : public ::testing::TestWithParam<model::kind> {
protected:
    ~expansion_contract() override {
        expect_right(shadow_.look_at_all());
        subject_->release();
        EXPECT_EQ(source_.outstanding(), 0U);
        EXPECT_EQ(source_.complaints(), equipment::no_complaints);
    }

    static void expect_right(const char* wrong) { EXPECT_STREQ(wrong, nullptr); }

    /// Effects: allocates a block and writes to it.
    /// Returns: the index of the block.
    std::size_t allocate(std::size_t bytes, std::size_t alignment = 16) {
        expect_right(shadow_.add(subject_->allocate(bytes, alignment), bytes, bytes, alignment));
        return shadow_.size() - 1;
    }

    void deallocate(std::size_t i, std::size_t bytes) {
        const auto b = shadow_[i];
        expect_right(shadow_.remove(i));
        subject_->deallocate(b.p, bytes, b.alignment);
    }

    /// Effects: resizes the i-th block and compares it with the result of the call.
    expansion expand(std::size_t i, std::size_t least, std::size_t preferred, expansion may) {
        const auto b = shadow_[i];
        const std::size_t step = mallard::backward_step(24, std::max<std::size_t>(b.alignment, 16));
        const mallard::expansion_request request{.least_bytes = least,
                                                 .preferred_bytes = preferred,
                                                 .alignment = b.alignment,
                                                 .step_bytes = step,
                                                 .allowed = may};
        const mallard::expansion_result result = subject_->expand(b.p, request);
        EXPECT_TRUE(includes(may, result.method));
        EXPECT_EQ(result.p == nullptr, result.method == expansion::none);
        EXPECT_TRUE(result.p == nullptr || result.bytes >= least);
        switch (result.method) {
        case expansion::forward:
        case expansion::backward: {
            const auto moved = static_cast<std::size_t>(b.p - static_cast<std::byte*>(result.p));
            EXPECT_EQ(moved % step, 0U);
            EXPECT_EQ(moved == 0, result.method == expansion::forward);
            expect_right(shadow_.resize(i, result.p, result.bytes, least));
            break;
        }
        case expansion::fresh:
            expect_right(shadow_.look_at(i));
            deallocate(i, b.bytes);
            expect_right(shadow_.add(result.p, result.bytes, least, b.alignment));
            break;
        default:
            expect_right(shadow_.look_at(i));
        }
        return result.method;
    }

    equipment::ledger source_;
    std::unique_ptr<model::subject> subject_ = GetParam().make(source_);
    model::shadow shadow_;
};

TEST_P(expansion_contract, holds_for_random_requests) {
    std::mt19937_64 random(11);
    for (int i = 0; i < 3000; ++i) {
        if (shadow_.size() < 40 || (shadow_.size() < 80 && random() % 2 == 0)) {
            allocate(random() % 2000, std::size_t{1} << random() % 8);
            continue;
        }
        const std::size_t index = random() % shadow_.size();
        const auto b = shadow_[index];
        if (random() % 2 == 0) {
            deallocate(index, b.requested_bytes + random() % (b.bytes - b.requested_bytes + 1));
        } else {
            const std::size_t least = random() % 3000;
            expand(index, least, least + random() % 1000, static_cast<expansion>(random() % 8));
        }
        ASSERT_FALSE(HasFailure()) << i;
    }
}

TEST_P(expansion_contract, reports_the_usable_bytes) {
    for (const std::size_t bytes : {0U, 1U, 30U, 1000U, 50000U}) {
        for (const std::size_t alignment : {1U, 16U, 256U}) {
            const auto got = subject_->allocate_at_least(bytes, alignment);
            EXPECT_EQ(got.bytes, subject_->usable_bytes(got.p));
            expect_right(shadow_.add(got.p, got.bytes, bytes, alignment));
        }
    }
    while (shadow_.size() != 0) {
        deallocate(0, shadow_[0].bytes);
    }
}

TEST_P(expansion_contract, preserves_contents_when_shrinking) {
    for (const std::size_t bytes : {100U, 5000U, 50000U}) {
        const std::size_t i = allocate(bytes);
        allocate(10);
        for (std::size_t less = bytes; less != 0; less /= 3) {
            const std::size_t remaining_bytes = subject_->shrink(shadow_[i].p, less);
            EXPECT_GE(remaining_bytes, less);
            EXPECT_EQ(subject_->usable_bytes(shadow_[i].p), remaining_bytes);
            expect_right(shadow_.resize(i, shadow_[i].p, remaining_bytes, less));
        }
    }
}

TEST_P(expansion_contract, refuses_impossible_sizes) {
    const std::size_t i = allocate(100);
    for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2, std::size_t{PTRDIFF_MAX}}) {
        EXPECT_EQ(expand(i, bytes, SIZE_MAX, expansion::in_place), expansion::none);
        EXPECT_OUT_OF_MEMORY(expand(i, bytes, SIZE_MAX, expansion::any));
        EXPECT_OUT_OF_MEMORY(static_cast<void>(subject_->allocate_at_least(bytes, 16)));
    }
    EXPECT_EQ(expand(i, 10, 10, expansion::none), expansion::none);
}

INSTANTIATE_TEST_SUITE_P(of, expansion_contract,
                         ::testing::ValuesIn(model::kinds_if([](const model::kind& k) {
                             return k.any_size && k.binding == "direct" &&
                                    (k.adaptor == "plain" || k.adaptor == "checked") &&
                                    k.allocator.starts_with("heap");
                         })),
                         [](const auto& instance) { return model::test_name(instance.param); });

}} // namespace contract
