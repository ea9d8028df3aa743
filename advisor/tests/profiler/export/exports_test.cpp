#include "example_trace.hpp"
#include "history/history.hpp"
#include "profile_reader.hpp"
#include "profiler/export/block_counts.hpp"
#include "profiler/export/exports.hpp"
#include "toy_file.hpp"
#include "trace_maker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>

namespace mallard::advisor::tests { namespace {

/// A synthetic trace, opened, with the names of its code.
struct opened_trace {
    temporary_folder folder;
    std::unique_ptr<trace::reader> trace;
    std::unique_ptr<code_map> code;

    explicit opened_trace(const trace_maker& maker) {
        maker.write(folder / "trace");
        trace = std::make_unique<trace::reader>(folder / "trace");
        code = std::make_unique<code_map>(trace->code(0), trace->processes()[0].executable);
    }
    std::filesystem::path write(const char* format) {
        const std::filesystem::path file = folder / format;
        find_export_format(format)->write(*trace, 0, *code, file);
        return file;
    }
};

/// Returns: the output of a command; empty if it is not installed.
std::string run_command(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
        ::popen((command + " 2>/dev/null").c_str(), "r"), &::pclose);
    std::string all;
    for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe.get())) != EOF;) {
        all += static_cast<char>(c);
    }
    return all;
}

TEST(exports, have_names) {
    EXPECT_NE(find_export_format("pprof"), nullptr);
    EXPECT_EQ(find_export_format("pprofs"), nullptr);
    EXPECT_EQ(find_export_format(""), nullptr);
    for (const export_format& format : export_formats()) {
        EXPECT_EQ(find_export_format(format.name), &format);
    }
}

// Another test opens the example in a browser.
TEST(exports, are_those_of_the_example) {
    opened_trace example(example_trace());
    for (const char* const format : {"dhat", "folded", "folded-blocks", "folded-peak", "folded-end"}) {
        const std::string expected = std::string(MALLARD_EXAMPLES) + "/example." + format;
        const std::filesystem::path written = example.write(format);
        if (std::getenv("MALLARD_UPDATE") != nullptr) {
            std::filesystem::copy_file(written, expected, std::filesystem::copy_options::overwrite_existing);
        }
        EXPECT_EQ(read_text(written), read_text(expected)) << expected << ": MALLARD_UPDATE=1 updates it";
    }
}

TEST(exports, are_deterministic) {
    for (const export_format& candidate : export_formats()) {
        opened_trace first(example_trace());
        opened_trace second(example_trace());
        const std::string format(candidate.name);
        EXPECT_EQ(read_text(first.write(format.c_str())), read_text(second.write(format.c_str())));
    }
}

/// Returns: the words of the recording.
std::vector<std::uint32_t> events_of(const std::filesystem::path& file) {
    history::recording events;
    EXPECT_TRUE(events.open(file.c_str()));
    return {events.begin(), events.end()};
}

constexpr std::uint32_t freed = history::recording::freed;

TEST(history_export, has_the_requests_in_order) {
    opened_trace example(example_trace());
    EXPECT_EQ(
        events_of(example.write("history")),
        (std::vector<std::uint32_t>{1000, 20, 30, 10, freed | 0, 50, freed | 2, 160, freed | 2, freed | 3}));
}

TEST(history_export, replaces_a_block_whose_free_is_missing) {
    trace_maker maker;
    maker.free({}, 0x30); // allocated before the recording
    maker.allocate({}, 0x10, 8);
    maker.allocate({}, 0x10, 9);
    opened_trace trace(maker);
    EXPECT_EQ(events_of(trace.write("history")), (std::vector<std::uint32_t>{8, freed | 0, 9}));
}

TEST(history_export, follows_a_realloc_that_fails) {
    trace_maker maker;
    maker.allocate({}, 0x10, 8);
    maker.add(trace::record_kind::realloc_old, {}, 0x10);
    maker.add(trace::record_kind::realloc_failed, {}, 0x10);
    maker.add(trace::record_kind::realloc_old, {}, 0x10);
    maker.add(trace::record_kind::realloc, {}, 0x20, std::uint64_t{5} << 30);
    opened_trace trace(maker);
    EXPECT_EQ(events_of(trace.write("history")),
              (std::vector<std::uint32_t>{8, freed | 0, 8, freed | 0, history::recording::most_bytes}));
}

