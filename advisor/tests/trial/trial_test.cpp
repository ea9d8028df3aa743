// Under every strategy a program runs as without a trial, and the report counts the served requests.

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
    "null",          "reserve", "monotonic",  "multipool",  "multipool+monotonic", "small-object-pool",
    "adaptive-pool", "heap",    "kept-block", "block-cache"};

struct outcome {
    int status = -1;
    bool reported = false;
    std::uint32_t seen = 0;
    std::uint32_t seen_excepted = 0;
    std::uint32_t arenas = 0;
    std::uint64_t begin_cpu_ns = 0;
    std::uint64_t cpu_ns = 0;
    mallard::history::remains history;
    mallard::history::resident_memory resident;
    mallard::history::held_memory held;
    std::uint64_t peak_bytes = 0;
    std::uint64_t faults = 0;
    std::uint64_t last_bytes = 0;
    std::uint64_t last_caller = 0;
    std::string malloc_file;
    counts all{};
};

void add(counts& sum, const counts& addend) {
    sum.served += addend.served;
    sum.served_bytes += addend.served_bytes;
    sum.freed += addend.freed;
    sum.freed_by_others += addend.freed_by_others;
    sum.moved += addend.moved;
    sum.started_again += addend.started_again;
    sum.too_large += addend.too_large;
    sum.aligned += addend.aligned;
    sum.no_room += addend.no_room;
    sum.in_null += addend.in_null;
    sum.elsewhere += addend.elsewhere;
    sum.by_stack += addend.by_stack;
}

/// Returns: the range of a function's code in the program, in the format of MALLARD_TRIAL_CODE.
std::string code_range(const std::string& function) {
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

/// Returns: the report, without magic if there is none.
std::unique_ptr<report> read(const std::filesystem::path& file) {
    auto contents = std::make_unique<report>();
    std::ifstream stream(file, std::ios::binary);
    if (!stream.read(reinterpret_cast<char*>(contents.get()), sizeof(report))) {
        contents->magic = 0;
    }
    return contents;
}

outcome run(const std::string& strategy, const std::string& scene, const std::string& scope,
            const std::string& preloaded = "", const std::string& prefix = "",
            const std::string& library = TRIAL_LIBRARY) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("mallard-trial-" + std::to_string(::getpid()) + ".report");
    std::filesystem::remove(file);
    const std::string command = prefix + "env MALLARD_TRIAL='" + strategy + "' " + scope +
                                " MALLARD_TRIAL_REPORT='" + file.string() + "' LD_PRELOAD=" + library +
                                preloaded + " " SCOPE_PROGRAM " " + scene;
    outcome result;
    result.status = std::system(command.c_str());
    const std::unique_ptr<report> contents = read(file);
    result.reported = contents->magic == report::right_magic;
    result.history = contents->history;
    result.seen = contents->seen;
    result.seen_excepted = contents->seen_excepted;
    result.arenas = contents->arenas;
    result.begin_cpu_ns = contents->begin_cpu_ns;
    result.malloc_file = contents->malloc_file.data();
    result.cpu_ns = contents->cpu_ns;
    result.peak_bytes = contents->peak_bytes;
    result.resident = contents->resident;
    result.held = contents->held;
    result.faults = contents->faults;
    result.last_bytes = contents->arena_counts[0].last_bytes;
    result.last_caller = contents->arena_counts[0].last_caller;
    for (std::uint32_t index = 0; result.reported && index < contents->arenas; ++index) {
        add(result.all, contents->arena_counts[index]);
    }
    std::filesystem::remove(file);
    return result;
}

std::string code_variable() {
    return "MALLARD_TRIAL_CODE='" + code_range("scope_of_the_trial") + "'";
}
const std::string mark_variables = "MALLARD_TRIAL_BY=mark MALLARD_TRIAL_MARK='scope of the trial'";

