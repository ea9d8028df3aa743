// Events of all threads come in order of time, and of simultaneous ones the frees come first.
#include "trace/recordings/trace_file.hpp"

#include <gtest/gtest.h>

namespace {

using namespace mallard::test;
namespace trace = mallard::trace;
using trace::record_kind;

/// Events of one thread: kinds and times.
std::vector<std::byte> make_chunk(std::uint32_t thread,
                                  const std::vector<std::pair<record_kind, std::uint64_t>>& events) {
    chunk_builder builder;
    std::uint64_t last = 1000;
    builder.thread_begin(last, thread);
    for (const auto& [kind, ticks] : events) {
        expected_event event;
        event.fields.kind = kind;
        event.fields.address = 0x5000;
        builder.add(event, ticks - last, 0, {{1, 0}});
        last = ticks;
    }
    return builder.bytes;
}

std::vector<trace::event> read_in_order(const std::vector<std::vector<std::byte>>& chunks) {
    memory_file file;
    file.set(write_trace([&](trace::writer& to) {
        to.add_process({});
        for (const auto& chunk : chunks) {
            to.add_chunk(0, chunk);
        }
        to.end_process(0, {});
    }));
    trace::reader from(file.path());
    from.begin(0);
    std::vector<trace::event> result;
    for (auto batch = from.next(); !batch.empty(); batch = from.next()) {
        for (const auto& event : batch) {
            if (trace::has_stack(event.kind)) {
                result.push_back(event);
            }
        }
    }
    return result;
}

TEST(order, follows_time) {
    const auto events =
        read_in_order({make_chunk(0, {{record_kind::malloc, 2000}, {record_kind::malloc, 9000}}),
                       make_chunk(1, {{record_kind::malloc, 3000}, {record_kind::malloc, 4000}}),
                       make_chunk(2, {{record_kind::malloc, 3500}, {record_kind::malloc, 8000}})});
    std::vector<std::uint32_t> threads;
    for (const auto& event : events) {
        threads.push_back(event.thread);
    }
    EXPECT_EQ(threads, (std::vector<std::uint32_t>{0, 1, 2, 1, 2, 0}));
}

TEST(order, puts_simultaneous_frees_first) {
    // The allocator may reuse a block for one thread as soon as another has freed it, never before.
    const auto events = read_in_order(
        {make_chunk(0, {{record_kind::malloc, 6400}, {record_kind::malloc, 9600}}),
         make_chunk(1,
                    {{record_kind::malloc, 2000}, {record_kind::free, 6400}, {record_kind::malloc, 9900}})});
    ASSERT_EQ(events.size(), 5U);
    EXPECT_EQ(events[1].kind, record_kind::free);
    EXPECT_EQ(events[2].kind, record_kind::malloc);
}

TEST(order, can_be_read_twice) {
    memory_file file;
    file.set(write_trace([](trace::writer& to) { random_recording(3, {}).add_to(to); }));
    trace::reader from(file.path());
    const auto first_events = read_events(from, 0);
    from.begin(0);
    from.next();
    const auto second_events = read_events(from, 0);
    ASSERT_EQ(first_events.size(), second_events.size());
    for (const auto& [thread, events] : first_events) {
        EXPECT_EQ(events.size(), second_events.at(thread).size());
    }
    EXPECT_TRUE(from.next().empty());
}

} // namespace
