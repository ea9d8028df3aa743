#include "example_trace.hpp"
#include "history/history.hpp"
#include "profiler/export/exports.hpp"
#include "toy_file.hpp"
#include "trace_maker.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>

namespace mallard::advisor::tests { namespace {

/// A synthetic trace, opened, with the names of its code.
struct opened_trace {
    temporary_folder folder;
    std::unique_ptr<trace::reader> trace;

    explicit opened_trace(const trace_maker& maker) {
        maker.write(folder / "trace");
        trace = std::make_unique<trace::reader>(folder / "trace");
    }
    [[nodiscard]] std::string stacks() const {
        code_map code(trace->code(0), trace->processes()[0].executable);
        return stacks_document(*trace, 0, code);
    }
    /// Returns: the words of the recording.
    [[nodiscard]] std::vector<std::uint32_t> history() const {
        const std::filesystem::path file = folder / "history";
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> to(std::fopen(file.c_str(), "w"), &std::fclose);
        write_history(*trace, 0, to.get());
        std::fflush(to.get());
        history::recording events;
        EXPECT_TRUE(events.open(file.c_str()));
        return {events.begin(), events.end()};
    }
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Tests of Python write all formats of the example.
TEST(stacks_document, is_that_of_the_example) {
    const std::string expected = MALLARD_EXAMPLES "/example.json";
    const std::string stacks = opened_trace(example_trace()).stacks();
    if (std::getenv("MALLARD_UPDATE") != nullptr) {
        std::ofstream(expected) << stacks;
    }
    EXPECT_EQ(stacks, read_text(expected)) << expected << ": MALLARD_UPDATE=1 updates it";
}

TEST(stacks_document, names_functions_that_are_inlined) {
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
    const std::string stacks = opened_trace(maker).stacks();
    EXPECT_TRUE(has(stacks, R"("calls":[[0,null,"0",1,100,)")) << stacks;
    const std::string frames = stacks.substr(stacks.find("\"frames\""));
    const std::size_t middle = frames.find(R"("toy::middle",)"), outer = frames.find(R"("toy::outer",)");
    EXPECT_LT(frames.find(R"("toy::innermost",)"), middle) << frames;
    EXPECT_LT(middle, outer) << frames;
    EXPECT_TRUE(has(frames.substr(middle, outer - middle), "toys/toy.hpp")) << frames;
    EXPECT_TRUE(has(frames.substr(outer), "toys/first.cpp")) << frames;
    EXPECT_TRUE(frames.ends_with(",false]]}\n")) << frames;
}

TEST(stacks_document, can_be_empty) {
    trace_maker maker;
    maker.about.ticks_per_second = 0;
    maker.about.command.clear();
    maker.free({0x1000}, 0x10);
    EXPECT_EQ(opened_trace(maker).stacks(),
              R"({"format":"mallard profile","version":1,"exports":[[4242,"",null,0,0,0,1]],)"
              R"("calls":[],"loaded_files":[],"frames":[]})"
              "\n");
}

TEST(stacks_document, has_valid_text) {
    trace_maker maker;
    maker.about.command = {"a\"b\\c\n\xff", "d"};
    maker.add({0x1000, 0x2000, 0x1000, "1", "/nowhere/a;b\n\"c\\\xfe.so", 0});
    maker.allocate({0x1100}, 0x10, 1);
    const std::string stacks = opened_trace(maker).stacks();
    EXPECT_TRUE(has(stacks, R"("a\"b\\c\\n)"
                            "\xef\xbf\xbd d\""))
        << stacks;
    EXPECT_TRUE(has(stacks, R"("a;b\\n\"c\\)"
                            "\xef\xbf\xbd.so+0xff\""))
        << stacks;
}

TEST(stacks_document, limits_figures_to_those_of_a_database) {
    trace_maker maker;
    maker.allocate({0x1100}, 0x10, ~std::uint64_t{0});
    EXPECT_TRUE(
        has(opened_trace(maker).stacks(), R"([[0,null,"0",1,9223372036854775807,1,9223372036854775807,)"));
}

constexpr std::uint32_t freed = history::recording::freed;

TEST(history_export, has_the_requests_in_order) {
    EXPECT_EQ(
        opened_trace(example_trace()).history(),
        (std::vector<std::uint32_t>{1000, 20, 30, 10, freed | 0, 50, freed | 2, 160, freed | 2, freed | 3}));
}

TEST(history_export, replaces_a_block_whose_free_is_missing) {
    trace_maker maker;
    maker.free({}, 0x30); // allocated before the recording
    maker.allocate({}, 0x10, 8);
    maker.allocate({}, 0x10, 9);
    EXPECT_EQ(opened_trace(maker).history(), (std::vector<std::uint32_t>{8, freed | 0, 9}));
}

TEST(history_export, follows_a_realloc_that_fails) {
    trace_maker maker;
    maker.allocate({}, 0x10, 8);
    maker.add(trace::record_kind::realloc_old, {}, 0x10);
    maker.add(trace::record_kind::realloc_failed, {}, 0x10);
    maker.add(trace::record_kind::realloc_old, {}, 0x10);
    maker.add(trace::record_kind::realloc, {}, 0x20, std::uint64_t{5} << 30);
    EXPECT_EQ(opened_trace(maker).history(),
              (std::vector<std::uint32_t>{8, freed | 0, 8, freed | 0, history::recording::most_bytes}));
}

TEST(history_export, rejects_a_trace_without_requests) {
    trace_maker maker;
    maker.free({}, 0x10);
    EXPECT_THROW(static_cast<void>(opened_trace(maker).history()), export_error);
}

}} // namespace mallard::advisor::tests
