// Calls that grow, shrink or measure blocks, with foreign pointers or wrong sizes.
#include "misuse/reports/subject.hpp"

#include <mallard/checking/allocation_site.hpp>

#include <csignal>

namespace reports { namespace {

using mallard::expansion;
using change_of_size = of_every_allocator;

constexpr mallard::expansion_request to_100_bytes{.least_bytes = 100, .preferred_bytes = 100};

std::string to_hex(const void* p) {
    const block b{const_cast<void*>(p), 0, 0, {}};
    const std::string text = b.text();
    return text.substr(6, text.find(" of ") - 6);
}

TEST_P(change_of_size, of_a_freed_block_is_reported_and_aborts) {
    for (const std::size_t bytes : {24U, 300000U}) {
        for (const std::size_t alignment : {8U, 64U}) {
            const block b = allocate(bytes, alignment);
            deallocate(b);
            const std::string line =
                "use after free: " + b.text() + " was already deallocated and is passed to ";
            EXPECT_EXIT(static_cast<void>(subject_->expand(b.p, to_100_bytes)),
                        ::testing::KilledBySignal(SIGABRT), report(line + "expand()", b.place));
            EXPECT_DEATH(subject_->shrink(b.p, 1), report(line + "shrink()", b.place));
            EXPECT_DEATH(static_cast<void>(subject_->usable_bytes(b.p)),
                         report(line + "usable_bytes()", b.place));
        }
    }
}

TEST_P(change_of_size, of_a_released_block_is_reported) {
    const block b = allocate(24, 8);
    subject_->release();
    const std::string line = "use after release: " + b.text() + " was ended by release() and is passed to ";
    EXPECT_DEATH(static_cast<void>(subject_->expand(b.p, to_100_bytes)), report(line + "expand()", b.place));
    EXPECT_DEATH(subject_->shrink(b.p, 1), report(line + "shrink()", b.place));
}

TEST_P(change_of_size, of_a_foreign_pointer_is_reported) {
    int foreign = 0;
    const std::string line = "mallard: foreign pointer: " + to_hex(&foreign) + ", passed to ";
    const std::string end = ", is not a block of this allocator\n";
    EXPECT_DEATH(static_cast<void>(subject_->expand(&foreign, to_100_bytes)),
                 ::testing::Eq(line + "expand()" + end));
    EXPECT_DEATH(subject_->shrink(&foreign, 1), ::testing::Eq(line + "shrink()" + end));
    EXPECT_DEATH(static_cast<void>(subject_->usable_bytes(&foreign)),
                 ::testing::Eq(line + "usable_bytes()" + end));
    EXPECT_DEATH(subject_->deallocate(&foreign), ::testing::Eq(line + "deallocate()" + end));
}

TEST_P(change_of_size, of_a_pointer_into_a_block_is_reported) {
    const block b = allocate(100, 8);
    void* const within = static_cast<char*>(b.p) + 16;
    EXPECT_DEATH(
        static_cast<void>(subject_->expand(within, to_100_bytes)),
        report("foreign pointer: " + to_hex(within) + ", passed to expand(), lies 16 bytes into " + b.text(),
               b.place));
    deallocate(b);
}

TEST_P(change_of_size, refuses_to_shrink_to_a_larger_size) {
    const block b = allocate(24, 8);
    EXPECT_DEATH(
        subject_->shrink(b.p, 25),
        report("wrong size: " + b.text() + " was passed to shrink() as a block of 25 bytes", b.place));
    deallocate(b);
}

TEST_P(change_of_size, finds_earlier_writes_around_the_block) {
    const block b = allocate(24, 8);
    b.scribble(24);
    EXPECT_DEATH(static_cast<void>(subject_->expand(b.p, to_100_bytes)),
                 report("write past the end: byte 24 of " + b.text() + " was overwritten, found by expand()",
                        b.place));
    b.scribble(24);
    b.scribble(-1);
    EXPECT_DEATH(subject_->shrink(b.p, 8), report("write before the start: byte -1 of " + b.text() +
                                                      " was overwritten, found by shrink()",
                                                  b.place));
    b.scribble(-1);
    deallocate(b);
}

TEST_P(change_of_size, moves_the_guard_zones) {
    block b = allocate(24, 8);
    const auto grown = subject_->expand(
        b.p, {.least_bytes = 1000, .preferred_bytes = 1000, .allowed = expansion::forward_or_fresh});
    if (grown.method == expansion::fresh) {
        deallocate(b);
    }
    b.p = grown.p;
    subject_->check();
    const auto behind = static_cast<std::ptrdiff_t>(grown.bytes);
    const mallard::allocation_site site(b.place);
    EXPECT_DEATH((b.scribble(behind), subject_->check()),
                 "mallard: write past the end: byte " + std::to_string(behind) + " of ");
    const std::size_t kept_bytes = subject_->shrink(b.p, 50);
    EXPECT_LT(kept_bytes, 100U);
    subject_->check();
    EXPECT_DEATH((b.scribble(static_cast<std::ptrdiff_t>(kept_bytes)), subject_->deallocate(b.p)),
                 "mallard: write past the end: byte " + std::to_string(kept_bytes) + " of ");
    subject_->deallocate(b.p);
}

TEST_P(change_of_size, accepts_requested_and_usable_size_on_deallocation) {
    const mallard::expansion_request request{
        .least_bytes = 100, .preferred_bytes = 150, .allowed = expansion::fresh};
    const auto fresh = [&] {
        const mallard::allocation_site site;
        return subject_->expand(nullptr, request);
    };
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{140}, fresh().bytes}) {
        subject_->deallocate(fresh().p, bytes, request.alignment);
    }
    const auto got = fresh();
    EXPECT_DEATH(subject_->deallocate(got.p, 99, request.alignment),
                 "mallard: wrong size: block 0x[0-9a-f]+ of 100 to " + std::to_string(got.bytes) +
                     " bytes at alignment 16 was passed to deallocate\\(\\) as a block of 99 bytes\n");
    EXPECT_DEATH(subject_->deallocate(got.p, got.bytes + 1, request.alignment),
                 "mallard: wrong size: block 0x[0-9a-f]+ of 100 to " + std::to_string(got.bytes) +
                     " bytes at alignment 16 was passed to deallocate\\(\\) as a block of " +
                     std::to_string(got.bytes + 1) + " bytes\n");
}

TEST_P(change_of_size, reports_a_double_free_without_sizes) {
    const block b = allocate(24, 8);
    subject_->deallocate(b.p);
    EXPECT_DEATH(subject_->deallocate(b.p),
                 report("double free: " + b.text() + " was already deallocated", b.place));
}

INSTANTIATE_TEST_SUITE_P(reports, change_of_size, ::testing::ValuesIn(expandable_kinds()), kind_name);

}} // namespace reports
