// Blocks that were never freed: reported if the program expects that all were.
#include "misuse/reports/subject.hpp"

namespace reports {

namespace {

using never_freed = of_every_allocator;

std::string first_of(const block& b, int blocks, int bytes, const char* found_by) {
    return "never freed: " + b.text() + ", the first of " + std::to_string(blocks) + " such blocks with " +
           std::to_string(bytes) + " bytes in all, found by " + found_by;
}

TEST_P(never_freed, is_reported_where_it_is_asked_for) {
    const block freed = allocate(8, 8);
    const block first = allocate(24, 8);
    const block second = allocate(100, 16);
    deallocate(freed);
    EXPECT_DEATH(subject_->expect_all_freed(),
                 report(first_of(first, 2, 124, "expect_all_freed()"), first.place));
    deallocate(first);
    EXPECT_DEATH(subject_->expect_all_freed(),
                 report(first_of(second, 1, 100, "expect_all_freed()"), second.place));
    deallocate(second);
    subject_->expect_all_freed();
}

TEST_P(never_freed, is_reported_at_the_end_where_that_is_asked_for) {
    subject_->expect_all_freed_at_end();
    const block b = allocate(24, 8);
    EXPECT_DEATH(subject_->release(), report(first_of(b, 1, 24, "release()"), b.place));
    EXPECT_DEATH(subject_.reset(), report(first_of(b, 1, 24, "the destructor"), b.place));
    deallocate(b);
    subject_->release();
}

TEST_P(never_freed, is_no_misuse_where_blocks_may_be_winked_out) {
    static_cast<void>(allocate(24, 8));
    subject_->release();
    static_cast<void>(allocate(24, 8));
    subject_.reset();
    SUCCEED();
}

INSTANTIATE_TEST_SUITE_P(reports, never_freed, ::testing::ValuesIn(kinds()), name_of);

} // namespace

} // namespace reports
