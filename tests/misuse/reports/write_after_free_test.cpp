// Writes to a block that was freed: found when it leaves the quarantine, when the allocator is released, rewound,
// rolled back or ends, and by check().
#include "misuse/reports/subject.hpp"

namespace reports {

namespace {

using write_after_free = of_every_allocator;
using write_after_free_before_going_back = of_every_allocator;

std::string after_free(const block& b, int byte, const char* found_by) {
    return "write after free: byte " + std::to_string(byte) + " of " + b.text() +
           " was overwritten after its deallocation, found by " + found_by;
}

TEST_P(write_after_free, is_found_by_all_that_ends_blocks_and_by_a_check) {
    subject_->set_quarantine({}); // where there are no exceptions most have none of their own accord
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{24}, std::size_t{100000}}) {
        for (const std::size_t alignment : {1U, 8U, 64U}) {
            const block b = allocate(bytes, alignment);
            deallocate(b);
            subject_->check();
            const auto last = static_cast<std::ptrdiff_t>(bytes) - 1;
            b.scribble(last);
            EXPECT_DEATH(subject_->check(),
                         report(after_free(b, static_cast<int>(last), "check()"), b.place));
            EXPECT_DEATH(subject_->release(),
                         report(after_free(b, static_cast<int>(last), "release()"), b.place));
            EXPECT_DEATH(subject_.reset(),
                         report(after_free(b, static_cast<int>(last), "the destructor"), b.place));
            b.scribble(last); // as it was
            subject_->release();
        }
    }
}

TEST_P(write_after_free, is_found_around_the_block_too) {
    subject_->set_quarantine({});
    const block b = allocate(24, 8);
    deallocate(b);
    b.scribble(-8);
    EXPECT_DEATH(subject_->check(), report(after_free(b, -8, "check()"), b.place));
    b.scribble(-8);
    b.scribble(30);
    EXPECT_DEATH(subject_->check(), report(after_free(b, 30, "check()"), b.place));
    b.scribble(30);
    subject_->check();
}

TEST_P(write_after_free, is_found_when_the_block_leaves_the_quarantine) {
    subject_->set_quarantine({.blocks = 2, .bytes = 1000});
    const block first = allocate(24, 8);
    const block others[] = {allocate(24, 8), allocate(24, 8)};
    deallocate(first);
    first.scribble(0);
    deallocate(others[0]);
    EXPECT_DEATH(deallocate(others[1]), report(after_free(first, 0, "deallocate()"), first.place));
    first.scribble(0);
    deallocate(others[1]);
}

TEST_P(write_after_free_before_going_back, is_found_by_a_rewind_and_a_rollback) {
    subject_->set_quarantine({});
    const block kept = allocate(24, 8);
    deallocate(kept);
    const auto write_to_what_is_free = [&] {
        const block scratch = allocate(40, 8);
        deallocate(scratch);
        scratch.scribble(39);
    };
    EXPECT_DEATH(
        subject_->roll_back_after(write_to_what_is_free),
        ::testing::ContainsRegex("mallard: write after free: byte 39 of block 0x[0-9a-f]+ of 40 bytes at "
                                 "alignment 8 was overwritten after its deallocation, found by "
                                 "rollback\\(\\)\n    allocated at "));
    kept.scribble(0);
    subject_->roll_back_after([] {});
    EXPECT_DEATH(subject_->rewind(), report(after_free(kept, 0, "rewind()"), kept.place));
    kept.scribble(0);
}

INSTANTIATE_TEST_SUITE_P(reports, write_after_free, ::testing::ValuesIn(kinds()), name_of);
INSTANTIATE_TEST_SUITE_P(reports, write_after_free_before_going_back, ::testing::ValuesIn(rewindable_kinds()),
                         name_of);

} // namespace

} // namespace reports
