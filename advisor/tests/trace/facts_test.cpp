// The contents of a trace except for the events.
#include "trace/recordings/trace_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace {

using namespace mallard::test;
namespace trace = mallard::trace;

void add_text(chunk_builder& to, const std::string& text) {
    to.add_number(text.size());
    for (const char character : text) {
        to.add_byte(static_cast<std::uint8_t>(character));
    }
}

std::vector<std::byte> chunk_with_facts() {
    chunk_builder builder;
    builder.thread_begin(500, 0);
    builder.add_byte(static_cast<std::uint8_t>(trace::record_kind::code));
    for (const std::uint64_t value :
         {std::uint64_t{7}, std::uint64_t{0x40'0000}, std::uint64_t{0x50'0000}, ~std::uint64_t{0}}) {
        builder.add_number(value);
    }
    add_text(builder, std::string("\0\1\2", 3));
    add_text(builder, "/usr/bin/program");
    for (const auto& [number, name] :
         {std::pair<unsigned, const char*>{3, "parse"}, {1, ""}, {trace::most_names, "last"}}) {
        builder.add_byte(static_cast<std::uint8_t>(trace::record_kind::name));
        builder.add_number(1);
        builder.add_number(number);
        add_text(builder, name);
    }
    return builder.bytes;
}

trace::process all_facts() {
    trace::process result;
    result.number = 4'000'000'000;
    result.parent = 1;
    result.stacks = trace::stack_source::descriptions;
    result.sampled_one_in = 7;
    result.timed_one_in = 64;
    result.first_ticks = 400;
    result.last_ticks = ~std::uint64_t{0};
    result.ticks_per_second = 2.6e9;
    result.cpu_nanoseconds = 9'000'000'000;
    result.threads = 1;
    result.stopped = trace::stop_reason::disk_full;
    result.exit_status = -9;
    result.executable = "/usr/bin/program";
    result.command = {"program", "", "secret"};
    result.nested_events = 1;
    result.forks_not_followed = 3;
    result.programs_not_followed = 4;
    result.blocks_without_end = 5;
    result.names_lost = 6;
    result.stamp_ticks = 24.6;
    return result;
}

std::vector<std::byte> trace_with_facts(bool redact) {
    return write_trace(
        [](trace::writer& to) {
            to.add_process({});
            to.add_chunk(0, chunk_with_facts());
            for (const auto& [ticks, resident] :
                 {std::pair{600U, 40U}, {599U, 1U}, {600U, 41U}, {900U, 1U << 30}}) {
                to.add_memory(0, {ticks, std::uint64_t{resident} << 10, 4096});
            }
            to.end_process(0, all_facts());
        },
        {.redact = redact});
}

TEST(facts, round_trip) {
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
    EXPECT_EQ(have.stamp_ticks, want.stamp_ticks);
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

TEST(facts, have_memory_in_the_order_of_time) {
    memory_file file;
    file.set(trace_with_facts(false));
    const trace::reader from(file.path());
    ASSERT_EQ(from.memory(0).size(), 3U);
    EXPECT_EQ(from.memory(0)[1].ticks, 600U);
    EXPECT_EQ(from.memory(0)[1].resident_bytes, 41U << 10);
    EXPECT_EQ(from.memory(0)[2].ticks, 900U);
    EXPECT_EQ(from.memory(0)[2].resident_bytes, std::uint64_t{1} << 40);
    EXPECT_EQ(from.memory(0)[2].file_bytes, 4096U);
}

TEST(facts, omit_file_names_if_redacted) {
    memory_file file;
    file.set(trace_with_facts(true));
    const trace::reader from(file.path());
    EXPECT_EQ(from.processes().at(0).executable, "");
    EXPECT_TRUE(from.processes().at(0).command.empty());
    EXPECT_EQ(from.code(0).at(0).path, "");
    EXPECT_EQ(from.code(0).at(0).build_id, std::string("\0\1\2", 3));
    EXPECT_EQ(from.names(0)[3], "parse");
}

TEST(facts, count_events_by_stack_end) {
    memory_file file;
    const random_recording recording(9, {});
    file.set(write_trace([&](trace::writer& to) { recording.add_to(to); }));
    const trace::reader from(file.path());
    std::array<std::uint64_t, trace::stack_ends> want{};
    for (const auto& [thread, events] : recording.threads) {
        for (const auto& event : events) {
            if (trace::has_stack(event.fields.kind)) {
                ++want[static_cast<std::size_t>(event.end)];
            }
        }
    }
    EXPECT_EQ(from.processes().at(0).events_by_end, want);
}

TEST(facts, report_a_full_disk) {
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
