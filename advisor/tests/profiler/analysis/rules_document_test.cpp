// The rules of synthetic traces, as a trial reads them.
#include "profiler/export/trace_maker.hpp"
#include "profiler/program/arguments.hpp"
#include "profiler/program/rules_document.hpp"
#include "profiler/program/symbol_names.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace {

using namespace mallard::advisor;
using mallard::advisor::tests::stack;

constexpr std::uint64_t library = 0x7f0000000000;

class rules_of_a_trace : public testing::Test {
protected:
    rules_of_a_trace() {
        maker.add({0x400000, 0x500000, 0, "", "", 0});
        maker.add({library, library + 0x100000, library, "", "/a;b/lib.so", 0});
    }

    /// Returns: the document for a trace with one allocation. A level is a return address, the outermost one first.
    std::string learn(const stack& levels, const std::string& code, const std::string& excluded = "") {
        maker.allocate(levels, 0x10, 8);
        std::filesystem::remove(folder / "trace");
        maker.write(folder / "trace");
        mallard::trace::reader reader(folder / "trace");
        symbol_names names(reader.code(0), "");
        return rules_document(reader, 0, names, code, excluded);
    }
    static std::string text(const std::string& rules, int undecided) {
        return "{\"rules\":\"" + rules + "\",\"rows\":" + (rules.empty() ? "0" : "1") +
               ",\"allocations\":1,\"undecided\":" + std::to_string(undecided) +
               ",\"further_levels\":" + std::to_string(8 * undecided) + "}\n";
    }

    tests::temporary_folder folder;
    tests::trace_maker maker;
};

const stack called{0x401001, 0x402001, 0x403001};

TEST_F(rules_of_a_trace, finds_offsets_and_ranges) {
    EXPECT_EQ(learn(called, ":402000"), text(":0.403000+", 0));
}

TEST_F(rules_of_a_trace, excludes_a_range) {
    EXPECT_EQ(learn(called, ":402000", ":403000-403001"), text(":0.403000x", 0));
}

TEST_F(rules_of_a_trace, excludes_a_call_of_the_scope_itself) {
    EXPECT_EQ(learn({0x401001, 0x402001}, ":402000", ":402000-402001"), text(":0.402000x", 0));
}

TEST_F(rules_of_a_trace, excludes_nothing_next_to_a_range) {
    EXPECT_EQ(learn(called, ":1,402000-402001", ":402ff0-403000,403001-403010"), text(":0.403000+", 0));
}

TEST_F(rules_of_a_trace, refuses_other_texts) {
    for (const char* const code : {":10-10", ":20-10", ":-10", ":10-", ":10-1000000000001", ":10-20-30",
                                   ":10-20,", ":1000000000000", ":ffffffffffffffff", "10", ":"}) {
        EXPECT_THROW(learn(called, code), usage_error) << code;
    }
}

// A level of 0 and a number stand for so many levels that were omitted.
TEST_F(rules_of_a_trace, leaves_stacks_with_a_gap_undecided) {
    EXPECT_EQ(learn({0x401001, 0, 2, 0x403001}, ":402000"), text("", 1));
}

TEST_F(rules_of_a_trace, decides_if_the_scope_is_outside_of_a_gap) {
    EXPECT_EQ(learn({0x402001, 0, 2, 0x403001}, ":402000"), text(":0.403000+", 0));
}

TEST_F(rules_of_a_trace, does_not_decide_if_a_gap_may_have_excluded_code) {
    EXPECT_EQ(learn({0x402001, 0, 2, 0x403001}, ":402000", ":404000"), text("", 1));
}

TEST_F(rules_of_a_trace, decides_if_the_scope_is_inside_of_a_gap) {
    EXPECT_EQ(learn({0x401001, 0, 2, 0x402001, 0x403001}, ":402000"), text(":0.403000+", 0));
}

TEST_F(rules_of_a_trace, omits_a_file_with_a_semicolon) {
    EXPECT_EQ(learn({0x402001, library + 0x1001}, ":402000"), text("", 1));
}

} // namespace
