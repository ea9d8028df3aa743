// Code that was compiled with -finstrument-functions tells of each call.
#include "recorder/marks/recorded_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

namespace {

using namespace recorder_test;

/// `+name` and `-name` for calls, and the bytes of blocks.
std::string calls_of(const recorded_run& run) {
    std::map<std::uint64_t, std::string> names;
    std::istringstream said(run.output);
    for (std::string name, address; said >> name >> address && name != "sum";) {
        names[std::stoull(address, nullptr, 16)] = name;
    }
    std::string calls;
    for (const part_event& each : run.only().events) {
        if (mallard::trace::is_of_function(each.kind)) {
            calls += (each.kind == record_kind::function_enter ? "+" : "-") + names[each.address] + " ";
        } else if (each.kind == record_kind::malloc && each.bytes >= 1000 && each.bytes < 10'000) {
            calls += std::to_string(each.bytes) + " ";
        }
    }
    return calls;
}

std::string leaf(int bytes) {
    return "+leaf " + std::to_string(bytes) + " -leaf ";
}

TEST(instrumented, functions_are_recorded_call_by_call) {
    const recorded_run run = run_recorded({MALLARD_INSTRUMENTED_TOY});
    EXPECT_EQ(run.status, 0);
    std::string expected = "+middle +middle +middle " + leaf(1000) + "-middle " + leaf(1001) + "-middle " +
                           leaf(1002) + "-middle +catcher ";
    for (int turn = 0; turn < 3; ++turn) {
        expected += "+thrower " + leaf(2000 + turn) + "-thrower " + leaf(2010 + turn);
    }
    // longjmp leaves two functions that cannot tell: once there is a block before the next call, and once there is none.
    expected += "-catcher +jumped ";
    for (int turn = 0; turn < 2; ++turn) {
        expected += "+jumper +jumper " + leaf(3000) + "-jumper -jumper " + (turn == 0 ? "3010 " : "");
    }
    expected += "-jumped +catcher_of_mute ";
    for (int turn = 0; turn < 2; ++turn) {
        expected += "+mute " + leaf(4000 + turn) + "-mute " + leaf(4010 + turn);
    }
    EXPECT_EQ(calls_of(run), expected + "-catcher_of_mute ");
}

TEST(instrumented, functions_have_their_file_in_the_trace) {
    const recorded_run run = run_recorded({MALLARD_INSTRUMENTED_TOY});
    const auto& code = run.only().code;
    EXPECT_TRUE(std::find(code.begin(), code.end(), "") != code.end()) << "the program itself";
}

} // namespace
