/// A type-erased checked allocator, so that each test of reports is compiled once.
#pragma once

#include <mallard/checking/quarantine.hpp>
#include <mallard/core/expansion.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

namespace reports {

class subject {
public:
    subject() = default;
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;
    virtual ~subject() = default;

    [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
    virtual void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept = 0;
    virtual void release() noexcept = 0;

    /// Requires, for these four: the allocator is expandable.
    virtual void deallocate(void* p) noexcept = 0;
    [[nodiscard]] virtual std::size_t usable_bytes(const void* p) const noexcept = 0;
    virtual mallard::expansion_result expand(void* p, const mallard::expansion_request& request) = 0;
    virtual std::size_t shrink(void* p, std::size_t bytes) noexcept = 0;

    virtual void check() const noexcept = 0;
    virtual void set_quarantine(mallard::quarantine_bounds bounds) noexcept = 0;
    virtual void expect_all_freed() const noexcept = 0;
    virtual void expect_all_freed_at_end() noexcept = 0;

    /// Effects: calls `work` and rolls the allocator back to its state before the call.
    /// Requires: the allocator is rewindable.
    virtual void run_and_roll_back(const std::function<void()>& work) = 0;

    /// Requires: the allocator is rewindable.
    virtual void rewind() = 0;
};

struct kind {
    std::string name;
    std::function<std::unique_ptr<subject>()> make;
};

/// Returns: every allocator under `checked`.
[[nodiscard]] std::vector<kind> kinds();

/// Returns: the rewindable kinds.
[[nodiscard]] std::vector<kind> rewindable_kinds();

/// Returns: the expandable kinds.
[[nodiscard]] std::vector<kind> expandable_kinds();

inline std::string kind_name(const ::testing::TestParamInfo<kind>& info) {
    return info.param.name;
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

    std::unique_ptr<subject> subject_ = GetParam().make();
};

} // namespace reports
