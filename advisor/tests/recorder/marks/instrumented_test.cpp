// Code compiled with -finstrument-functions records each call.
#include "recorder/marks/recorded_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

namespace {

using namespace recorder_test;

/// `+name` and `-name` for calls, and the bytes of blocks.
std::string format_calls(const recorded_run& run) {
    std::map<std::uint64_t, std::string> names;
    std::istringstream output(run.output);
    for (std::string name, address; output >> name >> address && name != "sum";) {
        names[std::stoull(address, nullptr, 16)] = name;
    }
    std::string calls;
    for (const part_event& event : run.only().events) {
        if (mallard::trace::is_of_function(event.kind)) {
            calls += (event.kind == record_kind::function_enter ? "+" : "-") + names[event.address] + " ";
        } else if (event.kind == record_kind::malloc && event.bytes >= 1000 && event.bytes < 10'000) {
            calls += std::to_string(event.bytes) + " ";
        }
    }
    return calls;
}

std::string leaf(int bytes) {
    return "+leaf " + std::to_string(bytes) + " -leaf ";
}

TEST(instrumented, records_each_call) {
    const recorded_run run = run_recorded({MALLARD_INSTRUMENTED_TOY});
    EXPECT_EQ(run.status, 0);
    std::string expected = "+middle +middle +middle " + leaf(1000) + "-middle " + leaf(1001) + "-middle " +
                           leaf(1002) + "-middle +catcher ";
    for (int turn = 0; turn < 3; ++turn) {
        expected += "+thrower " + leaf(2000 + turn) + "-thrower " + leaf(2010 + turn);
    }
    // longjmp leaves two functions without an exit: once with a block before the next call, and once without.
    expected += "-catcher +jumped ";
    for (int turn = 0; turn < 2; ++turn) {
        expected += "+jumper +jumper " + leaf(3000) + "-jumper -jumper " + (turn == 0 ? "3010 " : "");
    }
    expected += "-jumped +catcher_of_mute ";
    for (int turn = 0; turn < 2; ++turn) {
        expected += "+mute " + leaf(4000 + turn) + "-mute " + leaf(4010 + turn);
    }
    EXPECT_EQ(format_calls(run), expected + "-catcher_of_mute ");
}

TEST(instrumented, records_the_files_of_functions) {
    const recorded_run run = run_recorded({MALLARD_INSTRUMENTED_TOY});
    const auto& code = run.only().code;
    EXPECT_TRUE(std::find(code.begin(), code.end(), "") != code.end()) << "the program itself";
}

} // namespace
