// Writes past the end of a block and before its start are reported when it is deallocated, when the allocator is released,
// rewound, rolled back or destroyed, and by check().
#include "misuse/reports/subject.hpp"

namespace reports { namespace {

using write_past_end = of_every_allocator;
using write_before_start = of_every_allocator;
using write_before_rewind = of_every_allocator;

std::string overrun_line(const block& b, std::size_t byte, const char* reporter) {
    return "write past the end: byte " + std::to_string(byte) + " of " + b.text() +
           " was overwritten, found by " + reporter;
}

std::string underrun_line(const block& b, int byte, const char* reporter) {
    return "write before the start: byte " + std::to_string(byte) + " of " + b.text() +
           " was overwritten, found by " + reporter;
}

TEST_P(write_past_end, is_reported_by_deallocate) {
    for (const std::size_t bytes : {0U, 24U, 100000U}) {
        for (const std::size_t alignment : {1U, 64U}) {
            const block b = allocate(bytes, alignment);
            b.scribble(static_cast<std::ptrdiff_t>(bytes));
            EXPECT_DEATH(deallocate(b), report(overrun_line(b, bytes, "deallocate()"), b.place));
            b.scribble(static_cast<std::ptrdiff_t>(bytes)); // as it was
            b.scribble(static_cast<std::ptrdiff_t>(bytes + 15));
            EXPECT_DEATH(deallocate(b), report(overrun_line(b, bytes + 15, "deallocate()"), b.place));
            b.scribble(static_cast<std::ptrdiff_t>(bytes + 15));
            deallocate(b);
        }
    }
}

TEST_P(write_before_start, is_reported_by_deallocate) {
    for (const std::size_t bytes : {0U, 24U, 100000U}) {
        for (const std::size_t alignment : {1U, 64U}) {
            const block b = allocate(bytes, alignment);
            b.scribble(-1);
            EXPECT_DEATH(deallocate(b), report(underrun_line(b, -1, "deallocate()"), b.place));
            b.scribble(-1); // as it was
            b.scribble(-16);
            EXPECT_DEATH(deallocate(b), report(underrun_line(b, -16, "deallocate()"), b.place));
            b.scribble(-16);
            deallocate(b);
        }
    }
}

TEST_P(write_past_end, is_reported_by_release_destruction_and_check) {
    const block b = allocate(24, 8);
    subject_->check();
    b.scribble(24);
    EXPECT_DEATH(subject_->check(), report(overrun_line(b, 24, "check()"), b.place));
    EXPECT_DEATH(subject_->release(), report(overrun_line(b, 24, "release()"), b.place));
    EXPECT_DEATH(subject_.reset(), report(overrun_line(b, 24, "the destructor"), b.place));
    b.scribble(24);
    subject_->check();
    deallocate(b);
}

TEST_P(write_before_start, is_reported_by_release_destruction_and_check) {
    const block b = allocate(24, 8);
    b.scribble(-8);
    EXPECT_DEATH(subject_->check(), report(underrun_line(b, -8, "check()"), b.place));
    EXPECT_DEATH(subject_->release(), report(underrun_line(b, -8, "release()"), b.place));
    EXPECT_DEATH(subject_.reset(), report(underrun_line(b, -8, "the destructor"), b.place));
    b.scribble(-8);
    deallocate(b);
}

TEST_P(write_before_rewind, is_reported_by_rewind_and_rollback) {
    const block kept = allocate(24, 8);
    block scratch{};
    const auto write_to_scratch = [&] {
        scratch = allocate(40, 8);
        scratch.scribble(44);
    };
    EXPECT_DEATH(
        run_and_roll_back(write_to_scratch),
        ::testing::ContainsRegex("mallard: write past the end: byte 44 of block 0x[0-9a-f]+ of 40 bytes "
                                 "at alignment 8 was overwritten, found by rollback\\(\\)\n"));
    kept.scribble(24);
    EXPECT_DEATH(subject_->rewind(), report(overrun_line(kept, 24, "rewind()"), kept.place));
    kept.scribble(24);
}

INSTANTIATE_TEST_SUITE_P(reports, write_past_end, ::testing::ValuesIn(kinds()), kind_name);
INSTANTIATE_TEST_SUITE_P(reports, write_before_start, ::testing::ValuesIn(kinds()), kind_name);
INSTANTIATE_TEST_SUITE_P(reports, write_before_rewind, ::testing::ValuesIn(rewindable_kinds()), kind_name);

}} // namespace reports