class trial : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(trial, does_not_change_the_program) {
    const auto [strategy, scene] = GetParam();
    for (const std::string& scope : {code_variable(), mark_variables}) {
        const outcome result = run(strategy, scene, scope);
        EXPECT_EQ(result.status, 0) << scope;
        ASSERT_TRUE(result.reported) << scope;
        EXPECT_GE(result.all.elsewhere, 2000U) << scope;
        const std::uint64_t requests =
            result.all.served + result.all.in_null + result.all.too_large + result.all.aligned;
        EXPECT_EQ(requests > 0, std::strcmp(scene, "nothing") != 0) << scope;
        EXPECT_EQ(result.all.served > 0 && std::strcmp(strategy, "null") == 0, false) << scope;
        EXPECT_LE(result.all.freed + result.all.freed_by_others, result.all.served) << scope;
    }
}

INSTANTIATE_TEST_SUITE_P(every, trial,
                         testing::Combine(testing::ValuesIn(strategies),
                                          testing::Values("contents", "zeros", "reallocations", "alignments",
                                                          "remote_frees", "forks", "exceptions",
                                                          "short_threads", "jumps", "frames", "grows",
                                                          "large_and_small", "nothing")),
                         [](const auto& instance) {
                             std::string name =
                                 std::string(std::get<0>(instance.param)) + "_" + std::get<1>(instance.param);
                             for (char& letter : name) {
                                 letter =
                                     std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
                             }
                             return name;
                         });

TEST(trial, counts_its_requests_by_outcome) {
    const outcome served = run("monotonic", "exceptions", code_variable());
    EXPECT_EQ(served.seen, 1U);
    EXPECT_EQ(served.all.served, served.all.freed);
    EXPECT_GE(served.all.started_again, 5U * 99);
    EXPECT_EQ(run("monotonic", "alignments", code_variable()).all.aligned, 5U * 20);
    EXPECT_GT(run("small-object-pool", "contents", code_variable()).all.too_large, 0U);
    EXPECT_GT(run("multipool", "remote_frees", code_variable()).all.freed_by_others, 0U);
    EXPECT_GT(run("heap", "reallocations", code_variable()).all.moved, 0U);
}

TEST(trial, limits_arenas_under_many_threads) {
    const outcome result = run("multipool", "many_threads", code_variable());
    EXPECT_EQ(result.status, 0);
    ASSERT_TRUE(result.reported);
    EXPECT_LE(result.arenas, report::max_arenas);
}

TEST(trial, excludes_escaping_blocks) {
    const outcome all = run("monotonic", "keeps", code_variable());
    EXPECT_EQ(all.status, 0);
    EXPECT_LT(all.all.started_again, 100U) << "some block is live at all times";
    const outcome excluded = run(
        "monotonic", "keeps", code_variable() + " MALLARD_TRIAL_EXCEPT='" + code_range("keep_a_block") + "'");
    EXPECT_EQ(excluded.status, 0);
    EXPECT_EQ(all.seen_excepted, 0U);
    EXPECT_EQ(excluded.seen_excepted, 1U);
    EXPECT_EQ(excluded.all.served, 5U * 100 * 9);
    EXPECT_EQ(excluded.all.freed, excluded.all.served);
    EXPECT_EQ(excluded.all.started_again, excluded.all.served);
    EXPECT_GE(excluded.all.elsewhere, all.all.elsewhere + 5U * 100);
    const outcome around =
        run("null", "keeps", code_variable() + " MALLARD_TRIAL_EXCEPT='" + code_range("main") + "'");
    EXPECT_EQ(around.seen_excepted, 0U) << "it calls the scope, and is not called by it";
}

TEST(trial, respects_the_memory_limit) {
    const outcome all = run("monotonic", "hoards", code_variable());
    EXPECT_EQ(all.all.no_room, 0U);
    const outcome limited =
        run("monotonic", "hoards", code_variable() + " MALLARD_TRIAL_MOST_TAKEN=30000000");
    EXPECT_EQ(limited.status, 0);
    EXPECT_GT(limited.all.no_room, 0U);
    EXPECT_GT(limited.all.served, 0U);
    EXPECT_LT(limited.all.served_bytes, 60'000'000U);
}

TEST(trial, respects_the_limit_of_addresses) {
    const std::string limited = "sh -c 'ulimit -v 4000000; exec \"$0\" \"$@\"' ";
    const outcome result = run("multipool", "contents", code_variable(), "", limited);
    EXPECT_EQ(result.status, 0);
    EXPECT_TRUE(result.reported);
}

