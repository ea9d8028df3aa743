// Deallocation of a pointer that is not a block of the allocator.
#include "misuse/reports/subject.hpp"

#include <cstdio>

namespace reports { namespace {

using foreign_pointer = of_every_allocator;

std::string text(const void* p) {
    char address[32];
    std::snprintf(address, sizeof address, "%p", p);
    return address;
}

TEST_P(foreign_pointer, is_reported) {
    int elsewhere = 0;
    EXPECT_DEATH(
        subject_->deallocate(&elsewhere, sizeof elsewhere, alignof(int)),
        ::testing::Eq("mallard: foreign pointer: " + text(&elsewhere) +
                      ", passed to deallocate() as a block of 4 bytes at alignment 4, is not a block of this "
                      "allocator\n"));
}

TEST_P(foreign_pointer, is_reported_for_blocks_of_another_allocator) {
    const auto owner = GetParam().make(source_);
    void* const p = owner->allocate(24, 8);
    static_cast<void>(allocate(24, 8));
    EXPECT_DEATH(subject_->deallocate(p, 24, 8),
                 ::testing::Eq(
                     "mallard: foreign pointer: " + text(p) +
                     ", passed to deallocate() as a block of 24 bytes at alignment 8, is not a block of this "
                     "allocator\n"));
}

TEST_P(foreign_pointer, names_the_block_that_it_points_into) {
    const block b = allocate(24, 8);
    auto* const within = static_cast<std::byte*>(b.p) + 8;
    EXPECT_DEATH(
        subject_->deallocate(within, 16, 8),
        report("foreign pointer: " + text(within) +
                   ", passed to deallocate() as a block of 16 bytes at alignment 8, lies 8 bytes into " +
                   b.text(),
               b.place));
    deallocate(b);
}

INSTANTIATE_TEST_SUITE_P(reports, foreign_pointer, ::testing::ValuesIn(kinds()), kind_name);

}} // namespace reports
