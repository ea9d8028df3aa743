// Blocks that were never freed are reported if the program expects all to be freed.
#include "misuse/reports/subject.hpp"

namespace reports { namespace {

using never_freed = of_every_allocator;

std::string leak_line(const block& b, int blocks, int bytes, const char* reporter) {
    return "never freed: " + b.text() + ", the first of " + std::to_string(blocks) + " such blocks with " +
           std::to_string(bytes) + " bytes in all, found by " + reporter;
}

TEST_P(never_freed, is_reported_on_request) {
    const block freed = allocate(8, 8);
    const block first = allocate(24, 8);
    const block second = allocate(100, 16);
    deallocate(freed);
    EXPECT_DEATH(subject_->expect_all_freed(),
                 report(leak_line(first, 2, 124, "expect_all_freed()"), first.place));
    deallocate(first);
    EXPECT_DEATH(subject_->expect_all_freed(),
                 report(leak_line(second, 1, 100, "expect_all_freed()"), second.place));
    deallocate(second);
    subject_->expect_all_freed();
}

TEST_P(never_freed, is_reported_on_destruction_if_requested) {
    subject_->expect_all_freed_at_end();
    const block b = allocate(24, 8);
    EXPECT_DEATH(subject_->release(), report(leak_line(b, 1, 24, "release()"), b.place));
    EXPECT_DEATH(subject_.reset(), report(leak_line(b, 1, 24, "the destructor"), b.place));
    deallocate(b);
    subject_->release();
}

TEST_P(never_freed, is_accepted_for_winked_out_blocks) {
    static_cast<void>(allocate(24, 8));
    subject_->release();
    static_cast<void>(allocate(24, 8));
    subject_.reset();
    SUCCEED();
}

INSTANTIATE_TEST_SUITE_P(reports, never_freed, ::testing::ValuesIn(kinds()), kind_name);

}} // namespace reports