TEST(history_export, rejects_a_trace_without_requests) {
    trace_maker maker;
    maker.free({}, 0x10);
    opened_trace trace(maker);
    EXPECT_THROW(trace.write("history"), export_error);
    EXPECT_FALSE(std::filesystem::exists(trace.folder / "history"));
}

TEST(pprof_export, has_the_sums_of_the_trace) {
    opened_trace example(example_trace());
    const profile decoded(example.write("pprof"));
    EXPECT_EQ(decoded.kinds,
              (std::vector<std::string>{"alloc_objects count", "alloc_space bytes", "peak_objects count",
                                        "peak_space bytes", "inuse_objects count", "inuse_space bytes"}));
    const heap_history history(*example.trace, 0);
    std::vector<std::uint64_t> sums(6);
    for (const profile::sample& sample : decoded.samples) {
        for (std::size_t kind = 0; kind < sums.size(); ++kind) {
            sums[kind] += sample.values.at(kind);
        }
    }
    const block_counts& total = history.total();
    EXPECT_EQ(sums,
              (std::vector<std::uint64_t>{total.allocated.blocks, total.allocated.bytes, total.at_peak.blocks,
                                          total.at_peak.bytes, total.alive.blocks, total.alive.bytes}));
    EXPECT_EQ(decoded.comments, std::vector<std::string>{"Recorded by mallard: process 4242 made-up --fast"});
    EXPECT_EQ(decoded.mappings,
              (std::vector<std::string>{"0x400000-0x500000 /nowhere/app 01abff",
                                        "0x7f0000000000-0x7f0000100000 /nowhere/libgone.so 02",
                                        "0x7ffff0000000-0x7ffff0002000 linux-vdso.so.1 "}));
    const auto incomplete =
        std::find_if(decoded.samples.begin(), decoded.samples.end(), [](const profile::sample& sample) {
            return sample.functions.back() == "[outer calls unknown: code without a description] :0";
        });
    ASSERT_NE(incomplete, decoded.samples.end());
    EXPECT_EQ(incomplete->addresses.back(), 0u);
}

TEST(pprof_export, is_read_by_pprof) {
    if (run_command("go version").empty()) {
        GTEST_SKIP() << "go is not installed; Debian's package golang-go has its pprof";
    }
    opened_trace example(example_trace());
    const std::string file = example.write("pprof").string();
    const std::string top = run_command("go tool pprof -top -sample_index=alloc_space '" + file + "'");
    EXPECT_NE(top.find("Type: alloc_space\n"), std::string::npos) << top;
    EXPECT_NE(top.find("of 1270B total"), std::string::npos) << top;
    EXPECT_NE(top.find("libgone.so+0x1fff"), std::string::npos) << top;
    const std::string peak = run_command("go tool pprof -top -sample_index=peak_objects '" + file + "'");
    EXPECT_NE(peak.find("of 4 total"), std::string::npos) << peak;
    const std::string raw = run_command("go tool pprof -raw '" + file + "'");
    EXPECT_NE(raw.find("alloc_objects/count alloc_space/bytes[dflt]"), std::string::npos) << raw;
}

TEST(exports, name_functions_that_are_inlined) {
    const std::string toy = toy_path("toy_debug");
    constexpr std::uint64_t base = 0x7f00'0000'0000;
    const std::vector<trace::code_file> files{loaded(toy, base)};
    code_map names(files);
    trace_maker maker;
    maker.add(files[0]);
    // A call in a function that is inlined twice.
    for (const std::uint64_t address : code_addresses(toy, 1)) {
        if (const auto places = names.places(base + address);
            places[0].short_name == "toy::innermost" && places.size() == 3) {
            maker.allocate({base + address + 1}, 0x10, 100);
            break;
        }
    }
    opened_trace trace(maker);
    EXPECT_EQ(read_text(trace.write("folded")), "toy::outer;toy::middle_[i];toy::innermost_[i] 100\n");
    const profile decoded(trace.write("pprof"));
    ASSERT_EQ(decoded.samples.size(), 1u);
    ASSERT_EQ(decoded.samples[0].functions.size(), 3u);
    EXPECT_TRUE(decoded.samples[0].functions[0].starts_with("toy::innermost "))
        << decoded.samples[0].functions[0];
    EXPECT_NE(decoded.samples[0].functions[0].find("toys/toy.hpp:"), std::string::npos);
    EXPECT_NE(decoded.samples[0].functions[2].find("toys/first.cpp:"), std::string::npos);
    const std::string dhat = read_text(trace.write("dhat"));
    EXPECT_NE(dhat.find(": toy::innermost (/"), std::string::npos) << dhat;
    EXPECT_NE(dhat.find("\"fs\":[1,2,3]"), std::string::npos) << dhat;
}

