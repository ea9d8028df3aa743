/// The fixture of the suite: a ledger and a subject of one kind on it.
#pragma once

#include "contract/kind.hpp"
#include "equipment/ledger.hpp"
#include "model/shadow_map.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace contract {

class kind_test : public ::testing::TestWithParam<kind> {
protected:
    /// Effects: allocates from the subject and records the block in the shadow.
    void* allocate(std::size_t bytes, std::size_t alignment) {
        void* p = subject_->allocate(bytes, alignment);
        const model::operation op{.id = next_id_++, .bytes = bytes, .alignment = alignment};
        EXPECT_EQ(shadow_.add(p, op), model::fault::none) << op;
        return p;
    }

    void deallocate_all() {
        EXPECT_EQ(shadow_.look_at_all(), model::fault::none);
        for (const auto& [id, block] : shadow_.blocks()) {
            subject_->deallocate(block.p, block.request.bytes, block.request.alignment);
        }
        shadow_.clear();
    }

    void release() {
        EXPECT_EQ(shadow_.look_at_all(), model::fault::none);
        shadow_.clear();
        subject_->release();
    }

    void destroy() {
        shadow_.clear();
        subject_.reset();
    }

    void TearDown() override {
        EXPECT_EQ(shadow_.look_at_all(), model::fault::none);
        deallocate_all();
        destroy();
        EXPECT_EQ(source_.outstanding(), 0U);
        EXPECT_EQ(source_.complaints(), equipment::no_complaints);
    }

    equipment::ledger source_;
    std::unique_ptr<model::subject> subject_ = GetParam().make(source_);
    model::shadow_map shadow_;

private:
    std::size_t next_id_ = 0;
};

/// The contract of every source of memory.
class contract : public kind_test {};

/// The additional contract of a local allocator.
class local_contract : public kind_test {};

/// The contract of a request that finds no memory.
class failure_contract : public kind_test {};

inline std::string test_name(const ::testing::TestParamInfo<kind>& info) {
    return kind_name(info.param);
}

} // namespace contract
