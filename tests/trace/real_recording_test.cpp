// A recording of a program that nobody wrote for this test: a reader gives what the program's chunks have.
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
    void take(const trace::event& of, trace::stack_end) override { threads[of.thread].push_back(of); }
    void took(std::uint32_t thread, std::uint64_t inside, std::uint64_t by_recorder) override {
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

TEST(real_recording, is_read_as_it_was_recorded) {
    const folder to;
    const std::string command = "MALLARD_RECORD='" + to.path.string() +
                                "' LD_PRELOAD='" RECORDER "' '" PROGRAM "' --help-command-list > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const auto part = std::filesystem::directory_iterator(to.path)->path();

    trace::known_contexts contexts;
    trace::chunk_parser parser(contexts);
    collected want;
    read_part(part, [&](std::span<const std::byte> records) { EXPECT_TRUE(parser.parse(records, want)); });
    ASSERT_GT(want.threads.at(0).size(), 1000U);

    memory_file file;
    file.set(trace_of([&](trace::writer& into) { add_part(part, into); }));
    trace::reader from(file.path());
    EXPECT_EQ(from.code(0).size(), want.code);
    const auto have = events_of(from, 0);
    ASSERT_EQ(have.size(), want.threads.size());
    for (const auto& [thread, events] : want.threads) {
        ASSERT_EQ(have.at(thread).size(), events.size());
        for (std::size_t which = 0; which < events.size(); ++which) {
            const trace::event& one = events[which];
            const trace::event& other = have.at(thread)[which];
            ASSERT_TRUE(one.kind == other.kind && one.address == other.address && one.bytes == other.bytes &&
                        one.context == other.context && one.kept == other.kept &&
                        one.ticks_inside == other.ticks_inside && one.ticks - other.ticks < 32)
                << "event " << which << " of thread " << thread;
        }
    }
    for (trace::context_id which = 0; which < contexts.tree.size(); ++which) {
        ASSERT_EQ(contexts.tree[which].address, from.contexts(0)[which].address);
    }
}

} // namespace
