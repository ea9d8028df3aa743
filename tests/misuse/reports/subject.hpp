/// The checked allocators of the list of kinds, and the reports that they give.
#pragma once

#include "equipment/ledger.hpp"
#include "model/kinds.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

namespace reports {

using model::kind;

/// Returns: every checked allocator.
[[nodiscard]] std::vector<kind> kinds();

/// Returns: the rewindable kinds.
[[nodiscard]] std::vector<kind> rewindable_kinds();

/// Returns: the expandable kinds.
[[nodiscard]] std::vector<kind> expandable_kinds();

inline std::string kind_name(const ::testing::TestParamInfo<kind>& info) {
    return info.param.allocator;
}

/// A block, and the place of its allocation.
struct block {
    void* p;
    std::size_t bytes;
    std::size_t alignment;
    std::source_location place;

    /// Returns: "block 0x... of 24 bytes at alignment 8".
    [[nodiscard]] std::string text() const;

    /// Effects: writes to the byte at an offset from the block, hidden from AddressSanitizer.
    void scribble(std::ptrdiff_t offset) const noexcept;
};

/// Returns: a matcher of the complete report that begins with `line`, for a block allocated at `place`.
[[nodiscard]] ::testing::Matcher<const std::string&> report(const std::string& line,
                                                            const std::source_location& place);

/// One checked allocator.
class of_every_allocator : public ::testing::TestWithParam<kind> {
protected:
    /// Returns: a block with the caller's line as its allocation site.
    block allocate(std::size_t bytes, std::size_t alignment,
                   std::source_location place = std::source_location::current());

    void deallocate(const block& b) { subject_->deallocate(b.p, b.bytes, b.alignment); }

    /// Effects: calls `work` and rolls the allocator back to its state before the call.
    /// Requires: the allocator is rewindable.
    template <class Work>
    void run_and_roll_back(Work work) {
        subject_->mark();
        work();
        subject_->roll_back(0);
    }

    equipment::ledger source_;
    std::unique_ptr<model::subject> subject_ = GetParam().make(source_);
};

} // namespace reports
