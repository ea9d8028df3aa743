// A block that is deallocated twice.
#include "misuse/reports/subject.hpp"

#include <csignal>

namespace reports {

namespace {

using double_free = of_every_allocator;

TEST_P(double_free, is_reported_and_ends_the_program) {
    for (const std::size_t bytes : {1U, 24U, 1000U, 100000U}) {
        for (const std::size_t alignment : {1U, 8U, 64U}) {
            const block b = allocate(bytes, alignment);
            deallocate(b);
            EXPECT_EXIT(deallocate(b), ::testing::KilledBySignal(SIGABRT),
                        report("double free: " + b.text() + " was already deallocated", b.place));
        }
    }
}

TEST_P(double_free, is_reported_after_others_were_freed) {
    const block first = allocate(24, 8);
    const block second = allocate(24, 8);
    deallocate(first);
    deallocate(second);
    EXPECT_DEATH(deallocate(first),
                 report("double free: " + first.text() + " was already deallocated", first.place));
}

TEST_P(double_free, is_reported_where_the_address_would_be_handed_out_again) {
#ifndef __cpp_exceptions
    subject_->set_quarantine({}); // most have none by default: a failed request could not be tried again
#endif
    const block first = allocate(24, 8);
    deallocate(first);
    for (int i = 0; i < 20; ++i) {
        const block other = allocate(24, 8);
        EXPECT_NE(other.p, first.p);
        deallocate(other);
    }
    EXPECT_DEATH(deallocate(first),
                 report("double free: " + first.text() + " was already deallocated", first.place));
}

TEST_P(double_free, is_no_false_alarm_where_a_block_came_back) {
    for (int i = 0; i < 100; ++i) {
        for (const std::size_t bytes : {0U, 1U, 7U, 8U, 24U, 1000U}) {
            for (const std::size_t alignment : {1U, 16U, 64U}) {
                deallocate(allocate(bytes, alignment));
            }
        }
    }
    SUCCEED();
}

INSTANTIATE_TEST_SUITE_P(reports, double_free, ::testing::ValuesIn(kinds()), name_of);

} // namespace

} // namespace reports
