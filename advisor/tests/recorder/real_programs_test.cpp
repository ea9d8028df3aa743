// Every stack is correct in programs as a distribution ships them.

#include "checked_run.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace {

using mallard::test::checked_run;
using mallard::test::run_checked;
using mallard::test::temporary_folder;

struct real_program {
    const char* name;
    const char* program; ///< searched for in PATH
    const char* words;
    const char* file; ///< its input
    const char* text;
    unsigned long least_stacks;
};

void PrintTo(const real_program& program, std::ostream* to) {
    *to << program.name;
}

constexpr const char* source = R"(#include <map>
#include <string>
int main() {
    std::map<std::string, int> words{{"a", 1}};
    return words.at("a");
}
)";

constexpr const char* project = R"(cmake_minimum_required(VERSION 3.20)
project(small LANGUAGES NONE)
foreach(number RANGE 20)
  add_custom_target(part_${number} COMMAND echo "${number}")
  string(REGEX REPLACE "[0-9]" "x" text "${number}")
  file(WRITE "${CMAKE_BINARY_DIR}/${number}" "${text}")
endforeach()
)";

constexpr const char* messages = R"(syntax = "proto3";
message Small { map<string, int64> numbers = 1; repeated Small parts = 2; string name = 3; }
service Serving { rpc Serve(Small) returns (stream Small); }
)";

constexpr const char* script = R"(import collections, json, re
rows = [collections.OrderedDict(number=each, text=str(each) * 300) for each in range(3000)]
assert json.loads(json.dumps(rows)) == [dict(each) for each in rows]
try:
    re.compile("(" * 5)
except re.error:
    rows.clear()
)";

class real_programs : public testing::TestWithParam<real_program> {};

TEST_P(real_programs, match_a_full_walk_and_libgcc) {
    const real_program& tested = GetParam();
    const std::string lookup = std::string("command -v ") + tested.program + " >/dev/null";
    if (std::system(lookup.c_str()) != 0) {
        GTEST_SKIP() << tested.program << " is not installed";
    }
    const temporary_folder folder;
    std::ofstream(folder.path() / tested.file) << tested.text;
    const checked_run result =
        run_checked(std::string(tested.program) + " " + tested.words, "", folder.path());
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_GE(result.by_full_walk, tested.least_stacks);
    EXPECT_GE(result.by_libgcc, tested.least_stacks / 1000);
}

INSTANTIATE_TEST_SUITE_P(
    debian, real_programs,
    testing::Values(real_program{"clang", "clang++-16", "-fsyntax-only x.cpp", "x.cpp", source, 50'000},
                    real_program{"cmake", "cmake", "-S . -B build", "CMakeLists.txt", project, 20'000},
                    real_program{"protoc", "protoc", "--cpp_out=. x.proto", "x.proto", messages, 20'000},
                    real_program{"python3", "/usr/bin/python3", "x.py", "x.py", script, 5'000}),
    [](const auto& parameter) { return parameter.param.name; });

} // namespace
