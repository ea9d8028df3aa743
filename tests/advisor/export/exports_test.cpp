#include "advisor/export/block_counts.hpp"
#include "advisor/export/exports.hpp"
#include "advisor/export/printable.hpp"
#include "example_trace.hpp"
#include "profile_reader.hpp"
#include "toy_file.hpp"
#include "trace_maker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>

namespace mallard::advisor::tests {

namespace {

/// A trace that was made up, opened, with the names of its code.
struct opened_trace {
    temporary_folder folder;
    std::unique_ptr<trace::reader> trace;
    std::unique_ptr<code_map> code;

    explicit opened_trace(const trace_maker& made) {
        made.write(folder / "trace");
        trace = std::make_unique<trace::reader>(folder / "trace");
        code = std::make_unique<code_map>(trace->code(0), trace->processes()[0].executable);
    }
    std::filesystem::path write(const char* format) {
        const std::filesystem::path file = folder / format;
        find_export_format(format)->write(*trace, 0, *code, file);
        return file;
    }
};

/// Returns: what a program prints; nothing if it is not installed.
std::string output_of(const std::string& command) {
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
    for (const export_format& each : export_formats()) {
        EXPECT_EQ(find_export_format(each.name), &each);
    }
}

// The example is opened in a browser by another test.
TEST(exports, are_those_of_the_example) {
    opened_trace example(example_trace());
    for (const char* const format : {"dhat", "folded", "folded-blocks", "folded-peak", "folded-end"}) {
        const std::string expected = std::string(MALLARD_EXAMPLES) + "/example." + format;
        const std::filesystem::path written = example.write(format);
        if (std::getenv("MALLARD_UPDATE") != nullptr) {
            std::filesystem::copy_file(written, expected, std::filesystem::copy_options::overwrite_existing);
        }
        EXPECT_EQ(text_of(written), text_of(expected)) << expected << ": MALLARD_UPDATE=1 writes it anew";
    }
}

TEST(exports, are_the_same_each_time) {
    for (const export_format& each : export_formats()) {
        opened_trace one(example_trace());
        opened_trace other(example_trace());
        const std::string format(each.name);
        EXPECT_EQ(text_of(one.write(format.c_str())), text_of(other.write(format.c_str())));
    }
}

TEST(pprof_export, has_the_sums_of_the_trace) {
    opened_trace example(example_trace());
    const profile read(example.write("pprof"));
    EXPECT_EQ(read.kinds,
              (std::vector<std::string>{"alloc_objects count", "alloc_space bytes", "peak_objects count",
                                        "peak_space bytes", "inuse_objects count", "inuse_space bytes"}));
    const heap_history history(*example.trace, 0);
    std::vector<std::uint64_t> sums(6);
    for (const profile::sample& each : read.samples) {
        for (std::size_t kind = 0; kind < sums.size(); ++kind) {
            sums[kind] += each.values.at(kind);
        }
    }
    const block_counts& total = history.total();
    EXPECT_EQ(sums,
              (std::vector<std::uint64_t>{total.allocated.blocks, total.allocated.bytes, total.at_peak.blocks,
                                          total.at_peak.bytes, total.alive.blocks, total.alive.bytes}));
    EXPECT_EQ(read.comments, std::vector<std::string>{"Recorded by mallard: process 4242 made-up --fast"});
    EXPECT_EQ(read.mappings, (std::vector<std::string>{"0x400000-0x500000 /nowhere/app 01abff",
                                                       "0x7f0000000000-0x7f0000100000 /nowhere/libgone.so 02",
                                                       "0x7ffff0000000-0x7ffff0002000 linux-vdso.so.1 "}));
    const auto incomplete =
        std::find_if(read.samples.begin(), read.samples.end(), [](const profile::sample& each) {
            return each.functions.back() == "[outer calls unknown: code without a description] :0";
        });
    ASSERT_NE(incomplete, read.samples.end());
    EXPECT_EQ(incomplete->addresses.back(), 0u);
}

TEST(pprof_export, is_read_by_pprof) {
    if (output_of("go version").empty()) {
        GTEST_SKIP() << "go is not installed; Debian's package golang-go has its pprof";
    }
    opened_trace example(example_trace());
    const std::string file = example.write("pprof").string();
    const std::string top = output_of("go tool pprof -top -sample_index=alloc_space '" + file + "'");
    EXPECT_NE(top.find("Type: alloc_space\n"), std::string::npos) << top;
    EXPECT_NE(top.find("of 1270B total"), std::string::npos) << top;
    EXPECT_NE(top.find("libgone.so+0x1fff"), std::string::npos) << top;
    const std::string peak = output_of("go tool pprof -top -sample_index=peak_objects '" + file + "'");
    EXPECT_NE(peak.find("of 4 total"), std::string::npos) << peak;
    const std::string raw = output_of("go tool pprof -raw '" + file + "'");
    EXPECT_NE(raw.find("alloc_objects/count alloc_space/bytes[dflt]"), std::string::npos) << raw;
}

TEST(exports, name_functions_that_are_inlined) {
    const std::string toy = toy_path("toy_debug");
    constexpr std::uint64_t base = 0x7f00'0000'0000;
    const std::vector<trace::code_file> files{loaded(toy, base)};
    code_map names(files);
    trace_maker made;
    made.add(files[0]);
    // A call in a function that is inlined twice.
    for (const std::uint64_t each : addresses_of(toy, 1)) {
        if (const auto places = names.places(base + each);
            places[0].short_name == "toy::innermost" && places.size() == 3) {
            made.allocate({base + each + 1}, 0x10, 100);
            break;
        }
    }
    opened_trace trace(made);
    EXPECT_EQ(text_of(trace.write("folded")), "toy::outer;toy::middle_[i];toy::innermost_[i] 100\n");
    const profile read(trace.write("pprof"));
    ASSERT_EQ(read.samples.size(), 1u);
    ASSERT_EQ(read.samples[0].functions.size(), 3u);
    EXPECT_TRUE(read.samples[0].functions[0].starts_with("toy::innermost ")) << read.samples[0].functions[0];
    EXPECT_NE(read.samples[0].functions[0].find("toys/toy.hpp:"), std::string::npos);
    EXPECT_NE(read.samples[0].functions[2].find("toys/first.cpp:"), std::string::npos);
    const std::string dhat = text_of(trace.write("dhat"));
    EXPECT_NE(dhat.find(": toy::innermost (/"), std::string::npos) << dhat;
    EXPECT_NE(dhat.find("\"fs\":[1,2,3]"), std::string::npos) << dhat;
}

TEST(exports, can_be_of_nothing) {
    trace_maker made;
    made.about.ticks_per_second = 0;
    made.about.command.clear();
    made.free({0x1000}, 0x10);
    opened_trace trace(made);
    EXPECT_EQ(text_of(trace.write("folded")), "");
    EXPECT_TRUE(profile(trace.write("pprof")).samples.empty());
    const std::string dhat = text_of(trace.write("dhat"));
    EXPECT_NE(dhat.find("\"pps\":[],"), std::string::npos) << dhat;
    EXPECT_NE(dhat.find("\"tu\":\"ticks\""), std::string::npos) << dhat;
}

TEST(exports, write_text_that_is_fit_for_others) {
    EXPECT_EQ(printable("a\nb\tc\x7f"), "a b c ");
    EXPECT_EQ(printable("caf\xc3\xa9 \xf0\x9f\xa6\x86"), "caf\xc3\xa9 \xf0\x9f\xa6\x86");
    for (const char* const wrong :
         {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\x80"}) {
        EXPECT_TRUE(printable(wrong).starts_with("\xef\xbf\xbd")) << wrong;
    }
    EXPECT_EQ(json_string(R"(a"b\c)"), R"("a\"b\\c")");
    trace_maker made;
    made.about.command = {"a\"b\\c\n\xff"};
    made.add({0x1000, 0x2000, 0x1000, "1", "/nowhere/a;b\n\"c\\\xfe.so", 0});
    made.allocate({0x1100}, 0x10, 1);
    opened_trace trace(made);
    EXPECT_EQ(text_of(trace.write("folded")), "a:b \"c\\\xef\xbf\xbd.so+0xff 1\n");
    const std::string dhat = text_of(trace.write("dhat"));
    EXPECT_NE(dhat.find(R"("cmd":"a\"b\\c )"), std::string::npos);
    EXPECT_NE(dhat.find(R"(0x10ff: a;b \"c\\)"), std::string::npos);
}

TEST(exports, survive_figures_that_make_no_sense) {
    trace_maker made;
    made.about.ticks_per_second = 1e-300;
    made.about.sampled_one_in = 8;
    made.allocate({0x1100}, 0x10, ~std::uint64_t{0});
    made.ticks += 100;
    made.allocate({0x1200}, 0x20, ~std::uint64_t{0} / 2);
    opened_trace trace(made);
    const profile read(trace.write("pprof"));
    EXPECT_EQ(read.samples.at(0).values.at(1), ~std::uint64_t{0} / 2);
    EXPECT_EQ(read.comments.at(1), "One activation in 8 was recorded; no figure is scaled up.");
    EXPECT_NE(text_of(trace.write("dhat")).find("\"tb\":18446744073709551615"), std::string::npos);
}

TEST(exports, are_there_whole_or_not_at_all) {
    opened_trace example(example_trace());
    for (const export_format& each : export_formats()) {
        EXPECT_THROW(each.write(*example.trace, 0, *example.code, "/dev/full"), export_error);
        EXPECT_THROW(each.write(*example.trace, 0, *example.code, example.folder / "no/such/folder"),
                     export_error);
        EXPECT_THROW(each.write(*example.trace, 0, *example.code, example.folder.path()), export_error);
    }
    const std::filesystem::path file = example.write("folded");
    EXPECT_EQ(std::filesystem::status(file).permissions() & std::filesystem::perms::owner_all,
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::create_symlink(file, example.folder / "link");
    write_folded_blocks(*example.trace, 0, *example.code, example.folder / "link");
    EXPECT_TRUE(std::filesystem::is_symlink(example.folder / "link"));
    EXPECT_EQ(text_of(file), text_of(std::string(MALLARD_EXAMPLES) + "/example.folded-blocks"));
    std::set<std::string> left;
    for (const auto& each : std::filesystem::directory_iterator(example.folder.path())) {
        left.insert(each.path().filename());
    }
    EXPECT_EQ(left, (std::set<std::string>{"folded", "link", "trace"}));
}

TEST(exports, say_why_they_failed) {
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

} // namespace

} // namespace mallard::advisor::tests