TEST(exports, can_be_empty) {
    trace_maker maker;
    maker.about.ticks_per_second = 0;
    maker.about.command.clear();
    maker.free({0x1000}, 0x10);
    opened_trace trace(maker);
    EXPECT_EQ(read_text(trace.write("folded")), "");
    EXPECT_TRUE(profile(trace.write("pprof")).samples.empty());
    const std::string dhat = read_text(trace.write("dhat"));
    EXPECT_NE(dhat.find("\"pps\":[],"), std::string::npos) << dhat;
    EXPECT_NE(dhat.find("\"tu\":\"ticks\""), std::string::npos) << dhat;
}

TEST(exports, write_valid_text) {
    trace_maker maker;
    maker.about.command = {"a\"b\\c\n\xff"};
    maker.add({0x1000, 0x2000, 0x1000, "1", "/nowhere/a;b\n\"c\\\xfe.so", 0});
    maker.allocate({0x1100}, 0x10, 1);
    opened_trace trace(maker);
    EXPECT_EQ(read_text(trace.write("folded")), "a:b\\n\"c\\\xef\xbf\xbd.so+0xff 1\n");
    const std::string dhat = read_text(trace.write("dhat"));
    EXPECT_NE(dhat.find(R"("cmd":"a\"b\\c\\n)"), std::string::npos);
    EXPECT_NE(dhat.find(R"(0x10ff: a;b\\n\"c\\)"), std::string::npos);
}

TEST(exports, clamp_figures_out_of_range) {
    trace_maker maker;
    maker.about.ticks_per_second = 1e-300;
    maker.about.sampled_one_in = 8;
    maker.allocate({0x1100}, 0x10, ~std::uint64_t{0});
    maker.ticks += 100;
    maker.allocate({0x1200}, 0x20, ~std::uint64_t{0} / 2);
    opened_trace trace(maker);
    const profile decoded(trace.write("pprof"));
    EXPECT_EQ(decoded.samples.at(0).values.at(1), ~std::uint64_t{0} / 2);
    EXPECT_EQ(decoded.comments.at(1), "One activation in 8 was recorded; no figure is scaled up.");
    EXPECT_NE(read_text(trace.write("dhat")).find("\"tb\":18446744073709551615"), std::string::npos);
}

TEST(exports, appear_complete_or_not_at_all) {
    opened_trace example(example_trace());
    for (const export_format& format : export_formats()) {
        EXPECT_THROW(format.write(*example.trace, 0, *example.code, "/dev/full"), export_error);
        EXPECT_THROW(format.write(*example.trace, 0, *example.code, example.folder / "no/such/folder"),
                     export_error);
        EXPECT_THROW(format.write(*example.trace, 0, *example.code, example.folder.path()), export_error);
    }
    const std::filesystem::path file = example.write("folded");
    EXPECT_EQ(std::filesystem::status(file).permissions() & std::filesystem::perms::owner_all,
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::create_symlink(file, example.folder / "link");
    write_folded_blocks(*example.trace, 0, *example.code, example.folder / "link");
    EXPECT_TRUE(std::filesystem::is_symlink(example.folder / "link"));
    EXPECT_EQ(read_text(file), read_text(std::string(MALLARD_EXAMPLES) + "/example.folded-blocks"));
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(example.folder.path())) {
        files.insert(entry.path().filename());
    }
    EXPECT_EQ(files, (std::set<std::string>{"folded", "link", "trace"}));
}

TEST(exports, name_the_cause_of_a_failure) {
    opened_trace example(example_trace());
    try {
        write_pprof(*example.trace, 0, *example.code, "/dev/full");
        FAIL() << "there is no space on /dev/full";
    } catch (const export_error& error) {
        EXPECT_STREQ(
            error.what(),
            "cannot write /dev/full: No space left on device. Free some space, or name another file.");
    }
}

}} // namespace mallard::advisor::tests
