// A block that is deallocated after a release, a rewind or a rollback has ended it.
#include "misuse/reports/subject.hpp"

namespace reports {

namespace {

using use_after_release = of_every_allocator;
using use_after_rewind = of_every_allocator;
using use_after_rollback = of_every_allocator;

std::string used_after(const std::string& call, const block& b) {
    return "use after " + call + ": " + b.text() + " was ended by " + call +
           "() and is passed to deallocate()";
}

TEST_P(use_after_release, is_reported) {
    const block small = allocate(24, 8);
    const block large = allocate(100000, 64);
    subject_->release();
    EXPECT_DEATH(deallocate(small), report(used_after("release", small), small.place));
    EXPECT_DEATH(deallocate(large), report(used_after("release", large), large.place));
}

TEST_P(use_after_rewind, is_reported) {
    const block b = allocate(24, 8);
    subject_->rewind();
    EXPECT_DEATH(deallocate(b), report(used_after("rewind", b), b.place));
}

TEST_P(use_after_rollback, is_reported_of_what_was_allocated_since) {
    const block before = allocate(24, 8);
    block since{};
    subject_->roll_back_after([&] { since = allocate(24, 8); });
    EXPECT_DEATH(deallocate(since), report(used_after("rollback", since), since.place));
    deallocate(before);
}

INSTANTIATE_TEST_SUITE_P(reports, use_after_release, ::testing::ValuesIn(kinds()), name_of);
INSTANTIATE_TEST_SUITE_P(reports, use_after_rewind, ::testing::ValuesIn(rewindable_kinds()), name_of);
INSTANTIATE_TEST_SUITE_P(reports, use_after_rollback, ::testing::ValuesIn(rewindable_kinds()), name_of);

} // namespace

} // namespace reports
