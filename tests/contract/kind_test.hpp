/// The fixture of the suite: a ledger and a subject of one kind on it.
#pragma once

#include "equipment/ledger.hpp"
#include "model/kinds.hpp"
#include "model/shadow.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace contract {

using model::kind;

class kind_test : public ::testing::TestWithParam<kind> {
protected:
    /// Effects: allocates from the subject and records the block in the shadow.
    void* allocate(std::size_t bytes, std::size_t alignment) {
        void* p = subject_->allocate(bytes, alignment);
        EXPECT_STREQ(shadow_.add(p, bytes, alignment), nullptr) << bytes << " at " << alignment;
        return p;
    }

    void deallocate_all() {
        EXPECT_STREQ(shadow_.look_at_all(), nullptr);
        while (!shadow_.empty()) {
            const model::block b = shadow_[shadow_.size() - 1];
            EXPECT_STREQ(shadow_.remove(shadow_.size() - 1), nullptr);
            subject_->deallocate(b.p, b.requested_bytes, b.alignment);
        }
    }

    void release() {
        EXPECT_STREQ(shadow_.look_at_all(), nullptr);
        shadow_.clear();
        subject_->release();
    }

    void destroy() {
        shadow_.clear();
        subject_.reset();
    }

    void TearDown() override {
        deallocate_all();
        destroy();
        EXPECT_EQ(source_.outstanding(), 0U);
        EXPECT_EQ(source_.complaints(), equipment::no_complaints);
    }

    equipment::ledger source_;
    std::unique_ptr<model::subject> subject_ = GetParam().make(source_);
    model::shadow shadow_;
};

/// The contract of every source of memory.
class contract : public kind_test {};

/// The additional contract of a local allocator.
class local_contract : public kind_test {};

/// The contract of a request that finds no memory.
class failure_contract : public kind_test {};

/// Returns: true for allocators by themselves, every adaptor of one of them, and those adaptors of others that have code
/// for what these can do; for tests that take long. Two pools have blocks of 100 KiB, thousands of which take minutes.
inline bool is_typical(const kind& k) {
    const bool has_own_code =
        k.allocator == "multipool" ||
        (k.allocator == "heap" && (k.adaptor == "counted" || k.adaptor == "recorded")) ||
        (k.adaptor == "checked" &&
         (k.allocator == "monotonic" || k.allocator == "fixed_pool_of_a_size_last_freed"));
    const bool is_large = k.allocator == "fixed_pool_last_freed" || k.allocator == "fixed_pool_first_freed";
    return k.from_ledger && k.binding == "direct" && k.adaptor != "limited_to_little" && !is_large &&
           (k.adaptor == "plain" || has_own_code || MALLARD_THOROUGH);
}

/// Returns: the name of a test.
inline std::string test_name(const ::testing::TestParamInfo<kind>& info) {
    return model::test_name(info.param);
}

} // namespace contract
