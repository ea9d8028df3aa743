#include "misuse/programs/program.hpp"

#include <mallard/checking/allocation_site.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace misuse_programs {

std::vector<program>& programs() {
    static std::vector<program> all;
    return all;
}

void PrintTo(const program& p, std::ostream* out) {
    *out << p.name;
}

[[gnu::no_sanitize_address]] void overwrite(void* block, int offset) {
    auto* const byte = static_cast<volatile unsigned char*>(block) + offset;
    *byte = static_cast<unsigned char>(*byte ^ 0xFFU);
}

namespace {

/// Returns: the text with ADDRESS for each address, and with the name of a header and LINE for its place.
std::string normal(std::string text) {
    for (std::size_t at = 0; (at = text.find("0x", at)) != std::string::npos;) {
        text.replace(at, text.find_first_not_of("0123456789abcdef", at + 2) - at, "ADDRESS");
    }
    if (const std::size_t colon = text.find(".hpp:"); colon != std::string::npos) {
        const std::size_t line = colon + 5;
        text.replace(line, text.find(':', line) - line, "LINE");
        text.erase(0, text.rfind('/', colon) + 1);
    }
    return text;
}

/// Equal to a report, but for addresses and the line of a contract check.
class is_report {
public:
    using is_gtest_matcher = void;

    explicit is_report(std::string expected) : expected_(std::move(expected)) {}

    bool MatchAndExplain(const std::string& text, std::ostream*) const { return normal(text) == expected_; }
    void DescribeTo(std::ostream* out) const { *out << "is the report\n" << expected_; }
    void DescribeNegationTo(std::ostream* out) const { *out << "is not the report\n" << expected_; }

private:
    std::string expected_;
};

class misuse_program : public ::testing::TestWithParam<program> {};

TEST_P(misuse_program, prints_its_report_and_aborts) {
    EXPECT_EXIT((mallard::keep_stack_frames(0), GetParam().run(), std::_Exit(0)),
                ::testing::KilledBySignal(SIGABRT),
                ::testing::Matcher<const std::string&>(is_report(GetParam().report)));
}

INSTANTIATE_TEST_SUITE_P(all, misuse_program, ::testing::ValuesIn(programs()),
                         [](const auto& of) { return of.param.name; });

TEST(misuse_programs, are_many_and_have_unique_names) {
    std::set<std::string> names;
    for (const program& p : programs()) {
        names.insert(p.name);
    }
    EXPECT_EQ(names.size(), programs().size());
#ifdef NDEBUG
    EXPECT_GE(programs().size(), 55U);
#else
    EXPECT_GE(programs().size(), 75U) << "with those of contracts";
#endif
}

} // namespace

} // namespace misuse_programs