TEST(trial, uses_the_kept_block_of_a_frame_again) {
    const outcome null = run("null", "frames", code_variable());
    const outcome kept = run("kept-block", "frames", code_variable());
    EXPECT_EQ(kept.all.served, 5U * 2);
    EXPECT_EQ(kept.all.freed, kept.all.served);
    EXPECT_LT(kept.faults, null.faults / 8);
    EXPECT_LT(kept.peak_bytes, null.peak_bytes + (8U << 20));
}

TEST(trial, grows_a_kept_block_where_it_is) {
    const outcome pool = run("multipool", "grows", code_variable());
    EXPECT_GT(pool.all.moved, 5U * 5 * 40);
    for (const char* strategy : {"kept-block", "block-cache"}) {
        const outcome kept = run(strategy, "grows", code_variable());
        EXPECT_EQ(kept.status, 0) << strategy;
        EXPECT_EQ(kept.all.moved, 5U * 5) << strategy << ": on another thread than that of the arena";
    }
}

TEST(trial, gives_an_array_its_final_size) {
    const std::string growing = code_variable() + " MALLARD_TRIAL_RESERVE=";
    const counts reserved = run("reserve", "grows", growing + "200000").all;
    const std::uint64_t requests = run("null", "grows", growing + "200000").all.in_null;
    EXPECT_EQ(reserved.too_large, 5U * 5) << "50,000 numbers of four bytes, in the last step of each array";
    EXPECT_EQ(reserved.served + reserved.too_large + reserved.in_null, requests);
    EXPECT_GE(reserved.served, 5U * 5 * 16);
    EXPECT_EQ(reserved.moved + reserved.freed, 0U) << "all blocks are the global allocator's";
    const counts small = run("reserve", "grows", growing + "4000").all;
    EXPECT_GT(small.too_large, reserved.too_large) << "of blocks that have outgrown their room";
    EXPECT_GT(small.served, 0U);
}

TEST(trial, looks_up_growing_arrays_under_every_strategy) {
    const std::string growing = code_variable() + " MALLARD_TRIAL_RESERVE=200000";
    const counts without = run("kept-block", "grows", code_variable()).all;
    const counts with = run("kept-block", "grows", growing).all;
    EXPECT_EQ(with.served, without.served);
    EXPECT_EQ(with.moved, without.moved);
    EXPECT_GT(run("null", "grows", growing).all.in_null, run("null", "grows", code_variable()).all.in_null);
    EXPECT_EQ(run("reserve", "grows", code_variable()).all.served, 0U) << "no size to reserve";
}

TEST(trial, keeps_few_blocks) {
    EXPECT_EQ(run("kept-block", "hoards", code_variable()).all.served, 1U);
    const outcome cache = run("block-cache", "hoards", code_variable());
    EXPECT_GE(cache.all.served, 8U);
    EXPECT_LE(cache.all.served, 8U + 20) << "and blocks of the vector that grows";
    EXPECT_GE(cache.all.no_room, 5U * 2000 - 8);
}

TEST(trial, bounds_the_memory_of_kept_blocks) {
    const outcome null = run("null", "large_and_small", code_variable());
    EXPECT_LT(run("kept-block", "large_and_small", code_variable()).peak_bytes, null.peak_bytes + (6U << 20));
    EXPECT_LT(run("block-cache", "large_and_small", code_variable()).peak_bytes,
              null.peak_bytes + 8 * (5U << 20));
    const outcome limited =
        run("kept-block", "frames", code_variable() + " MALLARD_TRIAL_MOST_TAKEN=30000000");
    EXPECT_EQ(limited.status, 0);
    EXPECT_EQ(limited.all.served, 0U);
    EXPECT_EQ(limited.all.no_room, 5U * 2);
    EXPECT_EQ(
        run("kept-block", "frames", code_variable() + " MALLARD_TRIAL_MOST_BYTES=1000000").all.too_large,
        5U * 2);
}

TEST(trial, keeps_blocks_that_other_threads_free) {
    for (const char* strategy : {"kept-block", "block-cache"}) {
        const outcome kept = run(strategy, "grows", code_variable());
        EXPECT_GE(kept.all.freed + kept.all.freed_by_others + 2, kept.all.served)
            << strategy << ": the last ones are not taken back";
        EXPECT_GT(run(strategy, "remote_frees", code_variable()).all.freed_by_others, 10U) << strategy;
    }
}

