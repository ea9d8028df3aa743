// A recording of an arbitrary program: a reader returns the events of the program's chunks.
#include "trace/chunk/chunk_parser.hpp"
#include "trace/part_file.hpp"
#include "trace/recordings/trace_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace {

using namespace mallard::test;
namespace trace = mallard::trace;

struct collected final : trace::chunk_sink {
    void take(const trace::event& added, trace::stack_end) override {
        threads[added.thread].push_back(added);
    }
    void take_ticks(std::uint32_t thread, std::uint64_t inside, std::uint64_t by_recorder) override {
        threads[thread].back().ticks_inside = inside;
        threads[thread].back().ticks_recorder = by_recorder;
    }
    void take(trace::code_file&&) override { ++code; }
    void take(trace::named_number&&) override {}

    std::map<std::uint32_t, std::vector<trace::event>> threads;
    std::size_t code = 0;
};

class folder {
public:
    folder() {
        std::string name = (std::filesystem::temp_directory_path() / "mallard_XXXXXX").string();
        path = ::mkdtemp(name.data()) == nullptr ? "" : name;
    }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    ~folder() { std::filesystem::remove_all(path); }

    std::filesystem::path path;
};

TEST(real_recording, round_trips) {
    const folder to;
    const std::string command = "MALLARD_RECORD='" + to.path.string() +
                                "' LD_PRELOAD='" RECORDER "' '" PROGRAM "' --help-command-list > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const auto part = std::filesystem::directory_iterator(to.path)->path();

    trace::context_tree contexts;
    trace::chunk_parser parser(contexts);
    collected want;
    read_part(part, [&](std::span<const std::byte> records) { EXPECT_TRUE(parser.parse(records, want)); });
    ASSERT_GT(want.threads.at(0).size(), 1000U);

    memory_file file;
    file.set(write_trace([&](trace::writer& into) { add_part(part, into); }));
    trace::reader from(file.path());
    EXPECT_EQ(from.code(0).size(), want.code);
    const auto have = read_events(from, 0);
    ASSERT_EQ(have.size(), want.threads.size());
    for (const auto& [thread, events] : want.threads) {
        ASSERT_EQ(have.at(thread).size(), events.size());
        for (std::size_t index = 0; index < events.size(); ++index) {
            const trace::event& written = events[index];
            const trace::event& read = have.at(thread)[index];
            ASSERT_TRUE(written.kind == read.kind && written.address == read.address &&
                        written.bytes == read.bytes && written.context == read.context &&
                        written.kept == read.kept && written.ticks_inside == read.ticks_inside &&
                        written.ticks - read.ticks < 32)
                << "event " << index << " of thread " << thread;
        }
    }
    for (trace::context_id context = 0; context < contexts.size(); ++context) {
        ASSERT_EQ(contexts[context].address, from.contexts(0)[context].address);
    }
}

} // namespace
