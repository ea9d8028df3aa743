// Programs run as they would without a trial, whatever strategy serves their scope, and the report says what was served.

#include "trial/report.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>

namespace {

using mallard::trial::counts;
using mallard::trial::report;

constexpr std::array strategies{
    "null", "monotonic", "multipool", "multipool+monotonic", "small-object-pool", "adaptive-pool", "heap"};

struct outcome {
    int status = -1;
    bool reported = false;
    std::uint32_t seen = 0;
    std::uint32_t seen_excepted = 0;
    std::uint32_t servers = 0;
    std::uint64_t begin_cpu_ns = 0;
    std::uint64_t last_bytes = 0;
    std::uint64_t last_caller = 0;
    counts all{};
};

void add(counts& into, const counts& more) {
    into.served += more.served;
    into.served_bytes += more.served_bytes;
    into.freed += more.freed;
    into.freed_by_others += more.freed_by_others;
    into.moved += more.moved;
    into.started_again += more.started_again;
    into.too_large += more.too_large;
    into.aligned += more.aligned;
    into.no_room += more.no_room;
    into.in_null += more.in_null;
    into.elsewhere += more.elsewhere;
}

/// The range of a function's code in the program, as MALLARD_TRIAL_CODE has it.
std::string code_of(const std::string& function) {
    const std::string command = "nm -S " SCOPE_PROGRAM " | grep ' " + function + "$'";
    FILE* const pipe = ::popen(command.c_str(), "r");
    unsigned long begin = 0;
    unsigned long bytes = 0;
    const int read = std::fscanf(pipe, "%lx %lx", &begin, &bytes);
    ::pclose(pipe);
    std::array<char, 64> range{};
    std::snprintf(range.data(), range.size(), ":%lx-%lx", begin, begin + bytes);
    return read == 2 ? range.data() : "";
}

outcome run(const std::string& strategy, const std::string& scene, const std::string& scope,
            const std::string& other_library = "", const std::string& before = "") {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("mallard-trial-" + std::to_string(::getpid()) + ".report");
    std::filesystem::remove(file);
    const std::string command = before + "env MALLARD_TRIAL='" + strategy + "' " + scope +
                                " MALLARD_TRIAL_REPORT='" + file.string() + "' LD_PRELOAD=" TRIAL_LIBRARY +
                                other_library + " " SCOPE_PROGRAM " " + scene;
    outcome found;
    found.status = std::system(command.c_str());
    const auto read = std::make_unique<report>();
    std::ifstream stream(file, std::ios::binary);
    found.reported = static_cast<bool>(stream.read(reinterpret_cast<char*>(read.get()), sizeof(report))) &&
                     read->magic == report::right_magic;
    found.seen = read->seen;
    found.seen_excepted = read->seen_excepted;
    found.servers = read->servers;
    found.begin_cpu_ns = read->begin_cpu_ns;
    found.last_bytes = read->of_server[0].last_bytes;
    found.last_caller = read->of_server[0].last_caller;
    for (std::uint32_t each = 0; found.reported && each < read->servers; ++each) {
        add(found.all, read->of_server[each]);
    }
    std::filesystem::remove(file);
    return found;
}

std::string by_code() {
    return "MALLARD_TRIAL_CODE='" + code_of("scope_of_the_trial") + "'";
}
const std::string by_mark = "MALLARD_TRIAL_BY=mark MALLARD_TRIAL_MARK='scope of the trial'";

class trial : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(trial, leaves_the_program_as_it_is) {
    const auto [strategy, scene] = GetParam();
    for (const std::string& scope : {by_code(), by_mark}) {
        const outcome found = run(strategy, scene, scope);
        EXPECT_EQ(found.status, 0) << scope;
        ASSERT_TRUE(found.reported) << scope;
        EXPECT_GE(found.all.elsewhere, 2000U) << scope;
        const std::uint64_t requests =
            found.all.served + found.all.in_null + found.all.too_large + found.all.aligned;
        EXPECT_EQ(requests > 0, std::strcmp(scene, "nothing") != 0) << scope;
        EXPECT_EQ(found.all.served > 0 && std::strcmp(strategy, "null") == 0, false) << scope;
        EXPECT_LE(found.all.freed + found.all.freed_by_others, found.all.served) << scope;
    }
}

INSTANTIATE_TEST_SUITE_P(every, trial,
                         testing::Combine(testing::ValuesIn(strategies),
                                          testing::Values("contents", "zeros", "reallocations", "alignments",
                                                          "other_threads", "forks", "exceptions",
                                                          "short_threads", "jumps", "nothing")),
                         [](const auto& each) {
                             std::string name =
                                 std::string(std::get<0>(each.param)) + "_" + std::get<1>(each.param);
                             for (char& letter : name) {
                                 letter =
                                     std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
                             }
                             return name;
                         });

TEST(trial, says_what_it_did) {
    const outcome served = run("monotonic", "exceptions", by_code());
    EXPECT_EQ(served.seen, 1U);
    EXPECT_EQ(served.all.served, served.all.freed);
    EXPECT_GE(served.all.started_again, 5U * 99);
    EXPECT_EQ(run("monotonic", "alignments", by_code()).all.aligned, 5U * 20);
    EXPECT_GT(run("small-object-pool", "contents", by_code()).all.too_large, 0U);
    EXPECT_GT(run("multipool", "other_threads", by_code()).all.freed_by_others, 0U);
    EXPECT_GT(run("heap", "reallocations", by_code()).all.moved, 0U);
}

TEST(trial, of_more_threads_than_it_has_servers_serves_some) {
    const outcome found = run("multipool", "many_threads", by_code());
    EXPECT_EQ(found.status, 0);
    ASSERT_TRUE(found.reported);
    EXPECT_LE(found.servers, report::most_servers);
}

TEST(trial, leaves_out_the_blocks_that_escape) {
    const outcome all = run("monotonic", "keeps", by_code());
    EXPECT_EQ(all.status, 0);
    EXPECT_LT(all.all.started_again, 100U) << "some block is live at all times";
    const outcome some =
        run("monotonic", "keeps", by_code() + " MALLARD_TRIAL_EXCEPT='" + code_of("keep_a_block") + "'");
    EXPECT_EQ(some.status, 0);
    EXPECT_EQ(all.seen_excepted, 0U);
    EXPECT_EQ(some.seen_excepted, 1U);
    EXPECT_EQ(some.all.served, 5U * 100 * 9);
    EXPECT_EQ(some.all.freed, some.all.served);
    EXPECT_EQ(some.all.started_again, some.all.served);
    EXPECT_GE(some.all.elsewhere, all.all.elsewhere + 5U * 100);
    const outcome around =
        run("null", "keeps", by_code() + " MALLARD_TRIAL_EXCEPT='" + code_of("main") + "'");
    EXPECT_EQ(around.seen_excepted, 0U) << "it calls the scope, and is not called by it";
}

TEST(trial, takes_no_more_memory_than_it_may) {
    const outcome all = run("monotonic", "hoards", by_code());
    EXPECT_EQ(all.all.no_room, 0U);
    const outcome some = run("monotonic", "hoards", by_code() + " MALLARD_TRIAL_MOST_TAKEN=30000000");
    EXPECT_EQ(some.status, 0);
    EXPECT_GT(some.all.no_room, 0U);
    EXPECT_GT(some.all.served, 0U);
    EXPECT_LT(some.all.served_bytes, 60'000'000U);
}

TEST(trial, leaves_addresses_to_a_program_that_has_few) {
    const std::string limited = "sh -c 'ulimit -v 4000000; exec \"$0\" \"$@\"' ";
    const outcome found = run("multipool", "contents", by_code(), "", limited);
    EXPECT_EQ(found.status, 0);
    EXPECT_TRUE(found.reported);
}

TEST(trial, ends_a_program_that_frees_a_block_twice) {
    for (const char* strategy : {"monotonic", "multipool", "small-object-pool", "heap"}) {
        for (const char* scene : {"frees_twice", "frees_twice_elsewhere"}) {
            EXPECT_NE(run(strategy, scene, by_code()).status, 0) << strategy << ' ' << scene;
        }
    }
}

TEST(trial, tells_its_own_time_and_the_last_request) {
    const outcome clean = run("multipool", "exceptions", by_code());
    const outcome littered = run("multipool", "exceptions", by_code() + " MALLARD_TRIAL_LITTER=400000");
    EXPECT_EQ(littered.status, 0);
    EXPECT_GT(littered.begin_cpu_ns, 1'000'000U);
    EXPECT_LT(clean.begin_cpu_ns, littered.begin_cpu_ns);
    EXPECT_GT(clean.last_bytes, 0U);
    EXPECT_NE(clean.last_caller, 0U);
}

TEST(trial, a_delay_takes_time_and_changes_nothing_else) {
    const outcome found = run("null", "exceptions", by_code() + " MALLARD_TRIAL_DELAY_NS=20");
    EXPECT_EQ(found.status, 0);
    EXPECT_EQ(found.all.in_null, run("null", "exceptions", by_code()).all.in_null);
}

TEST(trial, serves_in_place_of_operators_that_a_library_brings) {
    const outcome found = run("multipool", "exceptions", by_code(), ":" OWN_OPERATORS);
    EXPECT_EQ(found.status, 0);
    EXPECT_EQ(found.all.served, run("multipool", "exceptions", by_code()).all.served);
    EXPECT_EQ(found.all.freed, found.all.served);
}

TEST(trial, of_a_scope_that_is_not_there_serves_nothing) {
    const outcome by_wrong_code = run("monotonic", "contents", "MALLARD_TRIAL_CODE=':1-2'");
    EXPECT_EQ(by_wrong_code.status, 0);
    EXPECT_EQ(by_wrong_code.seen, 0U);
    EXPECT_EQ(by_wrong_code.all.served, 0U);
    EXPECT_EQ(run("monotonic", "contents", "MALLARD_TRIAL_BY=mark MALLARD_TRIAL_MARK=other").all.served, 0U);
}

TEST(trial, does_not_begin_where_it_cannot_report) {
    const std::string command =
        "env MALLARD_TRIAL=heap MALLARD_TRIAL_REPORT=/nowhere/report LD_PRELOAD=" TRIAL_LIBRARY
        " " SCOPE_PROGRAM " contents";
    EXPECT_EQ(std::system(command.c_str()), 0);
}

} // namespace
