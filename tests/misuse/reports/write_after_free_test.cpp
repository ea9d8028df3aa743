// Writes to a freed block are reported when it leaves the quarantine, when the allocator is released, rewound, rolled back
// or destroyed, and by check().
#include "misuse/reports/subject.hpp"

namespace reports { namespace {

using write_after_free = of_every_allocator;
using write_after_free_before_rewind = of_every_allocator;

std::string write_line(const block& b, int byte, const char* reporter) {
    return "write after free: byte " + std::to_string(byte) + " of " + b.text() +
           " was overwritten after its deallocation, found by " + reporter;
}

TEST_P(write_after_free, is_reported_by_release_destruction_and_check) {
    subject_->set_quarantine({}); // off by default without exceptions
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{24}, std::size_t{100000}}) {
        for (const std::size_t alignment : {1U, 64U}) {
            const block b = allocate(bytes, alignment);
            deallocate(b);
            subject_->check();
            const auto last = static_cast<std::ptrdiff_t>(bytes) - 1;
            b.scribble(last);
            EXPECT_DEATH(subject_->check(),
                         report(write_line(b, static_cast<int>(last), "check()"), b.place));
            EXPECT_DEATH(subject_->release(),
                         report(write_line(b, static_cast<int>(last), "release()"), b.place));
            EXPECT_DEATH(subject_.reset(),
                         report(write_line(b, static_cast<int>(last), "the destructor"), b.place));
            b.scribble(last); // as it was
            subject_->release();
        }
    }
}

TEST_P(write_after_free, is_reported_in_the_guard_zones) {
    subject_->set_quarantine({});
    const block b = allocate(24, 8);
    deallocate(b);
    b.scribble(-8);
    EXPECT_DEATH(subject_->check(), report(write_line(b, -8, "check()"), b.place));
    b.scribble(-8);
    b.scribble(30);
    EXPECT_DEATH(subject_->check(), report(write_line(b, 30, "check()"), b.place));
    b.scribble(30);
    subject_->check();
}

TEST_P(write_after_free, is_reported_on_leaving_the_quarantine) {
    subject_->set_quarantine({.blocks = 2, .bytes = 1000});
    const block first = allocate(24, 8);
    const block others[] = {allocate(24, 8), allocate(24, 8)};
    deallocate(first);
    first.scribble(0);
    deallocate(others[0]);
    EXPECT_DEATH(deallocate(others[1]), report(write_line(first, 0, "deallocate()"), first.place));
    first.scribble(0);
    deallocate(others[1]);
}

TEST_P(write_after_free_before_rewind, is_reported_by_rewind_and_rollback) {
    subject_->set_quarantine({});
    const block kept = allocate(24, 8);
    deallocate(kept);
    const auto write_to_free_blocks = [&] {
        const block scratch = allocate(40, 8);
        deallocate(scratch);
        scratch.scribble(39);
    };
    EXPECT_DEATH(
        run_and_roll_back(write_to_free_blocks),
        ::testing::ContainsRegex("mallard: write after free: byte 39 of block 0x[0-9a-f]+ of 40 bytes at "
                                 "alignment 8 was overwritten after its deallocation, found by "
                                 "rollback\\(\\)\n    allocated at "));
    kept.scribble(0);
    run_and_roll_back([] {});
    EXPECT_DEATH(subject_->rewind(), report(write_line(kept, 0, "rewind()"), kept.place));
    kept.scribble(0);
}

INSTANTIATE_TEST_SUITE_P(reports, write_after_free, ::testing::ValuesIn(kinds()), kind_name);
INSTANTIATE_TEST_SUITE_P(reports, write_after_free_before_rewind, ::testing::ValuesIn(rewindable_kinds()),
                         kind_name);

}} // namespace reports
