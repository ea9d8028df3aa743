/// The fixture for tests of allocators over a ledger, to which all blocks must have come back when the allocators of the test
/// have ended.
#pragma once

#include "equipment/ledger.hpp"

#include <gtest/gtest.h>

namespace equipment {

class on_ledger : public ::testing::Test {
protected:
    ~on_ledger() override {
        EXPECT_EQ(source_.outstanding(), 0U);
        EXPECT_EQ(source_.complaints(), no_complaints);
    }

    ledger source_;
};

} // namespace equipment