TEST(trial, aborts_on_double_free) {
    for (const char* strategy : {"monotonic", "multipool", "small-object-pool", "heap", "kept-block"}) {
        for (const char* scene : {"frees_twice", "frees_twice_elsewhere"}) {
            EXPECT_NE(run(strategy, scene, code_variable()).status, 0) << strategy << ' ' << scene;
        }
    }
}

TEST(trial, reports_its_own_time_and_the_last_request) {
    const outcome young = run("multipool", "exceptions", code_variable());
    const outcome aged = run("multipool", "exceptions", code_variable() + " MALLARD_TRIAL_AGE=used,peak=8M");
    EXPECT_EQ(aged.status, 0);
    EXPECT_GT(aged.begin_cpu_ns, 1'000'000U);
    EXPECT_LT(young.begin_cpu_ns, aged.begin_cpu_ns);
    EXPECT_EQ(aged.all.served, young.all.served);
    EXPECT_GT(young.last_bytes, 0U);
    EXPECT_NE(young.last_caller, 0U);
}

TEST(trial, ages_the_heap_under_each_library) {
    for (const std::string& library : {std::string(TRIAL_LIBRARY), std::string(MEASURED_LIBRARY)}) {
        const outcome young = run("", "exceptions", "MALLARD_TRIAL_AGE=young", "", "", library);
        EXPECT_EQ(young.status, 0) << library;
        EXPECT_EQ(young.history.requests, 0U) << library;
        const outcome aged =
            run("", "exceptions", "MALLARD_TRIAL_AGE=old,peak=8M,keep=0.25", "", "", library);
        EXPECT_EQ(aged.status, 0) << library;
        EXPECT_EQ(aged.history.failed, mallard::history::failure::none) << library;
        EXPECT_GT(aged.history.requests, 500'000U) << library;
        EXPECT_GT(aged.history.live_pages, 2 * aged.history.needed_pages) << library;
        EXPECT_GT(aged.history.free_chunks, 10'000U) << library;
        EXPECT_LT(aged.peak_bytes, aged.history.resident_after + (8 << 20))
            << "the peak of the history is forgotten";
        EXPECT_GT(aged.cpu_ns, 0U) << library;
    }
}

TEST(trial, reports_the_memory_at_the_end) {
    constexpr std::uint64_t unknown = mallard::history::remains::unknown;
    for (const std::string& library : {std::string(TRIAL_LIBRARY), std::string(MEASURED_LIBRARY)}) {
        const outcome plain = run("", "exceptions", "", "", "", library);
        // The system counts pages in portions for each processor, and the peak roughly.
        EXPECT_GT(plain.resident.file_bytes, 0U) << library;
        EXPECT_GE(plain.resident.bytes, plain.resident.file_bytes) << library;
        EXPECT_LE(plain.resident.bytes, plain.peak_bytes + (1 << 20)) << library;
        EXPECT_EQ(plain.held.bytes, unknown) << library;
        const outcome held = run("", "exceptions", "MALLARD_TRIAL_HELD=1", "", "", library);
        EXPECT_GT(held.held.bytes, held.held.free_bytes) << library;
        EXPECT_NE(held.held.bytes, unknown) << library;
        EXPECT_NE(held.held.free_bytes, unknown) << library;
    }
}

TEST(trial, reports_a_history_that_fails) {
    const std::string limited = "sh -c 'ulimit -v 200000; exec \"$0\" \"$@\"' ";
    const outcome limit =
        run("", "exceptions", "MALLARD_TRIAL_AGE=old,peak=1G", "", limited, MEASURED_LIBRARY);
    EXPECT_EQ(limit.status, 0);
    EXPECT_TRUE(limit.history.failed == mallard::history::failure::no_tables ||
                limit.history.failed == mallard::history::failure::no_block);
    const outcome none =
        run("", "exceptions", "MALLARD_TRIAL_AGE=old MALLARD_TRIAL_HISTORY=/none", "", "", MEASURED_LIBRARY);
    EXPECT_EQ(none.status, 0);
    EXPECT_EQ(none.history.failed, mallard::history::failure::wrong_recording);
}

TEST(trial, does_not_begin_with_a_wrong_age) {
    const outcome result = run("", "exceptions", "MALLARD_TRIAL_AGE=ancient", "", "", MEASURED_LIBRARY);
    EXPECT_EQ(result.status, 0);
    EXPECT_FALSE(result.reported);
}

TEST(trial, notes_that_a_process_became_another) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("mallard-trial-" + std::to_string(::getpid()) + ".report");
    for (const auto& [command, is_replaced] : {std::pair{"exec /bin/true", 1U}, {"/bin/true; :", 0U}}) {
        std::filesystem::remove(file);
        const std::string words = "MALLARD_TRIAL_REPORT='" + file.string() +
                                  "' LD_PRELOAD=" MEASURED_LIBRARY " sh -c '" + command + "'";
        EXPECT_EQ(std::system(words.c_str()), 0);
        EXPECT_EQ(read(file)->is_replaced, is_replaced) << command;
    }
    std::filesystem::remove(file);
}

TEST(trial, names_the_global_allocator) {
    const std::string file = run("null", "exceptions", code_variable()).malloc_file;
    EXPECT_TRUE(std::filesystem::path(file).filename().string().starts_with("libc.so")) << file;
}

TEST(trial, unwinds_the_stack_where_rules_lack_a_row) {
    const outcome by_stack = run("null", "exceptions", code_variable());
    EXPECT_EQ(by_stack.all.by_stack, by_stack.all.in_null + by_stack.all.elsewhere);
    for (const char* rules : {":0.1+,0.2-,0.3>1,1.4x", "libnone.so:0.1+", ":", ":0.1>fffff", "garbage"}) {
        const outcome result =
            run("null", "exceptions", code_variable() + " MALLARD_TRIAL_RULES='" + rules + "'");
        EXPECT_EQ(result.status, 0) << rules;
        EXPECT_EQ(result.all.in_null, by_stack.all.in_null) << rules;
        EXPECT_EQ(result.all.by_stack, by_stack.all.by_stack) << rules;
    }
}

TEST(trial, leaves_unrecorded_requests_of_libc_itself_global) {
    const outcome by_stack = run("multipool", "exit_handlers", code_variable());
    const outcome by_rules =
        run("multipool", "exit_handlers", code_variable() + " MALLARD_TRIAL_RULES=':0.1+'");
    EXPECT_EQ(by_rules.status, 0);
    EXPECT_LT(by_rules.all.served, by_stack.all.served);
    EXPECT_EQ(by_rules.all.served + by_rules.all.elsewhere, by_stack.all.served + by_stack.all.elsewhere);
}

// A block of the library's own would change what the program's malloc costs.
TEST(trial, allocates_nothing_on_the_programs_heap) {
    const auto offset = [](const std::string& variables) {
        const std::string command = "env " + variables + " " SCOPE_PROGRAM " heap_offset";
        FILE* const pipe = ::popen(command.c_str(), "r");
        unsigned long bytes = 0;
        const int read = std::fscanf(pipe, "%lu", &bytes);
        return ::pclose(pipe) == 0 && read == 1 ? bytes : 0;
    };
    const unsigned long unchanged = offset("");
    EXPECT_GT(unchanged, 0U);
    const std::string report =
        testing::TempDir() + "mallard-trial-heap-" + std::to_string(::getpid()) + ".report";
    EXPECT_EQ(offset("MALLARD_TRIAL=null " + code_variable() + " MALLARD_TRIAL_REPORT='" + report +
                     "' LD_PRELOAD=" TRIAL_LIBRARY),
              unchanged);
    EXPECT_TRUE(std::filesystem::remove(report));
}

std::string process_variable(int instance, const std::string& name) {
    return " MALLARD_TRIAL_PROCESS='" + std::to_string(instance) + ":" + name + "'";
}
const std::string scope_program = std::filesystem::path(SCOPE_PROGRAM).filename().string();

TEST(trial, serves_the_named_process_only) {
    const outcome all = run("multipool", "exceptions", code_variable());
    const outcome named =
        run("multipool", "exceptions", code_variable() + process_variable(1, scope_program));
    EXPECT_EQ(named.status, 0);
    EXPECT_EQ(named.all.served, all.all.served);
    EXPECT_GT(named.cpu_ns, 0U);
    EXPECT_GT(named.peak_bytes, 0U);
    for (const std::string& other : {process_variable(2, scope_program), process_variable(1, "another"),
                                     process_variable(1, scope_program.substr(1))}) {
        const outcome result = run("multipool", "exceptions", code_variable() + other);
        EXPECT_EQ(result.status, 0) << other;
        EXPECT_FALSE(result.reported) << other;
        std::filesystem::remove(std::filesystem::temp_directory_path() /
                                ("mallard-trial-" + std::to_string(::getpid()) + ".report.1"));
    }
}

TEST(trial, only_measures_a_process_without_a_strategy) {
    const outcome result = run("", "exceptions", code_variable() + process_variable(1, scope_program));
    EXPECT_EQ(result.status, 0);
    ASSERT_TRUE(result.reported);
    EXPECT_EQ(result.arenas, 0U);
    EXPECT_GT(result.cpu_ns, 0U);
}

TEST(trial, replaces_operators_of_a_library) {
    const outcome result = run("multipool", "exceptions", code_variable(), ":" OWN_OPERATORS);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.all.served, run("multipool", "exceptions", code_variable()).all.served);
    EXPECT_EQ(result.all.freed, result.all.served);
}

