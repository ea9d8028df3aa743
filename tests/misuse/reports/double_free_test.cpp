// A block that is deallocated twice.
#include "misuse/reports/subject.hpp"

#include <csignal>

namespace reports { namespace {

using double_free = of_every_allocator;

TEST_P(double_free, is_reported_and_aborts) {
    for (const std::size_t bytes : {1U, 24U, 100000U}) {
        for (const std::size_t alignment : {1U, 64U}) {
            const block b = allocate(bytes, alignment);
            deallocate(b);
            EXPECT_EXIT(deallocate(b), ::testing::KilledBySignal(SIGABRT),
                        report("double free: " + b.text() + " was already deallocated", b.place));
        }
    }
}

TEST_P(double_free, is_reported_behind_later_deallocations) {
    const block first = allocate(24, 8);
    const block second = allocate(24, 8);
    deallocate(first);
    deallocate(second);
    EXPECT_DEATH(deallocate(first),
                 report("double free: " + first.text() + " was already deallocated", first.place));
}

TEST_P(double_free, is_reported_although_the_address_is_reused) {
#ifndef __cpp_exceptions
    subject_->set_quarantine({}); // off by default for allocators that cannot retry a failed request
#endif
    const block first = allocate(24, 8);
    deallocate(first);
    for (int i = 0; i < 20; ++i) {
        const block second = allocate(24, 8);
        EXPECT_NE(second.p, first.p);
        deallocate(second);
    }
    EXPECT_DEATH(deallocate(first),
                 report("double free: " + first.text() + " was already deallocated", first.place));
}

INSTANTIATE_TEST_SUITE_P(reports, double_free, ::testing::ValuesIn(kinds()), kind_name);

}} // namespace reports
