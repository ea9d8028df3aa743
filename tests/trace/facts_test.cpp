// What a trace has beside the events.
#include "trace/recordings/trace_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace {

using namespace mallard::test;
namespace trace = mallard::trace;

void add_text(chunk_builder& to, const std::string& text) {
    to.add_number(text.size());
    for (const char each : text) {
        to.add_byte(static_cast<std::uint8_t>(each));
    }
}

std::vector<std::byte> chunk_with_facts() {
    chunk_builder made;
    made.thread_begin(500, 0);
    made.add_byte(static_cast<std::uint8_t>(trace::record_kind::code));
    for (const std::uint64_t each :
         {std::uint64_t{7}, std::uint64_t{0x40'0000}, std::uint64_t{0x50'0000}, ~std::uint64_t{0}}) {
        made.add_number(each);
    }
    add_text(made, std::string("\0\1\2", 3));
    add_text(made, "/usr/bin/program");
    for (const auto& [number, name] :
         {std::pair<unsigned, const char*>{3, "parse"}, {1, ""}, {trace::most_names, "last"}}) {
        made.add_byte(static_cast<std::uint8_t>(trace::record_kind::name));
        made.add_number(1);
        made.add_number(number);
        add_text(made, name);
    }
    return made.bytes;
}

trace::process all_facts() {
    trace::process made;
    made.number = 4'000'000'000;
    made.parent = 1;
    made.stacks = trace::stack_source::descriptions;
    made.sampled_one_in = 7;
    made.timed_one_in = 64;
    made.first_ticks = 400;
    made.last_ticks = ~std::uint64_t{0};
    made.ticks_per_second = 2.6e9;
    made.cpu_nanoseconds = 9'000'000'000;
    made.threads = 1;
    made.stopped = trace::stop_reason::disk_full;
    made.exit_status = -9;
    made.executable = "/usr/bin/program";
    made.command = {"program", "", "secret"};
    made.nested_events = 1;
    made.forks_not_followed = 3;
    made.programs_not_followed = 4;
    made.blocks_without_end = 5;
    made.names_lost = 6;
    return made;
}

std::vector<std::byte> trace_with_facts(bool redact) {
    return trace_of(
        [](trace::writer& to) {
            to.add_process({});
            to.add_chunk(0, chunk_with_facts());
            to.end_process(0, all_facts());
        },
        {.redact = redact});
}

TEST(facts, are_read_as_they_were_written) {
    memory_file file;
    file.set(trace_with_facts(false));
    const trace::reader from(file.path());
    const trace::process want = all_facts();
    const trace::process& have = from.processes().at(0);
    EXPECT_EQ(have.number, want.number);
    EXPECT_EQ(have.parent, want.parent);
    EXPECT_EQ(have.stacks, want.stacks);
    EXPECT_EQ(have.sampled_one_in, want.sampled_one_in);
    EXPECT_EQ(have.timed_one_in, want.timed_one_in);
    EXPECT_EQ(have.first_ticks, want.first_ticks);
    EXPECT_EQ(have.last_ticks, want.last_ticks);
    EXPECT_EQ(have.ticks_per_second, want.ticks_per_second);
    EXPECT_EQ(have.cpu_nanoseconds, want.cpu_nanoseconds);
    EXPECT_EQ(have.threads, want.threads);
    EXPECT_EQ(have.stopped, want.stopped);
    EXPECT_EQ(have.exit_status, want.exit_status);
    EXPECT_EQ(have.executable, want.executable);
    EXPECT_EQ(have.command, want.command);
    EXPECT_EQ(have.nested_events, want.nested_events);
    EXPECT_EQ(have.forks_not_followed, want.forks_not_followed);
    EXPECT_EQ(have.programs_not_followed, want.programs_not_followed);
    EXPECT_EQ(have.blocks_without_end, want.blocks_without_end);
    EXPECT_EQ(have.names_lost, want.names_lost);
    EXPECT_FALSE(have.torn);

    ASSERT_EQ(from.code(0).size(), 1U);
    const trace::code_file& code = from.code(0).front();
    EXPECT_EQ(code.begin, 0x40'0000U);
    EXPECT_EQ(code.end, 0x50'0000U);
    EXPECT_EQ(code.load_address, ~std::uint64_t{0});
    EXPECT_EQ(code.build_id, std::string("\0\1\2", 3));
    EXPECT_EQ(code.path, "/usr/bin/program");
    EXPECT_EQ(code.first_ticks, 507U);
    ASSERT_EQ(from.names(0).size(), trace::most_names + 1);
    EXPECT_EQ(from.names(0)[3], "parse");
    EXPECT_EQ(from.names(0)[trace::most_names], "last");
    EXPECT_EQ(from.names(0)[2], "");
}

TEST(facts, leave_names_of_files_out_if_redacted) {
    memory_file file;
    file.set(trace_with_facts(true));
    const trace::reader from(file.path());
    EXPECT_EQ(from.processes().at(0).executable, "");
    EXPECT_TRUE(from.processes().at(0).command.empty());
    EXPECT_EQ(from.code(0).at(0).path, "");
    EXPECT_EQ(from.code(0).at(0).build_id, std::string("\0\1\2", 3));
    EXPECT_EQ(from.names(0)[3], "parse");
}

TEST(facts, count_events_by_the_end_of_their_stack) {
    memory_file file;
    const random_recording recording(9, {});
    file.set(trace_of([&](trace::writer& to) { recording.add_to(to); }));
    const trace::reader from(file.path());
    std::array<std::uint64_t, trace::stack_ends> want{};
    for (const auto& [thread, events] : recording.threads) {
        for (const auto& each : events) {
            if (trace::has_stack(each.of.kind)) {
                ++want[static_cast<std::size_t>(each.end)];
            }
        }
    }
    EXPECT_EQ(from.processes().at(0).events_by_end, want);
}

TEST(facts, a_full_disk_is_an_error_of_the_writer) {
    if (!std::ofstream("/dev/full").good()) {
        GTEST_SKIP() << "no /dev/full";
    }
    EXPECT_THROW(
        {
            trace::writer to("/dev/full", {});
            to.finish();
        },
        trace::trace_error);
    EXPECT_THROW(trace::writer("/no/such/folder/trace", {}), trace::trace_error);
}

} // namespace