TEST(trial, serves_nothing_without_a_matching_scope) {
    const outcome by_wrong_code = run("monotonic", "contents", "MALLARD_TRIAL_CODE=':1-2'");
    EXPECT_EQ(by_wrong_code.status, 0);
    EXPECT_EQ(by_wrong_code.seen, 0U);
    EXPECT_EQ(by_wrong_code.all.served, 0U);
    EXPECT_EQ(run("monotonic", "contents", "MALLARD_TRIAL_BY=mark MALLARD_TRIAL_MARK=other").all.served, 0U);
}

TEST(trial, finds_a_mark_by_the_beginning_of_its_name) {
    std::string name;
    while (name.size() < 255) {
        name += "a part of the name of 30 bytes";
    }
    name.resize(255);
    const std::string by_mark = "MALLARD_TRIAL_BY=mark MALLARD_TRIAL_MARK='";
    EXPECT_EQ(run("multipool", "long_name", by_mark + name + "'").all.served, 5U);
    name.back() = 'x';
    EXPECT_EQ(run("multipool", "long_name", by_mark + name + "'").all.served, 0U);
}

/// Returns: the build-id of the program, in hexadecimal digits.
std::string build_id() {
    FILE* const pipe = ::popen("readelf -n " SCOPE_PROGRAM " | grep 'Build ID'", "r");
    std::array<char, 64> digits{};
    const int read = std::fscanf(pipe, " Build ID: %63[0-9a-f]", digits.data());
    ::pclose(pipe);
    return read == 1 ? digits.data() : "";
}

TEST(trial, begins_in_the_recorded_program_only) {
    const auto is_begun_for = [](const std::string& identity) {
        const outcome result =
            run("null", "exceptions", code_variable() + " MALLARD_TRIAL_RECORDED='" + identity + "'");
        EXPECT_EQ(result.status, 0) << identity;
        return result.reported;
    };
    EXPECT_TRUE(is_begun_for(std::filesystem::canonical(SCOPE_PROGRAM).string()));
    EXPECT_FALSE(is_begun_for("/another/program"));
    const std::string id = build_id();
    EXPECT_EQ(is_begun_for(id), !id.empty() || is_begun_for(""));
    EXPECT_FALSE(is_begun_for(id + "00"));
    EXPECT_FALSE(is_begun_for("00" + id));
    EXPECT_FALSE(is_begun_for(id.substr(0, id.size() / 2) + "0"));
}

TEST(trial, does_not_begin_without_a_report_file) {
    const std::string command =
        "env MALLARD_TRIAL=heap MALLARD_TRIAL_REPORT=/nowhere/report LD_PRELOAD=" TRIAL_LIBRARY
        " " SCOPE_PROGRAM " contents";
    EXPECT_EQ(std::system(command.c_str()), 0);
}

} // namespace
