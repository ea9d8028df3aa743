#include "misuse/programs/program.hpp"

#include <mallard/core/allocation_site.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ostream>
#include <regex>
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

/// Equal to a report, but for addresses, and for where in its file a contract is checked.
class is_report {
public:
    using is_gtest_matcher = void;

    explicit is_report(std::string expected) : expected_(std::move(expected)) {}

    bool MatchAndExplain(const std::string& text, std::ostream*) const {
        static const std::regex address("0x[0-9a-f]+");
        static const std::regex place("(^|\n)[^\n:]*/([a-z_]+\\.hpp):[0-9]+:");
        const std::string without = std::regex_replace(text, address, "ADDRESS");
        return std::regex_replace(without, place, "$1$2:LINE:") == expected_;
    }
    void DescribeTo(std::ostream* out) const { *out << "is the report\n" << expected_; }
    void DescribeNegationTo(std::ostream* out) const { *out << "is not the report\n" << expected_; }

private:
    std::string expected_;
};

class misuse_program : public ::testing::TestWithParam<program> {};

TEST_P(misuse_program, gives_its_report_and_ends) {
    EXPECT_EXIT((mallard::keep_stack_frames(0), GetParam().run(), std::_Exit(0)),
                ::testing::KilledBySignal(SIGABRT),
                ::testing::Matcher<const std::string&>(is_report(GetParam().report)));
}

INSTANTIATE_TEST_SUITE_P(all, misuse_program, ::testing::ValuesIn(programs()),
                         [](const auto& of) { return of.param.name; });

TEST(misuse_programs, are_many_and_have_names_of_their_own) {
    std::set<std::string> names;
    for (const program& p : programs()) {
        names.insert(p.name);
    }
    EXPECT_EQ(names.size(), programs().size());
#ifdef NDEBUG
    EXPECT_GE(programs().size(), 60U);
#else
    EXPECT_GE(programs().size(), 85U) << "with those of contracts";
#endif
}

} // namespace

} // namespace misuse_programs
