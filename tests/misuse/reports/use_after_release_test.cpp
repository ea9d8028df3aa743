// Deallocation of a block that a release, rewind or rollback has ended.
#include "misuse/reports/subject.hpp"

namespace reports { namespace {

using use_after_release = of_every_allocator;
using use_after_rewind = of_every_allocator;
using use_after_rollback = of_every_allocator;

std::string use_line(const std::string& call, const block& b) {
    return "use after " + call + ": " + b.text() + " was ended by " + call +
           "() and is passed to deallocate()" +
           (call == "rollback" ? "; what is older than a checkpoint must not grow within it" : "");
}

TEST_P(use_after_release, is_reported) {
    const block small = allocate(24, 8);
    const block large = allocate(100000, 64);
    subject_->release();
    EXPECT_DEATH(deallocate(small), report(use_line("release", small), small.place));
    EXPECT_DEATH(deallocate(large), report(use_line("release", large), large.place));
}

TEST_P(use_after_rewind, is_reported) {
    const block b = allocate(24, 8);
    subject_->rewind();
    EXPECT_DEATH(deallocate(b), report(use_line("rewind", b), b.place));
}

TEST_P(use_after_rollback, is_reported_for_later_blocks) {
    const block kept = allocate(24, 8);
    block since{};
    run_and_roll_back([&] { since = allocate(24, 8); });
    EXPECT_DEATH(deallocate(since), report(use_line("rollback", since), since.place));
    deallocate(kept);
}

INSTANTIATE_TEST_SUITE_P(reports, use_after_release, ::testing::ValuesIn(kinds()), kind_name);
INSTANTIATE_TEST_SUITE_P(reports, use_after_rewind, ::testing::ValuesIn(rewindable_kinds()), kind_name);
INSTANTIATE_TEST_SUITE_P(reports, use_after_rollback, ::testing::ValuesIn(rewindable_kinds()), kind_name);

}} // namespace reports
