// Deallocation of a block with a size or alignment other than the allocated one.
#include "misuse/reports/subject.hpp"

namespace reports { namespace {

using wrong_size = of_every_allocator;
using wrong_alignment = of_every_allocator;

TEST_P(wrong_size, is_reported) {
    const block b = allocate(24, 8);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{23}, std::size_t{25}, std::size_t{100000}}) {
        EXPECT_DEATH(subject_->deallocate(b.p, bytes, 8),
                     report("wrong size: " + b.text() + " was passed to deallocate() as a block of " +
                                std::to_string(bytes) + " bytes",
                            b.place));
    }
    deallocate(b);
}

TEST_P(wrong_size, is_reported_for_large_blocks) {
    const block b = allocate(100000, 8);
    EXPECT_DEATH(
        subject_->deallocate(b.p, 1000, 8),
        report("wrong size: " + b.text() + " was passed to deallocate() as a block of 1000 bytes", b.place));
    deallocate(b);
}

TEST_P(wrong_alignment, is_reported) {
    const block b = allocate(24, 8);
    for (const std::size_t alignment : {1U, 4U, 16U, 64U}) {
        EXPECT_DEATH(subject_->deallocate(b.p, 24, alignment),
                     report("wrong alignment: " + b.text() +
                                " was passed to deallocate() as a block at alignment " +
                                std::to_string(alignment),
                            b.place));
    }
    deallocate(b);
}

INSTANTIATE_TEST_SUITE_P(reports, wrong_size, ::testing::ValuesIn(kinds()), kind_name);
INSTANTIATE_TEST_SUITE_P(reports, wrong_alignment, ::testing::ValuesIn(kinds()), kind_name);

}} // namespace reports
