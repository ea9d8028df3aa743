#include <mallard/checking/misuse.hpp>

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <source_location>
#include <string>

namespace {

using mallard::allocator_call;
using mallard::misuse;

int heard = 0;
misuse heard_last{};

void listen(const mallard::misuse_report& report) noexcept {
    ++heard;
    heard_last = report.kind;
}

class misuse_reports : public ::testing::Test {
protected:
    ~misuse_reports() override { mallard::set_misuse_handler(nullptr); }

    static std::string text(const mallard::misuse_report& report) {
        return mallard::misuse_text(report).c_str();
    }

    mallard::misuse_report make_report(misuse kind) const {
        return {.kind = kind,
                .detected_by = allocator_call::deallocate,
                .block = &block_,
                .bytes = 24,
                .alignment = 8,
                .passed_block = &block_[3],
                .passed_bytes = 20,
                .passed_alignment = 4,
                .changed_byte = 25,
                .ended_by = allocator_call::rollback,
                .live_blocks = 3,
                .live_bytes = 72,
                .place = &place_};
    }

    std::array<char, 24> block_{};
    std::source_location place_ = std::source_location::current();
    std::string where_ = std::string("\n    allocated at ") + place_.file_name() + ":" +
                         std::to_string(place_.line()) + " in " + place_.function_name() + "\n";
    std::string the_block_ = [this] {
        std::array<char, 64> written{};
        std::snprintf(written.data(), written.size(), "block %p of 24 bytes at alignment 8",
                      static_cast<void*>(&block_));
        return std::string(written.data());
    }();
};

TEST_F(misuse_reports, name_the_misuse_the_block_and_the_place) {
    EXPECT_EQ(text(make_report(misuse::double_free)),
              "mallard: double free: " + the_block_ + " was already deallocated" + where_);
    EXPECT_EQ(text(make_report(misuse::wrong_size)),
              "mallard: wrong size: " + the_block_ + " was passed to deallocate() as a block of 20 bytes" +
                  where_);
    EXPECT_EQ(text(make_report(misuse::wrong_alignment)),
              "mallard: wrong alignment: " + the_block_ +
                  " was passed to deallocate() as a block at alignment 4" + where_);
    EXPECT_EQ(text(make_report(misuse::write_past_end)),
              "mallard: write past the end: byte 25 of " + the_block_ +
                  " was overwritten, found by deallocate()" + where_);
    EXPECT_EQ(text(make_report(misuse::write_before_start)),
              "mallard: write before the start: byte 25 of " + the_block_ +
                  " was overwritten, found by deallocate()" + where_);
    EXPECT_EQ(text(make_report(misuse::write_after_free)),
              "mallard: write after free: byte 25 of " + the_block_ +
                  " was overwritten after its deallocation, found by deallocate()" + where_);
    EXPECT_EQ(text(make_report(misuse::use_after_release)),
              "mallard: use after rollback: " + the_block_ +
                  " was ended by rollback() and is passed to deallocate(); what is older than a checkpoint "
                  "must not grow within it" +
                  where_);
    EXPECT_EQ(text(make_report(misuse::never_freed)),
              "mallard: never freed: " + the_block_ +
                  ", the first of 3 such blocks with 72 bytes in all, found by deallocate()" + where_);
    EXPECT_NE(text(make_report(misuse::foreign_pointer)).find("lies 3 bytes into " + the_block_ + where_),
              std::string::npos);
}

TEST_F(misuse_reports, speak_of_calls_that_change_sizes) {
    mallard::misuse_report report = make_report(misuse::use_after_free);
    report.detected_by = allocator_call::expand;
    EXPECT_EQ(text(report), "mallard: use after free: " + the_block_ +
                                " was already deallocated and is passed to expand()" + where_);
    report = make_report(misuse::wrong_size);
    report.detected_by = allocator_call::shrink;
    EXPECT_EQ(text(report), "mallard: wrong size: " + the_block_ +
                                " was passed to shrink() as a block of 20 bytes" + where_);
    report = make_report(misuse::foreign_pointer);
    report.detected_by = allocator_call::usable_bytes;
    report.passed_alignment = 0;
    EXPECT_NE(text(report).find(", passed to usable_bytes(), lies 3 bytes into " + the_block_ + where_),
              std::string::npos);
}

TEST_F(misuse_reports, name_requested_and_usable_bytes) {
    mallard::misuse_report report = make_report(misuse::double_free);
    report.spare_bytes = 4;
    EXPECT_NE(text(report).find(" of 20 to 24 bytes at alignment 8 was"), std::string::npos);
}

TEST_F(misuse_reports, suggest_naming_the_allocation_site) {
    mallard::misuse_report report = make_report(misuse::double_free);
    report.place = nullptr;
    EXPECT_NE(text(report).find("\n    allocated at an unnamed place; name it with "
                                "mallard::allocation_site\n"),
              std::string::npos);
}

TEST_F(misuse_reports, print_a_stack_where_that_is_known) {
    mallard::misuse_report report = make_report(misuse::double_free);
    void* stack[] = {reinterpret_cast<void*>(std::uintptr_t{0x1234}),
                     reinterpret_cast<void*>(std::uintptr_t{0x5678})};
    report.place = nullptr;
    report.stack = stack;
    const std::string printed = text(report);
    const std::size_t begin = printed.find("\n    allocated by\n        ");
    ASSERT_NE(begin, std::string::npos);
    EXPECT_LT(printed.find("0x1234", begin), printed.find("0x5678", begin));
    EXPECT_NE(printed.find("0x5678", begin), std::string::npos);
}

TEST_F(misuse_reports, are_cut_off_where_they_are_too_long) {
    mallard::misuse_report report = make_report(misuse::double_free);
    std::array<void*, 4000> stack{};
    report.place = nullptr;
    report.stack = stack;
    EXPECT_LT(text(report).size(), std::size_t{8192});
}

TEST_F(misuse_reports, abort_without_handler) {
    const std::string expected = text(make_report(misuse::double_free));
    EXPECT_EXIT(mallard::report_misuse(make_report(misuse::double_free)), ::testing::KilledBySignal(SIGABRT),
                ::testing::Eq(expected));
}

TEST_F(misuse_reports, go_to_the_handler_that_is_installed) {
    heard = 0;
    EXPECT_EQ(mallard::set_misuse_handler(listen), nullptr);
    mallard::report_misuse(make_report(misuse::wrong_size));
    EXPECT_EQ(heard, 1);
    EXPECT_EQ(heard_last, misuse::wrong_size);
    EXPECT_EQ(mallard::set_misuse_handler(nullptr), listen);
}

TEST(call_name, follows_the_enumerators) {
    EXPECT_STREQ(mallard::call_name(allocator_call::none), "nobody");
    EXPECT_STREQ(mallard::call_name(allocator_call::allocate), "allocate()");
    EXPECT_STREQ(mallard::call_name(allocator_call::shrink), "shrink()");
    EXPECT_STREQ(mallard::call_name(allocator_call::release), "release()");
    EXPECT_STREQ(mallard::call_name(allocator_call::adopt), "adopt()");
    EXPECT_STREQ(mallard::call_name(allocator_call::destructor), "the destructor");
}

} // namespace
